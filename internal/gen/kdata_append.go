package main

// How kdata's structs are written, in two forms that give the same bytes. What is
// usual is written in one go, by stores into room that was checked once; what isn't
// (a long string, unknown tags, too little room, a value that can't be written) by
// an append or a call a field.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kafkawire/kafkawire/internal/schema"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// appendTo writes the method AppendTo of the message: the short form of a body, in one
// go, and then whatever it takes. Of a message without arrays that is a method of its
// own, appendAny: nothing comes back from there, so that the short form keeps
// everything in registers.
func (g *dataWriter) appendTo() {
	g.p("// AppendTo appends the body at a version. On an error, an *fastcodec.Error, it returns dst at its old length.")
	g.p("func (x *%s) AppendTo(dst []byte, v int16) ([]byte, error) {", g.m.Root.Schema.GoName)
	g.eachEncoding((*dataAppender).short)
	if flat(g.m.Root) {
		g.p("return x.appendAny(dst, v)\n}\n")
		g.p("func (x *%s) appendAny(dst []byte, v int16) ([]byte, error) {", g.m.Root.Schema.GoName)
		g.eachEncoding((*dataAppender).plain)
		g.p("return dst, %s\n}\n", g.versionError())
		return
	}
	g.any()
}

func (g *dataWriter) versionError() string {
	return fmt.Sprintf("fastcodec.VersionError(%q, v, %d, %d)", g.m.Schema.Name, g.m.Schema.Valid.Min, g.m.Schema.Valid.Max)
}

// eachEncoding writes a form of the body for the versions of each encoding that has
// it. The form ends with a return, or falls through.
func (g *dataWriter) eachEncoding(form func(*dataAppender) bool) {
	var forms []string
	for _, flexible := range []bool{true, false} {
		all := g.encoding(g.m.Schema.Valid, flexible)
		a := &dataAppender{dataWriter: g, s: g.m.Root, all: all, flexible: flexible, v: "v"}
		if all.Empty() || !form(a) {
			continue
		}
		cond := fmt.Sprintf("v >= %d && v <= %d", all.Min, all.Max)
		if all.Min == all.Max {
			cond = fmt.Sprintf("v == %d", all.Min)
		}
		forms = append(forms, fmt.Sprintf("if %s {\n%s}", cond, &a.body))
	}
	g.p("%s", strings.Join(forms, " else "))
}

// flat reports whether a message has nothing but fields of fixed size, strings and
// bytes.
func flat(root *slots.Struct) bool {
	return !slices.ContainsFunc(root.Fields, func(f *slots.Field) bool {
		return f.Shape != slots.InRun && f.Shape != slots.Span || f.Schema.IsTagged()
	})
}

