// Edit: what a Mapper's function wants of a record, and the record that comes of it.

package records

import "github.com/kafkawire/kafkawire/fastcodec"

// Edit says what becomes of a record: without a call it stays as it is.
type Edit struct {
	what       edits
	key, value []byte
	headers    []Header
}

type edits uint8

const (
	dropped edits = 1 << iota
	newKey
	newValue
	newHeaders
)

// Drop leaves the record out.
func (e *Edit) Drop() { e.what |= dropped }

// SetKey gives the record another key; nil is null. The bytes are copied once the
// Mapper's function has returned; so are those of the calls below.
func (e *Edit) SetKey(key []byte) {
	e.what |= newKey
	e.key = key
}

// SetValue gives the record another value; nil is null.
func (e *Edit) SetValue(value []byte) {
	e.what |= newValue
	e.value = value
}

// SetHeaders gives the record other headers. Magic 0 and 1 have none: ErrMagic.
func (e *Edit) SetHeaders(headers []Header) {
	e.what |= newHeaders
	e.headers = headers
}

// appendRecord appends a record of magic 2 with its changes. What doesn't change is
// copied as it was written. ok is false if the record is too large for a batch.
func (e *Edit) appendRecord(dst []byte, r Record) (_ []byte, ok bool) {
	// Next found all of it sound.
	p := parser{b: r.Bytes()}
	p.varint("")
	front := p.at
	p.skip(1)
	p.varlong("")
	p.uvarint("")
	key := p.at
	p.bytes("", true)
	value := p.at
	p.bytes("", true)
	headers := p.at

	size := len(p.b) - front
	if e.what&newKey != 0 {
		size += sizeLength(e.key) + len(e.key) - (value - key)
	}
	if e.what&newValue != 0 {
		size += sizeLength(e.value) + len(e.value) - (headers - value)
	}
	if e.what&newHeaders != 0 {
		size += sizeHeaders(e.headers) - (len(p.b) - headers)
	}
	if uint(size) > mostContent {
		return dst, false
	}
	dst = fastcodec.AppendVarint(dst, int32(size))
	dst = append(dst, p.b[front:key]...)
	if e.what&newKey != 0 {
		dst = appendVarintBytes(dst, e.key)
	} else {
		dst = append(dst, p.b[key:value]...)
	}
	if e.what&newValue != 0 {
		dst = appendVarintBytes(dst, e.value)
	} else {
		dst = append(dst, p.b[value:headers]...)
	}
	if e.what&newHeaders == 0 {
		return append(dst, p.b[headers:]...), true
	}
	dst = fastcodec.AppendVarint(dst, int32(len(e.headers)))
	for i := range e.headers {
		h := &e.headers[i]
		dst = fastcodec.AppendVarint(dst, int32(len(h.Key)))
		dst = append(dst, h.Key...)
		dst = appendVarintBytes(dst, h.Value)
	}
	return dst, true
}

// appendMessage appends a message of magic 0 or 1 with its changes.
func (e *Edit) appendMessage(dst []byte, r Record) (_ []byte, ok bool) {
	m := r.Bytes()
	key, value := r.Key(), r.Value()
	if e.what&newKey != 0 {
		key = e.key
	}
	if e.what&newValue != 0 {
		value = e.value
	}
	if uint(len(key)) > mostContent/2 || uint(len(value)) > mostContent/2 {
		return dst, false
	}
	at := len(dst)
	head := atMessageTimestamp
	if int8(m[atMagic]) == Magic1 {
		head += 8
	}
	dst = append(dst, m[:head]...)
	dst = fastcodec.AppendNullableBytes(dst, key)
	dst = fastcodec.AppendNullableBytes(dst, value)
	sealMessage(dst[at:])
	return dst, true
}

func sizeHeaders(headers []Header) int {
	n := fastcodec.SizeVarint(int32(len(headers)))
	for i := range headers {
		h := &headers[i]
		n += sizeLength(h.Key) + len(h.Key) + sizeLength(h.Value) + len(h.Value)
	}
	return n
}

// sizeLength is the size of the length of p; that of null is 1, too.
func sizeLength(p []byte) int { return fastcodec.SizeUvarint(uint32(len(p)) << 1) }

// appendVarintBytes appends a varint length and p, or null.
func appendVarintBytes(dst, p []byte) []byte {
	if p == nil {
		return append(dst, 1)
	}
	return append(fastcodec.AppendVarint(dst, int32(len(p))), p...)
}
