package kdata

// Why a struct can't be written, and where. An appender only finds out that it
// can't; this walks the struct again, by reflection, under the rules that its struct
// tags state:
//
//	kafka:"Name [string|bytes|records] [VERSIONS] [null [VERSIONS]] [= DEFAULT] [tag N] [ignorable]"
//
// Name is Kafka's; versions are those that have the field, or allow null, where not
// all do; the rest is as in the schema notation. A field without a struct tag has
// Kafka's name, is in all versions, and has no other property.

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// tagSection is what the tag section of a struct is called in a path.
const tagSection = "tagged_fields"

// explain finds the first value of a message, in the order of the fields, that
// can't be written at a version. flexible is the first flexible version.
//
//go:noinline
func explain(x any, message string, version, flexible int16) error {
	c := &complaint{&fastcodec.Error{Message: message, Version: version, Offset: -1, Err: fastcodec.ErrTooLong}, version, flexible}
	c.structure(reflect.ValueOf(x).Elem())
	return c.err
}

// complaint is the error that is looked for.
type complaint struct {
	err               *fastcodec.Error
	version, flexible int16
}

// is notes what is wrong; it returns true, as all methods do that found something.
func (c *complaint) is(err error, want string) bool {
	c.err.Err, c.err.Want = err, want
	return true
}

// at puts a field before the path of what was found.
func (c *complaint) at(found bool, name string, index int) bool {
	if found {
		c.err.Path.Prepend(name, index)
	}
	return found
}

// structure looks at the fields of a struct.
func (c *complaint) structure(v reflect.Value) bool {
	known := uint32(0)
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch {
		case !field.IsExported():
		case field.Name == "UnknownTags":
			if err := c.unknownTags(v.Field(i).Interface().([]fastcodec.Tag), known); err != nil {
				return c.at(c.is(err, ""), tagSection, -1)
			}
		default:
			r := rulesOf(field)
			if r.versions.has(c.version) && r.tag >= 0 {
				known |= 1 << r.tag
			}
			if c.field(v.Field(i), r) {
				return true
			}
		}
	}
	return false
}

func (c *complaint) unknownTags(tags []fastcodec.Tag, known uint32) error {
	if c.version < c.flexible && len(tags) > 0 {
		return fastcodec.ErrTagsNotSupported
	}
	return fastcodec.CheckTags(tags, known)
}

// field looks at a field and what is inside of it.
func (c *complaint) field(v reflect.Value, r rules) bool {
	if !r.versions.has(c.version) {
		return c.at(!r.ignorable && !r.isDefault(v) && c.is(fastcodec.ErrNotInVersion, "the default"), r.name, -1)
	}
	if r.tag >= 0 && r.isDefault(v) {
		return false // not written
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return c.at(c.structure(v.Elem()), r.name, -1)
		}
		return c.at(!r.null.has(c.version) && c.is(fastcodec.ErrNull, "a struct"), r.name, -1)
	case reflect.Struct:
		return v.Type() != uuidType && c.at(c.structure(v), r.name, -1)
	case reflect.Slice:
		if c.length(v, r.kind == "string") {
			return c.at(true, r.name, -1)
		}
		for i := range v.Len() {
			switch e := v.Index(i); e.Kind() {
			case reflect.Slice:
				if c.length(e, true) {
					return c.at(true, r.name, i)
				}
			case reflect.Struct:
				if e.Type() != uuidType && c.structure(e) {
					return c.at(true, r.name, i)
				}
			default:
				return false
			}
		}
	}
	return false
}

func (c *complaint) length(v reflect.Value, text bool) bool {
	switch {
	case text && v.Len() > fastcodec.MaxString:
		return c.is(fastcodec.ErrTooLong, "at most 32767 bytes")
	case uint64(v.Len()) > math.MaxInt32:
		return c.is(fastcodec.ErrTooLong, "a length of at most 2147483647")
	}
	return false
}

var uuidType = reflect.TypeFor[fastcodec.UUID]()

// versions is an inclusive range.
type versions struct{ min, max int16 }

func (r versions) has(v int16) bool { return r.min <= v && v <= r.max }

var allVersions, noVersions = versions{0, math.MaxInt16}, versions{0, -1}

// rules is what a field's struct tag says.
type rules struct {
	name, kind     string
	versions, null versions
	preset         string // the default as text; "" is zero, or empty
	tag            int    // or -1
	ignorable      bool
}

func rulesOf(field reflect.StructField) rules {
	r := rules{name: field.Name, versions: allVersions, null: noVersions, tag: -1}
	words := strings.Fields(field.Tag.Get("kafka"))
	into := &r.versions
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case i == 0:
			r.name = word
		case word == "string" || word == "bytes" || word == "records":
			r.kind = word
		case word == "null":
			r.null, into = allVersions, &r.null
		case word == "=":
			i++
			r.preset = words[i]
		case word == "tag":
			i++
			r.tag, _ = strconv.Atoi(words[i])
		case word == "ignorable":
			r.ignorable = true
		default:
			*into = parseVersions(word)
		}
	}
	return r
}

// parseVersions reads "3+", "3" and "3-5".
func parseVersions(text string) versions {
	low, high, ranged := strings.Cut(strings.TrimSuffix(text, "+"), "-")
	lowest, _ := strconv.ParseInt(low, 10, 16)
	highest := lowest
	switch {
	case ranged:
		highest, _ = strconv.ParseInt(high, 10, 16)
	case strings.HasSuffix(text, "+"):
		highest = math.MaxInt16
	}
	return versions{int16(lowest), int16(highest)}
}

// isDefault reports whether a field has Kafka's default.
func (r rules) isDefault(v reflect.Value) bool {
	nullable := r.null != noVersions
	switch v.Kind() {
	case reflect.Pointer:
		if r.preset == "null" || v.IsNil() {
			return r.preset == "null" && v.IsNil()
		}
		return allDefault(v.Elem())
	case reflect.Slice:
		switch {
		case nullable && (r.preset == "null" || r.kind == "records"):
			return v.IsNil()
		case r.preset != "" && r.preset != "null":
			return string(v.Bytes()) == r.preset
		}
		return v.Len() == 0 && !(nullable && v.IsNil())
	case reflect.Struct:
		if v.Type() != uuidType {
			return allDefault(v)
		}
		var preset fastcodec.UUID
		if r.preset != "" {
			preset, _ = fastcodec.ParseUUID(r.preset)
		}
		return v.Interface() == preset
	case reflect.Bool:
		return v.Bool() == (r.preset == "true")
	case reflect.Float64:
		preset, _ := strconv.ParseFloat(r.preset, 64)
		return v.Float() == preset
	case reflect.Uint16, reflect.Uint32:
		preset, _ := strconv.ParseUint(r.preset, 10, 64)
		return v.Uint() == preset
	}
	preset, _ := strconv.ParseInt(r.preset, 10, 64)
	return v.Int() == preset
}

// allDefault reports whether a struct is Kafka's default, at any version.
func allDefault(v reflect.Value) bool {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch {
		case !field.IsExported():
		case field.Name == "UnknownTags":
			if v.Field(i).Len() > 0 {
				return false
			}
		case !rulesOf(field).isDefault(v.Field(i)):
			return false
		}
	}
	return true
}
