package naive

// Reading.

import (
	"encoding/binary"
	"errors"
)

// Value is a value that was read or is to be written.
type Value struct {
	Null   bool     // of what can be null
	Number int64    // bool (as its byte), integers, and the bits of a float64
	Bytes  []byte   // string, bytes, records, uuid
	Items  []Value  // of an array
	Fields []Value  // of a struct, in the order of Struct.Fields
	Known  []*Value // of a struct, in the order of Struct.Tags; nil: not there
	Tags   []Tag    // of a struct: all tagged fields in the order of the wire
}

// Tag is a tagged field as it came.
type Tag struct {
	Number uint32
	Data   []byte
	Known  bool
}

// Oddity is a way in which bytes that are accepted differ from what a writer would
// have written for the same values.
type Oddity uint8

const (
	OddBool    Oddity = 1 << iota // a bool above 1
	OddMarker                     // a marker of a nullable struct other than ff and 01
	OddVarint                     // an overlong varint
	OddLength                     // a negative length below -1
	OddOrder                      // tags out of order
	OddDefault                    // a tag written at its default
	oddities   = 6
)

var oddNames = [oddities]string{"bool above 1", "marker other than ff and 01", "overlong varint", "negative length below -1", "tags out of order", "tag at its default"}

// AllOddities is the set of them all.
const AllOddities Oddity = 1<<oddities - 1

// Names are the oddities of a set.
func (o Oddity) Names() (names []string) {
	for i, name := range oddNames {
		if o>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// ErrRefused is the one reason that this reader knows.
var ErrRefused = errors.New("refused")

// Read reads a message. end is where its fields end; bytes behind are legal.
func (s *Struct) Read(body []byte) (v Value, end int, odd Oddity, err error) {
	r := &reader{b: body}
	defer func() {
		if p := recover(); p != nil {
			if p != any(ErrRefused) {
				panic(p)
			}
			err = ErrRefused
		}
	}()
	v = r.structure(s)
	return v, r.at, r.odd, nil
}

type reader struct {
	b   []byte
	at  int
	odd Oddity
}

func (r *reader) refuseIf(bad bool) {
	if bad {
		panic(ErrRefused)
	}
}

func (r *reader) left() int { return len(r.b) - r.at }

// take reads n bytes.
func (r *reader) take(n int) []byte {
	r.refuseIf(n > r.left())
	b := r.b[r.at : r.at+n]
	r.at += n
	return b
}

// uvarint reads an unsigned varint of at most 5 bytes; overlong ones count. (D1:
// Kafka drops the high bits of a fifth byte above 0f.)
func (r *reader) uvarint() uint64 {
	var v uint64
	for shift := 0; ; shift += 7 {
		c := r.take(1)[0]
		r.refuseIf(shift == 28 && c > 0x0f)
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if c == 0 && shift > 0 {
				r.odd |= OddVarint
			}
			return v
		}
	}
}

// length reads a length or count; null is true for any negative one. (D1: Kafka
// takes a compact one of 2^31 and above for negative.)
func (r *reader) length(compact, short, nullable bool) (n int, null bool) {
	var v int64
	switch {
	case compact:
		u := r.uvarint()
		r.refuseIf(u >= 1<<31)
		v = int64(u) - 1
	case short:
		v = int64(int16(binary.BigEndian.Uint16(r.take(2))))
	default:
		v = int64(int32(binary.BigEndian.Uint32(r.take(4))))
	}
	r.refuseIf(v < 0 && !nullable)
	if v < -1 {
		r.odd |= OddLength
	}
	return int(v), v < 0
}

func (r *reader) structure(s *Struct) (v Value) {
	v.Fields = make([]Value, len(s.Fields))
	for i, f := range s.Fields {
		v.Fields[i] = r.field(f, false)
	}
	if s.Flexible {
		r.tags(s, &v)
	}
	return v
}

// tags reads a section of tagged fields. (D4: for Kafka a known tag below the
// versions that have it is an error. Here it is unknown.)
func (r *reader) tags(s *Struct, v *Value) {
	if len(s.Tags) > 0 {
		v.Known = make([]*Value, len(s.Tags))
	}
	count := r.uvarint()
	r.refuseIf(count > uint64(r.left()))
	for ; count > 0; count-- {
		number := uint32(r.uvarint())
		size := r.uvarint()
		r.refuseIf(size > uint64(r.left()))
		data := r.b[r.at : r.at+int(size)]
		f, i := s.tag(number)
		if n := len(v.Tags); n > 0 && v.Tags[n-1].Number > number {
			r.odd |= OddOrder
		}
		v.Tags = append(v.Tags, Tag{number, data, f != nil})
		if f == nil {
			r.at += int(size)
			continue
		}
		r.refuseIf(v.Known[i] != nil) // D3: for Kafka the last one wins
		end := r.at + int(size)
		known := r.field(f, true)
		r.refuseIf(r.at != end) // D2: Kafka ignores the size
		v.Known[i] = &known
		if f.isDefault(&known) {
			r.odd |= OddDefault
		}
	}
}

func (r *reader) field(f *Field, tagged bool) (v Value) {
	if f.Array {
		n, null := r.length(f.CountCompact, false, f.Nullable)
		if null {
			return Value{Null: true}
		}
		r.refuseIf(n > r.left())
		v.Items = make([]Value, n)
		for i := range v.Items {
			v.Items[i] = r.value(f, false)
		}
		return v
	}
	if f.Type == "struct" && f.Nullable {
		if tagged {
			u := r.uvarint()
			if u > 1 {
				r.odd |= OddMarker
			}
			v.Null = u == 0
		} else {
			c := int8(r.take(1)[0])
			if c != -1 && c != 1 {
				r.odd |= OddMarker
			}
			v.Null = c < 0
		}
		if v.Null {
			return v
		}
	}
	return r.value(f, f.Nullable)
}

// value reads a value that is no array.
func (r *reader) value(f *Field, nullable bool) (v Value) {
	switch f.Type {
	case "struct":
		return r.structure(f.Struct)
	case "string", "bytes", "records":
		n, null := r.length(f.Compact, f.Type == "string", nullable)
		if null {
			return Value{Null: true}
		}
		r.refuseIf(f.Type == "string" && n > 32767)
		v.Bytes = r.take(n) // D5: Kafka replaces what is not UTF-8 in strings
	case "uuid":
		v.Bytes = r.take(16)
	default:
		b := r.take(size(f.Type))
		switch f.Type {
		case "bool":
			v.Number = int64(b[0])
			if b[0] > 1 {
				r.odd |= OddBool
			}
		case "int8":
			v.Number = int64(int8(b[0]))
		case "int16":
			v.Number = int64(int16(binary.BigEndian.Uint16(b)))
		case "uint16":
			v.Number = int64(binary.BigEndian.Uint16(b))
		case "int32":
			v.Number = int64(int32(binary.BigEndian.Uint32(b)))
		case "uint32":
			v.Number = int64(binary.BigEndian.Uint32(b))
		default:
			v.Number = int64(binary.BigEndian.Uint64(b))
		}
	}
	return v
}
