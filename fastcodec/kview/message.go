package kview

// What every message holds, and how a parse starts, fails and ends.

import (
	"math"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/internal/fault"
	"github.com/kafkawire/kafkawire/fastcodec/internal/life"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
)

// firstEntry is the first position of the index that is handed out: as the base
// of an array, 0 is null and 1 empty.
const firstEntry = 2

const (
	nullBase  = 0
	emptyBase = 1
	// entriesBit marks the base of an array of fixed-size structs whose elements
	// have one index word each, since some carry unknown tags.
	entriesBit = 1 << 31
	// explicitNull is the word of a tagged struct that is there and null.
	explicitNull = 1
	// absent is the offset of a view of a fixed-size struct that isn't there.
	absent = math.MaxUint32
)

// keepWords is the most index words (4 bytes each) that a message keeps for its
// next Parse, so that one huge frame does not pin memory for good.
const keepWords = 1 << 20

// message is the part of a message that does not depend on its schema.
type message struct {
	b       []byte
	words   []uint32 // the index, but for the message's own words
	next    int      // first free position in words
	limit   int      // most words; 0: the default
	version int16
	strict  bool
	end     int // where the fields end and trailing bytes begin
	life    life.Mark
	bad     *fastcodec.Error // why the parse fails
	badAt   int              // index of the element that it fails in
}

// nothing is the message of structs that are there by default inside of a struct
// that is null. Nothing is read from it.
var nothing message

// Version is the version that the message was parsed at.
func (m *message) Version() int16 { return m.version }

// Body is what Parse was given. It is not a copy.
func (m *message) Body() []byte {
	m.life.Check()
	return m.b
}

// Trailing is what follows the last field: bytes that real clients send at times
// and that brokers ignore. It aliases the body and is empty for nearly every frame.
func (m *message) Trailing() []byte {
	m.life.Check()
	return m.b[m.end:len(m.b):len(m.b)]
}

// SetStrict makes bytes after the last field an error of the next Parse,
// fastcodec.ErrTrailing. Brokers ignore such bytes, and real clients send them.
func (m *message) SetStrict(strict bool) { m.strict = strict }

// SetIndexLimit bounds the index that a Parse may build, in words of four bytes;
// 0 is fastcodec.DefaultLimits.Index. A body that needs more is refused with
// fastcodec.ErrIndexLimit before anything is reserved. It drops the index that the
// message has, which may be above the limit: only Parse may be called next.
func (m *message) SetIndexLimit(words int) { m.limit, m.words = words, nil }

// start makes b the body. It inlines: for a small message it is most of a Parse.
// What it does not take is up to restart.
func (m *message) start(b []byte, version int16) bool {
	m.b, m.version, m.next = b, version, firstEntry
	m.life = life.Of(b)
	return len(b) <= math.MaxInt32 && len(m.words) <= keepWords
}

// restart drops an index that is too large to keep for good, and refuses a body
// that can't be parsed at all.
//
//go:noinline
func (m *message) restart(name string, b []byte, version, lowest, highest int16) error {
	m.words = nil
	var err *fastcodec.Error
	switch {
	case version < lowest || version > highest:
		err = fastcodec.VersionError(name, version, lowest, highest)
	case len(b) > math.MaxInt32:
		err = &fastcodec.Error{Message: name, Version: version, Offset: -1, Err: fastcodec.ErrFrameSize, Want: "at most 2147483647 bytes"}
	default:
		m.start(b, version)
		return nil
	}
	m.b, m.end = nil, 0
	return err
}

// failed is the error of a parse that has called fail, or has bytes left that it
// must not have.
//
//go:noinline
func (m *message) failed(name string) error {
	if m.end >= 0 {
		m.failSized(m.end, fault.Left, 0, "", -1)
		m.bad.Path = fastcodec.Path{}
	}
	err := m.bad
	err.Message, err.Version = name, m.version
	m.b, m.end, m.bad = nil, 0, nil
	return err
}

// fail notes that the field name, whose kind says how it lies on the wire, does
// not parse at off; i is the index of the element that it belongs to, or -1.
// Why it does not is found out here, off the fast path. It returns -1.
//
//go:noinline
func (m *message) fail(off int, k fault.Kind, name string, i int) int {
	return m.failSized(off, k, 0, name, i)
}

// failSized is fail for a field of a fixed size, or an array whose elements have
// a least size.
//
//go:noinline
func (m *message) failSized(off int, k fault.Kind, size int, name string, i int) int {
	err := &fastcodec.Error{Offset: off}
	err.Err, err.Want = fault.Diagnose(m.b, off, k, size)
	err.Path.Prepend(name, -1)
	m.bad, m.badAt = err, i
	return -1
}

// failRun is fail for a run of fixed-size fields: text such as
// "Epoch:4 Rack:16@5+" lists them.
//
//go:noinline
func (m *message) failRun(off int, run string, i int) int {
	name, at, size := fault.FixedRun(run, m.version, off, len(m.b)-off)
	return m.failSized(at, fault.Fixed, size, name, i)
}

// in puts the array that the failing struct is an element of before the path of
// the failure; i is the index of the array's own struct.
//
//go:noinline
func (m *message) in(array string, i int) int {
	m.bad.Path.Prepend(array, m.badAt)
	m.badAt = i
	return -1
}

// inOne is in for a struct that is no element.
//
//go:noinline
func (m *message) inOne(field string, i int) int {
	m.badAt = -1
	return m.in(field, i)
}

// Message is what all messages have in common, for programs that choose one by
// its API key (NewRequest, NewResponse).
type Message interface {
	Parse(body []byte, version int16) error
	Version() int16
	Body() []byte
	Trailing() []byte
	SetIndexLimit(words int)
}

// Codec is a view and a struct of one message, for programs that choose messages
// by API key (NewRequestCodec, NewResponseCodec) and read and write all of them.
type Codec struct {
	View Message
	Data kdata.Message
	copy func()
}

// codec ties a view to the struct that it copies itself into.
func codec[V Message, D kdata.Message](v V, d D, copyTo func(V, D)) *Codec {
	return &Codec{v, d, func() { copyTo(v, d) }}
}

// Copy copies View, which must have been parsed, into Data.
func (c *Codec) Copy() { c.copy() }
