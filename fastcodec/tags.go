// Tag sections, read: the tagged fields at the end of every struct of a flexible
// version. A section is a uvarint count, then for each field a uvarint number, a
// uvarint size and the payload.

package fastcodec

import (
	"iter"

	"github.com/kafkawire/kafkawire/fastcodec/internal/fault"
)

// Tag is a tagged field that the schema doesn't know at a version, raw. Tag
// numbers go up to 2^32-1.
type Tag struct {
	Number uint32
	Data   []byte // the payload; aliases the frame where it comes from one
}

// Tags are the unknown tagged fields of one struct, in place: a view of the
// struct's tag section, valid as long as the frame. The zero value has none.
type Tags struct {
	section []byte
	known   uint32
}

// NewTags views a section that was validated (ConsumeTags does). known has bit n
// set where the schema knows tag n at this version; those fields are passed over.
// The section may have more bytes behind it.
func NewTags(section []byte, known uint32) Tags { return Tags{section, known} }

// All gives number and payload of each unknown field, in the order of the wire,
// repeated ones each time. Payloads alias the frame, with their capacity clipped.
func (t Tags) All() iter.Seq2[uint32, []byte] {
	return func(yield func(uint32, []byte) bool) {
		for left, b := t.start(); left > 0; left-- {
			var number uint32
			var data []byte
			number, data, b = nextTag(b)
			if b == nil {
				return
			}
			if isKnown(t.known, number) {
				continue
			}
			if !yield(number, data) {
				return
			}
		}
	}
}

// Len counts the unknown fields; it walks the section.
func (t Tags) Len() (n int) {
	for left, b := t.start(); left > 0; left-- {
		var number uint32
		number, _, b = nextTag(b)
		if b == nil {
			return n
		}
		if !isKnown(t.known, number) {
			n++
		}
	}
	return n
}

// AppendTo appends the unknown fields to dst. Their data aliases the frame.
func (t Tags) AppendTo(dst []Tag) []Tag {
	for left, b := t.start(); left > 0; left-- {
		var tag Tag
		tag.Number, tag.Data, b = nextTag(b)
		if b == nil {
			return dst
		}
		if !isKnown(t.known, tag.Number) {
			dst = append(dst, tag)
		}
	}
	return dst
}

// CopyTo replaces dst by the unknown fields, with copies of their data, and
// returns it. It uses what dst has: once grown, nothing is allocated.
func (t Tags) CopyTo(dst []Tag) []Tag {
	full := dst[:cap(dst)]
	dst = dst[:0]
	for left, b := t.start(); left > 0; left-- {
		number, data, rest := nextTag(b)
		if rest == nil {
			return dst
		}
		b = rest
		if isKnown(t.known, number) {
			continue
		}
		var buf []byte
		if i := len(dst); i < len(full) {
			buf = full[i].Data[:0]
		}
		dst = append(dst, Tag{number, append(buf, data...)})
	}
	return dst
}

// start gives the number of fields and the bytes from the first one on.
func (t Tags) start() (left uint32, b []byte) {
	count, n := ConsumeUvarint(t.section)
	if n < 0 {
		return 0, nil
	}
	return count, t.section[n:]
}

// nextTag reads one field and gives the bytes behind it, nil where there was no
// whole field.
func nextTag(b []byte) (number uint32, data, rest []byte) {
	number, n := ConsumeUvarint(b)
	if n < 0 {
		return 0, nil, nil
	}
	size, m := ConsumeUvarint(b[n:])
	if m < 0 {
		return 0, nil, nil
	}
	at := n + m
	if uint64(size) > uint64(len(b)-at) {
		return 0, nil, nil
	}
	end := at + int(size)
	return number, b[at:end:end], b[end:]
}

func isKnown(known, number uint32) bool { return number < 32 && known>>number&1 != 0 }

// ConsumeTags validates the tag section at the front of b and gives a view of its
// fields, none of them known, and its length; a negative one is for ConsumeError.
// It takes linear time and allocates nothing, whatever the section claims.
func ConsumeTags(b []byte) (Tags, int) {
	if len(b) > 0 && b[0] == 0 {
		return Tags{section: b[:1:1]}, 1
	}
	end, _, code := walkTags(b)
	if code < 0 {
		return Tags{}, code
	}
	return Tags{section: b[:end:end]}, end
}

// walkTags checks the structure of a tag section at the front of b: where it
// ends, or what was wrong at which offset.
func walkTags(b []byte) (at int, kind fault.Kind, code int) {
	count, at := ConsumeUvarint(b)
	if at < 0 {
		return 0, fault.TagCount, at
	}
	// A field has at least two bytes.
	if uint64(count)*2 > uint64(len(b)-at) {
		return 0, fault.TagCount, fault.CodeCount
	}
	for ; count > 0; count-- {
		_, n := ConsumeUvarint(b[at:])
		if n < 0 {
			return at, fault.TagNumber, n
		}
		size, m := ConsumeUvarint(b[at+n:])
		if m < 0 {
			return at + n, fault.TagPayloadSize, m
		}
		if uint64(size) > uint64(len(b)-at-n-m) {
			return at + n, fault.TagPayloadSize, fault.CodeTagSize
		}
		at += n + m + int(size)
	}
	return at, 0, 0
}
