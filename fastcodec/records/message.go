// Messages of magic 0 and 1, plain and in wrappers (Kafka's LegacyRecord and
// AbstractLegacyRecordBatch).

package records

import (
	"encoding/binary"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// message is where things are in a message.
type message struct {
	end        int
	offset     int64
	magic      int8
	attributes Attributes
	timestamp  int64 // -1 in magic 0
	key, value span
}

// beginMessages finds the message, or unpacks those in the wrapper.
func (r *Reader) beginMessages(codec Codec) bool {
	r.b, r.pos = r.batch.bytes(), 0
	r.record = fields{}
	r.total, r.left = 0, 0
	r.base = 0
	r.time, r.deltas = r.batch.MaxTimestamp(), 0
	if codec != None && !r.beginWrapper(codec) {
		return false
	}
	r.state = messages
	return true
}

func (r *Reader) beginWrapper(codec Codec) bool {
	var p parser
	m := p.message(r.b, 0)
	if p.err != nil {
		return r.fail(-1, p.at, p.err, p.want)
	}
	value := m.value.of(r.b)
	if value == nil {
		return r.fail(-1, m.end-4, fastcodec.ErrNull, "a wrapper's value, not null")
	}
	if !r.unpack(codec, value, m.end-len(value)) {
		return false
	}
	if len(r.b) == 0 {
		return r.fail(-1, 0, ErrWrapper, "a message in the wrapper")
	}
	if m.magic == Magic0 {
		return true
	}
	// Offsets are relative, and the wrapper has the last one: find it. An old
	// producer library left the wrapper's at 0; the broker that takes the message
	// gives offsets to it.
	last, ok := r.lastOffset()
	if !ok {
		return false
	}
	if m.offset != 0 {
		if m.offset < last {
			return r.fail(-1, 0, ErrWrapper, "a wrapper offset that isn't less than those in it")
		}
		r.base = m.offset - last
	}
	return true
}

// lastOffset goes over the messages of a wrapper to the offset of the last.
func (r *Reader) lastOffset() (last int64, ok bool) {
	for at, i := 0, 0; at < len(r.b); i++ {
		var p parser
		size := p.messageSize(r.b, at)
		if p.err != nil {
			return 0, r.fail(i, p.at, p.err, p.want)
		}
		last = int64(binary.BigEndian.Uint64(r.b[at : at+8]))
		at += size
	}
	return last, true
}

// nextMessage reads the message at r.pos.
func (r *Reader) nextMessage() bool {
	if r.pos == len(r.b) {
		r.finish()
		return false
	}
	index := r.index() + 1
	var p parser
	m := p.message(r.b, r.pos)
	if p.err == nil && r.unpacked && (m.magic != r.batch.Magic() || m.attributes.Codec() != None) {
		p.at = r.pos + atMagic
		p.refuse(ErrWrapper, "uncompressed messages of the wrapper's magic")
	}
	if p.err != nil {
		return r.fail(index, p.at, p.err, p.want)
	}
	r.record = fields{at: r.pos, end: m.end, key: m.key, value: m.value, offset: r.base + m.offset}
	if r.batch.TimestampType() == CreateTime {
		r.time = m.timestamp
	}
	r.pos = m.end
	r.left--
	return true
}

// skipMessages goes over at most n messages and reads no more than their sizes.
func (r *Reader) skipMessages(n int) (skipped int) {
	for skipped < n && r.pos < len(r.b) {
		var p parser
		size := p.messageSize(r.b, r.pos)
		if p.err != nil {
			r.fail(r.index()+1, p.at, p.err, p.want)
			return skipped
		}
		r.pos += size
		r.left--
		skipped++
	}
	return skipped
}

// messageSize gives the size of the message at a place, which is at least that of
// the smallest of magic 0.
func (p *parser) messageSize(b []byte, at int) int {
	size, err := splitBatch(b[at:])
	switch {
	case err == ErrMagic || err == nil && size > 0 && int8(b[at+atMagic]) == Magic2:
		p.at = at + atMagic
		p.refuse(ErrWrapper, "a message of magic 0 or 1")
	case err != nil:
		p.at = at + atSize
		p.refuse(err, "")
	case size == 0:
		p.at = at
		p.refuse(fastcodec.ErrShort, "a whole message")
	}
	return size
}

// message reads the message at a place. Its fields must take all of it.
func (p *parser) message(b []byte, at int) (m message) {
	size := p.messageSize(b, at)
	if p.err != nil {
		return m
	}
	m.end = at + size
	m.offset = int64(binary.BigEndian.Uint64(b[at : at+8]))
	m.magic = int8(b[at+atMagic])
	m.attributes = Attributes(b[at+atMessageAttributes])
	m.timestamp = -1
	p.b, p.at, p.inside = b[:m.end], at+atMessageTimestamp, true
	if m.magic == Magic1 {
		m.timestamp = int64(binary.BigEndian.Uint64(b[p.at : p.at+8]))
		p.at += 8
	}
	m.key = p.bytes32()
	m.value = p.bytes32()
	if p.err == nil && p.at != m.end {
		p.refuse(ErrRecordSize, "the end of the message")
	}
	return m
}

// bytes32 reads an int32 length, negative for null, and that many bytes.
func (p *parser) bytes32() span {
	if p.err != nil {
		return 0
	}
	if len(p.b)-p.at < 4 {
		p.short("4 bytes of length")
		return 0
	}
	length := int32(binary.BigEndian.Uint32(p.b[p.at : p.at+4]))
	if length < 0 {
		p.at += 4
		return 0
	}
	if int(length) > len(p.b)-p.at-4 {
		p.short("as many bytes as the length says")
		return 0
	}
	p.at += 4
	s := newSpan(uint(p.at), uint(p.at)+uint(length))
	p.at += int(length)
	return s
}
