// The full form of Reader.Next for records of magic 2: every length, and what is
// wrong with those that can't be read (Kafka's DefaultRecord).

package records

import "github.com/kafkawire/kafkawire/fastcodec"

// parse reads the record at r.pos, of which there are some to come.
func (r *Reader) parse() bool {
	index := r.index() + 1
	p := parser{b: r.b, at: r.pos}
	var f fields
	f.at = r.pos
	f.offset = r.record.offset
	length := p.varint("a varint of record length")
	if p.err == nil && length < 0 {
		p.refuse(ErrRecordSize, "a length that isn't negative")
	}
	if p.err == nil && int(length) > len(p.b)-p.at {
		p.refuse(fastcodec.ErrShort, "as many bytes as the record's length says")
	}
	if p.err != nil {
		return r.fail(index, p.at, p.err, p.want)
	}
	f.end = p.at + int(length)
	// From here on a field that doesn't fit is one that the record's length is too
	// small for.
	p.b = p.b[:f.end]
	p.inside = true
	p.skip(1)
	f.delta = zigzag64(p.varlong("a varlong of timestamp delta"))
	f.offsets = p.uvarint("a varint of offset delta")
	f.key = p.bytes("a varint of key length", true)
	f.value = p.bytes("a varint of value length", true)
	start := p.at
	n := p.varint("a varint of header count")
	if p.err == nil && (n < 0 || int(n) > (len(p.b)-p.at)/leastHeader) {
		p.at = start
		p.refuse(fastcodec.ErrCount, "a header count that the record can hold")
	}
	if n > 0 && p.err == nil {
		f.headers = headerSpan(p.at) | headerSpan(n)<<32
		for ; n > 0 && p.err == nil; n-- {
			p.bytes("a varint of header key length", false)
			p.bytes("a varint of header value length", true)
		}
	}
	if p.err == nil && p.at != f.end {
		p.refuse(ErrRecordSize, "the end of the record")
	}
	if p.err != nil {
		return r.fail(index, p.at, p.err, p.want)
	}
	r.record = f
	r.pos = f.end
	r.left--
	return true
}

// leastHeader is the smallest header: two lengths.
const leastHeader = 2

// parser reads fields one after another until one fails: then at is its place.
type parser struct {
	b      []byte
	at     int
	inside bool // the bytes end where the record's length says
	err    error
	want   string
}

func (p *parser) refuse(err error, want string) { p.err, p.want = err, want }

// short is what ends too early: the record, or the batch.
func (p *parser) short(want string) {
	if p.inside {
		p.refuse(ErrRecordSize, want)
	} else {
		p.refuse(fastcodec.ErrShort, want)
	}
}

func (p *parser) skip(n int) {
	if p.err != nil {
		return
	}
	if n > len(p.b)-p.at {
		p.short("record attributes")
		return
	}
	p.at += n
}

func (p *parser) varint(want string) int32 { return unzigzag32(p.uvarint(want)) }

func (p *parser) uvarint(want string) uint32 {
	if p.err != nil {
		return 0
	}
	v, n := fastcodec.ConsumeUvarint(p.b[p.at:])
	p.take(n, want)
	return v
}

func (p *parser) varlong(want string) int64 {
	if p.err != nil {
		return 0
	}
	v, n := fastcodec.ConsumeVarlong(p.b[p.at:])
	p.take(n, want)
	return v
}

// take goes past n bytes, or refuses what a negative n stands for.
func (p *parser) take(n int, want string) {
	if n >= 0 {
		p.at += n
		return
	}
	if err := fastcodec.ConsumeError(n); err != fastcodec.ErrShort {
		p.refuse(err, want)
		return
	}
	p.short(want)
}

// bytes reads a length and that many bytes. Any negative length is null, as in Kafka.
func (p *parser) bytes(want string, nullable bool) span {
	start := p.at
	length := p.varint(want)
	if p.err != nil {
		return 0
	}
	if length < 0 {
		if !nullable {
			p.at = start
			p.refuse(fastcodec.ErrNull, "a header key, not null")
		}
		return 0
	}
	if int(length) > len(p.b)-p.at {
		p.at = start
		p.short("as many bytes as the length says")
		return 0
	}
	s := newSpan(uint(p.at), uint(p.at)+uint(length))
	p.at += int(length)
	return s
}
