// Messages inside bytes fields: what members of a consumer group tell each other.

package rewrite

import (
	"encoding/binary"
	"strings"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// consumer is the protocol type of groups whose members speak ConsumerProtocol.
const consumer = "consumer"

// embedded is a data message that stands in bytes behind its int16 version.
type embedded struct {
	message *schema.Message
	plans   []*plan // from version 0 on
	test    test
}

// isData reports whether an embedded mark names a data message.
func isData(name string) bool {
	return name != "" && strings.ToUpper(name[:1]) == name[:1]
}

// embed makes the plans of a data message.
func (c *compiler) embed(name string, rules []rule) *embedded {
	m, err := schema.ByName(name)
	if err != nil || m.Valid.Min != 0 {
		c.fail(c.m.Root.Fields[0], "no data message "+name)
		return nil
	}
	e := &embedded{message: m, test: rules[0].test}
	for v := m.Valid.Min; v <= m.Valid.Max; v++ {
		p := c.r.compile(m, v, c.response)
		if p.err != nil {
			c.fail(c.m.Root.Fields[0], p.err.Error())
		}
		e.plans = append(e.plans, p)
	}
	return e
}

// blob edits bytes that hold a message and returns where they end.
func (s *state) blob(b []byte, o *op, at int) int {
	content, end := span(b, at, o)
	if content <= 0 || content == end {
		return end
	}
	e := o.edit.embedded
	switch s.holds(b, &e.test) {
	case no:
		return end
	case unknown:
		return s.fail(at, ErrRefused, "a known protocol type of the group")
	}
	if end-content < 2 {
		return s.fail(at, fastcodec.ErrShort, "an int16 version in front of "+e.message.Name)
	}
	version := int16(binary.BigEndian.Uint16(b[content:]))
	if version < 0 {
		return s.fail(at, ErrRefused, "a version of 0 or above in front of "+e.message.Name)
	}
	// Versions only ever add fields at the end: a later one is read as the latest
	// that is known, as Kafka does.
	version = min(version, int16(len(e.plans)-1))
	start, place, changed := content+2, s.place(at), s.changed
	from := s.place(start)
	off := s.run(b[:end], e.plans[version].program, start, 1)
	if off == refused && s.failure == nil && version > 0 {
		// Some clients name a version and then leave out what is new in it. If the
		// fields of version 0 are all there is, they mean that.
		s.backTo(from, start)
		s.changed = changed
		if off = s.run(b[:end], e.plans[0].program, start, 1); off != end {
			off = refused
		}
	}
	if off < 0 {
		if off == hidden {
			s.fail(at, ErrRefused, wantElement)
		}
		return s.failInside(e, version, at, start, end)
	}
	size := content - at
	if n := s.place(end) - place - size; n != end-content {
		s.patchLength(o.wide, place, size, n)
	}
	return end
}
