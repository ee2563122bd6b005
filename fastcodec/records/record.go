// Record and Headers: views of one record.

package records

import (
	"iter"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// Record is a view of the record that a Reader is at. Keys, values and headers alias
// the batch, or the Reader's buffer; their capacity is clipped. Messages of magic 0
// and 1 have neither headers nor deltas.
type Record struct{ r *Reader }

// Offset is the record's offset.
func (r Record) Offset() int64 {
	return r.r.record.offset + int64(unzigzag32(r.r.record.offsets))
}

// OffsetDelta is the offset less the batch's base offset, as it was written.
func (r Record) OffsetDelta() int32 { return unzigzag32(r.r.record.offsets) }

// Timestamp is the record's timestamp in ms: the batch's MaxTimestamp where that is
// the time of the append, else the record's own; -1 in magic 0.
func (r Record) Timestamp() int64 {
	return r.r.time + unzigzag64(r.r.record.delta)&r.r.deltas
}

// TimestampDelta is the timestamp less the batch's BaseTimestamp, in ms, as it was
// written: also where the timestamp is that of the append.
func (r Record) TimestampDelta() int64 { return unzigzag64(r.r.record.delta) }

// Key is the key; nil is null.
func (r Record) Key() []byte { return r.r.record.key.of(r.r.bytes()) }

// Value is the value; nil is null.
func (r Record) Value() []byte { return r.r.record.value.of(r.r.bytes()) }

// Headers are the headers.
func (r Record) Headers() Headers {
	h := r.r.record.headers
	if h == 0 {
		return Headers{}
	}
	return Headers{r.r.bytes()[uint32(h):r.r.record.end], int(h >> 32)}
}

// Attributes are the record's own attributes; no bit of them has a meaning yet.
func (r Record) Attributes() int8 {
	b := r.Bytes()
	if len(b) == 0 || r.r.batch.old() {
		return 0
	}
	_, n := fastcodec.ConsumeVarint(b)
	return int8(b[n])
}

// Index is the record's place in the batch, from 0.
func (r Record) Index() int { return r.r.index() }

// At is where the record begins: in the batch, or in what it unpacked to.
func (r Record) At() int { return r.r.record.at }

// Bytes is the record as it was written, length included; of magic 0 and 1 the
// message.
func (r Record) Bytes() []byte {
	f := &r.r.record
	return r.r.bytes()[f.at:f.end:f.end]
}

// CopyTo fills d with the record as it was written, so that a Builder writes it
// again. Keys, values and headers aren't copied: they alias what they do here.
func (r Record) CopyTo(d *RecordData) {
	d.Attributes = r.Attributes()
	d.TimestampDelta = r.TimestampDelta()
	d.OffsetDelta = r.OffsetDelta()
	d.Key, d.Value = r.Key(), r.Value()
	d.Headers = r.Headers().AppendTo(d.Headers[:0])
}

// bytes are what the Reader reads from.
func (r *Reader) bytes() []byte {
	r.mark.Check()
	return r.b
}

// Header is one header of a record. A key can't be null: nil is empty. A nil value is
// null.
type Header struct {
	Key, Value []byte
}

// Headers are a record's headers, in place: in the order of the wire, keys may repeat.
type Headers struct {
	b []byte // from the first key's length on
	n int
}

// Len is the number of headers.
func (h Headers) Len() int { return h.n }

// All gives key and value of each header.
func (h Headers) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		b := h.b
		for n := h.n; n > 0; n-- {
			var key, value []byte
			key, value, b = nextHeader(b)
			if !yield(key, value) {
				return
			}
		}
	}
}

// Last gives the value of the last header with a key, which is the one that counts
// for most users. ok is false where there is none.
func (h Headers) Last(key string) (value []byte, ok bool) {
	b := h.b
	for n := h.n; n > 0; n-- {
		var k, v []byte
		k, v, b = nextHeader(b)
		if string(k) == key { // compares in place
			value, ok = v, true
		}
	}
	return value, ok
}

// AppendTo appends the headers to dst. They alias what the Record does.
func (h Headers) AppendTo(dst []Header) []Header {
	b := h.b
	for n := h.n; n > 0; n-- {
		var x Header
		x.Key, x.Value, b = nextHeader(b)
		dst = append(dst, x)
	}
	return dst
}

// nextHeader reads a header that Next found sound, and gives what is behind it.
func nextHeader(b []byte) (key, value, rest []byte) {
	length, n := fastcodec.ConsumeVarint(b)
	if n < 0 || length < 0 {
		return nil, nil, nil
	}
	b = b[n:]
	key, b = b[:length:length], b[length:]
	length, n = fastcodec.ConsumeVarint(b)
	if n < 0 {
		return key, nil, nil
	}
	b = b[n:]
	if length >= 0 {
		value, b = b[:length:length], b[length:]
	}
	return key, value, b
}

func unzigzag32(u uint32) int32 { return int32(u>>1) ^ -int32(u&1) }
func unzigzag64(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }
