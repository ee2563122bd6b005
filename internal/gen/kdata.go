package main

// The generator of fastcodec/kdata: a plain struct a message and a struct inside
// it, New with Kafka's defaults, and AppendTo as straight-line appends, one
// function a struct and encoding.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kafkawire/kafkawire/internal/schema"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// KData returns the text of a message's file in fastcodec/kdata, not yet formatted.
func KData(m *slots.Message) string {
	g := &dataWriter{viewWriter: viewWriter{m: m}, compared: comparedStructs(m)}
	all := append([]*schema.Struct{m.Schema.Root}, m.Schema.Structs...)
	for _, s := range all {
		g.structType(m.Structs[s])
	}
	g.appendTo()
	for _, flexible := range []bool{true, false} {
		for _, s := range all {
			g.appenders(m.Structs[s], flexible)
		}
	}
	for _, s := range all {
		g.isDefault(s)
	}
	return g.String()
}

// dataWriter writes one file of kdata.
type dataWriter struct {
	viewWriter
	compared map[*schema.Struct]bool // the structs that isDefault is called on
}

// dataType is the Go type of a field in kdata.
func dataType(f *schema.Field) string {
	t := GoType(f)
	switch {
	case f.Array:
		return "[]" + t
	case f.Type == schema.StructType && !f.Nullable.Empty():
		return "*" + t
	}
	return t
}

// hasSpare reports whether a field's memory outlives a null.
func hasSpare(f *schema.Field) bool {
	return !f.Nullable.Empty() && (f.Array || f.Type == schema.StructType)
}

// structType writes a struct, its constructor and its Resize and Present methods.
func (g *dataWriter) structType(s *slots.Struct) {
	name, all, root := s.Schema.GoName, g.where(s), s == g.m.Root
	if root {
		g.p("// %s is Kafka's message of that name, versions %s.", name, versionsText(all))
	} else {
		g.p("// %s is the struct %s of %s.", name, s.Schema.Name, g.m.Schema.Name)
	}
	g.p("type %s struct {", name)
	var hidden, values []string
	for _, f := range s.Schema.Fields {
		g.p("%s %s%s", f.GoName, dataType(f), fieldTag(f, all))
		if hasSpare(f) {
			hidden = append(hidden, fmt.Sprintf("spare%s %s", f.GoName, dataType(f)))
		}
		if v := initial(f); v != "" {
			values = append(values, fmt.Sprintf("%s: %s", f.GoName, v))
		}
	}
	if !g.m.Schema.Flexible.Empty() {
		g.p("UnknownTags []fastcodec.Tag")
	}
	if root {
		hidden = append(hidden, "held")
	}
	if len(hidden) > 0 {
		g.p("\n%s", strings.Join(hidden, "\n"))
	}
	g.p("}\n")
	switch {
	case !root && len(values) == 0:
	case len(values) < 2:
		g.p("// New%s returns one with Kafka's defaults.", name)
		g.p("func New%s() %s { return %s{%s} }\n", name, name, name, strings.Join(values, ""))
	default:
		g.p("// New%s returns one with Kafka's defaults.", name)
		g.p("func New%s() %s {\nreturn %s{\n%s,\n}\n}\n", name, name, name, strings.Join(values, ",\n"))
	}
	for _, f := range s.Schema.Fields {
		switch {
		case !hasSpare(f):
		case f.Array:
			g.p("// Resize%s makes %s n elements long, null where n is negative, in memory that it had before where it can.", f.GoName, f.GoName)
			g.p("func (x *%s) Resize%s(n int) { resizeNullable(&x.%s, &x.spare%s, n) }\n", name, f.GoName, f.GoName, f.GoName)
		default:
			g.p("// Present%s makes %s present or null, in memory that it had before where it can, and returns it.", f.GoName, f.GoName)
			g.p("func (x *%s) Present%s(present bool) *%s {\nreturn presentNullable(&x.%s, &x.spare%s, present)\n}\n", name, f.GoName, GoType(f), f.GoName, f.GoName)
		}
	}
}

// fieldTag is the struct tag of a field: what its Go type does not say, in the terms
// of the schema notation. explain reads it, and so do people.
func fieldTag(f *schema.Field, all schema.Versions) string {
	facts := []string{f.Name}
	there := f.Versions.And(all)
	nullable := f.Nullable.And(all)
	kind := ""
	switch f.Type {
	case schema.String:
		kind = "string"
	case schema.Bytes:
		kind = "bytes"
	case schema.Records:
		kind = "records"
	}
	if kind != "" {
		facts = append(facts, kind)
	}
	if there != all {
		facts = append(facts, f.Versions.String())
	}
	switch {
	case nullable.Empty():
	case nullable == there:
		facts = append(facts, "null")
	default:
		facts = append(facts, "null", f.Nullable.String())
	}
	if f.Default != "" && f.Default != "null" || f.Default == "null" && !f.Nullable.Empty() {
		facts = append(facts, "= "+f.Default)
	}
	if f.IsTagged() {
		facts = append(facts, fmt.Sprintf("tag %d", f.Tag))
	}
	if f.Ignorable {
		facts = append(facts, "ignorable")
	}
	if len(facts) == 1 && f.Name == f.GoName {
		return ""
	}
	return fmt.Sprintf(" `kafka:%q`", strings.Join(facts, " "))
}

// initial is the value of a field in New, "" where it is Go's zero.
func initial(f *schema.Field) string {
	null := f.Default == "null"
	switch {
	case f.Array:
		if !null && !f.Nullable.Empty() {
			return dataType(f) + "{}"
		}
	case f.Type == schema.StructType:
		switch {
		case !f.Nullable.Empty() && null:
		case !f.Nullable.Empty() && needsNew(f.Struct):
			return "pointer(New" + f.Struct.GoName + "())"
		case !f.Nullable.Empty():
			return "new(" + f.Struct.GoName + ")"
		case needsNew(f.Struct):
			return "New" + f.Struct.GoName + "()"
		}
	case f.Type.FixedSize() > 0:
		if v := DefaultValue(f); v != "0" && v != "false" && v != "fastcodec.UUID{}" {
			return v
		}
	case null || f.Type == schema.Records:
	case f.Default != "":
		return fmt.Sprintf("[]byte(%q)", f.Default)
	case !f.Nullable.Empty():
		return "[]byte{}"
	}
	return ""
}

// needsNew reports whether a struct of Go's zeroes is not one of Kafka's defaults.
func needsNew(s *schema.Struct) bool {
	return slices.ContainsFunc(s.Fields, func(f *schema.Field) bool { return initial(f) != "" })
}

// appendTo writes the method AppendTo of the message.
func (g *dataWriter) appendTo() {
	root, valid := g.m.Root, g.m.Schema.Valid
	g.p("// AppendTo appends the body at a version. On an error, an *fastcodec.Error, it returns dst at its old length.")
	g.p("func (x *%s) AppendTo(dst []byte, v int16) ([]byte, error) {", root.Schema.GoName)
	g.p("if %s {\nreturn dst, fastcodec.VersionError(%q, v, %d, %d)\n}", strings.ReplaceAll(versionCheck(valid), "version", "v"), g.m.Schema.Name, valid.Min, valid.Max)
	g.p("start, e := len(dst), &encoder{v: v}")
	flexible, legacy := g.encoding(valid, true), g.encoding(valid, false)
	body := func(all schema.Versions, flexible bool) {
		a := &dataAppender{dataWriter: g, s: root, all: all, flexible: flexible, v: "v"}
		a.structure()
		g.WriteString(a.body.String())
	}
	switch {
	case legacy.Empty():
		body(flexible, true)
	case flexible.Empty():
		body(legacy, false)
	default:
		g.p("if v >= %d {", flexible.Min)
		body(flexible, true)
		g.p("} else {")
		body(legacy, false)
		g.p("}")
	}
	firstFlexible := int16(schema.Forever)
	if !flexible.Empty() {
		firstFlexible = flexible.Min
	}
	g.p("if e.failed {\nreturn dst[:start], explain(x, %q, v, %d)\n}\nreturn dst, nil\n}\n", g.m.Schema.Name, firstFlexible)
}

// appenderName is the name of the function that appends a struct, or the elements
// of a slice of them.
func appenderName(s *slots.Struct, flexible, slice bool) string {
	name := encodingName(flexible)
	if slice {
		name += "All"
	}
	return strings.ToLower(name[:1]) + name[1:] + s.Schema.GoName
}

// uses reports whether a field holds single structs of a type, or arrays of them,
// in an encoding.
func (g *dataWriter) uses(s *slots.Struct, flexible, array bool) bool {
	for _, p := range g.m.Structs {
		for _, f := range p.Fields {
			if f.Struct == s && f.Schema.Array == array && !g.encoding(f.Schema.Versions.And(g.where(p)), flexible).Empty() {
				return true
			}
		}
	}
	return false
}

// dataAppender writes the statements that append one struct.
type dataAppender struct {
	*dataWriter
	s        *slots.Struct
	all      schema.Versions
	flexible bool
	segment  []piece // what waits to be written in one go
	locals   int     // variables declared so far
	v        string  // the version
	body     strings.Builder
}

