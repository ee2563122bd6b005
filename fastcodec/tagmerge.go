// Tag sections, written: in ascending order of the tags' numbers, unknown ones among
// the known.

package fastcodec

import (
	"math"
	"slices"
	"sync"
)

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
	if uint64(len(tags)) > math.MaxInt32 {
		return ErrTooLong
	}
	for i := range tags {
		if isKnown(known, tags[i].Number) {
			return ErrTagKnown
		}
		if uint64(len(tags[i].Data)) > math.MaxInt32 {
			return ErrTooLong
		}
	}
	return nil
}

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
	o.keys = slices.Grow(o.keys[:0], len(tags))
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