// short writes the body of a message whose arrays of structs are empty, and all else
// short; it reports whether there is such a form.
func (a *dataAppender) short() bool {
	segments := [][]piece{nil} // between them, arrays of strings
	var lists []*schema.Field
	room := 0
	add := func(p piece) {
		n := len(segments) - 1
		segments[n] = append(segments[n], p)
		room += a.room(p)
	}
	for _, f := range a.s.Fields {
		sf := f.Schema
		if cond := lacking("v", sf, a.all); cond != "" {
			a.needs = append(a.needs, "!("+cond+")")
		}
		cond := within("v", sf.Versions, a.all)
		if sf.IsTagged() || cond == "false" {
			continue
		}
		x := "x." + sf.GoName
		switch f.Shape {
		case slots.InRun:
			add(piece{kind: fixed, f: sf, cond: cond})
		case slots.Numbers:
			add(piece{kind: numbers, f: sf, cond: cond})
		case slots.Span:
			kind := text
			if sf.Type != schema.String {
				kind = data
			}
			add(piece{kind: kind, f: sf, cond: cond})
		case slots.Inline, slots.InlineFixed:
			there := sf.Versions.And(a.all)
			if sf.Nullable.Empty() || sf.Nullable.And(there) != there {
				return false
			}
			add(piece{kind: null, f: sf, cond: cond})
			a.needs = append(a.needs, x+" == nil")
		default:
			add(piece{kind: count, f: sf, cond: cond})
			if f.Shape == slots.Strings && cond == "" {
				lists = append(lists, sf)
				segments = append(segments, nil)
			} else {
				a.needs = append(a.needs, "len("+x+") == 0")
			}
		}
	}
	if a.flexible {
		add(piece{kind: closing})
		for _, cond := range a.tagConds() {
			a.needs = append(a.needs, "!("+cond+")")
		}
	} else if !a.m.Schema.Flexible.Empty() {
		a.needs = append(a.needs, "len(x.UnknownTags) == 0")
	}
	if room > maxSegment || !flat(a.s) && room > maxShort {
		return false
	}
	a.dst = "dst"
	if len(lists) > 0 {
		a.dst = "out"
		a.f("out := dst")
	}
	for i, f := range lists {
		a.window(segments[i])
		a.f("out = out[:len(out)+%s]", a.fast(segments[i]))
		a.f("for _, s := range x.%s {", f.GoName)
		size := a.prefix(piece{kind: text, f: &schema.Field{Type: schema.String}})
		a.f("n := len(out)+%d\nif uint(n) > uint(cap(out)) || len(s) > %d {\nreturn x.appendLong(dst, v)\n}", size+shortText, shortText)
		a.f("w := out[len(out):n:n]")
		if size == 1 {
			a.f("w[0] = byte(len(s)+1)")
		} else {
			a.f("binary.BigEndian.PutUint16(w[0:2], uint16(len(s)))")
		}
		for _, copier := range copiers {
			a.f("%s((*[%d]byte)(w[%d:%d]), s)", copier, shortText, size, size+shortText)
		}
		a.f("out = out[:len(out)+%d+len(s)]\n}", size)
	}
	last := segments[len(lists)]
	switch {
	case len(last) > 0 || len(a.needs) > 0:
		a.window(last)
		size := ""
		if len(last) > 0 {
			size = "[:len(" + a.dst + ")+" + a.fast(last) + "]"
		}
		a.f("return %s%s, nil\n}", a.dst, size)
	default:
		a.f("return %s, nil", a.dst)
	}
	a.body.WriteString(strings.Repeat("}\n", len(lists)))
	return true
}

// plain writes the body of a flat message, whatever it takes: the checks, and then an
// append a field.
func (a *dataAppender) plain() bool {
	var wrong []string
	var segment []piece
	for _, f := range a.s.Fields {
		if cond := lacking("v", f.Schema, a.all); cond != "" {
			wrong = append(wrong, inner(cond))
		}
		p := piece{kind: data, f: f.Schema, cond: within("v", f.Schema.Versions, a.all), x: "x." + f.Schema.GoName}
		there := ""
		if p.cond != "" {
			there = inner(p.cond) + " && "
		}
		switch {
		case p.cond == "false":
			continue
		case f.Shape == slots.InRun:
			p.kind = fixed
		case f.Schema.Type == schema.String:
			wrong = append(wrong, there+"len("+p.x+") > fastcodec.MaxString")
		default:
			wrong = append(wrong, there+"uint64(len("+p.x+")) > math.MaxInt32")
		}
		segment = append(segment, p)
	}
	switch {
	case a.flexible:
		wrong = append(wrong, "fastcodec.CheckTags(x.UnknownTags, 0) != nil")
	case !a.m.Schema.Flexible.Empty():
		wrong = append(wrong, "len(x.UnknownTags) > 0")
	}
	if len(wrong) > 0 {
		a.f("if %s {\nreturn dst, explain(x, %q, v, %d)\n}", strings.Join(wrong, " || "), a.m.Schema.Name, a.firstFlexible())
	}
	for _, group := range groups(segment) {
		a.block(group[0].cond, func() {
			for _, p := range group {
				if p.kind == fixed {
					a.f("%s", appendFixed(p.f))
					continue
				}
				n := "len(" + p.x + ")"
				switch cond := a.nullAt(p); cond {
				case "false":
				case "":
					n = "lengthOf(" + p.x + ", true)"
				default:
					n = "lengthOf(" + p.x + ", " + cond + ")"
				}
				if size := a.prefix(p); size == 1 {
					a.f("dst = append(appendLength(dst, %s), %s...)", n, p.x)
				} else {
					a.f("dst = append(binary.BigEndian.AppendUint%d(dst, uint%d(%s)), %s...)", 8*size, 8*size, n, p.x)
				}
			}
		})
	}
	if a.flexible {
		a.f("return fastcodec.AppendTags(dst, x.UnknownTags), nil")
	} else {
		a.f("return dst, nil")
	}
	return true
}