func (a *dataAppender) f(format string, args ...any) {
	fmt.Fprintf(&a.body, format, args...)
	a.body.WriteByte('\n')
}

// appenders writes the functions that append a struct and a slice of structs, as
// far as an encoding needs them.
func (g *dataWriter) appenders(s *slots.Struct, flexible bool) {
	all := g.encoding(g.where(s), flexible)
	if all.Empty() {
		return
	}
	one, many := g.uses(s, flexible, false), g.uses(s, flexible, true)
	if many && !one && g.inlined(s) {
		return
	}
	typ := s.Schema.GoName
	a := &dataAppender{dataWriter: g, s: s, all: all, flexible: flexible, v: "e.v"}
	function := func(slice bool, arg string) {
		g.p("func %s(dst []byte, %s, e *encoder) []byte {\n%sreturn dst\n}\n", appenderName(s, flexible, slice), arg, &a.body)
		a.body.Reset()
	}
	if one {
		a.structure()
		function(false, "x *"+typ)
	}
	if many {
		switch {
		case one:
			a.f("for i := range s {\ndst = %s(dst, &s[i], e)\n}", appenderName(s, flexible, false))
		case s.Fixed && s.FixedSize(all.Max) > 0:
			a.fixedLoop()
		default:
			a.loop()
		}
		function(true, "s []"+typ)
	}
	if flexible {
		a.tagFunc()
	}
}

// loop writes the loop over the structs of a slice.
func (a *dataAppender) loop() {
	a.f("for i := range s {\nx := &s[i]")
	a.structure()
	a.f("}")
}

// fixedLoop writes the loop over structs of fixed size: the room is made once, for
// the layout of the newest versions; others have the loop of all structs.
func (a *dataAppender) fixedLoop() {
	all, layouts := a.all, steps(a.all, a.s.FixedSize)
	newest := layouts[len(layouts)-1]
	size := newest.value
	a.all = schema.Versions{Min: newest.from, Max: all.Max}
	if cond := outside(a.v, a.all, all); cond != "" {
		a.f("if %s {", cond)
		a.all = schema.Versions{Min: all.Min, Max: newest.from - 1}
		a.loop()
		a.f("return dst\n}")
		a.all = schema.Versions{Min: newest.from, Max: all.Max}
	}
	if a.flexible {
		size++
	}
	a.f("dst = grow(dst, len(s)*%d)\nfor i := range s {\nx := &s[i]\nn := len(dst)+%d", size, size)
	a.f("p := (*[%d]byte)(dst[n-%d:n])", size, size)
	at := 0
	for _, f := range a.s.Schema.Fields {
		a.lacking(f)
		if f.Versions.And(a.all) == a.all {
			a.f("%s", put(f, "p", "", at))
			at += f.Type.FixedSize()
		}
	}
	if a.flexible {
		a.f("p[%d] = 0\ndst = dst[:n]", at)
		a.f("if len(x.UnknownTags) > 0 {\ndst = unknownTags(dst, x.UnknownTags, e)\ndst = grow(dst, (len(s)-i-1)*%d)\n}", size)
	} else {
		a.f("dst = dst[:n]")
		a.noTags()
	}
	a.f("}")
	a.all = all
}

// put is the store of a field of fixed size into an array or slice of bytes, at
// a variable (or "") and a distance from it.
func put(f *schema.Field, array, base string, at int) string {
	x, n := "x."+f.GoName, f.Type.FixedSize()
	switch {
	case f.Type == schema.Bool:
		return fmt.Sprintf("%s[%s] = bit(%s)", array, place(base, at), x)
	case n == 1:
		return fmt.Sprintf("%s[%s] = byte(%s)", array, place(base, at), x)
	case f.Type == schema.UUID:
		return fmt.Sprintf("binary.BigEndian.PutUint64(%s[%s:%s], %s.Hi)\nbinary.BigEndian.PutUint64(%s[%s:%s], %s.Lo)",
			array, place(base, at), place(base, at+8), x, array, place(base, at+8), place(base, at+16), x)
	}
	return fmt.Sprintf("binary.BigEndian.PutUint%d(%s[%s:%s], %s)", 8*n, array, place(base, at), place(base, at+n), unsigned(f))
}

// place is an index: a variable (or "") and a distance from it.
func place(base string, at int) string {
	switch {
	case base == "":
		return fmt.Sprint(at)
	case at == 0:
		return base
	}
	return fmt.Sprintf("%s+%d", base, at)
}

