package main

// Test code: for each message a function that reads every field by its accessor
// and puts it into a naive.Dump, lists by index or by iterator as the dump asks. No
// reflection, so that what it allocates is what the accessors allocate.

import (
	"fmt"
	"strings"

	"github.com/kafkawire/kafkawire/internal/schema"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// ReadAll returns the functions that read a message through its view. pkg goes
// before the names of kview: "kview.", or "" inside of that package.
func ReadAll(m *slots.Message, pkg string) string {
	g := &viewWriter{m: m}
	g.readAll(m.Root, "m *"+pkg+m.Root.Schema.GoName, "m")
	for _, s := range m.Schema.Structs {
		g.readAll(m.Structs[s], "v "+pkg+s.GoName, "v")
	}
	return g.String()
}

func (g *viewWriter) readAll(s *slots.Struct, param, v string) {
	if len(s.Fields) == 0 && g.encoding(g.where(s), true).Empty() {
		param = "_ " + strings.TrimPrefix(param, v+" ")
	}
	g.p("func read%s(d *naive.Dump, %s) {", s.Schema.GoName, param)
	for _, f := range s.Fields {
		g.readField(f, v+"."+AccessorName(f.Schema)+"()")
	}
	if !g.encoding(g.where(s), true).Empty() {
		g.p("d.Tags(%s.UnknownTags())", v)
	}
	g.p("}\n")
}

func (g *viewWriter) readField(f *slots.Field, get string) {
	name := f.Schema.Name
	switch f.Shape {
	case slots.InRun:
		switch f.Schema.Type {
		case schema.Bool:
			g.p("d.Bool(%q, %s)", name, get)
		case schema.Float64:
			g.p("d.Float(%q, %s)", name, get)
		case schema.UUID:
			g.p("d.UUID(%q, %s)", name, get)
		case schema.Int64:
			g.p("d.Int(%q, %s)", name, get)
		default:
			g.p("d.Int(%q, int64(%s))", name, get)
		}
	case slots.Span:
		g.p("d.Bytes(%q, %s)", name, get)
	case slots.Numbers, slots.Strings:
		g.p("read%s(d, %q, %s)", viewType(f), name, get)
	case slots.Entries, slots.Strided:
		read := "read" + f.Struct.Schema.GoName
		g.p("if l := %s; d.List(%q, l.Len(), l.IsNull()) {", get, name)
		g.p("for e := range l.All() {\n%s(d, e)\n}\n} else {\nfor i := range l.Len() {\n%s(d, l.At(i))\n}\n}", read, read)
	case slots.Inline, slots.InlineFixed:
		null := "false"
		if !f.Schema.Nullable.Empty() {
			null = get + ".IsNull()"
		}
		g.p("d.Struct(%q, %s)", name, null)
		g.p("read%s(d, %s)", f.Struct.Schema.GoName, get)
	}
}

// readLists writes the functions for arrays of numbers and strings.
func readLists(pkg string) string {
	var b strings.Builder
	for _, l := range []struct{ list, value, element string }{
		{"Int8s", "Int", "int64(%s)"}, {"Int16s", "Int", "int64(%s)"}, {"Int32s", "Int", "int64(%s)"},
		{"Int64s", "Int", "%s"}, {"UUIDs", "UUID", "%s"}, {"Strings", "Bytes", "%s"},
	} {
		fmt.Fprintf(&b, "func read%s(d *naive.Dump, name string, l %s%s) {\n", l.list, pkg, l.list)
		fmt.Fprintf(&b, "if d.List(name, l.Len(), l.IsNull()) {\nfor e := range l.All() {\nd.%s(name, %s)\n}\n", l.value, fmt.Sprintf(l.element, "e"))
		fmt.Fprintf(&b, "} else {\nfor i := range l.Len() {\nd.%s(name, %s)\n}\n}\n}\n\n", l.value, fmt.Sprintf(l.element, "l.At(i)"))
	}
	return b.String()
}

// ReadAllFiles adds the functions for Kafka's messages, ten API keys a file, and
// the one that finds them.
func ReadAllFiles(messages []*slots.Message, files map[string]string) {
	texts := map[string]*strings.Builder{}
	for _, m := range messages {
		name := "data"
		if key := m.Schema.API.Key; key >= 0 {
			name = fmt.Sprintf("keys_%02d_to_%02d", key/10*10, key/10*10+9)
		}
		if texts[name] == nil {
			texts[name] = &strings.Builder{}
		}
		texts[name].WriteString(ReadAll(m, "kview."))
	}
	for name, text := range texts {
		files["fuzz/readall/"+name+"_gen.go"] = goFile("readall", text.String())
	}
	files["fuzz/readall/registry_gen.go"] = goFile("readall", readAllSwitch("Append", "kview.", messages))
}

// ReadAllTests returns the same for messages of the tests' own, inside of kview.
func ReadAllTests(messages []*slots.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(ReadAll(m, ""))
	}
	b.WriteString("// NewShape gives a message of the tests' own by its name, or nil.\n")
	choose(&b, messages, "func NewShape(name string) Message {", "name", "new(%s)", func(m *schema.Message) string { return fmt.Sprintf("%q", m.Name) })
	b.WriteString(readAllSwitch("AppendShape", "", messages))
	return b.String()
}

func readAllSwitch(name, pkg string, messages []*slots.Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s reads every field of m into d.\nfunc %s(d *naive.Dump, m %sMessage) {\nswitch m := m.(type) {\n", name, name, pkg)
	for _, m := range messages {
		fmt.Fprintf(&b, "case *%s%s:\nread%s(d, m)\n", pkg, m.Root.Schema.GoName, m.Root.Schema.GoName)
	}
	b.WriteString("}\n}\n\n")
	return b.String() + readLists(pkg)
}
