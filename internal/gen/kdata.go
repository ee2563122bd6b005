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
		g.p("%s %s%s", f.GoName, dataType(f), fieldFacts(f, all))
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
		hidden = append(hidden, "held []byte")
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
	if root {
		g.p("// Hold keeps a copy of a body until the next Hold and returns it: memory for the strings and bytes of the struct.")
		g.p("func (x *%s) Hold(body []byte) []byte {\nx.held = append(x.held[:0], body...)\nreturn x.held\n}\n", name)
	}
}

// fieldFacts is the comment behind a field: what its type does not say.
func fieldFacts(f *schema.Field, all schema.Versions) string {
	var facts []string
	if f.IsTagged() {
		facts = append(facts, fmt.Sprintf("tag %d", f.Tag))
	}
	if f.Versions.And(all) != all {
		facts = append(facts, "versions "+versionsText(f.Versions))
	}
	if n := f.Nullable; !n.Empty() {
		if n.And(all) == f.Versions.And(all) {
			facts = append(facts, "nullable")
		} else {
			facts = append(facts, "nullable in "+versionsText(n))
		}
	}
	if f.Ignorable {
		facts = append(facts, "ignorable")
	}
	if len(facts) == 0 {
		return ""
	}
	return " // " + strings.Join(facts, ", ")
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
	name, valid := g.m.Root.Schema.GoName, g.m.Schema.Valid
	g.p("// AppendTo appends the body at a version. On an error, an *fastcodec.Error, it returns dst as it was.")
	g.p("func (x *%s) AppendTo(dst []byte, version int16) ([]byte, error) {", name)
	g.p("var out []byte\nvar bad *failure\nswitch {")
	g.p("case %s:\nreturn dst, fastcodec.VersionError(%q, version, %d, %d)", versionCheck(valid), g.m.Schema.Name, valid.Min, valid.Max)
	for _, flexible := range []bool{true, false} {
		r := g.encoding(valid, flexible)
		if r.Empty() {
			continue
		}
		if c := within("version", r, valid); c == "" || !flexible {
			g.p("default:")
		} else {
			g.p("case %s:", c)
		}
		g.p("out, bad = %s(dst, x%s)", appenderName(g.m.Root, flexible, false), g.versionArgument(g.m.Root, flexible, "version"))
	}
	g.p("}\nif bad != nil {\nreturn dst, bad.of(%q, version)\n}\nreturn out, nil\n}\n", g.m.Schema.Name)
}

// appenderName is the name of the function that appends a struct, or the elements
// of a slice of them.
func appenderName(s *slots.Struct, flexible, slice bool) string {
	name := "append" + s.Schema.GoName + encodingName(flexible)
	if slice {
		return name + "Slice"
	}
	return name
}

// versionArgument is ", v" where the function that appends a struct needs to know
// the version, else "".
func (g *dataWriter) versionArgument(s *slots.Struct, flexible bool, v string) string {
	if g.needsVersion(s, flexible) {
		return ", " + v
	}
	return ""
}

// needsVersion reports whether anything in a struct depends on the version.
func (g *dataWriter) needsVersion(s *slots.Struct, flexible bool) bool {
	all := g.encoding(g.where(s), flexible)
	for _, f := range s.Fields {
		there := f.Schema.Versions.And(all)
		switch {
		case there.Empty():
		case there != all:
			return true
		case f.Schema.Nullable.And(all) != all && !f.Schema.Nullable.And(all).Empty():
			return true
		case f.Struct != nil && g.needsVersion(f.Struct, flexible):
			return true
		}
	}
	return false
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
	return s == g.m.Root && !array
}

// dataAppender writes the statements that append one struct.
type dataAppender struct {
	*dataWriter
	s        *slots.Struct
	all      schema.Versions
	flexible bool
	index    string // of the element that the struct is, or -1
	run      []*schema.Field
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
	typ, v := s.Schema.GoName, g.versionArgument(s, flexible, "v int16")
	a := &dataAppender{dataWriter: g, s: s, all: all, flexible: flexible, index: "-1"}
	if one {
		a.structure()
		g.function(appenderName(s, flexible, false), fmt.Sprintf("x *%s%s", typ, v), a.body.String())
	}
	if many {
		a.index = "i"
		a.body.Reset()
		switch {
		case one:
			a.f("for i := range s {\nif dst, bad = %s(dst, &s[i]%s); bad != nil {\nreturn nil, bad.element(i)\n}\n}", appenderName(s, flexible, false), g.versionArgument(s, flexible, "v"))
		case s.Fixed && s.FixedSize(all.Max) > 0:
			a.fixedLoop()
		default:
			a.f("for i := range s {\nx := &s[i]")
			a.structure()
			a.f("}")
		}
		g.function(appenderName(s, flexible, true), fmt.Sprintf("s []%s%s", typ, v), a.body.String())
	}
	if flexible {
		a.tagFunc()
	}
}