// append writes the append of a field of fixed size.
func (a *dataAppender) append(f *schema.Field) {
	x, n := "x."+f.GoName, f.Type.FixedSize()
	switch {
	case f.Type == schema.Bool:
		a.f("dst = append(dst, bit(%s))", x)
	case n == 1:
		a.f("dst = append(dst, byte(%s))", x)
	case f.Type == schema.UUID:
		a.f("dst = fastcodec.AppendUUID(dst, %s)", x)
	default:
		a.f("dst = binary.BigEndian.AppendUint%d(dst, %s)", 8*n, unsigned(f))
	}
}

// unsigned is a number as the unsigned one of its size.
func unsigned(f *schema.Field) string {
	x := "x." + f.GoName
	switch f.Type {
	case schema.Uint16, schema.Uint32:
		return x
	case schema.Float64:
		return "math.Float64bits(" + x + ")"
	}
	return fmt.Sprintf("uint%d(%s)", 8*f.Type.FixedSize(), x)
}

// structure writes the appends of all fields of a struct.
func (a *dataAppender) structure() {
	a.locals = 0
	for _, f := range a.s.Fields {
		a.lacking(f.Schema)
	}
	for _, f := range a.s.Fields {
		sf := f.Schema
		cond := within(a.v, sf.Versions, a.all)
		if sf.IsTagged() || cond == "false" {
			continue
		}
		switch f.Shape {
		case slots.InRun:
			a.add(piece{kind: fixed, f: sf, cond: cond})
			continue
		case slots.Numbers:
			a.add(piece{kind: numbers, f: sf, cond: cond})
			continue
		case slots.Span:
			if sf.Type == schema.String {
				a.add(piece{kind: text, f: sf, cond: cond})
				continue
			}
		case slots.Entries, slots.Strided, slots.Strings:
			if cond == "" {
				a.add(piece{kind: count, f: sf})
				a.flush()
				a.elements(f)
				continue
			}
		}
		a.flush()
		a.block(cond, func() { a.field(f) })
	}
	switch conds := a.tagConds(); {
	case !a.flexible:
		a.flush()
		a.noTags()
	case len(conds) == 0:
		a.add(piece{kind: closing})
		a.flush()
	default:
		a.flush()
		a.f("dst = append(dst, 0)\nif len(x.UnknownTags) > 0 || %s {", strings.Join(conds, " || "))
		a.f("dst = %s(dst, x, e)\n}", tagFuncName(a.s))
	}
}

// block writes statements under a condition, "" for none.
func (a *dataAppender) block(cond string, body func()) {
	if cond != "" {
		a.f("if %s {", cond)
	}
	body()
	if cond != "" {
		a.f("}")
	}
}

// A piece is something that is written in a few bytes, nearly always.
type piece struct {
	kind pieceKind
	f    *schema.Field
	cond string // on the version; "" where it is always there
	x    string // a variable with its value, in a segment
}

type pieceKind uint8

const (
	fixed   pieceKind = iota // a field of fixed size
	text                     // a string
	numbers                  // an array of numbers
	count                    // the count of an array
	closing                  // the tag section of a struct that knows none
)

// shortBytes is the most bytes of a string, or of the elements of an array of
// numbers, that are written as a part of a segment.
const shortBytes = 32

// maxSegment bounds the room that a segment asks for: the last bytes of a buffer are
// written piece by piece.
const maxSegment = 256

// prefix is the size of the length of a piece, as far as it is short.
func (a *dataAppender) prefix(p piece) int {
	switch {
	case a.flexible && !(p.f != nil && p.f.LegacyText):
		return 1
	case p.kind == text:
		return 2
	}
	return 4
}

// room is the most bytes that a short piece takes.
func (a *dataAppender) room(p piece) int {
	switch p.kind {
	case fixed:
		return p.f.Type.FixedSize()
	case text, numbers:
		return a.prefix(p) + shortBytes
	case count:
		return a.prefix(p)
	}
	return 1
}

func (a *dataAppender) add(p piece) {
	n := a.room(p)
	for _, q := range a.segment {
		n += a.room(q)
	}
	if n > maxSegment {
		a.flush()
	}
	a.segment = append(a.segment, p)
}