// firstFlexible is the first flexible version of the message.
func (g *dataWriter) firstFlexible() int16 {
	if r := g.encoding(g.m.Schema.Valid, true); !r.Empty() {
		return r.Min
	}
	return schema.Forever
}

// general reports whether what isn't usual of a struct is written by a method of its
// own, for both encodings: where it is all of it, or all but a loop.
func (g *dataWriter) general(s *slots.Struct) bool {
	room := 0
	for _, f := range s.Fields {
		switch {
		case s == g.m.Root || f.Schema.IsTagged():
			return false
		case f.Shape == slots.InRun:
			room += f.Schema.Type.FixedSize()
		case f.Shape == slots.Numbers || f.Shape == slots.Span && f.Schema.Type == schema.String:
			room += 4 + shortText
		default:
			return false
		}
	}
	return room < maxSegment
}

// any writes what appends any body.
func (g *dataWriter) any() {
	root, valid := g.m.Root, g.m.Schema.Valid
	flexible, legacy := g.encoding(valid, true), g.encoding(valid, false)
	if strings.Contains(g.String()[strings.LastIndex(g.String(), ") AppendTo("):], "x.appendLong(") {
		g.p("return x.appendLong(dst, v)\n}\n")
		g.p("// appendLong is AppendTo of what isn't short.")
		g.p("func (x *%s) appendLong(dst []byte, v int16) ([]byte, error) {", root.Schema.GoName)
	}
	g.p("if %s {\nreturn dst, %s\n}", strings.ReplaceAll(versionCheck(valid), "version", "v"), g.versionError())
	is := fmt.Sprintf("v >= %d", g.firstFlexible())
	switch {
	case legacy.Empty():
		is = "true"
	case flexible.Empty():
		is = "false"
	}
	g.p("start, e := len(dst), &encoder{v: v, flexible: %s}", is)
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
		g.p("if e.flexible {")
		body(flexible, true)
		g.p("} else {")
		body(legacy, false)
		g.p("}")
	}
	g.p("return e.result(dst, start, x, %q, %d)\n}\n", g.m.Schema.Name, g.firstFlexible())
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
	segment  []piece  // what waits to be written in one go
	needs    []string // what has to hold for that
	dst      string   // the buffer; "" is dst
	locals   int      // variables declared so far
	v        string   // the version
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
		if cond := lacking(a.v, f, a.all); cond != "" {
			a.f("e.failIf(%s)", cond)
		}
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

// appendFixed is the append of a field of fixed size.
func appendFixed(f *schema.Field) string {
	x, n := "x."+f.GoName, f.Type.FixedSize()
	switch {
	case f.Type == schema.Bool:
		return "dst = append(dst, bit(" + x + "))"
	case n == 1:
		return "dst = append(dst, byte(" + x + "))"
	case f.Type == schema.UUID:
		return "dst = fastcodec.AppendUUID(dst, " + x + ")"
	}
	return fmt.Sprintf("dst = binary.BigEndian.AppendUint%d(dst, %s)", 8*n, unsigned(f))
}

