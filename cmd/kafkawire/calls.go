// The requests of captured conversations that wait for their answers.

package main

import (
	"fmt"
	"slices"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// call is a request that waits.
type call struct {
	key           fastcodec.APIKey
	version       int16
	correlationID int32
}

// calls holds the requests under way by connection: a capture says what each
// response answers, and that must be so.
type calls struct {
	byConn map[int][]call
	off    bool // there are too many connections to remember
}

// Limits of what is remembered. Requests without an answer (Produce with acks 0)
// would add up.
const (
	maxConns = 1 << 14
	maxCalls = 1 << 12
)

func (c *calls) reset() { *c = calls{byConn: map[int][]call{}} }

// see notes a request, or finds that of a response. A response on a connection of
// which no request was seen is taken as it is: the capture may be an excerpt.
func (c *calls) see(l *line, p *parts) error {
	conn := l.int("conn")
	c.off = c.off || len(c.byConn) > maxConns
	if l.err != nil || c.off {
		return l.err
	}
	if !p.response {
		under := append(c.byConn[conn], call{p.key, p.version, p.request.CorrelationID()})
		c.byConn[conn] = under[max(0, len(under)-maxCalls):]
		return nil
	}
	under, ok := c.byConn[conn]
	want := call{p.key, p.version, p.answer.CorrelationID()}
	i := slices.Index(under, want)
	switch {
	case i >= 0:
		c.byConn[conn] = slices.Delete(under, i, i+1)
	case ok && len(under) < maxCalls:
		return fmt.Errorf("answers no request of connection %d: frame offset %d: correlation id %d", conn, fastcodec.SizePrefix, want.correlationID)
	}
	return nil
}