// flush writes the segment. Where it has more than fields of fixed size, and all of
// them are short, one check of the room that they may take is all there is, and
// nothing is called; else they are written one by one.
func (a *dataAppender) flush() {
	segment := a.segment
	a.segment = nil
	variable := 0
	for _, p := range segment {
		if p.kind == text || p.kind == numbers || p.kind == count {
			variable++
		}
	}
	if variable == 0 || len(segment) == 1 && segment[0].kind == count {
		a.slow(segment)
		return
	}
	n, conds := 0, []string{"uint(n) <= uint(cap(dst))"}
	var locals, values []string
	for i := range segment {
		p := &segment[i]
		n += a.room(*p)
		if p.kind == text || p.kind == numbers {
			p.x = fmt.Sprintf("f%d", a.locals)
			a.locals++
			most := shortBytes
			if p.kind == numbers {
				most /= p.f.Type.FixedSize()
			}
			locals, values = append(locals, p.x), append(values, "x."+p.f.GoName)
			conds = append(conds, fmt.Sprintf("len(%s) <= %d", p.x, most))
		}
		switch {
		case p.kind == count && a.flexible:
			conds = append(conds, fmt.Sprintf("len(x.%s) < 127", p.f.GoName))
		case p.kind == closing:
			conds = append(conds, "len(x.UnknownTags) == 0")
		}
	}
	if len(locals) > 0 {
		a.f("%s := %s", strings.Join(locals, ", "), strings.Join(values, ", "))
	}
	a.f("if n := len(dst)+%d; %s {\nw := dst[len(dst):n:n]", n, strings.Join(conds, " && "))
	a.fast(segment)
	a.f("} else {")
	a.slow(segment)
	a.f("}")
}

// fast writes the pieces of a segment into the room w, at places that the compiler
// can bound.
func (a *dataAppender) fast(segment []piece) {
	w := cursor{a: a}
	for _, group := range groups(segment) {
		if group[0].cond != "" {
			w.settle("")
		}
		a.block(group[0].cond, func() {
			w.write(group)
			if group[0].cond != "" {
				w.settle("")
			}
		})
	}
	a.f("dst = dst[:len(dst)+%s]", place(w.base, w.at))
}

// groups splits a segment where the condition changes.
func groups(segment []piece) (out [][]piece) {
	for i, p := range segment {
		if i == 0 || p.cond != segment[i-1].cond {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], p)
	}
	return out
}

// cursor is a place in the room of a segment: a variable, or none yet, and a
// distance from it.
type cursor struct {
	a    *dataAppender
	base string
	at   int
}

// settle makes the variable the place, moved by more.
func (w *cursor) settle(more string) {
	switch {
	case w.base == "":
		w.a.f("o := %d%s", w.at, more)
	case w.at > 0:
		w.a.f("o += %d%s", w.at, more)
	case more != "":
		w.a.f("o += %s", strings.TrimPrefix(more, " + "))
	}
	w.base, w.at = "o", 0
}

// write writes pieces that are there at the same versions.
func (w *cursor) write(group []piece) {
	a := w.a
	for i := 0; i < len(group); i++ {
		p := group[i]
		run, size := a.run(group[i:])
		switch {
		case run > 1 && w.base != "":
			a.f("{\np := (*[%d]byte)(w[%s:%s])", size, place(w.base, w.at), place(w.base, w.at+size))
			a.stores(group[i : i+run])
			a.f("}")
			w.at += size
			i += run - 1
		case p.kind == fixed:
			a.f("%s", put(p.f, "w", w.base, w.at))
			w.at += a.room(p)
		case p.kind == closing:
			a.f("w[%s] = 0", place(w.base, w.at))
			w.at++
		case p.kind == count:
			a.putLength(p, "x."+p.f.GoName, w.base, w.at)
			w.at += a.prefix(p)
		default:
			a.putLength(p, p.x, w.base, w.at)
			w.at += a.prefix(p)
			size := " + len(" + p.x + ")"
			copiers := []string{"putShort", "putTiny"}
			if p.kind == numbers {
				copiers = []string{"put" + plural(p.f)}
				if n := p.f.Type.FixedSize(); n > 1 {
					size = fmt.Sprintf(" + %d*len(%s)", n, p.x)
				}
			}
			for _, copier := range copiers {
				a.f("%s((*[32]byte)(w[%s:%s]), %s)", copier, place(w.base, w.at), place(w.base, w.at+shortBytes), p.x)
			}
			w.settle(size)
		}
	}
}

// run is how many pieces of fixed size stand in front, and their size.
func (a *dataAppender) run(pieces []piece) (n, size int) {
	for _, p := range pieces {
		if p.kind != fixed && p.kind != closing {
			break
		}
		n++
		size += a.room(p)
	}
	if n > 0 && size == 0 {
		panic("gen: a run without bytes")
	}
	return n, size
}

