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
		resize := fmt.Sprintf("%s = kdata.Resize(%s, l.Len())", to, to)
		if nullable {
			resize = fmt.Sprintf("d.Resize%s(lenOrNull(l))", sf.GoName)
		}
		switch f.Shape {
		case slots.InRun, slots.Span:
			p("%s = %s", to, from)
		case slots.Numbers:
			if !nullable {
				p("%s = %s.AppendTo(%s[:0])", to, from, to)
				continue
			}
			p("if l := %s; l.IsNull() {\nd.Resize%s(-1)\n} else {\nd.Resize%s(0)\n%s = l.AppendTo(%s)\n}", from, sf.GoName, sf.GoName, to, to)
		case slots.Strings:
			p("{\nl := %s\n%s\nfor i := range %s {\n%s[i] = l.At(i)\n}\n}", from, resize, to, to)
		case slots.Entries, slots.Strided:
			p("{\nl := %s\n%s\nfor i := range %s {\ncopy%s(l.At(i), &%s[i])\n}\n}", from, resize, to, sf.Struct.GoName, to)
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
