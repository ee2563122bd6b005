package main

// The generator of fastcodec/kview: for each message a type with Parse and
// accessors, and a view and a list type for each struct inside it. What a word of
// the index holds is not decided here but in internal/slots.

import (
	"fmt"
	"strings"

	"github.com/kafkawire/kafkawire/internal/schema"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// KView returns the text of a message's file in fastcodec/kview, not yet formatted.
func KView(m *slots.Message) string {
	g := &viewWriter{m: m}
	g.message()
	for _, s := range m.Schema.Structs {
		g.view(m.Structs[s])
	}
	g.rootParsers()
	for _, s := range m.Schema.Structs {
		if ls := m.Structs[s]; !ls.Fixed {
			g.parsers(ls)
		}
	}
	return g.String()
}

// viewWriter writes one file of kview.
type viewWriter struct {
	strings.Builder
	m *slots.Message
}

func (g *viewWriter) p(format string, args ...any) {
	fmt.Fprintf(&g.Builder, format, args...)
	g.WriteByte('\n')
}

// where is the versions at which a struct can be met.
func (g *viewWriter) where(s *slots.Struct) schema.Versions {
	return s.Schema.Versions.And(g.m.Schema.Valid)
}

// flexible is the part of the versions that is flexible, or that is not.
func (g *viewWriter) encoding(r schema.Versions, flexible bool) schema.Versions {
	f := g.m.Schema.Flexible
	switch {
	case flexible:
		return r.And(f)
	case f.Empty():
		return r
	}
	return r.And(schema.Versions{Min: 0, Max: f.Min - 1})
}

// tagged reports whether any version of the struct has a section of tagged fields.
func (g *viewWriter) tagged(s *slots.Struct) bool { return !g.encoding(g.where(s), true).Empty() }

// within is a condition on v that holds where r does, given that within does:
// "" where r covers it.
func within(v string, r, all schema.Versions) string {
	r = r.And(all)
	switch {
	case r == all:
		return ""
	case r.Empty():
		return "false"
	case r.Min == r.Max && all.Min < r.Min && r.Max < all.Max:
		return fmt.Sprintf("%s == %d", v, r.Min)
	case r.Min > all.Min && r.Max < all.Max:
		return fmt.Sprintf("%s >= %d && %s <= %d", v, r.Min, v, r.Max)
	case r.Min > all.Min:
		return fmt.Sprintf("%s >= %d", v, r.Min)
	}
	return fmt.Sprintf("%s <= %d", v, r.Max)
}

// outside is the opposite of within; "" where r covers all.
func outside(v string, r, all schema.Versions) string {
	r = r.And(all)
	switch {
	case r == all:
		return ""
	case r.Empty():
		return "true"
	case r.Min > all.Min && r.Max < all.Max:
		return fmt.Sprintf("%s < %d || %s > %d", v, r.Min, v, r.Max)
	case r.Min > all.Min:
		return fmt.Sprintf("%s < %d", v, r.Min)
	}
	return fmt.Sprintf("%s > %d", v, r.Max)
}

// step is a value that holds from a version on.
type step struct {
	from  int16
	value int
}

// steps is a function of the version over a range, as its changes.
func steps(r schema.Versions, value func(int16) int) []step {
	var out []step
	for v := r.Min; v <= r.Max; v++ {
		if n := value(v); len(out) == 0 || out[len(out)-1].value != n {
			out = append(out, step{v, n})
		}
	}
	return out
}

// number writes statements that compute such a function into a variable where it
// isn't constant, and returns the expression for it.
func (g *viewWriter) number(name, typ, version string, s []step) string {
	if len(s) == 1 {
		return fmt.Sprint(s[0].value)
	}
	g.p("%s := %s(%d)", name, typ, s[0].value)
	for _, st := range s[1:] {
		g.p("if %s >= %d {\n%s = %d\n}", version, st.from, name, st.value)
	}
	return name
}

// versionsText is a range as people write it.
func versionsText(r schema.Versions) string {
	switch {
	case r.Max == schema.Forever:
		return fmt.Sprintf("%d+", r.Min)
	case r.Min == r.Max:
		return fmt.Sprint(r.Min)
	}
	return fmt.Sprintf("%d-%d", r.Min, r.Max)
}

// message writes the message's type, Parse and accessors.
func (g *viewWriter) message() {
	s, valid := g.m.Root, g.m.Schema.Valid
	name := s.Schema.GoName
	g.p("// %s is Kafka's message of that name, versions %s.", name, versionsText(valid))
	g.p("type %s struct {\nmessage\ns [%d]uint32\n}\n", name, s.Words)
	g.p("// Parse checks body, all of it, and makes it the one that m reads from.")
	g.p("func (m *%s) Parse(body []byte, version int16) error {", name)
	g.p("if %s || !m.start(body, version) {", versionCheck(valid))
	g.p("if err := m.restart(%q, body, version, %d, %d); err != nil {\nreturn err\n}\n}", g.m.Schema.Name, valid.Min, valid.Max)
	call := func(flexible bool) string {
		return fmt.Sprintf("parse%s%s(&m.message, &m.s)", name, encodingName(flexible))
	}
	flexible, legacy := !g.encoding(valid, true).Empty(), !g.encoding(valid, false).Empty()
	if flexible && legacy {
		g.p("if version >= %d {\nm.end = %s\n} else {\nm.end = %s\n}", g.m.Schema.Flexible.Min, call(true), call(false))
	} else {
		g.p("m.end = %s", call(flexible))
	}
	g.p("if m.end < 0 || m.strict && m.end < len(body) {\nreturn m.failed(%q)\n}\nreturn nil\n}\n", g.m.Schema.Name)
	g.accessors(s)
}

// versionCheck is the condition that a version is none of the message's.
func versionCheck(valid schema.Versions) string {
	if valid.Min == valid.Max {
		return fmt.Sprintf("version != %d", valid.Min)
	}
	return fmt.Sprintf("version < %d || version > %d", valid.Min, valid.Max)
}

// view writes the view type of a struct, its accessors, and its list type.
func (g *viewWriter) view(s *slots.Struct) {
	name := s.Schema.GoName
	own := fmt.Sprintf("s *[%d]uint32", s.Words)
	if s.Fixed {
		own = "off uint32"
	}
	g.p("// %s is the struct %s of %s.", name, s.Schema.Name, g.m.Schema.Name)
	g.p("type %s struct {\nm *message\n%s\n}\n", name, own)
	array, nullable := false, false
	for _, parent := range g.m.Structs {
		for _, f := range parent.Schema.Fields {
			if f.Struct == s.Schema {
				array = array || f.Array
				nullable = nullable || !f.Array && !f.Nullable.Empty()
			}
		}
	}
	if nullable {
		g.p("// IsNull reports whether the struct is null. Its fields then read as their defaults.")
		g.p("func (v %s) IsNull() bool { return v.m == nil }\n", name)
	}
	g.accessors(s)
	if s.Fixed {
		g.sizeFunc(s)
	}
	if !array {
		return
	}
	g.p("// %sList is an array of %s. At panics as a slice does where there is no element i.", name, name)
	g.p("type %sList struct{ list }\n", name)
	g.p("func (l %sList) At(i int) %s {", name, name)
	if s.Fixed {
		g.p("return %s{l.m, l.m.element(i, l.n, l.base, %s)}\n}\n", name, g.sizeExpr(s, "l.m.version"))
	} else {
		g.p("p := entry(i, l.n, l.base, %d)", s.Words)
		g.p("return %s{l.m, (*[%d]uint32)(l.m.words[p : p+%d])}\n}\n", name, s.Words, s.Words)
	}
	g.p("func (l %sList) All() iter.Seq[%s] {", name, name)
	g.p("return func(yield func(%s) bool) {", name)
	g.p("for i := range int(l.n) {")
	if s.Fixed {
		g.p("if !yield(%s{l.m, l.m.element(i, l.n, l.base, %s)}) {\nreturn\n}", name, g.sizeExpr(s, "l.m.version"))
	} else {
		g.p("p := int(l.base) + i*%d", s.Words)
		g.p("if !yield(%s{l.m, (*[%d]uint32)(l.m.words[p : p+%d])}) {\nreturn\n}", name, s.Words, s.Words)
	}
	g.p("}\n}\n}\n")
}

// strides is the size of an element of a Fixed struct with an empty tag section.
func (g *viewWriter) strides(s *slots.Struct) []step {
	return steps(g.where(s), func(v int16) int {
		n := s.FixedSize(v)
		if g.m.Schema.Flexible.Has(v) {
			n++
		}
		return n
	})
}

// sizeFunc writes the function for an element's size where it isn't constant.
func (g *viewWriter) sizeFunc(s *slots.Struct) {
	st := g.strides(s)
	if len(st) == 1 {
		return
	}
	g.p("// size%s is the size of the struct with an empty tag section.", s.Schema.GoName)
	g.p("func size%s(version int16) uint32 {", s.Schema.GoName)
	for i := len(st) - 1; i > 0; i-- {
		g.p("if version >= %d {\nreturn %d\n}", st[i].from, st[i].value)
	}
	g.p("return %d\n}\n", st[0].value)
}

func (g *viewWriter) sizeExpr(s *slots.Struct, version string) string {
	st := g.strides(s)
	if len(st) == 1 {
		return fmt.Sprint(st[0].value)
	}
	return fmt.Sprintf("size%s(%s)", s.Schema.GoName, version)
}

// accessors writes a struct's accessors.
func (g *viewWriter) accessors(s *slots.Struct) {
	for _, f := range s.Fields {
		g.accessor(s, f)
	}
	all := g.where(s)
	if !g.tagged(s) {
		return
	}
	a := g.reader(s)
	if s == g.m.Root {
		g.p("// UnknownTags gives the tagged fields that this version's schema doesn't know.")
	}
	flexible := g.encoding(all, true)
	distances := steps(flexible, s.SectionDistance)
	masks := steps(flexible, func(v int16) int { return int(s.KnownTags(v)) })
	head := fmt.Sprintf("func (%s) UnknownTags() fastcodec.Tags {", a.receiver)
	cond := a.missing(outside(a.m+"version", g.m.Schema.Flexible, all))
	if cond == "" && len(distances) == 1 && len(masks) == 1 {
		g.p("%s return %stags(%s, %d) }\n", head, a.m, a.at(s.Section, fmt.Sprint(distances[0].value)), masks[0].value)
		return
	}
	if cond == fmt.Sprintf("%sversion < %d", a.m, flexible.Min) && len(distances) == 1 && len(masks) == 1 {
		g.p("%s return %stagsSince(%d, %s, %d) }\n", head, a.m, flexible.Min, a.at(s.Section, fmt.Sprint(distances[0].value)), masks[0].value)
		return
	}
	g.p("%s", head)
	if cond != "" {
		g.p("if %s {\nreturn fastcodec.Tags{}\n}", cond)
	}
	d := g.number("d", "uint32", a.m+"version", distances)
	known := g.number("known", "uint32", a.m+"version", masks)
	g.p("return %stags(%s, %s)\n}\n", a.m, a.at(s.Section, d), known)
}

// reader is how a struct's accessors reach the message and their words.
type reader struct {
	receiver string // "v FetchRequestTopic"
	m        string // prefix of the message's members: "v.m."
	ptr      string // the message: "v.m"
	words    string // the struct's words: "v.s"
	start    string // the struct's own offset, where no word has it
	none     string // condition under which a view reads only defaults
}

func (g *viewWriter) reader(s *slots.Struct) reader {
	name := s.Schema.GoName
	switch {
	case s == g.m.Root:
		return reader{"m *" + name, "m.", "&m.message", "m.s", "", ""}
	case s.Fixed && s.Maybe:
		return reader{"v " + name, "v.m.", "v.m", "", "v.off", "v.off == absent"}
	case s.Fixed:
		return reader{"v " + name, "v.m.", "v.m", "", "v.off", ""}
	case s.Maybe:
		return reader{"v " + name, "v.m.", "v.m", "v.s", "", "v.s == nil"}
	}
	return reader{"v " + name, "v.m.", "v.m", "v.s", "", ""}
}

// missing joins the condition that nothing is there with another one.
func (a reader) missing(cond string) string {
	switch {
	case a.none == "":
		return cond
	case cond == "":
		return a.none
	}
	return a.none + " || " + cond
}

// at is the expression for an offset d behind the base of a run.
func (a reader) at(base int, d string) string {
	e := a.start
	if base != slots.FromStart {
		e = fmt.Sprintf("%s[%d]", a.words, base)
	}
	switch {
	case e == "":
		return d
	case d == "0":
		return e
	}
	return e + "+" + d
}

// accessor writes the accessor of a field.
func (g *viewWriter) accessor(s *slots.Struct, f *slots.Field) {
	a, all := g.reader(s), g.where(s)
	sf := f.Schema
	name := AccessorName(sf)
	result := viewType(f)
	g.fieldDoc(name, sf, all)
	head := fmt.Sprintf("func (%s) %s() %s {", a.receiver, name, result)
	version := a.m + "version"
	if one := g.oneLine(a, f, all); one != "" {
		g.p("%s return %s }", head, one)
		return
	}
	g.p("%s", head)
	cond := a.missing(outside(version, sf.Versions, all))
	if sf.IsTagged() {
		// A tagged field is there only in a flexible version, where the word of
		// the block has been written.
		block := fmt.Sprintf("%s[%d] == 0", a.words, s.Tags)
		if cond != "" {
			block = cond + " || " + block
		}
		g.p("if %s {\nreturn %s\n}", block, g.absent(a, f))
		g.p("t := (*[%d]uint32)(%swords[%s[%d]:])", s.TagWords, a.m, a.words, s.Tags)
		g.taggedResult(a, f)
		g.p("}\n")
		return
	}
	if cond != "" {
		g.p("if %s {\nreturn %s\n}", cond, g.absent(a, f))
	}
	if f.Shape == slots.InRun {
		present := sf.Versions.And(all)
		d := g.number("d", "uint32", version, steps(present, f.Distance))
		g.p("return %s%s(%s)\n}\n", a.m, loadName(sf), a.at(f.Base, d))
		return
	}
	if (f.Shape == slots.Inline || f.Shape == slots.InlineFixed) && !sf.Nullable.Empty() {
		g.p("if %s[%d] == 0 {\nreturn %s\n}", a.words, f.Word, nullView(f))
	}
	g.p("return %s\n}\n", g.result(a, f, a.words, f.Word))
}

// oneLine is what an accessor returns where nothing depends on the version or on
// what is there, else "".
func (g *viewWriter) oneLine(a reader, f *slots.Field, all schema.Versions) string {
	sf := f.Schema
	if sf.IsTagged() || a.missing(outside("", sf.Versions, all)) != "" {
		return ""
	}
	switch f.Shape {
	case slots.InRun:
		if d := steps(all, f.Distance); len(d) == 1 {
			return fmt.Sprintf("%s%s(%s)", a.m, loadName(sf), a.at(f.Base, fmt.Sprint(d[0].value)))
		}
		return ""
	case slots.Inline, slots.InlineFixed:
		if !sf.Nullable.Empty() {
			return ""
		}
	}
	return g.result(a, f, a.words, f.Word)
}

// result is what an accessor returns where the field's words stand at words[at].
func (g *viewWriter) result(a reader, f *slots.Field, words string, at int) string {
	typ := viewType(f)
	pair := fmt.Sprintf("%s[%d], %s[%d]", words, at, words, at+1)
	switch f.Shape {
	case slots.Span:
		return fmt.Sprintf("%sbytes(%s)", a.m, pair)
	case slots.Numbers:
		return fmt.Sprintf("%s{%sbytes(%s)}", typ, a.m, pair)
	case slots.Inline:
		return fmt.Sprintf("%s{%s, (*[%d]uint32)(%swords[%s[%d]:])}", typ, a.ptr, f.Struct.Words, a.m, words, at)
	case slots.InlineFixed:
		return fmt.Sprintf("%s{%s, %s[%d]}", typ, a.ptr, words, at)
	}
	return fmt.Sprintf("%s{list{%s, %s}}", typ, a.ptr, pair)
}

// taggedResult writes the end of a tagged field's accessor: t is the side block,
// in which the field may be absent all the same.
func (g *viewWriter) taggedResult(a reader, f *slots.Field) {
	w := f.Word
	switch f.Shape {
	case slots.InRun:
		g.p("if t[%d] == 0 {\nreturn %s\n}", w, g.absent(a, f))
		g.p("return %s%s(t[%d])", a.m, loadName(f.Schema), w)
		return
	case slots.Span, slots.Numbers:
		// End 0: the field isn't there; start 0 with an end: it is there and null.
		if f.Schema.Default != "null" {
			g.p("if t[%d] == 0 {\nreturn %s\n}", w+1, g.absent(a, f))
		}
	case slots.Inline, slots.InlineFixed:
		if !f.Schema.Nullable.Empty() {
			g.p("if t[%d] == explicitNull {\nreturn %s\n}", w, nullView(f))
		}
		g.p("if t[%d] == 0 {\nreturn %s\n}", w, g.absent(a, f))
	}
	g.p("return %s", g.result(a, f, "t", w))
}

// nullView is the view of a null struct.
func nullView(f *slots.Field) string {
	if f.Shape == slots.InlineFixed {
		return viewType(f) + "{off: absent}"
	}
	return viewType(f) + "{}"
}

// absent is what the accessor of a field returns where the version lacks it, or
// its tag isn't there: the default.
func (g *viewWriter) absent(a reader, f *slots.Field) string {
	sf := f.Schema
	null := sf.Default == "null" || sf.Type == schema.Records
	m := a.ptr
	if a.none != "" {
		m = "&nothing" // a null struct has no message, but what is in it isn't null
	}
	switch f.Shape {
	case slots.InRun:
		return DefaultValue(sf)
	case slots.Span:
		if null {
			return "nil"
		}
		return "empty" // the notation has no other default
	case slots.Numbers:
		if null {
			return viewType(f) + "{}"
		}
		return viewType(f) + "{empty}"
	case slots.Inline:
		if null {
			return nullView(f)
		}
		return fmt.Sprintf("%s{m: %s}", viewType(f), m)
	case slots.InlineFixed:
		if null {
			return nullView(f)
		}
		return fmt.Sprintf("%s{%s, absent}", viewType(f), m)
	}
	if null {
		return fmt.Sprintf("%s{list{m: %s}}", viewType(f), a.ptr)
	}
	return fmt.Sprintf("%s{list{m: %s, base: emptyBase}}", viewType(f), a.ptr)
}

// fieldDoc writes the comment of an accessor: what a reader can't see in its type.
func (g *viewWriter) fieldDoc(name string, f *schema.Field, all schema.Versions) {
	var facts []string
	if f.IsTagged() {
		facts = append(facts, fmt.Sprintf("tag %d", f.Tag))
	}
	if r := f.Versions.And(all); r != all {
		facts = append(facts, "versions "+versionsText(f.Versions))
	}
	if n := f.Nullable.And(f.Versions); !n.Empty() {
		if n.And(all) == f.Versions.And(all) {
			facts = append(facts, "nullable")
		} else {
			facts = append(facts, "nullable in "+versionsText(n))
		}
	}
	if f.Default != "" && (f.IsTagged() || f.Versions.And(all) != all) {
		facts = append(facts, "else "+f.Default)
	}
	if len(facts) > 0 {
		g.p("// %s: %s.", name, strings.Join(facts, ", "))
	}
}

// viewType is the Go type that a field's accessor returns.
func viewType(f *slots.Field) string {
	switch f.Shape {
	case slots.InRun:
		return GoType(f.Schema)
	case slots.Span:
		return "[]byte"
	case slots.Strings:
		return "Strings"
	case slots.Numbers:
		return map[schema.Type]string{schema.Int8: "Int8s", schema.Int16: "Int16s", schema.Int32: "Int32s", schema.Int64: "Int64s", schema.UUID: "UUIDs"}[f.Schema.Type]
	case slots.Entries, slots.Strided:
		return f.Schema.Struct.GoName + "List"
	}
	return f.Schema.Struct.GoName
}

// loadName is the method of kview's message that loads a field of fixed size.
func loadName(f *schema.Field) string {
	switch t := GoType(f); t {
	case "fastcodec.ErrorCode":
		return "errorCode"
	case "fastcodec.APIKey":
		return "apiKey"
	case "fastcodec.UUID":
		return "uuid"
	default:
		return t
	}
}
