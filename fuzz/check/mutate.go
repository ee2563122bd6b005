package check

// Inputs that are nearly right.

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/kafkawire/kafkawire/internal/naive"
)

// Mutator makes inputs for a message: from bodies that it was given, from those
// that turned out to be accepted, and from random values of its own with one place
// spoiled. Its buffer is used again for each input.
type Mutator struct {
	m     *Message
	r     *rand.Rand
	seeds [][]byte
	grown int // where the next accepted input goes, once there are maxSeeds
	buf   []byte

	values []sample
}

// sample is a random value, and the number of places in it.
type sample struct {
	value naive.Value
	sites int
}

// The most seeds of a message, and the longest: short ones are changed where it
// matters more often.
const (
	maxSeeds    = 64
	maxSeedSize = 1024
	maxInput    = 4096
	maxValues   = 16
)

// NewMutator makes a Mutator.
func NewMutator(m *Message, r *rand.Rand) *Mutator { return &Mutator{m: m, r: r} }

// Seed adds a body to start from.
func (u *Mutator) Seed(body []byte) {
	if len(body) > maxSeedSize {
		return
	}
	body = append([]byte(nil), body...)
	if len(u.seeds) < maxSeeds {
		u.seeds = append(u.seeds, body)
		return
	}
	u.seeds[u.grown] = body
	u.grown = (u.grown + 1) % maxSeeds
}

// Next makes an input. It is valid until the next call.
func (u *Mutator) Next() []byte {
	if len(u.seeds) == 0 || u.r.IntN(4) == 0 {
		u.buf = append(u.buf[:0], u.spoiled()...)
		if u.r.IntN(2) == 0 {
			return u.cap()
		}
	} else {
		u.buf = append(u.buf[:0], u.seeds[u.r.IntN(len(u.seeds))]...)
	}
	for range 1 + u.r.IntN(3) {
		u.mutate()
	}
	return u.cap()
}

func (u *Mutator) cap() []byte {
	u.buf = u.buf[:min(len(u.buf), maxInput)]
	return u.buf
}

// spoiled writes a random value with something else in one place or none.
func (u *Mutator) spoiled() []byte {
	if len(u.values) < maxValues || u.r.IntN(16) == 0 {
		v := sample{value: u.m.Naive.Random(u.r, false)}
		if u.r.IntN(8) == 0 {
			u.explicit(&v.value)
		}
		if u.r.IntN(4) == 0 {
			u.shuffle(&v.value)
		}
		u.m.Naive.Write(&v.value, func(int, *naive.Site) ([]byte, bool) { v.sites++; return nil, false })
		if len(u.values) < maxValues {
			u.values = append(u.values, v)
		} else {
			u.values[u.r.IntN(maxValues)] = v
		}
	}
	v := &u.values[u.r.IntN(len(u.values))]
	at := u.r.IntN(v.sites + 1 + v.sites/8) // at times, none
	return u.m.Naive.Write(&v.value, func(i int, s *naive.Site) ([]byte, bool) {
		if i != at {
			return nil, false
		}
		return u.spoil(s), u.r.IntN(3) == 0
	})
}

// explicit puts tagged fields that are not there at their defaults.
func (u *Mutator) explicit(v *naive.Value) {
	for i, f := range u.m.Naive.Tags {
		if v.Known[i] == nil {
			d := naive.DefaultOf(f)
			v.Known[i] = &d
			v.Tags = append(v.Tags, naive.Tag{Number: f.Tag, Known: true})
		}
	}
	v.SortTags()
}

// shuffle puts the tagged fields of the message out of order, perhaps one twice.
func (u *Mutator) shuffle(v *naive.Value) {
	u.r.Shuffle(len(v.Tags), func(i, j int) { v.Tags[i], v.Tags[j] = v.Tags[j], v.Tags[i] })
	if len(v.Tags) > 0 && u.r.IntN(2) == 0 {
		v.Tags = append(v.Tags, v.Tags[u.r.IntN(len(v.Tags))])
	}
}

