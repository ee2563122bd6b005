package naive

// The form in which the values of all readers are compared.

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// Dump collects the values of a message in the order of its schema. Two dumps are
// equal where all values are. It allocates nothing once Buf has grown.
type Dump struct {
	Buf []byte
	// Text makes it a text with names, to see what differs.
	Text bool
	// Iterate is for readers of lists: by their iterators rather than by index.
	Iterate bool
}

// Reset empties the dump.
func (d *Dump) Reset() { d.Buf = d.Buf[:0] }

func (d *Dump) word(name string, kind byte, v uint64) {
	if d.Text {
		d.Buf = fmt.Appendf(d.Buf, "%s %c %d\n", name, kind, v)
		return
	}
	d.Buf = binary.LittleEndian.AppendUint64(append(d.Buf, kind), v)
}

// Int is an integer.
func (d *Dump) Int(name string, v int64) { d.word(name, 'i', uint64(v)) }

// Bool is a bool.
func (d *Dump) Bool(name string, v bool) {
	n := uint64(0)
	if v {
		n = 1
	}
	d.word(name, 'b', n)
}

// Float is a float64, to the bit.
func (d *Dump) Float(name string, v float64) { d.word(name, 'f', math.Float64bits(v)) }

// UUID is a uuid.
func (d *Dump) UUID(name string, u fastcodec.UUID) {
	d.word(name, 'u', u.Hi)
	d.word(name, 'u', u.Lo)
}

// Bytes is a string, bytes or records; nil is null.
func (d *Dump) Bytes(name string, b []byte) {
	if b == nil {
		d.word(name, 'n', 0)
		return
	}
	d.word(name, 's', uint64(len(b)))
	if d.Text {
		d.Buf = fmt.Appendf(d.Buf, "  %x\n", b)
		return
	}
	d.Buf = append(d.Buf, b...)
}

// List is an array, whose elements follow. It says whether to read them by an
// iterator.
func (d *Dump) List(name string, n int, null bool) (iterate bool) {
	kind := byte('l')
	if null {
		kind = 'z'
	}
	d.word(name, kind, uint64(n))
	return d.Iterate
}

// Struct is a struct that is no element; its fields follow, also where it is null.
func (d *Dump) Struct(name string, null bool) {
	kind := byte('{')
	if null {
		kind = '0'
	}
	d.word(name, kind, 0)
}

// UnknownTags is the number of unknown tagged fields of a struct, which follow.
func (d *Dump) UnknownTags(n int) { d.word("unknown tags", 't', uint64(n)) }

// UnknownTag is one of them.
func (d *Dump) UnknownTag(number uint32, data []byte) {
	d.word("tag", 't', uint64(number))
	d.Bytes("data", data)
}

// Tags is all of them, as views give them.
func (d *Dump) Tags(t fastcodec.Tags) {
	d.UnknownTags(t.Len())
	for number, data := range t.All() {
		d.UnknownTag(number, data)
	}
}

// Value is a value that is neither an array nor a struct, as Read has it.
func (d *Dump) Value(name, typ string, v *Value) {
	switch typ {
	case "bool":
		d.Bool(name, v.Number != 0)
	case "float64":
		d.Float(name, math.Float64frombits(uint64(v.Number)))
	case "uuid":
		d.UUID(name, fastcodec.UUIDFrom([16]byte(v.Bytes)))
	case "string", "bytes", "records":
		switch {
		case v.Null:
			d.Bytes(name, nil)
		case v.Bytes == nil:
			d.Bytes(name, []byte{})
		default:
			d.Bytes(name, v.Bytes)
		}
	default:
		d.Int(name, v.Number)
	}
}
