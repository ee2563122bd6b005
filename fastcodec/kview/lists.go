package kview

// Arrays of strings and of numbers. Arrays of structs have a generated list type
// each, with the same methods.

import (
	"encoding/binary"
	"iter"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// list is what an array of structs or strings has in every list type.
type list struct {
	m       *message
	n, base uint32
}

// Len is the number of elements, 0 for null.
func (l list) Len() int { return int(l.n) }

// IsNull tells a null array from an empty one.
func (l list) IsNull() bool { return l.base == nullBase }

// size is the number of elements, -1 of null.
func (l list) size() int {
	if l.base == nullBase {
		return -1
	}
	return int(l.n)
}

// numbersLen is size for an array of numbers of so many bytes.
func numbersLen(b []byte, bytes int) int {
	if b == nil {
		return -1
	}
	return len(b) / bytes
}

// Strings is an array of strings. Its elements alias the body.
type Strings struct{ list }

// At is element i; it panics as a slice does where there is none.
func (l Strings) At(i int) []byte {
	p := entry(i, l.n, l.base, 2)
	s := (*[2]uint32)(l.m.words[p : p+2])
	return l.m.bytes(s[0], s[1])
}

// All iterates over the elements.
func (l Strings) All() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := range int(l.n) {
			p := int(l.base) + 2*i
			if !yield(l.m.bytes(l.m.words[p], l.m.words[p+1])) {
				return
			}
		}
	}
}

// fill stores the elements in d, which is as long.
func (l Strings) fill(d [][]byte) {
	for i := range d {
		d[i] = l.At(i)
	}
}

// number is the offset of element i of an array of numbers of size bytes each.
func number(i, size int, b []byte) int {
	if uint(i) >= uint(len(b)/size) {
		panic(errIndex)
	}
	return i * size
}

// Int8s is an array of int8, read in place.
type Int8s struct{ b []byte }

// Len is the number of elements, 0 for null.
func (l Int8s) Len() int { return len(l.b) }

// IsNull tells a null array from an empty one.
func (l Int8s) IsNull() bool { return l.b == nil }

// At is element i; it panics as a slice does where there is none.
func (l Int8s) At(i int) int8 { return int8(l.b[i]) }

// All iterates over the elements.
func (l Int8s) All() iter.Seq[int8] {
	return func(yield func(int8) bool) {
		for i := range l.b {
			if !yield(int8(l.b[i])) {
				return
			}
		}
	}
}

// AppendTo appends the elements to dst.
func (l Int8s) AppendTo(dst []int8) []int8 {
	for i := range l.b {
		dst = append(dst, int8(l.b[i]))
	}
	return dst
}

// Int16s is an array of int16, read in place.
type Int16s struct{ b []byte }

// Len is the number of elements, 0 for null.
func (l Int16s) Len() int { return len(l.b) / 2 }

// IsNull tells a null array from an empty one.
func (l Int16s) IsNull() bool { return l.b == nil }

// At is element i; it panics as a slice does where there is none.
func (l Int16s) At(i int) int16 {
	i = number(i, 2, l.b)
	return int16(binary.BigEndian.Uint16(l.b[i : i+2]))
}

// All iterates over the elements.
func (l Int16s) All() iter.Seq[int16] {
	return func(yield func(int16) bool) {
		for i := 0; i < len(l.b)-1; i += 2 {
			if !yield(int16(binary.BigEndian.Uint16(l.b[i : i+2]))) {
				return
			}
		}
	}
}

// AppendTo appends the elements to dst.
func (l Int16s) AppendTo(dst []int16) []int16 {
	for i := 0; i < len(l.b)-1; i += 2 {
		dst = append(dst, int16(binary.BigEndian.Uint16(l.b[i:i+2])))
	}
	return dst
}

// Int32s is an array of int32, read in place.
type Int32s struct{ b []byte }

// Len is the number of elements, 0 for null.
func (l Int32s) Len() int { return len(l.b) / 4 }

// IsNull tells a null array from an empty one.
func (l Int32s) IsNull() bool { return l.b == nil }

// At is element i; it panics as a slice does where there is none.
func (l Int32s) At(i int) int32 {
	i = number(i, 4, l.b)
	return int32(binary.BigEndian.Uint32(l.b[i : i+4]))
}

// All iterates over the elements.
func (l Int32s) All() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := 0; i < len(l.b)-3; i += 4 {
			if !yield(int32(binary.BigEndian.Uint32(l.b[i : i+4]))) {
				return
			}
		}
	}
}

// AppendTo appends the elements to dst.
func (l Int32s) AppendTo(dst []int32) []int32 {
	for i := 0; i < len(l.b)-3; i += 4 {
		dst = append(dst, int32(binary.BigEndian.Uint32(l.b[i:i+4])))
	}
	return dst
}

// Int64s is an array of int64, read in place.
type Int64s struct{ b []byte }

// Len is the number of elements, 0 for null.
func (l Int64s) Len() int { return len(l.b) / 8 }

// IsNull tells a null array from an empty one.
func (l Int64s) IsNull() bool { return l.b == nil }

// At is element i; it panics as a slice does where there is none.
func (l Int64s) At(i int) int64 {
	i = number(i, 8, l.b)
	return int64(binary.BigEndian.Uint64(l.b[i : i+8]))
}

// All iterates over the elements.
func (l Int64s) All() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i := 0; i < len(l.b)-7; i += 8 {
			if !yield(int64(binary.BigEndian.Uint64(l.b[i : i+8]))) {
				return
			}
		}
	}
}

// AppendTo appends the elements to dst.
func (l Int64s) AppendTo(dst []int64) []int64 {
	for i := 0; i < len(l.b)-7; i += 8 {
		dst = append(dst, int64(binary.BigEndian.Uint64(l.b[i:i+8])))
	}
	return dst
}

// UUIDs is an array of fastcodec.UUID, read in place.
type UUIDs struct{ b []byte }

// Len is the number of elements, 0 for null.
func (l UUIDs) Len() int { return len(l.b) / 16 }

// IsNull tells a null array from an empty one.
func (l UUIDs) IsNull() bool { return l.b == nil }

// At is element i; it panics as a slice does where there is none.
func (l UUIDs) At(i int) fastcodec.UUID {
	i = number(i, 16, l.b)
	return uuidAt(l.b[i : i+16])
}

// All iterates over the elements.
func (l UUIDs) All() iter.Seq[fastcodec.UUID] {
	return func(yield func(fastcodec.UUID) bool) {
		for i := 0; i < len(l.b)-15; i += 16 {
			if !yield(uuidAt(l.b[i : i+16])) {
				return
			}
		}
	}
}

// AppendTo appends the elements to dst.
func (l UUIDs) AppendTo(dst []fastcodec.UUID) []fastcodec.UUID {
	for i := 0; i < len(l.b)-15; i += 16 {
		dst = append(dst, uuidAt(l.b[i:i+16]))
	}
	return dst
}

func uuidAt(b []byte) fastcodec.UUID {
	return fastcodec.UUID{Hi: binary.BigEndian.Uint64(b), Lo: binary.BigEndian.Uint64(b[8:])}
}
