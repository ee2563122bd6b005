// The walk of fields, arrays, structs and tag sections.

package layout

import (
	"encoding/binary"

	"github.com/kafkawire/kafkawire/fastcodec/internal/fault"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// uvarint reads an unsigned varint with which a field of kind k begins.
func (w *walker) uvarint(off int, k fault.Kind) (v uint32, next int) {
	v, n := fault.Uvarint32(w.b[off:])
	switch {
	case n >= 0:
		return v, off + n
	case n == fault.CodeShort:
		return 0, w.short(off, uint64(len(w.b)+1), k, 0)
	}
	return 0, w.fail(off, k, 0)
}

// length reads the length or count of a field of kind k; a negative one is null.
func (w *walker) length(off int, k fault.Kind) (n int64, next int) {
	switch {
	case k.Compact():
		v, next := w.uvarint(off, k)
		if next < 0 {
			return 0, -1
		}
		if v == 0 && !k.Nullable() {
			return 0, w.fail(off, k, 0)
		}
		return int64(v) - 1, next
	case k.Short():
		if off+2 > len(w.b) {
			return 0, w.short(off, uint64(off+2), k, 0)
		}
		n, next = int64(int16(binary.BigEndian.Uint16(w.b[off:]))), off+2
	default:
		if off+4 > len(w.b) {
			return 0, w.short(off, uint64(off+4), k, 0)
		}
		n, next = int64(int32(binary.BigEndian.Uint32(w.b[off:]))), off+4
	}
	if n < 0 && !k.Nullable() {
		return 0, w.fail(off, k, 0)
	}
	return n, next
}

// structure reads the fields of a struct and its tag section.
func (w *walker) structure(t *structure, off int) int {
	for i := range t.fields {
		f := &t.fields[i]
		w.push(f.name, -1)
		off = w.field(f, off)
		w.pop()
		if off < 0 {
			return -1
		}
	}
	if t.flexible {
		w.push(sectionName, -1)
		off = w.section(t, off)
		w.pop()
	}
	return off
}

// field reads a field, or the payload of a tagged one.
func (w *walker) field(f *field, off int) int {
	switch {
	case f.array:
		return w.array(f, off)
	case f.of != nil:
		return w.single(f, off)
	}
	n := Node{Kind: Kind(f.typ), Name: f.name, Index: -1, Type: f.typeText, Tagged: f.tagged, field: f}
	return w.value(n, f.kind, f.size, off)
}

// value reads a number, bool, uuid, string, bytes or records; n says what it is.
func (w *walker) value(n Node, k fault.Kind, size, off int) int {
	n.Offset = off
	if size > 0 {
		if off+size > len(w.b) {
			return w.short(off, uint64(off+size), fault.Fixed, size)
		}
		n.Content = w.b[off : off+size : off+size]
		n.Value = integer(n.Kind, n.Content)
		return w.leaf(n, off+size)
	}
	n.Compact = k.Compact()
	length, at := w.length(off, k)
	n.Value = length
	switch {
	case at < 0:
		return -1
	case length < 0:
		n.Null = true
		return w.leaf(n, at)
	case k.IsString() && length > maxString:
		return w.fail(off, k, 0)
	case length > int64(len(w.b)-at):
		if w.short(off, uint64(at)+uint64(length), k, 0); w.cut != nil {
			n.Content, n.Cut = w.b[at:len(w.b):len(w.b)], true
			w.leaf(n, len(w.b))
		}
		return -1
	}
	end := at + int(length)
	n.Content = w.b[at:end:end]
	return w.leaf(n, end)
}

// integer is the number that b holds; 0 for what is no integer.
func integer(k Kind, b []byte) int64 {
	switch k {
	case Bool:
		return int64(b[0])
	case Int8:
		return int64(int8(b[0]))
	case Int16:
		return int64(int16(binary.BigEndian.Uint16(b)))
	case Uint16:
		return int64(binary.BigEndian.Uint16(b))
	case Int32:
		return int64(int32(binary.BigEndian.Uint32(b)))
	case Uint32:
		return int64(binary.BigEndian.Uint32(b))
	case Int64:
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// single reads a struct that is no element.
func (w *walker) single(f *field, off int) int {
	n := Node{Kind: Struct, Name: f.name, Index: -1, Type: f.typeText, Offset: off, Tagged: f.tagged, field: f}
	at := off
	marker := Node{Kind: Marker, Name: "marker", Index: -1, Offset: off}
	if f.nullable {
		if f.tagged {
			v, next := w.uvarint(off, fault.Uvarint)
			if next < 0 {
				return -1
			}
			marker.Type, marker.Value, n.Null, at = "uvarint", int64(v), v == 0, next
		} else {
			if off == len(w.b) {
				return w.short(off, uint64(off+1), fault.Fixed, 1)
			}
			marker.Type, marker.Value, at = "int8", int64(int8(w.b[off])), off+1
			n.Null = marker.Value < 0
		}
	}
	if !n.Null && f.slots.Shape == slots.Inline && !w.reserve(1, f.of.slots.Words) {
		return w.fail(at, fault.Index, 0)
	}
	w.begin(n)
	if f.nullable {
		w.leaf(marker, at)
	}
	if !n.Null {
		at = w.structure(f.of, at)
	}
	return w.end(at)
}

// reserve counts the index positions that Parse hands out.
func (w *walker) reserve(n int64, words int) bool {
	w.next += uint64(n) * uint64(words)
	return w.next <= uint64(w.limit)
}

// array reads an array.
func (w *walker) array(f *field, off int) int {
	count, at := w.length(off, f.kind)
	if at < 0 {
		return -1
	}
	if count > int64((w.full-at)/max(f.least, 1)) {
		return w.fail(off, f.kind, f.least)
	}
	switch shape := f.slots.Shape; {
	case count <= 0:
	case shape == slots.Entries && !w.reserve(count, f.of.slots.Words),
		shape == slots.Strings && !w.reserve(count, slots.StringWords):
		return w.fail(off, fault.Index, 0)
	case shape == slots.Strided && w.someTags(f, at, int(count)) && !w.reserve(count, 1):
		return w.fail(at, fault.Index, 0)
	}
	if w.v == nil && f.size > 0 && at+int(max(count, 0))*f.size <= len(w.b) {
		return at + int(max(count, 0))*f.size // nobody looks at the numbers
	}
	w.begin(Node{Kind: Array, Name: f.name, Index: -1, Type: f.typeText, Offset: off, Value: max(count, 0), Null: count < 0, Compact: f.compact, Tagged: f.tagged, field: f})
	w.leaf(Node{Kind: Length, Name: "length", Index: -1, Type: lengthType(f.compact), Offset: off, Value: count, Null: count < 0, Compact: f.compact}, at)
	element := Node{Kind: Kind(f.typ), Name: f.name, Type: f.typeText[2:], field: f}
	if f.of != nil {
		element.Name = f.of.name
	}
	depth := len(w.path)
	for i := 0; i < int(count) && at >= 0; i++ {
		w.path[depth-1].Index = int32(i)
		element.Index, element.Offset = i, at
		if f.of == nil {
			at = w.value(element, f.element, f.size, at)
			continue
		}
		w.begin(element)
		at = w.end(w.structure(f.of, at))
	}
	w.path[depth-1].Index = -1
	return w.end(at)
}

// lengthType is the type of an array's count.
func lengthType(compact bool) string {
	if compact {
		return "uvarint"
	}
	return "int32"
}

// someTags reports whether an element at a constant distance has a tag count that
// isn't a zero byte: then Parse needs a word for each element.
func (w *walker) someTags(f *field, at, count int) bool {
	if !f.of.flexible {
		return false
	}
	step := f.of.distance()
	for i, off := 0, at+step-1; i < count && off < len(w.b); i, off = i+1, off+step {
		if w.b[off] != 0 {
			return true
		}
	}
	return false
}

// sectionName is what errors and trees call a tag section.
const sectionName = "tagged_fields"

// section reads the tagged fields of a struct.
func (w *walker) section(t *structure, off int) int {
	count, at := w.uvarint(off, fault.TagCount)
	if at < 0 {
		return -1
	}
	if uint64(count)*2 > uint64(w.full-at) {
		return w.fail(off, fault.TagCount, 0)
	}
	w.begin(Node{Kind: TagSection, Name: sectionName, Index: -1, Type: "uvarint", Offset: off, Value: int64(count)})
	seen, depth := uint32(0), len(w.path)
	for i := 0; i < int(count) && at >= 0; i++ {
		at = w.tagField(t, i, at, &seen)
		w.path[depth-1].Name = sectionName
	}
	return w.end(at)
}

// tagField reads one tagged field; seen has the known ones that came before.
func (w *walker) tagField(t *structure, i, off int, seen *uint32) int {
	number, sizeAt := w.uvarint(off, fault.TagNumber)
	if sizeAt < 0 {
		return -1
	}
	size, at := w.uvarint(sizeAt, fault.TagPayloadSize)
	if at < 0 {
		return -1
	}
	if uint64(size) > uint64(w.full-at) {
		return w.fail(sizeAt, fault.TagPayloadSize, 0)
	}
	end := at + int(size)
	f := t.tag(number)
	if f != nil {
		if *seen>>number&1 != 0 {
			return w.fail(off, fault.TagTwice, 0)
		}
		if *seen == 0 && !w.reserve(1, t.slots.TagWords) {
			return w.fail(off, fault.Index, 0)
		}
		*seen |= 1 << number
	}
	w.begin(Node{Kind: TagField, Name: "tag", Index: i, Type: TagField.String(), Offset: off, Value: int64(number), Tagged: true, field: f})
	w.leaf(Node{Kind: TagNumber, Name: "tag", Index: -1, Type: "uvarint", Offset: off, Value: int64(number)}, sizeAt)
	w.leaf(Node{Kind: TagSize, Name: "size", Index: -1, Type: "uvarint", Offset: sizeAt, Value: int64(size)}, at)
	switch {
	case f != nil:
		w.path[len(w.path)-1].Name = f.name
		if off = w.field(f, at); off >= 0 && off != end {
			off = w.fail(at, fault.TagMismatch, 0)
		}
	case end > len(w.b):
		off = w.short(at, uint64(end), fault.TagPayloadSize, 0)
		n := Node{Kind: UnknownTag, Name: "data", Index: -1, Type: "bytes", Offset: at, Value: int64(number), Content: w.b[at:], Cut: true}
		w.leaf(n, len(w.b))
	default:
		off = w.leaf(Node{Kind: UnknownTag, Name: "data", Index: -1, Type: "bytes", Offset: at, Value: int64(number), Content: w.b[at:end:end]}, end)
	}
	return w.end(off)
}
