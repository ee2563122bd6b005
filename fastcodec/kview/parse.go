package kview

// The parts of a parse that are the same for every message: what the generated
// code calls where its own fast path does not apply, and whatever is not worth
// writing out at each field. off is always an offset into the body; a negative
// result means that the parse failed and the message knows why.

import (
	"encoding/binary"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/internal/fault"
)

func i16(b []byte, off int) int { return int(int16(binary.BigEndian.Uint16(b[off : off+2]))) }

func i32(b []byte, off int) int { return int(int32(binary.BigEndian.Uint32(b[off : off+4]))) }

// uvarint reads an unsigned varint at off; next is negative where there is none.
func uvarint(b []byte, off int) (v uint32, next int) {
	if off < len(b) && b[off] < 0x80 {
		return uint32(b[off]), off + 1
	}
	v, n := fault.Uvarint32(b[min(off, len(b)):])
	if n < 0 {
		return 0, -1
	}
	return v, off + n
}

// twoByte reads a varint of exactly two bytes; it returns 0 for any other.
func twoByte(b []byte, off int) int {
	if off >= len(b)-1 || b[off] < 0x80 || b[off+1] >= 0x80 {
		return 0
	}
	return int(b[off]&0x7f) | int(b[off+1])<<7
}

// length reads the length or count of a field of kind k, compact or not: the
// number of bytes or elements, or -1 for null where k allows it.
func (m *message) length(off int, k fault.Kind) (n, next int, ok bool) {
	switch {
	case k.Compact():
		v, next := uvarint(m.b, off)
		if next < 0 || v > 1<<31-1 {
			return 0, 0, false
		}
		n, off = int(v)-1, next
	case k.Short():
		if off > len(m.b)-2 {
			return 0, 0, false
		}
		n, off = i16(m.b, off), off+2
	default:
		if off > len(m.b)-4 {
			return 0, 0, false
		}
		n, off = i32(m.b, off), off+4
	}
	if n < 0 {
		return -1, off, k.Nullable()
	}
	return n, off, true
}

// span parses a string, bytes or records field into its two words.
//
//go:noinline
func (m *message) span(s *[2]uint32, off int, k fault.Kind, name string, i int) int {
	n, start, ok := m.length(off, k)
	if !ok || n > len(m.b)-start || k.IsString() && n > fastcodec.MaxString {
		return m.fail(off, k, name, i)
	}
	if n < 0 {
		s[0], s[1] = 0, uint32(start)
		return start
	}
	s[0], s[1] = uint32(start), uint32(start+n)
	return start + n
}

// numbers parses an array of numbers of size bytes each.
//
//go:noinline
func (m *message) numbers(s *[2]uint32, off, size int, k fault.Kind, name string, i int) int {
	n, start, ok := m.length(off, k)
	if !ok || n > (len(m.b)-start)/size {
		return m.failSized(off, k, size, name, i)
	}
	if n < 0 {
		s[0], s[1] = 0, uint32(start)
		return start
	}
	s[0], s[1] = uint32(start), uint32(start+n*size)
	return start + n*size
}

// array parses the count of an array whose elements have entries of so many
// words and at least least bytes, and reserves the entries. It returns the count,
// 0 for null, and the position of the first entry.
//
//go:noinline
func (m *message) array(off, words, least int, k fault.Kind, name string, i int) (next, n int, base uint32) {
	switch b := m.b; { // empty, as most of the small ones are that come here
	case k.Compact() && off < len(b) && b[off] == 1:
		return off + 1, 0, emptyBase
	case !k.Compact() && off <= len(b)-4 && i32(b, off) == 0:
		return off + 4, 0, emptyBase
	}
	n, next, ok := m.length(off, k)
	if !ok || n > (len(m.b)-next)/least {
		return m.failSized(off, k, least, name, i), 0, 0
	}
	switch {
	case n < 0:
		return next, 0, nullBase
	case n == 0:
		return next, 0, emptyBase
	}
	at := m.reserve(n, words)
	if at < 0 {
		return m.fail(off, fault.Index, name, i), 0, 0
	}
	return next, n, uint32(at)
}

