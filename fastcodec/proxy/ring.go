// The pairing queue: requests under way, in the order in which they will be
// answered.

package proxy

import (
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

// entry is a request under way.
type entry struct {
	head    uint64 // what the request begins with: key, version, correlation id
	how     how
	note    uint64          // the handler's, if the answer is shown; of an answer made here, its size
	context rewrite.Context // likewise
}

func (e *entry) key() fastcodec.APIKey { return fastcodec.APIKey(e.head >> 48) }
func (e *entry) version() int16        { return int16(e.head >> 32) }
func (e *entry) correlation() int32    { return int32(e.head) }

// headOf is the head of an entry.
func headOf(key fastcodec.APIKey, version int16, correlation int32) uint64 {
	return uint64(uint16(key))<<48 | uint64(uint16(version))<<32 | uint64(uint32(correlation))
}

// how says what becomes of the answer. Zero: it passes.
type how uint8

const (
	// shown: the answer goes to the handler whole.
	shown how = 1 << iota
	// own: the request is one of the proxy's own, its answer is swallowed.
	own
	// answered: the answer is here already, and waits for its turn.
	answered
	// tokens: the request was a SASL token, and so is the answer.
	tokens
	// authentication: the answer says how an authentication goes.
	authentication
	// unsure: there may be no answer at all (Produce of an unknown version).
	unsure
)

// ring is a queue of entries in a power of two of places, which grows as needed.
type ring struct {
	entries    []entry
	head, tail uint32 // head is the oldest; both count on, and wrap
}

const (
	ringFirst = 8   // places of a session that did anything
	ringKeep  = 256 // places that an idle session keeps at most
)

func (r *ring) len() int { return int(r.tail - r.head) }

// at is the i-th oldest entry, i below len.
func (r *ring) at(i int) *entry { return &r.entries[(r.head+uint32(i))&uint32(len(r.entries)-1)] }

// push adds an entry.
func (r *ring) push(e entry) {
	if r.len() == len(r.entries) {
		r.grow()
	}
	r.entries[r.tail&uint32(len(r.entries)-1)] = e
	r.tail++
}

// pop drops the oldest entry.
func (r *ring) pop() { r.head++ }

func (r *ring) grow() {
	n := r.len()
	bigger := make([]entry, max(ringFirst, 2*len(r.entries)))
	for i := range n {
		bigger[i] = *r.at(i)
	}
	r.entries, r.head, r.tail = bigger, 0, uint32(n)
}

// silent in the place of a rule says that a request has no answer.
const silent Rule = 1 << 7

// trim gives up memory that an idle session doesn't need.
func (r *ring) trim() {
	if r.len() == 0 && len(r.entries) > ringKeep {
		*r = ring{}
	}
}