// structure writes the appends of all fields of a struct.
func (a *dataAppender) structure() {
	a.locals = 0
	whole := a.whole()
	for _, f := range a.s.Fields {
		switch cond := lacking(a.v, f.Schema, a.all); {
		case cond == "":
		case whole:
			a.needs = append(a.needs, "!("+cond+")")
		default:
			a.f("e.failIf(%s)", cond)
		}
	}
	if whole && !a.flexible && !a.m.Schema.Flexible.Empty() {
		a.needs = append(a.needs, "len(x.UnknownTags) == 0")
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
		if !whole {
			a.noTags()
		}
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
	text                     // a short string
	data                     // bytes, or a string, of any length
	numbers                  // an array of numbers
	count                    // the count of an array
	null                     // a struct that is null
	closing                  // the tag section of a struct that knows none
)

// shortText is the most bytes of a string that is written as a part of a segment, by
// copiers of which one does it.
const shortText = 64

var copiers = []string{"putLong", "putShort"}

// shortBytes is the most bytes of the elements of an array of
// numbers, that are written as a part of a segment.
const shortBytes = 32

// maxSegment bounds the room that a segment asks for: the last bytes of a buffer are
// written piece by piece.
const maxSegment = 512

// maxShort bounds the room of the short form of messages that have arrays or structs:
// its code is worth its size only where it is little.
const maxShort = 140

// prefix is the size of the length of a piece, as far as it is short.
func (a *dataAppender) prefix(p piece) int {
	switch {
	case a.flexible && !(p.f != nil && p.f.LegacyText):
		return 1
	case p.f.Type == schema.String && !p.f.Array:
		return 2
	}
	return 4
}

// room is the most bytes that a short piece takes.
func (a *dataAppender) room(p piece) int {
	switch p.kind {
	case fixed:
		return p.f.Type.FixedSize()
	case text:
		return a.prefix(p) + shortText
	case numbers:
		return a.prefix(p) + shortBytes
	case count:
		return a.prefix(p)
	case data:
		return max(a.prefix(p), 5)
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
		a.fixedSegment(segment)
		return
	}
	a.window(segment)
	a.f("dst = dst[:len(dst)+%s]\n} else {", a.fast(segment))
	if a.whole() {
		a.f("dst = x.append(dst, e)")
	} else {
		a.slow(segment)
	}
	a.f("}")
}

// whole reports whether the struct is one segment, and not of fixed size.
func (a *dataAppender) whole() bool {
	return a.s != a.m.Root && a.general(a.s) && slices.ContainsFunc(a.s.Fields, func(f *slots.Field) bool {
		return f.Shape != slots.InRun && within(a.v, f.Schema.Versions, a.all) != "false"
	})
}

// window opens the condition under which a segment is written in one go, and makes
// its room w.
func (a *dataAppender) window(segment []piece) {
	if a.dst == "" {
		a.dst = "dst"
	}
	room, conds := "", append([]string{fmt.Sprintf("uint(n) <= uint(cap(%s))", a.dst)}, a.needs...)
	a.measure(segment)
	for i := range segment {
		p := &segment[i]
		switch p.kind {
		case text:
			conds = append(conds, fmt.Sprintf("len(%s) <= %d", p.x, shortText))
		case numbers:
			conds = append(conds, fmt.Sprintf("len(%s) <= %d", p.x, shortBytes/p.f.Type.FixedSize()))
		case data:
			room += "+len(" + p.x + ")"
			conds = append(conds, "uint64(len("+p.x+")) <= math.MaxInt32")
		case closing:
			conds = append(conds, "len(x.UnknownTags) == 0")
		case count:
			if a.flexible && !slices.Contains(a.needs, "len(x."+p.f.GoName+") == 0") {
				conds = append(conds, fmt.Sprintf("len(x.%s) < 127", p.f.GoName))
			}
		}
	}
	a.needs = nil
	if len(segment) == 0 {
		a.f("if %s {", strings.Join(conds[1:], " && "))
		return
	}
	a.f("if n := len(%s)+%d%s; %s {\nw := %s[len(%s):n:n]", a.dst, a.bytes(segment), room, strings.Join(conds, " && "), a.dst, a.dst)
}

// bytes is the most that pieces take, apart from data.
func (a *dataAppender) bytes(segment []piece) (n int) {
	for _, p := range segment {
		n += a.room(p)
	}
	return n
}

// measure declares variables for what has a length.
func (a *dataAppender) measure(segment []piece) {
	var locals, values []string
	for i := range segment {
		if p := &segment[i]; p.kind == text || p.kind == numbers || p.kind == data {
			p.x = fmt.Sprintf("f%d", a.locals)
			a.locals++
			locals, values = append(locals, p.x), append(values, "x."+p.f.GoName)
		}
	}
	if len(locals) > 0 {
		a.f("%s := %s", strings.Join(locals, ", "), strings.Join(values, ", "))
	}
}

// fast writes the pieces of a segment into the room w, at places that the compiler
// can bound, and returns how many bytes they took.
func (a *dataAppender) fast(segment []piece) (size string) {
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
	return place(w.base, w.at)
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
		case p.kind == null:
			a.f("w[%s] = %s", place(w.base, w.at), nullMarker(p.f))
			w.at++
		case p.kind == count:
			a.putLength(p, "x."+p.f.GoName, w.base, w.at)
			w.at += a.prefix(p)
		case p.kind == data:
			w.data(p)
		default:
			a.putLength(p, p.x, w.base, w.at)
			w.at += a.prefix(p)
			size := " + len(" + p.x + ")"
			copiers, most := copiers, shortText
			if p.kind == numbers {
				copiers, most = []string{"put" + plural(p.f)}, shortBytes
				if n := p.f.Type.FixedSize(); n > 1 {
					size = fmt.Sprintf(" + %d*len(%s)", n, p.x)
				}
			}
			for _, copier := range copiers {
				a.f("%s((*[%d]byte)(w[%s:%s]), %s)", copier, most, place(w.base, w.at), place(w.base, w.at+most), p.x)
			}
			w.settle(size)
		}
	}
}

