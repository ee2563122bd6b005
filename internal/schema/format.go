// This file prints the notation: the one way to write a model.
package schema

import (
	"bytes"
	"fmt"
	"strings"
)

// Format writes an API in the notation. ParseAPI reads it back to the same model.
func Format(a *API) []byte {
	var b bytes.Buffer
	if a.Key >= 0 {
		fmt.Fprintf(&b, "api %d %s", a.Key, a.Name)
		words := a.Listeners
		if a.Unstable {
			words = append(words[:len(words):len(words)], "unstable")
		}
		if len(words) > 0 {
			fmt.Fprintf(&b, "  %s", strings.Join(words, ", "))
		}
		b.WriteString("\n\n")
	}
	for i, m := range a.Messages {
		if i > 0 {
			b.WriteByte('\n')
		}
		m.format(&b)
	}
	return b.Bytes()
}

// FileName is the name of an API's file.
func (a *API) FileName() string {
	if a.Key < 0 {
		return fmt.Sprintf("%s-%s.txt", kindNames[a.Messages[0].Kind], a.Name)
	}
	return fmt.Sprintf("%03d-%s.txt", a.Key, a.Name)
}

func (m *Message) format(b *bytes.Buffer) {
	b.WriteString(kindNames[m.Kind])
	if m.Kind == Header || m.Kind == Data {
		b.WriteString(" " + m.Name)
	}
	b.WriteString(" " + m.Valid.String())
	if !m.Flexible.Empty() {
		b.WriteString(", flexible " + m.Flexible.String())
	}
	for _, h := range m.HeaderVersions {
		fmt.Fprintf(b, ", header %d for %s", h.Header, h.Versions)
	}
	b.WriteByte('\n')

	sections := m.sections()
	table(b, rows(nil, m.Root, sections, "  "))
	for _, s := range sections {
		b.WriteString("\nstruct " + s.Name)
		if s.Versions != m.open() {
			b.WriteString(" " + s.Versions.String())
		}
		b.WriteByte('\n')
		table(b, rows(nil, s, sections, "  "))
	}
}

// sections are the structs that more than one field has, in order of first use.
func (m *Message) sections() (shared []*Struct) {
	uses := map[*Struct]int{}
	var order []*Struct
	var walk func(s *Struct)
	walk = func(s *Struct) {
		for _, f := range s.Fields {
			if f.Struct == nil {
				continue
			}
			if uses[f.Struct]++; uses[f.Struct] == 1 {
				order = append(order, f.Struct)
				walk(f.Struct)
			}
		}
	}
	walk(m.Root)
	for _, s := range order {
		if uses[s] > 1 {
			shared = append(shared, s)
		}
	}
	return shared
}

// rows appends a row of three columns for each field of s and of the structs that
// stand below them.
func rows(to [][3]string, s *Struct, sections []*Struct, indent string) [][3]string {
	for _, f := range s.Fields {
		to = append(to, [3]string{indent + f.Name, f.typeColumn(s), f.marksColumn()})
		if f.Struct == nil {
			continue
		}
		shared := false
		for _, section := range sections {
			shared = shared || section == f.Struct
		}
		if !shared {
			to = rows(to, f.Struct, sections, indent+"  ")
		}
	}
	return to
}

// table writes rows with their columns aligned.
func table(b *bytes.Buffer, rows [][3]string) {
	var width [2]int
	for _, row := range rows {
		width[0], width[1] = max(width[0], len(row[0])), max(width[1], len(row[1]))
	}
	for _, row := range rows {
		line := fmt.Sprintf("%-*s  %-*s  %s", width[0], row[0], width[1], row[1], row[2])
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// typeName is the field's type as the notation writes it, without versions and nulls.
func (f *Field) typeName() string {
	name := ""
	if f.Type == StructType {
		name = f.Struct.Name
	} else {
		name = typeNames[f.Type]
	}
	if f.Array {
		name = "[]" + name
	}
	return name
}

func (f *Field) typeColumn(in *Struct) string {
	text := f.typeName()
	always := !f.Nullable.Empty() && f.Nullable == f.Versions
	if always {
		text += "?"
	}
	if f.Versions != in.Versions {
		text += " " + f.Versions.String()
	}
	if !always && !f.Nullable.Empty() {
		text += " null " + f.Nullable.String()
	}
	if f.Default != "" {
		text += " = " + f.Default
	}
	return text
}

// marksColumn has the marks in one order: what the field means, then how it is written.
func (f *Field) marksColumn() string {
	var marks []string
	within := func(r Versions) string {
		if r == f.Versions {
			return ""
		}
		return " " + r.String()
	}
	for _, e := range f.Entities {
		mark := e.Kind + within(e.Versions)
		if e.Condition != "" {
			mark += " " + e.Condition
		}
		marks = append(marks, mark)
	}
	if f.Endpoint != NotEndpoint {
		marks = append(marks, "endpoint "+endpointNames[f.Endpoint])
	}
	if f.MapKey {
		marks = append(marks, "key")
	}
	if f.IsTagged() {
		marks = append(marks, fmt.Sprintf("tag %d%s", f.Tag, within(f.Tagged)))
	}
	if f.Ignorable {
		marks = append(marks, "ignorable")
	}
	if f.LegacyText {
		marks = append(marks, "never compact")
	}
	if f.GoName != GoName(f.Name) {
		marks = append(marks, "go "+f.GoName)
	}
	return strings.Join(marks, ", ")
}