// stores writes a run into the array p.
func (a *dataAppender) stores(run []piece) {
	at := 0
	for _, q := range run {
		if q.kind == closing {
			a.f("p[%d] = 0", at)
		} else {
			a.f("%s", put(q.f, "p", "", at))
		}
		at += a.room(q)
	}
}

// putLength writes the store of the length or count of a piece.
func (a *dataAppender) putLength(p piece, x, base string, at int) {
	there := p.f.Versions.And(a.all)
	store := func(n string) {
		if size := a.prefix(p); size == 1 {
			a.f("w[%s] = byte(%s)", place(base, at), n)
		} else {
			a.f("binary.BigEndian.PutUint%d(w[%s:%s], %s)", 8*size, place(base, at), place(base, at+size), n)
		}
	}
	null := "0"
	switch a.prefix(p) {
	case 1:
		store("len(" + x + ") + 1")
	case 2:
		store("uint16(len(" + x + "))")
		null = "0xffff"
	case 4:
		store("uint32(len(" + x + "))")
		null = "0xffffffff"
	}
	if p.f.Nullable.And(there).Empty() {
		return
	}
	cond := x + " == nil"
	if c := within(a.v, p.f.Nullable, there); c != "" {
		cond += " && " + c
	}
	a.f("if %s {", cond)
	store(null)
	a.f("}")
}

// plural is the name of an array of numbers in the names of helpers.
func plural(f *schema.Field) string {
	name := strings.TrimPrefix(GoType(f), "fastcodec.")
	return strings.ToUpper(name[:1]) + name[1:] + "s"
}

// slow writes the pieces of a segment one by one: runs of fields of fixed size by
// stores into one growth, unless they are few.
func (a *dataAppender) slow(segment []piece) {
	for _, group := range groups(segment) {
		a.block(group[0].cond, func() { a.slowGroup(group) })
	}
}

func (a *dataAppender) slowGroup(group []piece) {
	for i := 0; i < len(group); i++ {
		p := group[i]
		run, size := a.run(group[i:])
		stores := run
		for _, q := range group[i : i+run] {
			if q.kind == fixed && q.f.Type == schema.UUID {
				stores++
			}
		}
		switch {
		case stores > 2:
			a.f("dst = room(dst, %d)\n{\np := (*[%d]byte)(dst[len(dst)-%d:])", size, size, size)
			a.stores(group[i : i+run])
			a.f("}")
			i += run - 1
			if group[i].kind == closing {
				a.unknownTags()
			}
		case p.kind == closing:
			a.f("dst = append(dst, 0)")
			a.unknownTags()
		case p.kind == fixed:
			a.append(p.f)
		case p.kind == count:
			a.length(p.f)
		default:
			a.small(p)
		}
	}
}

func (a *dataAppender) unknownTags() {
	a.f("if len(x.UnknownTags) > 0 {\ndst = unknownTags(dst, x.UnknownTags, e)\n}")
}

func (a *dataAppender) noTags() {
	if !a.m.Schema.Flexible.Empty() {
		a.f("e.failIf(len(x.UnknownTags) > 0)")
	}
}

// lacking writes the check of a field in versions without it.
func (a *dataAppender) lacking(f *schema.Field) {
	cond := outside(a.v, f.Versions, a.all)
	switch {
	case f.Ignorable || cond == "":
	case cond == "true":
		a.f("e.failIf(%s)", nonDefault(f))
	default:
		a.f("if %s && %s {\ne.failed = true\n}", inner(cond), inner(nonDefault(f)))
	}
}

// encodingOf is the prefix of the helpers for a field.
func (a *dataAppender) encodingOf(f *schema.Field) string {
	if !a.flexible || f.LegacyText {
		return "legacy"
	}
	return "compact"
}

// small writes the append of a string or an array of numbers by a call.
func (a *dataAppender) small(p piece) {
	kind := "String"
	if p.kind == numbers {
		kind = plural(p.f)
	}
	a.nullable(p.f, func(nullable string) {
		a.f("dst = %s%s%s(dst, x.%s, e)", a.encodingOf(p.f), nullable, kind, p.f.GoName)
	})
}

// length writes the append of the count of an array by a call.
func (a *dataAppender) length(f *schema.Field) {
	a.nullable(f, func(nullable string) {
		n := "len"
		if nullable != "" {
			n = "lengthOf"
		}
		a.f("dst = %sCount(dst, %s(x.%s), e)", a.encodingOf(f), n, f.GoName)
	})
}

