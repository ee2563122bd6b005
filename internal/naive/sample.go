package naive

// Values to write.

import (
	"bytes"
	"math/rand/v2"
)

// Full is a value that has all there is: elements in every array, two in those that
// are not inside of others, nothing null, every known tag, not at its default.
func (s *Struct) Full() Value {
	return s.sample(&sampler{})
}

// Small is a value with one element in each array, nothing null, strings and bytes
// empty, numbers 0, and no tagged fields.
func (s *Struct) Small() Value {
	return s.sample(&sampler{small: true})
}

// Random is a random value, now and then with unknown tags. It is canonical. large
// ones may have long arrays, and strings at the boundaries of length prefixes.
func (s *Struct) Random(r *rand.Rand, large bool) Value {
	return s.sample(&sampler{r: r, wide: large && r.IntN(4) == 0, long: large && r.IntN(4) == 0, unknown: r.IntN(3) == 0})
}

type sampler struct {
	small               bool
	r                   *rand.Rand // nil: the same value every time
	wide, long, unknown bool
	depth, items        int // structs and arrays around
}

func (p *sampler) chance(n int) bool { return p.r != nil && p.r.IntN(n) == 0 }

func (s *Struct) sample(p *sampler) (v Value) {
	p.depth++
	defer func() { p.depth-- }()
	for _, f := range s.Fields {
		v.Fields = append(v.Fields, f.sample(p))
	}
	if !s.Flexible {
		return v
	}
	v.Known = make([]*Value, len(s.Tags))
	for i, f := range s.Tags {
		if p.small || p.chance(2) {
			continue
		}
		known := f.sample(p)
		if p.r == nil && f.isDefault(&known) {
			known.Number = 0 // a bool or number whose default is the sample's
		}
		if !f.isDefault(&known) {
			v.Known[i] = &known
			v.Tags = append(v.Tags, Tag{Number: f.Tag, Known: true})
		}
	}
	if p.unknown && p.chance(2) {
		for range 1 + p.r.IntN(3) {
			number := uint32(p.r.IntN(40))
			if p.chance(3) {
				number = p.r.Uint32()
			}
			if f, _ := s.tag(number); f == nil {
				v.Tags = append(v.Tags, Tag{Number: number, Data: p.bytes(p.r.IntN(5))})
			}
		}
	}
	v.SortTags()
	return v
}

// SortTags puts tagged fields into ascending order, those with equal numbers as
// they came.
func (v *Value) SortTags() {
	for i := range v.Tags {
		for j := i; j > 0 && v.Tags[j-1].Number > v.Tags[j].Number; j-- {
			v.Tags[j-1], v.Tags[j] = v.Tags[j], v.Tags[j-1]
		}
	}
}

func (p *sampler) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[p.r.IntN(36)]
	}
	return b
}

func (f *Field) sample(p *sampler) (v Value) {
	if f.Nullable && p.chance(4) {
		return Value{Null: true}
	}
	if !f.Array {
		return f.one(p)
	}
	n := 2
	switch {
	case p.small, p.r == nil && p.items > 0:
		n = 1
	case p.wide && p.depth == 1:
		n = 100 + p.r.IntN(50)
	case p.r != nil:
		n = p.r.IntN(max(2, 5-p.depth))
	}
	p.items++
	for range n {
		v.Items = append(v.Items, f.one(p))
	}
	p.items--
	return v
}

func (f *Field) one(p *sampler) (v Value) {
	n := 2
	switch {
	case p.small:
		n = 0
	case p.long && p.chance(4):
		n = []int{126, 127, 128, 16382, 16383, 16384}[p.r.IntN(6)]
	case p.r != nil:
		n = p.r.IntN(12)
	}
	switch f.Type {
	case "struct":
		return f.Struct.sample(p)
	case "string", "bytes", "records":
		if p.r == nil {
			v.Bytes = bytes.Repeat([]byte{'x'}, n)
		} else {
			v.Bytes = p.bytes(n)
		}
	case "uuid":
		v.Bytes = make([]byte, 16)
		for i := range v.Bytes {
			switch {
			case p.r != nil:
				v.Bytes[i] = byte(p.r.Uint32())
			case !p.small:
				v.Bytes[i] = byte(i + 1)
			}
		}
	case "bool":
		if p.r != nil {
			v.Number = int64(p.r.IntN(2))
		} else if !p.small {
			v.Number = 1
		}
	default:
		if p.r != nil {
			v.Number = int64(p.r.Uint64()) >> (64 - 8*size(f.Type))
			if f.Type == "uint16" || f.Type == "uint32" {
				v.Number &= 1<<(8*size(f.Type)) - 1
			}
		} else if !p.small {
			v.Number = 3
		}
	}
	return v
}
