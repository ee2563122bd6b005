package main

// The CopyTo methods of kview: from a view into the struct of the same name.

import (
	"fmt"
	"strings"

	"github.com/kafkawire/kafkawire/internal/slots"
)

// Copy returns the text of a message's CopyTo, for its file in fastcodec/kview.
func Copy(m *slots.Message) string {
	var b strings.Builder
	g := &viewWriter{m: m}
	name := m.Root.Schema.GoName
	fmt.Fprintf(&b, "// CopyTo copies all fields into d, and the bytes that they refer to into memory that d keeps.\n")
	fmt.Fprintf(&b, "func (m *%s) CopyTo(d *kdata.%s) {\nv := %s{m.message, m.s}\nv.b = d.Hold(m.b)\nv.life = life.Of(v.b)\n", name, name, name)
	copyFields(&b, m.Root, g.tagged(m.Root))
	b.WriteString("}\n\n")
	for _, s := range m.Schema.Structs {
		fmt.Fprintf(&b, "func copy%s(v %s, d *kdata.%s) {\n", s.GoName, s.GoName, s.GoName)
		copyFields(&b, m.Structs[s], g.tagged(m.Structs[s]))
		b.WriteString("}\n\n")
	}
	return b.String()
}

func copyFields(b *strings.Builder, s *slots.Struct, flexible bool) {
	p := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	for _, f := range s.Fields {
		sf := f.Schema
		from, to := "v."+AccessorName(sf)+"()", "d."+sf.GoName
		nullable := !sf.Nullable.Empty()
		switch f.Shape {
		case slots.InRun, slots.Span:
			p("%s = %s", to, from)
		case slots.Numbers:
			if nullable {
				p("d.Resize%s(numbersLen(%s.b, %d))", sf.GoName, from, sf.Type.FixedSize())
			}
			p("%s = %s.AppendTo(%s[:0])", to, from, to)
		case slots.Strings, slots.Entries, slots.Strided:
			if nullable {
				p("d.Resize%s(%s.size())", sf.GoName, from)
			} else {
				p("%s = kdata.Resize(%s, %s.Len())", to, to, from)
			}
			if f.Shape == slots.Strings {
				p("%s.fill(%s)", from, to)
			} else {
				p("for i := range %s {\ncopy%s(%s.At(i), &%s[i])\n}", to, sf.Struct.GoName, from, to)
			}
		case slots.Inline, slots.InlineFixed:
			if nullable {
				p("if w := %s; d.Present%s(!w.IsNull()) != nil {\ncopy%s(w, %s)\n}", from, sf.GoName, sf.Struct.GoName, to)
			} else {
				p("copy%s(%s, &%s)", sf.Struct.GoName, from, to)
			}
		}
	}
	if flexible {
		p("d.UnknownTags = v.UnknownTags().AppendTo(d.UnknownTags[:0])")
	}
}