// nullable writes what is "Nullable" at some versions and not at others.
func (a *dataAppender) nullable(f *schema.Field, body func(nullable string)) {
	there := f.Versions.And(a.all)
	nullable := f.Nullable.And(there)
	switch cond := within(a.v, nullable, there); {
	case nullable.Empty():
		body("")
	case cond == "":
		body("Nullable")
	default:
		a.f("if %s {", cond)
		body("Nullable")
		a.f("} else {")
		body("")
		a.f("}")
	}
}

// field writes the append of a field that is not of fixed size.
func (a *dataAppender) field(f *slots.Field) {
	sf := f.Schema
	switch f.Shape {
	case slots.Numbers:
		a.small(piece{kind: numbers, f: sf})
	case slots.Span:
		if sf.Type == schema.String {
			a.small(piece{kind: text, f: sf})
			return
		}
		a.nullable(sf, func(nullable string) {
			a.f("dst = %s%sBytes(dst, x.%s, e)", a.encodingOf(sf), nullable, sf.GoName)
		})
	case slots.Inline, slots.InlineFixed:
		a.single(f)
	default:
		a.length(sf)
		a.elements(f)
	}
}

// elements writes the appends of the elements of an array.
func (a *dataAppender) elements(f *slots.Field) {
	x := "x." + f.Schema.GoName
	if f.Shape == slots.Strings {
		a.f("if len(%s) > 0 {\ndst = %sStrings(dst, %s, e)\n}", x, a.encodingOf(f.Schema), x)
		return
	}
	if a.inlines(f) {
		a.f("{\ns := %s", x)
		inner := &dataAppender{dataWriter: a.dataWriter, s: f.Struct, all: f.Schema.Versions.And(a.all), flexible: a.flexible, v: a.v}
		inner.loop()
		a.f("%s}", &inner.body)
		return
	}
	a.f("if len(%s) > 0 {\ndst = %s(dst, %s, e)\n}", x, appenderName(f.Struct, a.flexible, true), x)
}

// inlines reports whether the loop over an array stands where the array is, rather
// than in a function of its own: where its struct has no other use and is a leaf.
func (a *dataAppender) inlines(f *slots.Field) bool {
	leaf := !slices.ContainsFunc(f.Struct.Fields, func(f *slots.Field) bool { return f.Struct != nil || f.Schema.IsTagged() })
	return leaf && f.Shape == slots.Entries && a.users(f.Struct) == 1
}

// inlined reports whether all arrays of a struct are inlined.
func (g *dataWriter) inlined(s *slots.Struct) bool {
	a := dataAppender{dataWriter: g}
	for _, p := range g.m.Structs {
		for _, f := range p.Fields {
			if f.Struct == s {
				return f.Schema.Array && a.inlines(f)
			}
		}
	}
	return false
}

// users is how many fields have a struct type.
func (g *dataWriter) users(s *slots.Struct) (n int) {
	for _, p := range g.m.Structs {
		for _, f := range p.Fields {
			if f.Struct == s {
				n++
			}
		}
	}
	return n
}

// single writes the append of a struct that is no element of an array.
func (a *dataAppender) single(f *slots.Field) {
	sf := f.Schema
	x := "x." + sf.GoName
	call := func(ref string) {
		a.f("dst = %s(dst, %s, e)", appenderName(f.Struct, a.flexible, false), ref)
	}
	if sf.Nullable.Empty() {
		call("&" + x)
		return
	}
	null := "0xff"
	if sf.IsTagged() {
		null = "0"
	}
	a.nullable(sf, func(nullable string) {
		if nullable == "" {
			a.f("if %s == nil {\ne.failed = true\n} else {", x)
		} else {
			a.f("if %s == nil {\ndst = append(dst, %s)\n} else {\ndst = append(dst, 1)", x, null)
		}
		call(x)
		a.f("}")
	})
}

// tagConds is, for each tagged field of the encoding, the condition that it is written.
func (a *dataAppender) tagConds() []string {
	var out []string
	for _, f := range a.tagged() {
		out = append(out, a.tagCond(f.Schema))
	}
	return out
}

