// Splicing. What has been read and not changed is not copied at once: src[mark:] up
// to the present offset is pending, and an edit copies it before it writes. Where
// only numbers are edited it is the other way round: the copy runs ahead, and is
// cut back where a splice follows after all.
//
// Byte x of src, if it comes to stand in dst, stands at len(dst)+x-mark, now and
// whenever more is copied: so a place can be noted before anything is copied, and
// patched later.

package rewrite

import (
	"encoding/binary"
	"slices"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// place is where src[at] stands in dst, or will.
func (s *state) place(at int) int { return len(s.dst) + at - s.mark }

// copyTo has dst end with src[at-1].
func (s *state) copyTo(at int) {
	if s.mark <= at {
		s.dst = append(s.dst, s.src[s.mark:at]...)
	} else {
		s.dst = s.dst[:s.place(at)]
	}
	s.mark = at
}

// backTo undoes all that happened since src[at] had its place in dst.
func (s *state) backTo(place, at int) {
	if len(s.dst) >= place {
		s.dst, s.mark = s.dst[:place], at
		return
	}
	s.copyTo(at)
}

// splice puts value in the place of src[content:end], whose length stands from at
// on. A length that stays is not written again.
func (s *state) splice(o *op, at, content, end int, value []byte) {
	s.changed = true
	n := len(value)
	if n == end-content {
		s.copyTo(content)
	} else {
		s.copyTo(at)
		switch {
		case o.wide:
			s.dst = binary.BigEndian.AppendUint16(s.dst, uint16(n))
		case n < 127:
			s.dst = append(s.dst, byte(n+1))
		default:
			s.dst = fastcodec.AppendCompactLength(s.dst, n)
		}
	}
	s.dst = append(s.dst, value...)
	s.mark = end
}

// number writes size bytes of v over src[at:].
func (s *state) number(at, size int, v int64) {
	s.changed = true
	s.cover(at + size)
	switch d := s.dst[s.place(at):]; size {
	case 2:
		binary.BigEndian.PutUint16(d, uint16(v))
	case 4:
		binary.BigEndian.PutUint32(d, uint32(v))
	default:
		binary.BigEndian.PutUint64(d, uint64(v))
	}
}

// cover has src[:end] in dst, and perhaps more.
func (s *state) cover(end int) {
	if s.mark < end {
		s.copyTo(end + min(s.ahead, len(s.src)-end))
	}
}

// patchUvarint writes v at a place of dst where a uvarint of size bytes stands.
func (s *state) patchUvarint(place, size int, v uint32) {
	s.changed = true
	n := fastcodec.SizeUvarint(v)
	if n != size {
		tail := len(s.dst)
		if n > size {
			s.dst = slices.Grow(s.dst, n-size)
		}
		s.dst = s.dst[:tail+n-size]
		copy(s.dst[place+n:], s.dst[place+size:tail])
	}
	fastcodec.AppendUvarint(s.dst[:place], v)
}

// patchLength is patchUvarint for the compact length or count n, or for an int32.
func (s *state) patchLength(wide bool, place, size, n int) {
	if !wide {
		s.patchUvarint(place, size, uint32(n)+1)
		return
	}
	s.changed = true
	binary.BigEndian.PutUint32(s.dst[place:], uint32(n))
}

// minScratch is the room that an edit function has, beyond the size of the old value.
const minScratch = 256

// maxLength is the most bytes that a length takes.
const maxLength = 5

// scratch is room for the new value of a field at src[at:], whose content has size
// bytes: in dst, behind all that will be written before the value is.
func (s *state) scratch(at, size int) []byte {
	from := max(len(s.dst), s.place(at)) + maxLength
	if cap(s.dst)-from < size+minScratch {
		s.dst = slices.Grow(s.dst, from-len(s.dst)+size+minScratch+len(s.src)-at)
	}
	return s.dst[from:from:cap(s.dst)]
}
