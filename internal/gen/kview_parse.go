package main

// The parsing half of the kview generator: straight-line code, a function for
// each struct type and encoding, in which each field has its fast path written
// out and a call for everything else.

import (
	"fmt"
	"strings"

	"github.com/kafkawire/kafkawire/internal/schema"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// parser writes one parsing function.
type parser struct {
	*viewWriter
	s        *slots.Struct
	all      schema.Versions // versions that the function is for
	flexible bool
	words    string            // the variable with the struct's words
	reload   string            // statement that finds them again after the index may have moved
	fail     string            // what a failing function returns instead of -1
	index    string            // index of the element, or -1
	runs     map[string]string // variables for sizes of runs, by what they hold
	body     strings.Builder
	head     strings.Builder
}

func (p *parser) f(format string, args ...any) {
	fmt.Fprintf(&p.body, format, args...)
	p.body.WriteByte('\n')
}

func encodingName(flexible bool) string {
	if flexible {
		return "Flexible"
	}
	return "Legacy"
}

// rootParsers writes the functions that parse the message itself.
func (g *viewWriter) rootParsers() {
	for _, flexible := range []bool{true, false} {
		all := g.encoding(g.m.Schema.Valid, flexible)
		if all.Empty() {
			continue
		}
		p := &parser{viewWriter: g, s: g.m.Root, all: all, flexible: flexible, words: "s", index: "-1", fail: "return %s"}
		p.fields()
		if !p.closes() {
			p.section()
		}
		g.p("func parse%s%s(m *message, s *[%d]uint32) int {", g.m.Root.Schema.GoName, encodingName(flexible), g.m.Root.Words)
		p.flush("off := 0")
		if p.closes() {
			g.p("return m.closing(b, off)\n}\n")
		} else {
			g.p("return off\n}\n")
		}
		p.tagFunc()
	}
}

// parsers writes the functions that parse n structs one after the other into
// entries from at on.
func (g *viewWriter) parsers(s *slots.Struct) {
	for _, flexible := range []bool{true, false} {
		all := g.encoding(g.where(s), flexible)
		if all.Empty() {
			continue
		}
		p := &parser{viewWriter: g, s: s, all: all, flexible: flexible, words: "s", index: "i", fail: "return %s"}
		p.reload = fmt.Sprintf("s = (*[%d]uint32)(m.words[at:])", s.Words)
		if s.Start != slots.None {
			p.f("s[%d] = uint32(off)", s.Start)
		}
		p.fields()
		p.section()
		g.p("func parse%s%s(m *message, off, n int, at uint32) int {", s.Schema.GoName, encodingName(flexible))
		p.flush(fmt.Sprintf("for i := range n {\ns := (*[%d]uint32)(m.words[at:])", s.Words))
		g.p("at += %d\n}\nreturn off\n}\n", s.Words)
		p.tagFunc()
	}
}

// flush writes what has been gathered: declarations, start, body.
func (p *parser) flush(start string) {
	text := p.body.String()
	var names, values []string
	declare := func(used bool, name, value string) {
		if used {
			names, values = append(names, name), append(values, value)
		}
	}
	has := func(what ...string) bool {
		for _, w := range what {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	declare(has("b[", "(b") || p.s == p.m.Root && p.closes(), "b", "m.b")
	declare(strings.Contains(p.head.String(), "v ") || has("if v ", "&& v "), "v", "m.version")
	declare(has("count, base = "), "count", "0")
	declare(has("base = "), "base", "uint32(0)")
	declare(has("null = "), "null", "false")
	if len(names) > 0 {
		p.p("%s := %s", strings.Join(names, ", "), strings.Join(values, ", "))
	}
	p.WriteString(p.head.String())
	p.p("%s", start)
	p.WriteString(text)
}

// ret is the statement by which the function fails.
func (p *parser) ret(e string) string { return fmt.Sprintf(p.fail, e) }

// fields writes the parsing of the untagged fields.
func (p *parser) fields() {
	var run []*slots.Field
	for _, f := range p.s.Fields {
		if f.Schema.IsTagged() || f.Schema.Versions.And(p.all).Empty() {
			if !f.Schema.IsTagged() && f.End != slots.None && p.stoodOn(f.End) {
				p.run(run)
				run = nil
				p.f("%s[%d] = uint32(off)", p.words, f.End)
			}
			continue
		}
		if f.Shape == slots.InRun {
			run = append(run, f)
			continue
		}
		p.run(run)
		run = nil
		cond := within("v", f.Schema.Versions, p.all)
		if cond != "" {
			p.f("if %s {", cond)
		}
		p.field(f, f.Schema.Versions.And(p.all))
		if f.End != slots.None && (f.Shape == slots.Inline || f.Shape == slots.InlineFixed) && p.stoodOn(f.End) {
			p.f("%s[%d] = uint32(off)", p.words, f.End)
		}
		if cond != "" {
			if f.End != slots.None && p.stoodOn(f.End) {
				p.f("} else {\n%s[%d] = uint32(off)", p.words, f.End)
			}
			p.f("}")
		}
	}
	p.run(run)
}

// stoodOn reports whether the word, the end of a field, is written.
func (p *parser) stoodOn(word int) bool { return p.m.StoodOn(p.s, word, p.flexible) }

// runText describes a run for the errors that name its fields.
func runText(fields []*slots.Field, all schema.Versions) string {
	var items []string
	for _, f := range fields {
		r := f.Schema.Versions.And(all)
		if r.Empty() {
			continue
		}
		item := fmt.Sprintf("%s:%d", f.Schema.Name, f.Schema.Type.FixedSize())
		if r != all {
			item += "@" + versionsText(schema.Versions{Min: r.Min, Max: f.Schema.Versions.Max})
		}
		items = append(items, item)
	}
	return strings.Join(items, " ")
}

// size is the expression for the size of a run, in a variable of the function
// where the version decides it.
func (p *parser) size(fields []*slots.Field, all schema.Versions) string {
	st := steps(all, func(v int16) int {
		n := 0
		for _, f := range fields {
			if f.Schema.Versions.Has(v) {
				n += f.Schema.Type.FixedSize()
			}
		}
		return n
	})
	if len(st) == 1 {
		return fmt.Sprint(st[0].value)
	}
	key := fmt.Sprint(st)
	if name, ok := p.runs[key]; ok {
		return name
	}
	name := fmt.Sprintf("run%d", len(p.runs)+1)
	if p.runs == nil {
		p.runs = map[string]string{}
	}
	p.runs[key] = name
	fmt.Fprintf(&p.head, "%s := %d\n", name, st[0].value)
	for _, s := range st[1:] {
		fmt.Fprintf(&p.head, "if v >= %d {\n%s = %d\n}\n", s.from, name, s.value)
	}
	return name
}

// run writes the check of fields of fixed size that stand together.
func (p *parser) run(fields []*slots.Field) {
	if len(fields) == 0 {
		return
	}
	size := p.size(fields, p.all)
	p.f("if off > len(b)-%s {\n%s\n}", size, p.ret(fmt.Sprintf("m.failRun(off, %q, %s)", runText(fields, p.all), p.index)))
	p.f("off += %s", size)
}

// kind is the fault.Kind of a field that starts with a length or count.
func (p *parser) kind(what string, nullable bool) string {
	names := map[string][2]string{"String": {"String16", "CompactString"}, "Bytes": {"Bytes32", "CompactBytes"}, "Count": {"Count32", "CompactCount"}}
	i := 0
	if p.flexible {
		i = 1
	}
	k := "fault." + names[what][i]
	if nullable {
		k += "Nullable"
	}
	return k
}

// byNull writes the parsing of a field that is nullable in some of the versions
// only once for each case.
func (p *parser) byNull(f *slots.Field, all schema.Versions, write func(nullable bool)) {
	cond := within("v", f.Schema.Nullable, all)
	switch {
	case f.Schema.Nullable.And(all).Empty():
		write(false)
	case cond == "":
		write(true)
	default:
		p.f("if %s {", cond)
		write(true)
		p.f("} else {")
		write(false)
		p.f("}")
	}
}

// field writes the parsing of a field that is not of fixed size.
func (p *parser) field(f *slots.Field, all schema.Versions) {
	name := f.Schema.Name
	w0, w1 := fmt.Sprintf("%s[%d]", p.words, f.Word), fmt.Sprintf("%s[%d]", p.words, f.Word+1)
	pair := fmt.Sprintf("(*[2]uint32)(%s[%d:%d])", p.words, f.Word, f.Word+2)
	failed := "; off < 0 {\n" + p.ret("-1") + "\n}"
	p.byNull(f, all, func(nullable bool) {
		switch f.Shape {
		case slots.Span:
			what := "String"
			if f.Schema.Type != schema.String {
				what = "Bytes"
			}
			p.span(f, w0, w1, what, nullable)
			p.f("if off = m.span(%s, off, %s, %q, %s)%s", pair, p.kindOf(f, what, nullable), name, p.index, failed)
		case slots.Numbers:
			size := f.Schema.Type.FixedSize()
			p.numbers(w0, w1, size, nullable)
			p.f("if off = m.numbers(%s, off, %d, %s, %q, %s)%s", pair, size, p.kind("Count", nullable), name, p.index, failed)
		case slots.Strings:
			p.f("if off, count, base = m.strings(off, %s, %s, %q, %s)%s", p.kind("Count", nullable), p.kind("String", false), name, p.index, failed)
			p.moved()
			p.counted(f, w0, w1)
		case slots.Strided:
			p.strided(f, all, nullable, failed)
			p.moved()
			p.counted(f, w0, w1)
		case slots.Entries:
			p.array(f, all, nullable, failed)
			p.f("if off = parse%s%s(m, off, count, base); off < 0 {\n%s\n}", f.Struct.Schema.GoName, encodingName(p.flexible), p.ret(fmt.Sprintf("m.in(%q, %s)", name, p.index)))
			p.moved()
			p.counted(f, w0, w1)
		case slots.Inline, slots.InlineFixed:
			p.inline(f, all, w0, nullable)
		}
	})
}

// counted stores what is known of an array: count, base and, where a run follows, end.
func (p *parser) counted(f *slots.Field, w0, w1 string) {
	if f.End == slots.None || !p.stoodOn(f.End) {
		p.f("%s, %s = uint32(count), base", w0, w1)
		return
	}
	p.f("%s, %s, %s[%d] = uint32(count), base, uint32(off)", w0, w1, p.words, f.End)
}

// array writes the count of an array of structs with entries: a small one that
// fits the index as it is, in place.
func (p *parser) array(f *slots.Field, all schema.Versions, nullable bool, failed string) {
	words, least := f.Struct.Words, p.m.MinSize(f.Struct, all.Min)
	if p.flexible {
		p.f("if off < len(b) && uint(b[off])-2 < 126 && (int(b[off])-1)*%d < len(b)-off && m.next+(int(b[off])-1)*%d <= len(m.words) {", least, words)
		p.f("count, base = int(b[off])-1, uint32(m.next)\nm.next += count * %d\noff++\n} else ", words)
	} else {
		p.f("if off <= len(b)-4 && uint(i32(b, off))-1 < 1<<16 && i32(b, off)*%d <= len(b)-4-off && m.next+i32(b, off)*%d <= len(m.words) {", least, words)
		p.f("count, base = i32(b, off), uint32(m.next)\nm.next += count * %d\noff += 4\n} else ", words)
	}
	p.f("if off, count, base = m.array(off, %d, %d, %s, %q, %s)%s", words, least, p.kind("Count", nullable), f.Schema.Name, p.index, failed)
}

// strided writes an array of structs of fixed size: the usual one, whose elements
// have no tags, in place.
func (p *parser) strided(f *slots.Field, all schema.Versions, nullable bool, failed string) {
	size := p.size(f.Struct.Fields, all)
	slow := fmt.Sprintf("if off, count, base = m.strided(off, %s, %s, %q, %q, %s)%s", size, p.kind("Count", nullable), runText(f.Struct.Fields, all), f.Schema.Name, p.index, failed)
	if !p.flexible {
		p.f("%s", slow)
		return
	}
	p.f("if off < len(b) && uint(b[off])-2 < 126 && (int(b[off])-1)*(%s+1) < len(b)-off {", size)
	p.f("count, base = int(b[off])-1, uint32(off+1)")
	p.f("tags, last := byte(0), b[:off+1+count*(%s+1)]", size)
	p.f("for off += 1+%s; off < len(last); off += %s+1 {\ntags |= last[off]\n}", size, size)
	p.f("if off = len(last); tags != 0 {\nif off, base = m.stridedTagged(int(base), count, %s, %q, %q, %s)%s\n}\n} else ", size, runText(f.Struct.Fields, all), f.Schema.Name, p.index, failed)
	p.f("%s", slow)
}

// kindOf is kind for a string or bytes field.
func (p *parser) kindOf(f *slots.Field, what string, nullable bool) string {
	if f.Schema.LegacyText {
		legacy := *p
		legacy.flexible = false
		return legacy.kind(what, nullable)
	}
	return p.kind(what, nullable)
}

// moved finds the struct's words again where the index may have been reallocated.
func (p *parser) moved() {
	if p.reload != "" {
		p.f("%s", p.reload)
	}
}

// span writes the fast paths of a string or bytes field, up to the last else.
func (p *parser) span(f *slots.Field, w0, w1, what string, nullable bool) {
	if !p.flexible || f.Schema.LegacyText {
		size, load := 2, "i16"
		if what == "Bytes" {
			size, load = 4, "i32"
		}
		if nullable {
			p.f("if off <= len(b)-%d && b[off] >= 0x80 {\noff += %d\n%s, %s = 0, uint32(off)\n} else ", size, size, w0, w1)
		}
		p.f("if off <= len(b)-%d && uint(%s(b, off)) <= uint(len(b)-%d-off) {", size, load, size)
		p.f("%s, off = uint32(off+%d), off+%d+%s(b, off)\n%s = uint32(off)\n} else ", w0, size, size, load, w1)
		return
	}
	if nullable {
		p.f("if off < len(b) && b[off] == 0 {\noff++\n%s, %s = 0, uint32(off)\n} else ", w0, w1)
	}
	p.f("if off < len(b) && uint(b[off])-1 < 127 && int(b[off]) <= len(b)-off {")
	p.f("%s, off = uint32(off+1), off+int(b[off])\n%s = uint32(off)\n} else ", w0, w1)
	if what == "Bytes" {
		p.f("if n := twoByte(b, off); n > 0 && n < len(b)-off {")
		p.f("%s, off = uint32(off+2), off+1+n\n%s = uint32(off)\n} else ", w0, w1)
	}
}

// numbers writes the fast path of an array of numbers, up to the last else.
func (p *parser) numbers(w0, w1 string, size int, nullable bool) {
	if !p.flexible {
		p.f("if off <= len(b)-4 && uint(i32(b, off)) <= uint(len(b)-4-off)/%d {", size)
		p.f("%s, off = uint32(off+4), off+4+i32(b, off)*%d\n%s = uint32(off)\n} else ", w0, size, w1)
		return
	}
	p.f("if off < len(b) && uint(b[off])-1 < 127 && (int(b[off])-1)*%d < len(b)-off {", size)
	p.f("%s, off = uint32(off+1), off+1+(int(b[off])-1)*%d\n%s = uint32(off)\n} else ", w0, size, w1)
}

// inline writes the parsing of a struct that is no element.
func (p *parser) inline(f *slots.Field, all schema.Versions, word string, nullable bool) {
	name := f.Schema.Name
	if nullable {
		marker, null := "marker", "0"
		if f.Schema.IsTagged() {
			marker, null = "taggedMarker", "explicitNull"
		}
		p.f("if off, null = m.%s(off, %q, %s); off < 0 {\n%s\n}", marker, name, p.index, p.ret("-1"))
		p.f("if null {\n%s = %s\n} else {", word, null)
		defer p.f("}")
	}
	if f.Shape == slots.InlineFixed {
		size := p.size(f.Struct.Fields, all)
		p.f("%s = uint32(off)", word)
		p.f("if off = m.fixed(off, %s, %v, %q, %q, %s); off < 0 {\n%s\n}", size, p.flexible, runText(f.Struct.Fields, all), name, p.index, p.ret("-1"))
		return
	}
	p.f("if off, base = m.one(off, %d, %q, %s); off < 0 {\n%s\n}", f.Struct.Words, name, p.index, p.ret("-1"))
	p.f("if off = parse%s%s(m, off, 1, base); off < 0 {\n%s\n}", f.Struct.Schema.GoName, encodingName(p.flexible), p.ret(fmt.Sprintf("m.inOne(%q, %s)", name, p.index)))
	p.moved()
	p.f("%s = base", word)
}

// tagged is the tagged fields that the function's versions have.
func (p *parser) tagged() []*slots.Field {
	var out []*slots.Field
	for _, f := range p.s.Fields {
		if f.Schema.IsTagged() && !f.Schema.Tagged.And(p.all).Empty() {
			out = append(out, f)
		}
	}
	return out
}

// closes reports whether the fields are followed by a section in which no tag is known.
func (p *parser) closes() bool { return p.flexible && len(p.tagged()) == 0 }

// section writes the parsing of the tagged-field section.
func (p *parser) section() {
	if !p.flexible {
		return
	}
	if p.closes() {
		p.f("if off < len(b) && b[off] == 0 {\noff++\n} else if off = m.skipTags(off, %s); off < 0 {\nreturn -1\n}", p.index)
		return
	}
	p.f("if off < len(b) && b[off] == 0 {\noff++\n%s[%d] = 0\n} else {", p.words, p.s.Tags)
	p.f("if off, base = tags%s(m, off, %s); off < 0 {\nreturn -1\n}", p.s.Schema.GoName, p.index)
	p.moved()
	p.f("%s[%d] = base\n}", p.words, p.s.Tags)
}

// tagFunc writes the function that parses a section with known tags.
func (p *parser) tagFunc() {
	fields := p.tagged()
	if !p.flexible || len(fields) == 0 {
		return
	}
	var empties uint64
	for _, f := range p.s.Fields {
		switch f.Shape {
		case slots.Strings, slots.Entries, slots.Strided:
			if f.Schema.IsTagged() && f.Schema.Default != "null" {
				empties |= 1 << (f.Word + 1)
			}
		}
	}
	words := p.s.TagWords
	t := &parser{viewWriter: p.viewWriter, s: p.s, all: p.all, flexible: true, words: "t", index: "i", fail: "return %s, 0"}
	t.reload = fmt.Sprintf("t = (*[%d]uint32)(m.words[block:])", words)
	t.f("for ; n > 0; n-- {\ntag, at, end := m.tag(off, i)\nif at < 0 {\nreturn -1, 0\n}\nswitch {")
	for _, f := range fields {
		cond := fmt.Sprintf("tag == %d", f.Schema.Tag)
		if c := within("v", f.Schema.Tagged, p.all); c != "" {
			cond += " && " + c
		}
		t.f("case %s:", cond)
		t.f("if !m.side(&block, &seen, tag, %d, %#x, off, i) {\nreturn -1, 0\n}", words, empties)
		t.f("%s\noff = at", strings.Replace(t.reload, "=", ":=", 1))
		if f.Shape == slots.InRun {
			size := f.Schema.Type.FixedSize()
			t.f("t[%d] = uint32(off)", f.Word)
			t.f("if off > len(b)-%d {\nreturn m.failSized(off, fault.Fixed, %d, %q, i), 0\n}\noff += %d", size, size, f.Schema.Name, size)
		} else {
			t.field(f, f.Schema.Tagged.And(p.all))
		}
		t.f("if off != end {\nreturn m.tagEnd(at, %q, i), 0\n}", f.Schema.Name)
	}
	t.f("}\noff = end\n}")
	p.p("func tags%s(m *message, off, i int) (int, uint32) {", p.s.Schema.GoName)
	t.flush("var block, seen uint32\nn, off := m.tagCount(off, i)")
	p.p("return off, block\n}\n")
}