// function writes one append function.
func (g *dataWriter) function(name, args, body string) {
	g.p("func %s(dst []byte, %s) ([]byte, *failure) {", name, args)
	if strings.Contains(body, "bad = ") {
		g.p("var bad *failure")
	}
	g.p("%sreturn dst, nil\n}\n", body)
}

// fixedLoop writes the loop over structs of fixed size: the room is made once, for
// the layout of the newest versions; others have the loop of all structs.
func (a *dataAppender) fixedLoop() {
	layouts := steps(a.all, a.s.FixedSize)
	newest := layouts[len(layouts)-1]
	cond := within("v", schema.Versions{Min: newest.from, Max: a.all.Max}, a.all)
	all := a.all
	if cond != "" {
		a.f("if %s {", outside("v", schema.Versions{Min: newest.from, Max: all.Max}, all))
		a.all.Max = newest.from - 1
		a.f("for i := range s {\nx := &s[i]")
		a.structure()
		a.f("}\nreturn dst, nil\n}")
		a.all = schema.Versions{Min: newest.from, Max: all.Max}
	}
	size := newest.value
	if a.flexible {
		size++
	}
	a.f("dst = grow(dst, len(s)*%d)\nfor i := range s {\nx := &s[i]\nn := len(dst)+%d", size, size)
	a.f("p := (*[%d]byte)(dst[n-%d:n])", size, size)
	at := 0
	for _, f := range a.s.Schema.Fields {
		if f.Versions.And(a.all) == a.all {
			at = a.put(f, at)
		} else {
			a.lacking(f)
		}
	}
	if a.flexible {
		a.f("p[%d] = 0", at)
	}
	a.f("dst = dst[:n]")
	a.unknownTags(fmt.Sprintf("dst = grow(dst, (len(s)-i-1)*%d)\n", size))
	a.f("}")
	a.all = all
}

