// Edits of numeric ids.

package rewrite

import (
	"encoding/binary"
	"math"
)

// id edits a number and returns where it ends.
func (s *state) id(b []byte, o *op, at int) int {
	end := at + int(o.size)
	if end > len(b) {
		return refused
	}
	return s.byRule(b, o, at, end)
}

// ids edits the numbers of an array.
func (s *state) ids(b []byte, o *op, at int) int {
	off, n := count(b, at, o)
	if off < 0 {
		return refused
	}
	return s.byRule(b, o, off, off+max(n, 0)*int(o.size))
}

// byRule edits the numbers in src[at:end] by the rule that holds for them.
func (s *state) byRule(b []byte, o *op, at, end int) int {
	r := &o.edit.rules[0]
	if !o.edit.plain {
		if r = s.match(b, o.edit, at); r == nil {
			return end
		}
		if r == &noRule {
			return refused
		}
	}
	if !s.edit(b, r.id, int(o.size), at, end) {
		return refused
	}
	return end
}

// edit edits the numbers of size bytes in src[at:end].
func (s *state) edit(b []byte, f func(int64) int64, size, at, end int) bool {
	for ; at < end; at += size {
		v, most := int64(0), int64(math.MaxInt64)
		if size == 4 {
			v, most = int64(int32(binary.BigEndian.Uint32(b[at:at+4]))), math.MaxInt32
		} else {
			v = int64(binary.BigEndian.Uint64(b[at : at+8]))
		}
		if v < 0 {
			continue
		}
		id := f(v)
		if id == v && !s.force {
			continue
		}
		if id < 0 || id > most {
			s.fail(at, ErrResult, wantID)
			return false
		}
		s.cover(end)
		s.number(at, size, id)
	}
	return true
}
