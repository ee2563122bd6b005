// Stepping over arrays of structs by a guess: the next element has the lengths of
// the last one. They are then compared all at once, at distances that are known,
// and one step is enough. Read one after the other, each length would have to wait
// for the one before it.

package rewrite

import (
	"encoding/binary"
	"math"
	"sync"
)

// shape is where the lengths of an element are, and what they are; and where the ids
// that are edited are.
type shape struct {
	p     *program // of the elements; nil: nothing is known
	n     int
	size  int // of the element
	ids   int
	marks [maxMarks]lengthAt
	at    [maxIDs]uint32 // distances of the ids
	f     func(int64) int64
}

// memory is what is worth keeping while a frame is rewritten, and beyond: what one
// frame showed is a good guess at the next.
type memory struct {
	shapes [8]shape // that were last seen, by program, as far as there is room
	// The ids of a frame are few and come again and again: a call for each would take
	// most of the time.
	frame uint32
	known [32]knownID
}

// knownID is what became of an id of 4 bytes in a frame.
type knownID struct {
	frame, old, id uint32
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// recall gets a memory for the frame.
func (s *state) recall() {
	s.memory = memories.Get().(*memory)
	if s.memory.frame++; s.memory.frame == 0 {
		s.memory.known = [len(s.memory.known)]knownID{}
		s.memory.frame = 1
	}
}

// maxMarks is how many loads an element may take to compare; with more, reading it
// is as fast.
const maxMarks = 12

// maxIDs is how many ids an element may have.
const maxIDs = 32

// lengthAt is up to four bytes of lengths, markers and tag counts.
type lengthAt struct {
	at, mask, value uint32
}

// A ragged array isn't worth guessing: after so many wrong guesses in a row the rest
// is read.
const maxMisses = 3

// elements reads n structs, which have no edits inside but of ids; n is at least 1.
func (s *state) elements(b []byte, p *program, off, n int) int {
	if n < 3 {
		return s.run(b, p, off, n)
	}
	if s.memory == nil {
		s.recall()
	}
	g := &s.memory.shapes[p.slot]
	known := g.p == p
	for misses := 0; ; {
		if known {
			next, hits := s.follow(b, g, off, n)
			if next < 0 {
				return next
			}
			if hits == 0 {
				misses++
			} else {
				misses = 0
			}
			if off, n = next, n-hits; n == 0 {
				return off
			}
		}
		if misses == maxMisses {
			g.p = nil
			return s.run(b, p, off, n)
		}
		start := off
		if off = s.run(b, p, off, 1); off < 0 {
			return off
		}
		if n--; n == 0 {
			return off
		}
		if known = g.learn(b, p, start, off); !known {
			g.p = nil
			return s.run(b, p, off, n)
		}
	}
}

// follow reads up to n structs of the shape.
func (s *state) follow(b []byte, g *shape, off, n int) (next, hits int) {
	// A load takes four bytes, one of which at least is the element's.
	last := len(b) - g.size - 3
	marks := g.marks[:g.n]
	for hits < n && off <= last {
		e := b[off:]
		for i := range marks {
			m := &marks[i]
			at := int(m.at)
			if binary.BigEndian.Uint32(e[at:at+4])&m.mask != m.value {
				return off, hits
			}
		}
		if g.ids > 0 && !s.editAll(b, g, off) {
			return refused, hits
		}
		off += g.size
		hits++
	}
	return off, hits
}

// editAll edits the ids of an element of the shape at off. They are all of the same
// kind: only those of brokers have 4 bytes.
func (s *state) editAll(b []byte, g *shape, off int) bool {
	src, dst := b[off:off+g.size], []byte(nil)
	m, frame, force := s.memory, s.memory.frame, s.force
	for _, d := range g.at[:g.ids] {
		at := int(d)
		v := binary.BigEndian.Uint32(src[at : at+4])
		if v > math.MaxInt32 {
			continue
		}
		k := &m.known[v%uint32(len(m.known))]
		if k.old != v || k.frame != frame {
			id := g.f(int64(v))
			if uint64(id) > math.MaxInt32 {
				s.fail(off+at, ErrResult, wantID)
				return false
			}
			*k = knownID{frame, v, uint32(id)}
		}
		if k.id == v && !force {
			continue
		}
		if dst == nil {
			s.changed = true
			s.cover(off + g.size)
			dst = s.dst[s.place(off):][:g.size]
		}
		binary.BigEndian.PutUint32(dst[at:at+4], k.id)
	}
	return true
}

// learn takes the shape of the struct from start to end, which has been read. It
// reports whether it has one that can be compared.
func (g *shape) learn(b []byte, p *program, start, end int) bool {
	g.p, g.n, g.ids, g.size = p, 0, 0, end-start
	return g.read(b, p, start, start) == end
}

// add takes size bytes at off.
func (g *shape) add(b []byte, start, off, size int) bool {
	if off+4 > len(b) {
		return false
	}
	at := uint32(off - start)
	mask := ^uint32(0) << (32 - 8*size)
	if g.n > 0 {
		if m := &g.marks[g.n-1]; at+uint32(size) <= m.at+4 {
			m.mask |= mask >> (8 * (at - m.at))
			m.value = binary.BigEndian.Uint32(b[start+int(m.at):]) & m.mask
			return true
		}
	}
	if g.n == maxMarks {
		return false
	}
	g.marks[g.n] = lengthAt{at, mask, binary.BigEndian.Uint32(b[off:]) & mask}
	g.n++
	return true
}

// addIDs takes n ids at off.
func (g *shape) addIDs(start, off, n int, o *op) bool {
	if n > maxIDs-g.ids || o.size != 4 || !o.edit.plain {
		return false
	}
	for ; n > 0; n-- {
		g.at[g.ids] = uint32(off - start)
		g.ids++
		off += 4
	}
	g.f = o.edit.rules[0].id
	return true
}

// read reads one struct and collects its lengths, those of the common forms. What
// it doesn't know, and what was read to be wrong, is -1.
func (g *shape) read(b []byte, p *program, start, off int) int {
	for i := 0; i < len(p.ops); i++ {
		o := &p.ops[i]
		off += int(o.run)
		if o.code == opRun {
			continue
		}
		if o.code == opID {
			if !g.addIDs(start, off, 1, o) {
				return -1
			}
			off += int(o.size)
			continue
		}
		size := o.lengthSize()
		if off > len(b)-size || !g.add(b, start, off, size) {
			return -1
		}
		n := 0
		switch size {
		case 1:
			n = int(b[off])
			if n >= 0x80 && o.code != opMarker {
				return -1
			}
			n--
		case 2:
			n = int(int16(binary.BigEndian.Uint16(b[off:])))
		case 4:
			n = int(int32(binary.BigEndian.Uint32(b[off:])))
		}
		off += size
		switch o.code {
		case opSpan, opSpan16, opSpan32:
			off += max(n, 0)
		case opNumbers:
			off += max(n, 0) * int(o.size)
		case opIDs:
			if n > 0 && !g.addIDs(start, off, n, o) {
				return -1
			}
			off += max(n, 0) * int(o.size)
		case opTexts:
			if n > 0 {
				return -1
			}
		case opStrided, opElements:
			for ; n > 0 && off >= 0; n-- {
				off = g.read(b, o.sub, start, off)
			}
			if off < 0 {
				return -1
			}
		case opMarker:
			if n+1 >= 0x80 {
				i += int(o.jump)
			}
		case opSection:
			if n+1 != 0 {
				return -1
			}
		default:
			return -1
		}
	}
	return off + int(p.tail)
}

// lengthSize is the size of the length, count or marker that the operation reads
// first, of compact ones the shortest.
func (o *op) lengthSize() int {
	switch o.code {
	case opSpan16:
		return 2
	case opSpan32:
		return 4
	case opNumbers, opIDs, opTexts, opStrided, opElements:
		if o.wide {
			return 4
		}
	}
	return 1
}
