// The plan of a message: its structs and fields as they lie on the wire at one
// version. Everything but the fast path of Parse reads and writes by it.

package layout

import (
	"slices"

	"github.com/kafkawire/kafkawire/fastcodec/internal/fault"
	"github.com/kafkawire/kafkawire/internal/schema"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// structure is a struct type at one version.
type structure struct {
	name     string
	slots    *slots.Struct
	flexible bool
	fields   []field // those outside of the tag section, in wire order
	tags     []field // the known tagged fields, by number
	least    int     // bytes of the smallest element of an array of it
}

// field is a field at one version.
type field struct {
	schema   *schema.Field
	slots    *slots.Field
	name     string // Kafka's
	json     string // the member of Kafka's JSON form
	typ      schema.Type
	typeText string // as trees show it: "[]TopicData"
	array    bool
	tagged   bool
	nullable bool
	compact  bool       // lengths and counts are uvarints
	kind     fault.Kind // of the field's first bytes
	element  fault.Kind // of an element that is a string
	size     int        // of a value, or an element, of fixed size; else 0
	least    int        // bytes of the smallest element
	of       *structure // of a struct, or an array of structs
	initial  []byte     // tagged fields: the payload that says no more than the default
}

// plan lays the message's structs out at its version.
func (m *Message) plan() *structure {
	return m.structure(m.schema.Root, map[*schema.Struct]*structure{})
}

// structure plans a struct and those inside it, each type once.
func (m *Message) structure(s *schema.Struct, done map[*schema.Struct]*structure) *structure {
	if t := done[s]; t != nil {
		return t
	}
	t := &structure{name: s.Name, slots: m.slots.Structs[s], flexible: m.flexible}
	done[s] = t
	if s != m.schema.Root {
		t.least = m.slots.MinSize(t.slots, m.version)
	}
	for _, lf := range t.slots.Fields {
		s := lf.Schema
		if !s.Versions.Has(m.version) {
			continue
		}
		f := m.field(lf)
		if s.Type == schema.StructType {
			f.of = m.structure(s.Struct, done)
			f.least = f.of.least
		}
		switch {
		case s.Tagged.Has(m.version):
			f.tagged = true
			f.initial = appendDefault(nil, &f)
			t.tags = append(t.tags, f)
		case !s.IsTagged():
			t.fields = append(t.fields, f)
		}
	}
	slices.SortFunc(t.tags, func(a, b field) int { return a.schema.Tag - b.schema.Tag })
	return t
}

// field plans one field, but for the struct that it may be of.
func (m *Message) field(lf *slots.Field) field {
	s := lf.Schema
	f := field{
		schema: s, slots: lf, name: s.Name, json: schema.JSONName(s.Name), typ: s.Type,
		array: s.Array, nullable: s.Nullable.Has(m.version), compact: m.flexible && !s.LegacyText,
		size: s.Type.FixedSize(),
	}
	f.typeText = typeText(s)
	stringKind := fault.String16
	if f.compact {
		stringKind = fault.CompactString
	}
	switch {
	case s.Array:
		f.kind, f.element = fault.Count32, stringKind
		if f.compact {
			f.kind = fault.CompactCount
		}
		f.least = f.size
		if s.Type == schema.String {
			f.least = 2
			if f.compact {
				f.least = 1
			}
		}
	case f.size > 0:
		f.kind = fault.Fixed
	case s.Type == schema.String:
		f.kind = stringKind
	case s.Type == schema.Bytes || s.Type == schema.Records:
		f.kind = fault.Bytes32
		if f.compact {
			f.kind = fault.CompactBytes
		}
	}
	if f.nullable && f.kind != fault.Fixed {
		f.kind++ // the nullable form follows each kind
	}
	return f
}

// typeText is the type as the notation has it, nullability left out.
func typeText(s *schema.Field) string {
	text := Kind(s.Type).String()
	if s.Type == schema.StructType {
		text = s.Struct.Name
	}
	if s.Array {
		text = "[]" + text
	}
	return text
}

// tag is the known tagged field with a number, or nil.
func (t *structure) tag(number uint32) *field {
	for i := range t.tags {
		if uint32(t.tags[i].schema.Tag) == number {
			return &t.tags[i]
		}
	}
	return nil
}