// data writes bytes, or a string, of any length.
func (w *cursor) data(p piece) {
	a := w.a
	if a.prefix(p) > 1 {
		a.putLength(p, p.x, w.base, w.at)
		w.at += a.prefix(p)
		w.settle("")
	} else {
		w.settle("")
		size := "len(" + p.x + ")+1"
		if cond := a.null(p, p.x); cond != "" {
			a.f("n%s := %s\nif %s {\nn%s = 0\n}", p.x, size, cond, p.x)
			size = "n" + p.x
		}
		a.f("o = putUvarint(w, o, %s)", size)
	}
	a.f("o += copy(w[o:], %s)", p.x)
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
	if cond := a.null(p, x); cond != "" {
		a.f("if %s {", cond)
		store(null)
		a.f("}")
	}
}

// null is the condition that a value x is written as null, "" where none is.
func (a *dataAppender) null(p piece, x string) string {
	switch cond := a.nullAt(p); cond {
	case "false":
		return ""
	case "":
		return x + " == nil"
	default:
		return x + " == nil && " + cond
	}
}

// nullAt is the condition on the version that a piece can be null.
func (a *dataAppender) nullAt(p piece) string {
	there := p.f.Versions.And(a.all)
	if p.f.Nullable.And(there).Empty() {
		return "false"
	}
	return within(a.v, p.f.Nullable, there)
}

// slow writes the pieces of a segment one by one.
func (a *dataAppender) slow(segment []piece) {
	for _, group := range groups(segment) {
		a.block(group[0].cond, func() {
			for _, p := range group {
				switch p.kind {
				case closing:
					a.f("dst = closing(dst, x.UnknownTags, e)")
				case fixed:
					a.f("%s", appendFixed(p.f))
				case count:
					a.length(p.f)
				default:
					a.small(p)
				}
			}
		})
	}
}

// fixedSegment writes pieces of fixed size: runs of them by stores into one growth,
// unless they are few.
func (a *dataAppender) fixedSegment(segment []piece) {
	for _, group := range groups(segment) {
		_, size := a.run(group)
		stores := len(group)
		for _, p := range group {
			if p.kind == fixed && p.f.Type == schema.UUID {
				stores++
			}
		}
		if stores <= 2 || group[0].kind == count {
			a.slow(group)
			continue
		}
		a.block(group[0].cond, func() {
			a.f("dst = room(dst, %d)\n{\np := (*[%d]byte)(dst[len(dst)-%d:])", size, size, size)
			a.stores(group)
			a.f("}")
			if group[len(group)-1].kind == closing {
				a.f("if len(x.UnknownTags) > 0 {\ndst = unknownTags(dst, x.UnknownTags, e)\n}")
			}
		})
	}
}

