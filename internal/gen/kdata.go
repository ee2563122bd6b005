package main

// The generator of fastcodec/kdata: a plain struct a message and a struct inside
// it, and New with Kafka's defaults. How they are written is in kdata_append.go.

import (
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
	for _, s := range all {
		if g.general(m.Structs[s]) {
			g.appendMethod(m.Structs[s])
		}
	}
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
