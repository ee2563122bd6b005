// Tag sections: the tagged fields at the end of every struct of a flexible
// version. A section is a uvarint count, then for each field a uvarint number, a
// uvarint size and the payload.

package fastcodec

import (
	"iter"
	"slices"
	"sync"

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

// AppendTags appends a tag section of unknown fields only, in ascending order of
// their numbers, those with equal numbers in the order of tags.
func AppendTags(dst []byte, tags []Tag) []byte {
	dst = AppendUvarint(dst, uint32(len(tags)))
	var m TagMerge
	m.Start(tags)
	return m.AppendRest(dst)
}

// SizeTags is the number of bytes that AppendTags appends.
func SizeTags(tags []Tag) int {
	n := SizeUvarint(uint32(len(tags)))
	for i := range tags {
		n += SizeTag(&tags[i])
	}
	return n
}

// SizeTag is the size of one tagged field.
func SizeTag(t *Tag) int {
	return SizeUvarint(t.Number) + SizeUvarint(uint32(len(t.Data))) + len(t.Data)
}

// CheckTags says whether an encoder may write tags as unknown fields of a struct
// whose schema knows the tags of the bit mask known: ErrTagKnown if one of them
// has such a number, ErrTooLong if their number or one's size needs more than
// 31 bits.
func CheckTags(tags []Tag, known uint32) error {
	if uint64(len(tags)) > maxInt32 {
		return ErrTooLong
	}
	for i := range tags {
		if isKnown(known, tags[i].Number) {
			return ErrTagKnown
		}
		if uint64(len(tags[i].Data)) > maxInt32 {
			return ErrTooLong
		}
	}
	return nil
}

const maxInt32 = 1<<31 - 1

// TagMerge hands out unknown tagged fields in ascending order, for an encoder that
// writes known ones among them: Start, then AppendBelow(dst, n) before known tag n
// is written, then AppendRest. A TagMerge must be finished by AppendRest; it
// allocates nothing once its pool is warm.
type TagMerge struct {
	tags  []Tag
	order *tagOrder // nil where tags are in order
	next  int
}

// Start begins with tags, which stay as they are.
func (m *TagMerge) Start(tags []Tag) {
	*m = TagMerge{tags: tags}
	for i := 1; i < len(tags); i++ {
		if tags[i].Number < tags[i-1].Number {
			m.order = sortTags(tags)
			return
		}
	}
}

// AppendBelow appends the fields left whose numbers are below number.
func (m *TagMerge) AppendBelow(dst []byte, number uint32) []byte {
	for m.next < len(m.tags) && m.at(m.next).Number < number {
		dst = appendTag(dst, m.at(m.next))
		m.next++
	}
	return dst
}

// AppendRest appends all fields left.
func (m *TagMerge) AppendRest(dst []byte) []byte {
	for ; m.next < len(m.tags); m.next++ {
		dst = appendTag(dst, m.at(m.next))
	}
	m.Stop()
	return dst
}

// Stop ends a merge early, on an error.
func (m *TagMerge) Stop() {
	if m.order != nil {
		tagOrders.Put(m.order)
		m.order = nil
	}
}

// at is the field in place i of the order.
func (m *TagMerge) at(i int) *Tag {
	if m.order != nil {
		i = int(uint32(m.order.keys[i]))
	}
	return &m.tags[i]
}

// tagOrder has a key for each field, number above index, sorted: a stable order
// without moving the caller's fields.
type tagOrder struct{ keys []uint64 }

var tagOrders = sync.Pool{New: func() any { return new(tagOrder) }}

func sortTags(tags []Tag) *tagOrder {
	o := tagOrders.Get().(*tagOrder)
	o.keys = o.keys[:0]
	for i := range tags {
		o.keys = append(o.keys, uint64(tags[i].Number)<<32|uint64(uint32(i)))
	}
	slices.Sort(o.keys)
	return o
}

func appendTag(dst []byte, t *Tag) []byte {
	dst = AppendUvarint(dst, t.Number)
	dst = AppendUvarint(dst, uint32(len(t.Data)))
	return append(dst, t.Data...)
}