// numbers are lengths and counts that have been read wrongly before.
var numbers = []uint64{0, 1, 2, 3, 126, 127, 128, 129, 16383, 16384, 32767, 32768, 32769, 65535, 1 << 20, 1 << 27, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 2, 1<<32 - 1, 1 << 32, 1 << 34}

// spoil is what to write in a place instead.
func (u *Mutator) spoil(s *naive.Site) []byte {
	n := numbers[u.r.IntN(len(numbers))]
	if u.r.IntN(2) == 0 {
		n = uint64(s.N + u.r.IntN(5) - 1)
	}
	switch {
	case s.Varint():
		b := naive.Uvarint(n)
		for u.r.IntN(3) == 0 {
			b[len(b)-1] |= 0x80
			b = append(b, 0)
		}
		return b
	case s.Kind == naive.Length && s.Field.Type == "string":
		return binary.BigEndian.AppendUint16(nil, uint16(n))
	case s.Kind == naive.Length, s.Kind == naive.Count:
		return binary.BigEndian.AppendUint32(nil, uint32(n))
	case s.Kind == naive.Marker:
		return []byte{byte(u.r.Uint32())}
	}
	return nil
}

// mutate changes the input in one of many ways.
func (u *Mutator) mutate() {
	b, r := u.buf, u.r
	if len(b) == 0 {
		u.buf = append(b, byte(r.Uint32()))
		return
	}
	i := r.IntN(len(b))
	switch r.IntN(13) {
	case 0:
		b[i] ^= 1 << r.IntN(8)
	case 1:
		b[i] = byte(r.Uint32())
	case 2:
		b[i] = []byte{0, 1, 2, 3, 0x7e, 0x7f, 0x80, 0x81, 0xfe, 0xff}[r.IntN(10)]
	case 3:
		b[i] += byte(r.IntN(5)) - 2
	case 4: // without some bytes
		b = append(b[:i], b[min(len(b), i+1+r.IntN(4)):]...)
	case 5: // with some more
		b = u.insert(i, 1+r.IntN(4))
		for j := i; j < len(b) && j < i+4; j++ {
			b[j] = byte(r.Uint32()) >> r.IntN(8)
		}
	case 6: // a stretch of it, or of another body, over it
		from := b
		if len(u.seeds) > 0 {
			from = u.seeds[r.IntN(len(u.seeds))]
		}
		if len(from) > 0 {
			j := r.IntN(len(from))
			copy(b[i:], from[j:min(len(from), j+1+r.IntN(16))])
		}
	case 7: // a stretch again
		n := 1 + r.IntN(min(16, len(b)-i))
		b = u.insert(i, n)
		copy(b[i:i+n], b[i+n:])
	case 8: // an overlong varint
		if b[i] < 0x80 {
			b = u.insert(i, 1)
			b[i] = b[i+1] | 0x80
			b[i+1] = 0
		}
	case 9: // a large varint
		v := naive.Uvarint(numbers[r.IntN(len(numbers))])
		b = u.insert(i, len(v)-1)
		copy(b[i:], v)
	case 10: // a large number
		if len(b)-i >= 4 {
			binary.BigEndian.PutUint32(b[i:], uint32(numbers[r.IntN(len(numbers))]))
		}
	case 11: // a large short number
		if len(b)-i >= 2 {
			binary.BigEndian.PutUint16(b[i:], uint16(numbers[r.IntN(len(numbers))]))
		}
	case 12: // cut, or with a tail
		if r.IntN(2) == 0 {
			b = b[:i]
		} else {
			b = append(b, byte(r.Uint32()))
		}
	}
	u.buf = b
}

// insert makes room for n bytes at i.
func (u *Mutator) insert(i, n int) []byte {
	b := u.buf
	for range n {
		b = append(b, 0)
	}
	copy(b[i+n:], b[i:])
	return b
}