func (a *dataAppender) noTags() {
	if !a.m.Schema.Flexible.Empty() {
		a.f("e.failIf(len(x.UnknownTags) > 0)")
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
	if p.kind == numbers {
		a.length(p.f)
		a.f("dst = append%s(dst, x.%s)", plural(p.f), p.f.GoName)
		return
	}
	a.nullable(p.f, func(nullable string) {
		a.f("dst = %s%sString(dst, x.%s, e)", a.encodingOf(p.f), nullable, p.f.GoName)
	})
}

// length writes the append of the count of an array by a call.
func (a *dataAppender) length(f *schema.Field) {
	a.nullable(f, func(nullable string) {
		n := "len(x." + f.GoName + ")"
		if nullable != "" {
			n = "lengthOf(x." + f.GoName + ", true)"
		}
		a.f("dst = %sCount(dst, %s, e)", a.encodingOf(f), n)
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
	a.nullable(sf, func(nullable string) {
		if nullable == "" {
			a.f("if %s == nil {\ne.failed = true\n} else {", x)
		} else {
			a.f("if %s == nil {\ndst = append(dst, %s)\n} else {\ndst = append(dst, 1)", x, nullMarker(sf))
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
			a.f("%s", appendFixed(f.Schema))
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

// appender writes the statements of a struct's general method.
type appender struct {
	*dataWriter
	s   *slots.Struct
	all schema.Versions
}

// appendMethod writes the method append of a struct.
func (g *dataWriter) appendMethod(s *slots.Struct) {
	g.p("func (x *%s) append(dst []byte, e *encoder) []byte {", s.Schema.GoName)
	appender{g, s, g.where(s)}.fields()
	g.p("return dst\n}\n")
}

func (a appender) fields() {
	g := a.dataWriter
	for _, f := range a.s.Fields {
		if cond := lacking("e.v", f.Schema, a.all); cond != "" {
			g.p("e.failIf(%s)", cond)
		}
	}
	for _, f := range a.s.Fields {
		cond := within("e.v", f.Schema.Versions, a.all)
		if cond != "" {
			g.p("if %s {", cond)
		}
		a.field(f, f.Schema.Versions.And(a.all))
		if cond != "" {
			g.p("}")
		}
	}
	if !g.m.Schema.Flexible.Empty() {
		g.p("dst = e.tags(dst, x.UnknownTags)")
	}
}

// field writes the append of a field, which is there at versions.
func (a appender) field(f *slots.Field, there schema.Versions) {
	sf := f.Schema
	x := "x." + sf.GoName
	null := within("e.v", sf.Nullable, there)
	if null == "" {
		null = "true"
	}
	switch f.Shape {
	case slots.InRun:
		a.p("%s", appendFixed(sf))
	case slots.Span:
		a.p("dst = e.string(dst, %s, %s)", x, null)
	default:
		n := "len(" + x + ")"
		if null != "false" {
			n = "lengthOf(" + x + ", " + null + ")"
		}
		a.p("dst = append%s(e.count(dst, %s), %s)", plural(sf), n, x)
	}
}

// lacking is the condition that a struct can't be written for a field that a version
// lacks, "" where there is none.
func lacking(v string, f *schema.Field, all schema.Versions) string {
	switch cond := outside(v, f.Versions, all); {
	case f.Ignorable || cond == "":
		return ""
	case cond == "true":
		return nonDefault(f)
	default:
		return inner(cond) + " && " + inner(nonDefault(f))
	}
}

// nullMarker is the byte of a struct that is null. (A struct in a tag has another.)
func nullMarker(f *schema.Field) string {
	if f.IsTagged() {
		return "0"
	}
	return "0xff"
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

// plural is the name of an array of numbers in the names of helpers.
func plural(f *schema.Field) string {
	name := strings.TrimPrefix(GoType(f), "fastcodec.")
	return strings.ToUpper(name[:1]) + name[1:] + "s"
}
