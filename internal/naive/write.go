package naive

// Writing, with a note of what stands where, so that a test can put something
// else in any one place.

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Kind says what stands in a Site.
type Kind uint8

const (
	Fixed     Kind = iota // a number, bool or uuid
	Length                // of a string, bytes or records
	Count                 // of an array
	Marker                // int8 in front of a nullable struct
	TagMarker             // uvarint in front of a nullable struct in a tagged field
	TagCount
	TagNumber
	TagSize
)

// Site is a place in a body.
type Site struct {
	Kind         Kind
	Field        *Field  // nil for the count of a section and for unknown tags
	Struct       *Struct // of a tag count: whose section it is
	Path         string  // as errors show it
	Offset, Size int
	N            int  // length or count (-1: null), number of tags, number or size of a tag
	InTag        bool // inside of a tagged field
	Item         bool // of an element of an array of strings
}

// Varint reports whether a uvarint stands there.
func (s *Site) Varint() bool {
	switch s.Kind {
	case Length:
		return s.Field.Compact
	case Count:
		return s.Field.CountCompact
	case TagMarker, TagCount, TagNumber, TagSize:
		return true
	}
	return false
}

// Nullable reports whether the length or count may say null.
func (s *Site) Nullable() bool { return s.Field.Nullable && !s.Item }

// Edit changes what is written. It sees each place before, numbered from 0; the
// bytes that it returns, if any, are written instead, and with drop what hangs on
// a length, count or marker is left out: the content, the elements, the struct. The
// sizes of tagged fields are those of what was written.
type Edit func(i int, s *Site) (b []byte, drop bool)

// Write writes a message as v says, tagged fields in the order of Value.Tags. edit
// may be nil.
func (s *Struct) Write(v *Value, edit Edit) []byte {
	w := &writer{edit: edit}
	w.structure(s, v)
	return w.b
}

// Sites is Write that tells the places, in the order of their numbers.
func (s *Struct) Sites(v *Value, edit Edit) (body []byte, sites []Site) {
	w := &writer{edit: edit, all: true}
	w.structure(s, v)
	return w.b, w.sites
}

type writer struct {
	b     []byte
	edit  Edit
	all   bool // note all sites
	sites []Site
	n     int // sites so far
	path  []string
	inTag int
}

// site writes b at the end.
func (w *writer) site(s Site, b []byte) (drop bool) {
	if w.all {
		s.Path, s.InTag = strings.Join(w.path, "."), w.inTag > 0
	}
	if w.edit != nil {
		var other []byte
		if other, drop = w.edit(w.n, &s); other != nil {
			b = other
		}
	}
	w.n++
	if w.all {
		s.Offset, s.Size = len(w.b), len(b)
		w.sites = append(w.sites, s)
	}
	w.b = append(w.b, b...)
	return drop
}

func (w *writer) push(name string) { w.path = append(w.path, name) }
func (w *writer) pop()             { w.path = w.path[:len(w.path)-1] }

// Uvarint is v as a uvarint.
func Uvarint(v uint64) []byte { return binary.AppendUvarint(nil, v) }

// LengthBytes is a length or count n as it stands on the wire; -1 is null.
func LengthBytes(n int, compact, short bool) []byte {
	switch {
	case compact:
		return Uvarint(uint64(n + 1))
	case short:
		return binary.BigEndian.AppendUint16(nil, uint16(n))
	}
	return binary.BigEndian.AppendUint32(nil, uint32(n))
}