// reserve takes n entries of so many words from the index and returns the
// position of the first, or -1 where that would pass the limit.
func (m *message) reserve(n, words int) int {
	at := m.next
	need := uint64(at) + uint64(n)*uint64(words)
	if need > uint64(len(m.words)) && !m.grow(need) {
		return -1
	}
	m.next = int(need)
	return at
}

//go:noinline
func (m *message) grow(need uint64) bool {
	limit := m.limit
	if limit == 0 {
		limit = fastcodec.DefaultLimits.Index
	}
	if need > uint64(limit) {
		return false
	}
	words := make([]uint32, min(uint64(limit), max(need, 2*uint64(len(m.words)), 64)))
	copy(words, m.words)
	m.words = words
	return true
}

// one reserves the entry of a struct that is no element.
//
//go:noinline
func (m *message) one(off, words int, name string, i int) (next int, at uint32) {
	p := m.reserve(1, words)
	if p < 0 {
		return m.fail(off, fault.Index, name, i), 0
	}
	return off, uint32(p)
}

// strings parses an array of strings of kind element and returns its two words.
//
//go:noinline
func (m *message) strings(off int, k, element fault.Kind, name string, i int) (next, n int, base uint32) {
	compact := k.Compact()
	least := 2
	if compact {
		least = 1
	}
	off, n, base = m.array(off, 2, least, k, name, i)
	if off < 0 {
		return off, 0, 0
	}
	b, at := m.b, base
	for j := range n {
		e := (*[2]uint32)(m.words[at : at+2])
		if compact && off < len(b) && uint(b[off])-1 < 127 && int(b[off]) <= len(b)-off {
			e[0], off = uint32(off+1), off+int(b[off])
			e[1] = uint32(off)
		} else if !compact && off <= len(b)-2 && uint(i16(b, off)) <= uint(len(b)-2-off) {
			e[0], off = uint32(off+2), off+2+i16(b, off)
			e[1] = uint32(off)
		} else if off = m.span(e, off, element, name, j); off < 0 {
			return m.inStrings(i), 0, 0
		}
		at += 2
	}
	return off, n, base
}

// inStrings moves the index of a failing string from its struct to itself.
//
//go:noinline
func (m *message) inStrings(i int) int {
	at := m.bad.Path.At(0)
	m.bad.Path = fastcodec.Path{}
	m.bad.Path.Prepend(at.Name, m.badAt)
	m.badAt = i
	return -1
}

// strided parses an array of structs of size bytes each, their tag section left
// out, and returns its two words; run lists the fields of an element.
//
//go:noinline
func (m *message) strided(off, size int, k fault.Kind, run, name string, i int) (next, n int, base uint32) {
	step := size
	if k.Compact() {
		step++ // the count of an empty tag section
	}
	n, at, ok := m.length(off, k)
	switch {
	case !ok || n > (len(m.b)-at)/max(step, 1):
		return m.failSized(off, k, max(step, 1), name, i), 0, 0
	case n < 0:
		return at, 0, nullBase
	case n == 0:
		return at, 0, emptyBase
	case !k.Compact():
		return at + n*step, n, uint32(at)
	}
	for off = at + size; off < at+n*step; off += step {
		if m.b[off] != 0 {
			next, base = m.stridedTagged(at, n, size, run, name, i)
			return next, n, base
		}
	}
	return at + n*step, n, uint32(at)
}

// stridedTagged parses the elements one by one, since some carry unknown tags,
// and returns the end of the array and its base.
//
//go:noinline
func (m *message) stridedTagged(off, n, size int, run, name string, i int) (int, uint32) {
	at := m.reserve(n, 1)
	if at < 0 {
		return m.fail(off, fault.Index, name, i), 0
	}
	for j := range n {
		m.words[at+j] = uint32(off)
		if off = m.fixedElement(off, size, true, run, j); off < 0 {
			return m.in(name, i), 0
		}
	}
	return off, entriesBit | uint32(at)
}