// put writes the store of a field of fixed size at a place of the array p, and
// returns where it ends.
func (a *dataAppender) put(f *schema.Field, at int) int {
	x, n := "x."+f.GoName, f.Type.FixedSize()
	switch {
	case f.Type == schema.Bool:
		a.f("p[%d] = bit(%s)", at, x)
	case n == 1:
		a.f("p[%d] = byte(%s)", at, x)
	case f.Type == schema.UUID:
		a.f("binary.BigEndian.PutUint64(p[%d:%d], %s.Hi)", at, at+8, x)
		a.f("binary.BigEndian.PutUint64(p[%d:%d], %s.Lo)", at+8, at+16, x)
	default:
		a.f("binary.BigEndian.PutUint%d(p[%d:%d], %s)", 8*n, at, at+n, unsigned(f))
	}
	return at + n
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

// flush writes the fields of fixed size that wait, and the count of an empty tag
// section where last is set: appends while they are few, else stores after one
// growth.
func (a *dataAppender) flush(last bool) {
	size, pieces := 0, len(a.run)
	for _, f := range a.run {
		size += f.Type.FixedSize()
		if f.Type == schema.UUID {
			pieces++
		}
	}
	if last {
		size++
		pieces++
	}
	if pieces > 2 {
		a.f("dst = room(dst, %d)\n{\np := (*[%d]byte)(dst[len(dst)-%d:])", size, size, size)
		at := 0
		for _, f := range a.run {
			at = a.put(f, at)
		}
		if last {
			a.f("p[%d] = 0", at)
		}
		a.f("}")
	} else {
		for _, f := range a.run {
			a.append(f)
		}
		if last {
			a.f("dst = append(dst, 0)")
		}
	}
	a.run = nil
}

// structure writes the appends of all fields of a struct.
func (a *dataAppender) structure() {
	a.lengths()
	for _, f := range a.s.Fields {
		sf := f.Schema
		if sf.IsTagged() {
			continue
		}
		cond := within("v", sf.Versions, a.all)
		switch {
		case cond == "" && f.Shape == slots.InRun:
			a.run = append(a.run, sf)
			continue
		case cond == "false":
			a.lacking(sf)
			continue
		}
		a.flush(false)
		if cond == "" {
			a.field(f)
			continue
		}
		a.f("if %s {", cond)
		if f.Shape == slots.InRun {
			a.append(sf)
		} else {
			a.field(f)
		}
		if sf.Ignorable {
			a.f("}")
		} else {
			a.f("} else if %s {\nreturn nil, lacking(%q, %s)\n}", nonDefault(sf), sf.Name, a.index)
		}
	}
	for _, f := range a.s.Schema.Fields {
		if f.IsTagged() {
			a.lackingTag(f)
		}
	}
	a.flush(a.flexible)
	a.unknownTags("")
}

// lengths writes the check that nothing is longer than its length can say.
func (a *dataAppender) lengths() {
	var texts, others, names, values []string
	for _, f := range a.s.Schema.Fields {
		x := "len(x." + f.GoName + ")"
		switch {
		case f.Versions.And(a.all).Empty():
			continue
		case f.Array, f.Type == schema.Bytes, f.Type == schema.Records:
			others = append(others, x)
			names = append(names, f.Name)
		case f.Type == schema.String:
			texts = append(texts, x)
			names = append(names, f.Name+":text")
		default:
			continue
		}
		values = append(values, x)
	}
	var cond string
	switch {
	case len(texts)+len(others) == 0:
		return
	case len(others) == 0:
		cond = strings.Join(texts, "|") + " > fastcodec.MaxString"
	case len(texts) == 0:
		cond = "tooMany(" + strings.Join(others, "|") + ")"
	default:
		cond = fmt.Sprintf("%s > fastcodec.MaxString || tooMany(%s)", strings.Join(texts, "|"), strings.Join(others, "|"))
	}
	a.f("if %s {\nreturn nil, tooLong(%s, %q, %s)\n}", cond, a.index, strings.Join(names, " "), strings.Join(values, ", "))
}

// lacking writes the check of a field that no version of the encoding has.
func (a *dataAppender) lacking(f *schema.Field) {
	if !f.Ignorable {
		a.f("if %s {\nreturn nil, lacking(%q, %s)\n}", nonDefault(f), f.Name, a.index)
	}
}

// lackingTag writes the check of a tagged field in versions without it.
func (a *dataAppender) lackingTag(f *schema.Field) {
	cond := outside("v", f.Tagged, a.all)
	switch {
	case f.Ignorable || cond == "":
	case cond == "true":
		a.lacking(f)
	default:
		a.f("if %s && %s {\nreturn nil, lacking(%q, %s)\n}", inner(cond), inner(nonDefault(f)), f.Name, a.index)
	}
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

// field writes the append of a field that is not of fixed size.
func (a *dataAppender) field(f *slots.Field) {
	sf := f.Schema
	there := sf.Versions.And(a.all)
	nullable := sf.Nullable.And(there)
	switch cond := within("v", nullable, there); {
	case nullable.Empty():
		a.value(f, false)
	case cond == "":
		a.value(f, true)
	default:
		a.f("if %s {", cond)
		a.value(f, true)
		a.f("} else {")
		a.value(f, false)
		a.f("}")
	}
}

// value writes the append of a field where null is legal, or is not.
func (a *dataAppender) value(f *slots.Field, nullable bool) {
	sf := f.Schema
	x := "x." + sf.GoName
	encoding := "compact"
	if !a.flexible || sf.LegacyText {
		encoding = "legacy"
	}
	switch f.Shape {
	case slots.Span:
		kind := "Bytes"
		if sf.Type == schema.String {
			kind = "String"
		}
		if nullable {
			kind = "Nullable" + kind
		}
		a.f("dst = %s%s(dst, %s)", encoding, kind, x)
		return
	case slots.Inline, slots.InlineFixed:
		a.single(f, nullable)
		return
	}
	if nullable {
		a.f("dst = %sCount(dst, countOf(%s))", encoding, x)
	} else {
		a.f("dst = %sCount(dst, len(%s))", encoding, x)
	}
	switch f.Shape {
	case slots.Numbers:
		kind := strings.TrimPrefix(GoType(sf), "fastcodec.")
		a.f("dst = append%s%ss(dst, %s)", strings.ToUpper(kind[:1]), kind[1:], x)
	case slots.Strings:
		a.f("if dst, bad = %sStrings(dst, %s); bad != nil {\nreturn nil, bad.in(%q, %s)\n}", encoding, x, sf.Name, a.index)
	default:
		a.f("if dst, bad = %s(dst, %s%s); bad != nil {\nreturn nil, bad.in(%q, %s)\n}", appenderName(f.Struct, a.flexible, true), x, a.versionArgument(f.Struct, a.flexible, "v"), sf.Name, a.index)
	}
}

// single writes the append of a struct that is no element of an array.
func (a *dataAppender) single(f *slots.Field, nullable bool) {
	sf := f.Schema
	x := "x." + sf.GoName
	call := func(ref string) {
		a.f("if dst, bad = %s(dst, %s%s); bad != nil {\nreturn nil, bad.in(%q, %s)\n}", appenderName(f.Struct, a.flexible, false), ref, a.versionArgument(f.Struct, a.flexible, "v"), sf.Name, a.index)
	}
	switch {
	case sf.Nullable.Empty():
		call("&" + x)
	case !nullable:
		a.f("if %s == nil {\nreturn nil, nullStruct(%q, %s)\n}", x, sf.Name, a.index)
		call(x)
	default:
		null := "0xff"
		if sf.IsTagged() {
			null = "0"
		}
		a.f("if %s == nil {\ndst = append(dst, %s)\n} else {\ndst = append(dst, 1)", x, null)
		call(x)
		a.f("}")
	}
}

// unknownTags writes what follows the count of an empty tag section: the section
// in its place where it isn't empty, or the error where the encoding has none.
func (a *dataAppender) unknownTags(after string) {
	if !a.flexible {
		if !a.m.Schema.Flexible.Empty() {
			a.f("if len(x.UnknownTags) > 0 {\nreturn nil, noTags(%s)\n}", a.index)
		}
		return
	}
	cond, call := "len(x.UnknownTags) > 0", fmt.Sprintf("appendUnknownTags(dst, x.UnknownTags, %s)", a.index)
	if conds := a.tagConds(); len(conds) > 0 {
		cond += " || " + strings.Join(conds, " || ")
		call = fmt.Sprintf("appendTags%s(dst, x%s, %s)", a.s.Schema.GoName, a.versionArgument(a.s, true, "v"), a.index)
	}
	a.f("if %s {\nif dst, bad = %s; bad != nil {\nreturn nil, bad\n}\n%s}", cond, call, after)
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
		if f.Schema.IsTagged() && !f.Schema.Tagged.And(a.all).Empty() {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(f, g *slots.Field) int { return cmp.Compare(f.Schema.Tag, g.Schema.Tag) })
	return out
}

func (a *dataAppender) tagCond(f *schema.Field) string {
	set := nonDefault(f)
	if cond := within("v", f.Tagged, a.all); cond != "" {
		return cond + " && " + inner(set)
	}
	return set
}

// tagFunc writes the function that appends a section with known tags.
func (a *dataAppender) tagFunc() {
	fields := a.tagged()
	if len(fields) == 0 {
		return
	}
	t := &dataAppender{dataWriter: a.dataWriter, s: a.s, all: a.all, flexible: true, index: "i"}
	known := steps(a.all, func(v int16) int { return int(a.s.KnownTags(v)) })
	t.f("known := uint32(%d)", known[0].value)
	for _, k := range known[1:] {
		t.f("if v >= %d {\nknown = %d\n}", k.from, k.value)
	}
	t.f("if err := fastcodec.CheckTags(x.UnknownTags, known); err != nil {\nreturn nil, badTags(err, i)\n}")
	t.f("count := len(x.UnknownTags)")
	for _, f := range fields {
		t.f("if %s {\ncount++\n}", t.tagCond(f.Schema))
	}
	t.f("var m fastcodec.TagMerge\nm.Start(x.UnknownTags)\ndst = fastcodec.AppendUvarint(dst[:len(dst)-1], uint32(count))")
	for _, f := range fields {
		t.f("if %s {\ndst = m.AppendBelow(dst, %d)", t.tagCond(f.Schema), f.Schema.Tag)
		if f.Shape == slots.InRun {
			t.f("dst = append(dst, %d, %d)", f.Schema.Tag, f.Schema.Type.FixedSize())
			t.append(f.Schema)
		} else {
			t.f("dst = append(dst, %d, 0)\nat := len(dst)", f.Schema.Tag)
			t.all = f.Schema.Tagged.And(a.all)
			t.field(f)
			t.all = a.all
			t.f("dst = setTagSize(dst, at)")
		}
		t.f("}")
	}
	name := a.s.Schema.GoName
	a.p("// appendTags%s puts the tag section of a struct in the place of an empty one.", name)
	a.p("func appendTags%s(dst []byte, x *%s%s, i int) ([]byte, *failure) {", name, name, a.versionArgument(a.s, true, "v int16"))
	if strings.Contains(t.body.String(), "bad = ") {
		a.p("var bad *failure")
	}
	a.p("%sreturn m.AppendRest(dst), nil\n}\n", &t.body)
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