func (w *writer) structure(s *Struct, v *Value) {
	for i, f := range s.Fields {
		w.push(f.Name)
		w.field(f, &v.Fields[i], false)
		w.pop()
	}
	if !s.Flexible {
		return
	}
	const section = "tagged_fields"
	w.push(section)
	w.site(Site{Kind: TagCount, Struct: s, N: len(v.Tags)}, Uvarint(uint64(len(v.Tags))))
	for _, t := range v.Tags {
		start, first := len(w.b), len(w.sites)
		f, i := s.tag(t.Number)
		w.inTag++
		if t.Known {
			w.path[len(w.path)-1] = f.Name
			w.field(f, v.Known[i], true)
			w.path[len(w.path)-1] = section
		} else {
			f = nil
			w.b = append(w.b, t.Data...)
		}
		w.inTag--
		// The size is known only now: number and size go in front.
		payload := append([]byte(nil), w.b[start:]...)
		w.b = w.b[:start]
		last := len(w.sites)
		w.site(Site{Kind: TagNumber, Field: f, N: int(t.Number)}, Uvarint(uint64(t.Number)))
		w.site(Site{Kind: TagSize, Field: f, N: len(payload)}, Uvarint(uint64(len(payload))))
		for j := first; j < last; j++ {
			w.sites[j].Offset += len(w.b) - start
		}
		w.b = append(w.b, payload...)
	}
	w.pop()
}

func (w *writer) field(f *Field, v *Value, tagged bool) {
	if f.Array {
		n := len(v.Items)
		if v.Null {
			n = -1
		}
		if w.site(Site{Kind: Count, Field: f, N: n}, LengthBytes(n, f.CountCompact, false)) {
			return
		}
		name := w.path[len(w.path)-1]
		for i := range v.Items {
			if w.all {
				w.path[len(w.path)-1] = fmt.Sprintf("%s[%d]", name, i)
			}
			if size(f.Type) > 0 {
				w.b = append(w.b, fixed(f, &v.Items[i])...)
			} else {
				w.value(f, &v.Items[i], true)
			}
		}
		w.path[len(w.path)-1] = name
		return
	}
	if f.Type == "struct" && f.Nullable {
		marker := []byte{1}
		switch {
		case tagged && v.Null:
			marker[0] = 0
		case v.Null:
			marker[0] = 0xff
		}
		kind := Marker
		if tagged {
			kind = TagMarker
		}
		if w.site(Site{Kind: kind, Field: f, N: int(int8(marker[0]))}, marker) || v.Null {
			return
		}
	}
	w.value(f, v, false)
}

func (w *writer) value(f *Field, v *Value, item bool) {
	switch f.Type {
	case "struct":
		w.structure(f.Struct, v)
	case "string", "bytes", "records":
		n := len(v.Bytes)
		if v.Null {
			n = -1
		}
		if !w.site(Site{Kind: Length, Field: f, N: n, Item: item}, LengthBytes(n, f.Compact, f.Type == "string")) {
			w.b = append(w.b, v.Bytes...)
		}
	default:
		w.site(Site{Kind: Fixed, Field: f}, fixed(f, v))
	}
}

// fixed is a value of fixed size.
func fixed(f *Field, v *Value) []byte {
	if f.Type == "uuid" {
		return v.Bytes
	}
	b := binary.BigEndian.AppendUint64(nil, uint64(v.Number))
	return b[8-size(f.Type):]
}

// Padded is v as a uvarint of so many bytes, overlong if need be.
func Padded(v uint64, size int) []byte {
	b := Uvarint(v)
	for len(b) < size {
		b[len(b)-1] |= 0x80
		b = append(b, 0)
	}
	return b
}

// Each calls f for every value inside of v that is a string, bytes or records, or a
// struct, v itself among them (f is nil then), elements of arrays too.
func (s *Struct) Each(v *Value, each func(f *Field, s *Struct, v *Value)) {
	each(nil, s, v)
	s.each(v, each)
}

func (s *Struct) each(v *Value, each func(*Field, *Struct, *Value)) {
	for i, f := range s.Fields {
		f.each(&v.Fields[i], each)
	}
	for i, f := range s.Tags {
		if v.Known[i] != nil {
			f.each(v.Known[i], each)
		}
	}
}

func (f *Field) each(v *Value, each func(*Field, *Struct, *Value)) {
	switch {
	case v.Null:
	case f.Array:
		element := *f
		element.Array, element.Nullable = false, false
		for i := range v.Items {
			element.each(&v.Items[i], each)
		}
	case f.Struct != nil:
		each(f, f.Struct, v)
		f.Struct.each(v, each)
	case size(f.Type) == 0:
		each(f, nil, v)
	}
}
