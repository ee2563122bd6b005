// What Parse calls where a field is not of the commonest form.

package layout

import (
	"encoding/binary"
	"math"

	"github.com/kafkawire/kafkawire/fastcodec/internal/fault"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// reserve takes n entries of so many words and returns the position of the first,
// or -1 where there is too little room.
func (ix *Index) reserve(n, words int) int {
	at := ix.next
	need := uint64(at) + uint64(n)*uint64(words)
	if need > uint64(len(ix.words)) {
		ix.need = need
		return -1
	}
	ix.next = int(need)
	return at
}

// uvarint reads an unsigned varint at off, which is at most len(b); next is
// negative where there is none.
func uvarint(b []byte, off int) (v uint32, next int) {
	if off < len(b) && b[off] < 0x80 {
		return uint32(b[off]), off + 1
	}
	v, n := fault.Uvarint32(b[off:])
	if n < 0 {
		return 0, -1
	}
	return v, off + n
}

// longSpan parses a compact string, bytes or records field whose length has more
// than one byte, or which must not be null.
func longSpan(b []byte, off int, o *op, s *[2]uint32) int {
	v, off := uvarint(b, off)
	if off < 0 {
		return -1
	}
	if v == 0 {
		s[0], s[1] = 0, uint32(off)
		if !o.null {
			return -1
		}
		return off
	}
	if v-1 > uint32(o.limit) || uint64(v-1) > uint64(len(b)-off) {
		return -1
	}
	s[0], off = uint32(off), off+int(v-1)
	s[1] = uint32(off)
	return off
}

// count reads any count of an array and compares it with the bytes left; -1 is
// null.
func count(b []byte, off int, o *op) (next, n int) {
	if o.wide {
		n = int(int32(binary.BigEndian.Uint32(b[off : off+4])))
		off += 4
	} else {
		var v uint32
		if v, off = uvarint(b, off); off < 0 || v > math.MaxInt32 {
			return -1, 0
		}
		n = int(v) - 1
	}
	switch {
	case n < 0 && !o.null:
		return -1, 0
	case n < 0:
		return off, -1
	case n > (len(b)-off)/max(int(o.least), 1):
		return -1, 0
	}
	return off, n
}

// longNumbers parses an array of numbers with any count.
func longNumbers(b []byte, off int, o *op, s *[2]uint32) int {
	off, n := count(b, off, o)
	if off < 0 {
		return -1
	}
	if n < 0 {
		s[0], s[1] = 0, uint32(off)
		return off
	}
	s[0], off = uint32(off), off+n<<o.shift
	s[1] = uint32(off)
	return off
}

// texts parses n strings into their entries e.
func texts(b []byte, off int, e []uint32, n int, wide bool) int {
	for ; n > 0; n-- {
		s := (*[2]uint32)(e[:2])
		e = e[2:]
		var size int
		switch {
		case wide:
			if off > len(b)-2 {
				return -1
			}
			size = int(int16(binary.BigEndian.Uint16(b[off : off+2])))
			off += 2
		default:
			v, next := uvarint(b, off)
			if next < 0 || v-1 > maxString {
				return -1
			}
			size, off = int(v-1), next
		}
		if size < 0 || size > len(b)-off {
			return -1
		}
		s[0], off = uint32(off), off+size
		s[1] = uint32(off)
	}
	return off
}

// strided parses n structs of fixed size: nothing but their tag counts has to be
// looked at, and if those are all zero the elements need no words. Else each has
// one, its offset.
func (ix *Index) strided(o *op, off, n int, s *[2]uint32) int {
	b, step := ix.body, int(o.least)
	s[0], s[1] = uint32(n), uint32(off)
	end := off + n*step
	if o.wide {
		return end
	}
	tags := byte(0)
	for i := off + step - 1; i < end; i += step {
		tags |= b[i]
	}
	if tags == 0 {
		return end
	}
	at := ix.reserve(n, 1)
	if at < 0 {
		return -1
	}
	s[1] = slots.EntriesBit | uint32(at)
	return ix.instances(o.sub, off, ix.words[at:], n)
}

var noTags tagTable

// section parses a tag section that isn't empty, or whose count has more than one
// byte. Known fields go into a side block, whose position block takes.
func (ix *Index) section(t *tagTable, off int, block *uint32) int {
	b := ix.body
	n, off := uvarint(b, off)
	if off < 0 || uint64(n)*2 > uint64(len(b)-off) {
		return -1
	}
	seen, side := uint32(0), 0
	for ; n > 0; n-- {
		number, next := uvarint(b, off)
		if next < 0 {
			return -1
		}
		size, at := uvarint(b, next)
		if at < 0 || uint64(size) > uint64(len(b)-at) {
			return -1
		}
		off = at + int(size)
		if number >= 32 || t.known>>number&1 == 0 {
			continue
		}
		if seen>>number&1 != 0 {
			return -1
		}
		seen |= 1 << number
		if side == 0 {
			if side = ix.reserve(1, len(t.initial)); side < 0 {
				return -1
			}
			copy(ix.words[side:], t.initial)
			*block = uint32(side)
		}
		if ix.instances(t.programs[number], at, ix.words[side:], 1) != off {
			return -1
		}
	}
	return off
}
