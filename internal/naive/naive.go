// Package naive reads Kafka messages in the most obvious way: from the layout of
// one version as a line of text, one field after the other, into a tree of values.
// It is test code, the third opinion beside the two parsers that programs use, and
// has nothing in common with them: no schema, no index, no fast path.
//
// What it accepts is what Kafka's own reader accepts, but for five differences
// that are marked D1 to D5 where they stand.
package naive

import (
	"fmt"
	"strings"
)

// Struct is a struct, or a whole message, at one version.
type Struct struct {
	Fields   []*Field // in wire order, the tagged ones left out
	Flexible bool     // a section of tagged fields follows
	Tags     []*Field // the known tagged fields
}

// Field is a field at one version.
type Field struct {
	Name     string
	Type     string // bool, int8, int16, uint16, int32, uint32, int64, float64, uuid, string, bytes, records or struct; of the elements of an array
	Array    bool
	Nullable bool
	Struct   *Struct
	Tag      uint32
	// Compact and CountCompact say that the length of a string or of bytes, and the
	// count of an array, are uvarints of themselves + 1.
	Compact, CountCompact bool
	// Default is as schemas write it ("" is the type's zero). A layout does not have
	// it: whoever knows it may put it here.
	Default string
}

// types are the names of types in layouts, and what they are.
var types = map[string]string{
	"bool": "bool", "int8": "int8", "int16": "int16", "uint16": "uint16", "int32": "int32", "uint32": "uint32", "int64": "int64",
	"float64": "float64", "uuid": "uuid", "str": "string", "bytes": "bytes", "rec": "records",
}

// Parse reads a layout: {A:int16 B:cstr? C:c[]{D:bool <>} <0=E:int64>}. A struct
// stands in braces, its tagged fields in angle brackets (there, if empty, in every
// struct of a flexible version); c is for compact lengths and counts, [] for an
// array, ? for null being legal.
func Parse(layout string) (*Struct, error) {
	p := &parser{rest: layout}
	s, err := p.structure()
	if err == nil && p.rest != "" {
		err = fmt.Errorf("%q behind the end", p.rest)
	}
	return s, err
}

type parser struct{ rest string }

func (p *parser) take(text string) bool {
	rest, ok := strings.CutPrefix(p.rest, text)
	p.rest = rest
	return ok
}

func (p *parser) structure() (*Struct, error) {
	if !p.take("{") {
		return nil, fmt.Errorf("want a struct at %.20q", p.rest)
	}
	s := &Struct{}
	for !p.take("}") {
		switch {
		case p.take(" "):
		case p.take("<"):
			s.Flexible = true
			for !p.take(">") {
				if p.take(" ") {
					continue
				}
				var tag uint32
				if _, err := fmt.Sscanf(p.rest, "%d=", &tag); err != nil {
					return nil, err
				}
				_, p.rest, _ = strings.Cut(p.rest, "=")
				f, err := p.field()
				if err != nil {
					return nil, err
				}
				f.Tag = tag
				s.Tags = append(s.Tags, f)
			}
		default:
			f, err := p.field()
			if err != nil {
				return nil, err
			}
			s.Fields = append(s.Fields, f)
		}
	}
	return s, nil
}

func (p *parser) field() (*Field, error) {
	name, rest, ok := strings.Cut(p.rest, ":")
	if !ok {
		return nil, fmt.Errorf("want a field at %.20q", p.rest)
	}
	p.rest = rest
	f := &Field{Name: name}
	f.CountCompact = p.take("c[]")
	f.Array = f.CountCompact || p.take("[]")
	if strings.HasPrefix(p.rest, "{") {
		var err error
		if f.Struct, err = p.structure(); err != nil {
			return nil, err
		}
		f.Type = "struct"
	} else {
		end := strings.IndexAny(p.rest, "? }>")
		if end < 0 {
			return nil, fmt.Errorf("no end behind the type of %s", name)
		}
		text := p.rest[:end]
		p.rest = p.rest[end:]
		if f.Type, ok = types[text]; !ok {
			f.Compact = true
			if f.Type, ok = types[strings.TrimPrefix(text, "c")]; !ok {
				return nil, fmt.Errorf("unknown type %q of %s", text, name)
			}
		}
	}
	f.Nullable = p.take("?")
	return f, nil
}

// tag is the known tagged field with a number, and its place among them.
func (s *Struct) tag(number uint32) (*Field, int) {
	for i, f := range s.Tags {
		if f.Tag == number {
			return f, i
		}
	}
	return nil, -1
}

// size is the number of bytes of a type of fixed size, or 0.
func size(typ string) int {
	switch typ {
	case "bool", "int8":
		return 1
	case "int16", "uint16":
		return 2
	case "int32", "uint32":
		return 4
	case "int64", "float64":
		return 8
	case "uuid":
		return 16
	}
	return 0
}