// tagged is the tagged fields of the encoding in ascending order of tags.
func (a *dataAppender) tagged() []*slots.Field {
	var out []*slots.Field
	for _, f := range a.s.Fields {
		if a.flexible && f.Schema.IsTagged() && !f.Schema.Tagged.And(a.all).Empty() {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(f, g *slots.Field) int { return cmp.Compare(f.Schema.Tag, g.Schema.Tag) })
	return out
}

func (a *dataAppender) tagCond(f *schema.Field) string {
	set := nonDefault(f)
	if cond := within(a.v, f.Tagged, a.all); cond != "" {
		return cond + " && " + inner(set)
	}
	return set
}

func tagFuncName(s *slots.Struct) string { return "tags" + s.Schema.GoName }

// tagFunc writes the function that appends a section with known tags.
func (a *dataAppender) tagFunc() {
	fields := a.tagged()
	if len(fields) == 0 {
		return
	}
	name := tagFuncName(a.s)
	a.p("// %s puts the tag section of a struct in the place of an empty one.", name)
	a.p("func %s(dst []byte, x *%s, e *encoder) []byte {", name, a.s.Schema.GoName)
	a.f("count := len(x.UnknownTags)")
	for _, f := range fields {
		a.f("if %s {\ncount++\n}", a.tagCond(f.Schema))
	}
	known := steps(a.all, func(v int16) int { return int(a.s.KnownTags(v)) })
	mask := fmt.Sprint(known[0].value)
	if len(known) > 1 {
		mask = "known"
		a.f("known := uint32(%d)", known[0].value)
		for _, k := range known[1:] {
			a.f("if %s >= %d {\nknown = %d\n}", a.v, k.from, k.value)
		}
	}
	a.f("dst = setTagCount(dst, count)\nvar m tagMerge\nm.start(x.UnknownTags, %s, e)", mask)
	all := a.all
	for _, f := range fields {
		a.f("if %s {\ndst = m.below(dst, %d)", a.tagCond(f.Schema), f.Schema.Tag)
		if f.Shape == slots.InRun {
			a.f("dst = append(dst, %d, %d)", f.Schema.Tag, f.Schema.Type.FixedSize())
			a.append(f.Schema)
		} else {
			a.f("dst = append(dst, %d, 0)\nat := len(dst)", f.Schema.Tag)
			a.all = f.Schema.Tagged.And(all)
			a.field(f)
			a.all = all
			a.f("dst = setTagSize(dst, at)")
		}
		a.f("}")
	}
	a.p("%sreturn m.rest(dst)\n}\n", &a.body)
	a.body.Reset()
}

// inner is a condition as an operand of &&.
func inner(cond string) string {
	if strings.Contains(cond, "||") {
		return "(" + cond + ")"
	}
	return cond
}

// nonDefault is the condition that a field differs from its default.
func nonDefault(f *schema.Field) string {
	x := "x." + f.GoName
	null, nullable := f.Default == "null", !f.Nullable.Empty()
	switch {
	case f.Type.FixedSize() > 0 && !f.Array:
		switch {
		case f.Type == schema.Bool && f.Default == "true":
			return "!" + x
		case f.Type == schema.Bool:
			return x
		case f.Type == schema.UUID:
			return fmt.Sprintf("%s != (%s)", x, DefaultValue(f))
		}
		return fmt.Sprintf("%s != %s", x, DefaultValue(f))
	case nullable && (null || f.Type == schema.Records):
		return x + " != nil"
	case f.Type == schema.StructType && !f.Array && nullable:
		return fmt.Sprintf("%s == nil || !%s.isDefault()", x, x)
	case f.Type == schema.StructType && !f.Array:
		return "!" + x + ".isDefault()"
	case f.Default != "" && !null:
		return fmt.Sprintf("string(%s) != %q", x, f.Default)
	case nullable:
		return fmt.Sprintf("%s == nil || len(%s) > 0", x, x)
	}
	return fmt.Sprintf("len(%s) > 0", x)
}

// isDefault writes the comparison with a struct of defaults, where something
// depends on it.
func (g *dataWriter) isDefault(s *schema.Struct) {
	if !g.compared[s] {
		return
	}
	var conds []string
	for _, f := range s.Fields {
		conds = append(conds, nonDefault(f))
	}
	conds = append(conds, "len(x.UnknownTags) > 0")
	g.p("func (x *%s) isDefault() bool {\nreturn !(%s)\n}\n", s.GoName, strings.Join(conds, " ||\n"))
}

// comparedStructs are the struct types that a message calls isDefault on.
func comparedStructs(m *slots.Message) map[*schema.Struct]bool {
	out := map[*schema.Struct]bool{}
	var mark func(f *schema.Field)
	mark = func(f *schema.Field) {
		if f.Type != schema.StructType || f.Array || !strings.Contains(nonDefault(f), "isDefault") {
			return
		}
		out[f.Struct] = true
		for _, f := range f.Struct.Fields {
			mark(f)
		}
	}
	for _, s := range m.Structs {
		all := s.Schema.Versions.And(m.Schema.Valid)
		for _, f := range s.Schema.Fields {
			if f.IsTagged() || !f.Ignorable && f.Versions.And(all) != all {
				mark(f)
			}
		}
	}
	return out
}