// fixed parses a struct of size bytes, its tag section left out, that is no element.
//
//go:noinline
func (m *message) fixed(off, size int, flexible bool, run, name string, i int) int {
	if off = m.fixedElement(off, size, flexible, run, -1); off < 0 {
		return m.in(name, i)
	}
	return off
}

func (m *message) fixedElement(off, size int, flexible bool, run string, i int) int {
	switch {
	case off > len(m.b)-size:
		return m.failRun(off, run, i)
	case !flexible:
		return off + size
	}
	return m.skipTags(off+size, i)
}

// marker parses the byte before a nullable struct; null is negative.
//
//go:noinline
func (m *message) marker(off int, name string, i int) (next int, null bool) {
	if off >= len(m.b) {
		return m.failSized(off, fault.Fixed, 1, name, i), false
	}
	return off + 1, int8(m.b[off]) < 0
}

// taggedMarker parses the uvarint before a nullable struct in a tagged field.
//
//go:noinline
func (m *message) taggedMarker(off int, name string, i int) (next int, null bool) {
	v, next := uvarint(m.b, off)
	if next < 0 {
		return m.fail(off, fault.Uvarint, name, i), false
	}
	return next, v == 0
}

// tagsName is the field that errors of tag sections name.
const tagsName = "tagged_fields"

// tagCount reads the count of a tag section.
func (m *message) tagCount(off, i int) (n, next int) {
	if b := m.b; off < len(b) && b[off] < 0x80 && int(b[off])*2 < len(b)-off {
		return int(b[off]), off + 1
	}
	v, next := uvarint(m.b, off)
	if next < 0 || v > 1<<31-1 || int(v) > (len(m.b)-next)/2 {
		return 0, m.fail(off, fault.TagCount, tagsName, i)
	}
	return int(v), next
}

// tag reads the number and the size of one tagged field: its payload is [at, end).
func (m *message) tag(off, i int) (number uint32, at, end int) {
	if b := m.b; off < len(b)-1 && (b[off]|b[off+1]) < 0x80 && int(b[off+1]) <= len(b)-off-2 {
		return uint32(b[off]), off + 2, off + 2 + int(b[off+1])
	}
	number, next := uvarint(m.b, off)
	if next < 0 {
		return 0, m.fail(off, fault.TagNumber, tagsName, i), 0
	}
	size, at := uvarint(m.b, next)
	if at < 0 || uint64(size) > uint64(len(m.b)-at) {
		return 0, m.fail(next, fault.TagPayloadSize, tagsName, i), 0
	}
	return number, at, at + int(size)
}

// closing is the end of the message's own tag section at off, in which every tag is
// unknown.
func (m *message) closing(b []byte, off int) int {
	if off < len(b) && b[off] == 0 {
		return off + 1
	}
	return m.skipTags(off, -1)
}

// skipTags checks a tag section in which every tag is unknown.
//
//go:noinline
func (m *message) skipTags(off, i int) int {
	n, off := m.tagCount(off, i)
	for ; n > 0; n-- {
		_, at, end := m.tag(off, i)
		if at < 0 {
			return at
		}
		off = end
	}
	return off
}

// side checks that a known tag, whose number stands at off, comes for the first
// time, and reserves the block of words of the struct's known tags for the first
// of them. empties has a bit for each word that is emptyBase until its array is met.
func (m *message) side(block, seen *uint32, tag uint32, words int, empties uint64, off, i int) bool {
	if *seen&(1<<tag) != 0 {
		m.fail(off, fault.TagTwice, tagsName, i)
		return false
	}
	*seen |= 1 << tag
	if *block != 0 {
		return true
	}
	at := m.reserve(1, words)
	if at < 0 {
		m.fail(off, fault.Index, tagsName, i)
		return false
	}
	for j := range words {
		m.words[at+j] = uint32(empties >> j & 1 * emptyBase)
	}
	*block = uint32(at)
	return true
}

// tagEnd fails where a known tag's payload did not end where its size says.
//
//go:noinline
func (m *message) tagEnd(off int, name string, i int) int {
	return m.fail(off, fault.TagMismatch, name, i)
}
