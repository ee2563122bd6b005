// Arrays of structs with edits inside, and tag sections.

package rewrite

// array edits the elements of an array and returns where it ends, or hidden, if
// that is not for one of them.
func (s *state) array(b []byte, o *op, at int) int {
	off, n := count(b, at, o)
	if off < 0 {
		return refused
	}
	if n <= 0 {
		return off
	}
	if !o.edit.hides {
		return s.elements(b, o.sub, off, n)
	}
	place, size, left := s.place(at), off-at, n
	for range n {
		start := s.place(off)
		next := s.run(b, o.sub, off, 1)
		if next == hidden {
			if o.edit.indexed {
				return s.fail(off, ErrRefused, wantIndexed)
			}
			if next = s.run(b, o.edit.skip, off, 1); next >= 0 {
				s.backTo(start, off)
				s.mark = next
				left--
			}
		}
		if next < 0 {
			return refused
		}
		off = next
	}
	if left < n {
		s.patchLength(o.wide, place, size, left)
	}
	return off
}

// section reads a tag section, and edits the tagged fields in it that are to be.
func (s *state) section(b []byte, off int, t *tagTable) int {
	n, off := uvarint(b, off)
	if off < 0 || uint64(n)*2 > uint64(len(b)-off) {
		return refused
	}
	seen := uint32(0)
	for ; n > 0; n-- {
		number, sizeAt := uvarint(b, off)
		if sizeAt < 0 {
			return refused
		}
		size, at := uvarint(b, sizeAt)
		if at < 0 || uint64(size) > uint64(len(b)-at) {
			return refused
		}
		off = at + int(size)
		if number >= 32 || t.known>>number&1 == 0 {
			continue
		}
		if seen>>number&1 != 0 {
			return refused
		}
		seen |= 1 << number
		place := s.place(sizeAt)
		if end := s.run(b, t.programs[number], at, 1); end != off {
			return min(end, refused)
		}
		// What follows the size in dst now is the payload as it was edited.
		if t.edited>>number&1 != 0 {
			if edited := s.place(off) - place - (at - sizeAt); edited != int(size) {
				s.patchUvarint(place, at-sizeAt, uint32(edited))
			}
		}
	}
	return off
}
