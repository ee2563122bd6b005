// This file renders the bytes of one version of a message on one line: what the
// importer compares releases by, and what a person can compare with Kafka.
package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Layout is the layout of version v: {a b <tags>} for a struct, with fields as
// Name:type. str, bytes and rec have an int16 or int32 length, cstr, cbytes and
// crec a compact one; [] is an array with an int32 count, c[] with a compact one;
// ? behind a type allows null; <0=... 1=...> is the tag section. Without names,
// equal text means equal bytes.
func (m *Message) Layout(v int16, names bool) string {
	return layout(m.Root, v, m.Flexible.Has(v), names)
}

func layout(s *Struct, v int16, flexible, names bool) string {
	var parts, tags []string
	for _, f := range FieldsAt(s, v) {
		text := fieldLayout(f, v, flexible, names)
		if names {
			text = f.Name + ":" + text
		}
		if f.Tagged.Has(v) {
			tags = append(tags, fmt.Sprintf("%d=%s", f.Tag, text))
		} else {
			parts = append(parts, text)
		}
	}
	if flexible {
		parts = append(parts, "<"+strings.Join(tags, " ")+">")
	}
	return "{" + strings.Join(parts, " ") + "}"
}

// FieldsAt are the fields of s at version v in wire order: tagged ones last, by tag.
func FieldsAt(s *Struct, v int16) []*Field {
	var fields []*Field
	for _, f := range s.Fields {
		if f.Versions.Has(v) {
			fields = append(fields, f)
		}
	}
	tag := func(f *Field) int {
		if f.Tagged.Has(v) {
			return f.Tag
		}
		return -1
	}
	slices.SortStableFunc(fields, func(a, b *Field) int { return cmp.Compare(tag(a), tag(b)) })
	return fields
}

func fieldLayout(f *Field, v int16, flexible, names bool) string {
	text := typeNames[min(f.Type, Records)]
	switch f.Type {
	case String:
		text = "str"
	case Records:
		text = "rec"
	case StructType:
		text = layout(f.Struct, v, flexible, names)
	}
	compact := flexible && !f.LegacyText
	if compact && (f.Type == String || f.Type == Bytes || f.Type == Records) {
		text = "c" + text
	}
	if f.Array {
		text = "[]" + text
		if compact {
			text = "c" + text
		}
	}
	if f.Nullable.Has(v) {
		text += "?"
	}
	return text
}
