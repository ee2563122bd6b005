// JSON in: what AppendJSON writes, and what Kafka's converters write.

package layout

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"strconv"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/schema"
	"github.com/kafkawire/kafkawire/internal/unsafeio"
)

// ErrJSON: a JSON text that is not that of the message.
var ErrJSON = errors.New("JSON does not fit the message")

// AppendFromJSON appends the body that a JSON object in the form of AppendJSON
// says. Members may come in any order. A tagged field that isn't there has its
// default; any other field of the version must be there, and nothing else may. An
// error is a *fastcodec.Error with the path of the field: it wraps ErrJSON where
// the JSON is malformed, misses a field or has one of another type, range or
// encoding, fastcodec.ErrNull, fastcodec.ErrTooLong, fastcodec.ErrTagKnown or
// fastcodec.ErrTagsNotSupported where the value can't be written. dst then comes
// back at its old length.
func (m *Message) AppendFromJSON(dst, text []byte) ([]byte, error) {
	r := jsonReader{m: m}
	if !json.Valid(text) {
		r.fail(ErrJSON, "valid JSON")
		return dst, r.err
	}
	v := jsonValue(bytes.Trim(text, " \t\r\n"))
	out := r.structure(dst, m.root, v)
	if r.err != nil {
		return dst, r.err
	}
	return out, nil
}

// jsonReader encodes. Once err is set nothing that it returns matters.
type jsonReader struct {
	m    *Message
	path []fastcodec.PathStep
	err  error
}

func (r *jsonReader) push(name string) {
	r.path = append(r.path, fastcodec.PathStep{Name: name, Index: -1})
}

func (r *jsonReader) pop() { r.path = r.path[:len(r.path)-1] }

// fail notes the first error, at the field that the path leads to.
func (r *jsonReader) fail(sentinel error, want string) {
	if r.err != nil {
		return
	}
	err := &fastcodec.Error{Message: r.m.schema.Name, Version: r.m.version, Offset: -1, Err: sentinel, Want: want}
	for i := len(r.path) - 1; i >= 0; i-- {
		err.Path.Prepend(r.path[i].Name, int(r.path[i].Index))
	}
	r.err = err
}

// failAt is fail for a member of the struct that the path leads to.
func (r *jsonReader) failAt(name string, sentinel error, want string) {
	r.push(name)
	r.fail(sentinel, want)
	r.pop()
}

const unknownMember = "unknownTags"

// structure appends a struct.
func (r *jsonReader) structure(dst []byte, t *structure, v jsonValue) []byte {
	if !v.isObject() {
		r.fail(ErrJSON, "an object, not "+v.kind())
		return dst
	}
	fields := make([]jsonValue, len(t.fields))
	tags := make([]jsonValue, len(t.tags))
	var unknown jsonValue
	v.members(func(name, value jsonValue) bool {
		text, err := name.text()
		place := &unknown
		if string(text) != unknownMember {
			if place = t.member(string(text), fields, tags); err != nil || place == nil {
				r.failAt(memberName(text), ErrJSON, "no member that version "+strconv.Itoa(int(r.m.version))+" doesn't have")
				return false
			}
		}
		if *place != nil {
			r.failAt(memberName(text), ErrJSON, "each member once")
			return false
		}
		*place = value
		return true
	})
	for i := range t.fields {
		if r.err != nil {
			return dst
		}
		f := &t.fields[i]
		r.push(f.name)
		if fields[i] == nil {
			r.fail(ErrJSON, "a value: only tagged fields may be missing")
		} else {
			dst = r.field(dst, f, fields[i])
		}
		r.pop()
	}
	if r.err != nil {
		return dst
	}
	if !t.flexible {
		if unknown != nil {
			r.failAt(unknownMember, fastcodec.ErrTagsNotSupported, "")
		}
		return dst
	}
	return r.section(dst, t, tags, unknown)
}

// member is the place for the value of a member.
func (t *structure) member(name string, fields, tags []jsonValue) *jsonValue {
	for i := range t.fields {
		if t.fields[i].json == name {
			return &fields[i]
		}
	}
	for i := range t.tags {
		if t.tags[i].json == name {
			return &tags[i]
		}
	}
	return nil
}

// section appends a tag section: known fields that are not at their default, and
// unknown ones among them.
func (r *jsonReader) section(dst []byte, t *structure, tags []jsonValue, unknown jsonValue) []byte {
	var all []fastcodec.Tag
	for i := range t.tags {
		f := &t.tags[i]
		if tags[i] == nil {
			continue
		}
		r.push(f.name)
		payload := r.field(nil, f, tags[i])
		r.pop()
		if r.err != nil {
			return dst
		}
		if !f.isDefault(payload) {
			all = append(all, fastcodec.Tag{Number: uint32(f.schema.Tag), Data: payload})
		}
	}
	if unknown != nil {
		r.push(unknownMember)
		given := r.unknownTags(unknown)
		if r.err == nil {
			if err := fastcodec.CheckTags(given, t.slots.KnownTags(r.m.version)); err != nil {
				r.fail(err, "")
			}
		}
		r.pop()
		all = append(all, given...)
	}
	if r.err != nil {
		return dst
	}
	return fastcodec.AppendTags(dst, all)
}

// unknownTags reads the list of unknown tagged fields.
func (r *jsonReader) unknownTags(v jsonValue) (tags []fastcodec.Tag) {
	const want = `objects {"tag": number, "data": base64}`
	if !v.isArray() {
		r.fail(ErrJSON, "an array, not "+v.kind())
		return nil
	}
	v.elements(func(i int, e jsonValue) bool {
		r.path[len(r.path)-1].Index = int32(i)
		if !e.isObject() {
			r.fail(ErrJSON, want)
			return false
		}
		var number, data jsonValue
		e.members(func(name, value jsonValue) bool {
			switch text, _ := name.text(); {
			case string(text) == "tag" && number == nil:
				number = value
			case string(text) == "data" && data == nil:
				data = value
			default:
				r.fail(ErrJSON, want)
			}
			return r.err == nil
		})
		if number == nil || data == nil {
			r.fail(ErrJSON, want)
			return false
		}
		n := r.integer(number, 0, math.MaxUint32)
		tags = append(tags, fastcodec.Tag{Number: uint32(n), Data: r.base64(data)})
		return r.err == nil
	})
	return tags
}

// field appends a field, or the payload of a tagged one.
func (r *jsonReader) field(dst []byte, f *field, v jsonValue) []byte {
	switch {
	case f.array:
		return r.array(dst, f, v)
	case f.of != nil:
		if f.nullable {
			dst = appendMarker(dst, f, v.isNull())
		}
		if v.isNull() && f.nullable {
			return dst
		}
		return r.structure(dst, f.of, v)
	}
	return r.value(dst, f, v, f.nullable)
}

func (r *jsonReader) array(dst []byte, f *field, v jsonValue) []byte {
	switch {
	case v.isNull() && f.nullable:
		return appendLength(dst, f.kind, -1)
	case v.isNull():
		r.fail(fastcodec.ErrNull, "an array, not null")
		return dst
	case !v.isArray():
		r.fail(ErrJSON, "an array, not "+v.kind())
		return dst
	}
	dst = appendLength(dst, f.kind, v.len())
	depth := len(r.path)
	v.elements(func(i int, e jsonValue) bool {
		r.path[depth-1].Index = int32(i)
		if f.of != nil {
			dst = r.structure(dst, f.of, e)
		} else {
			dst = r.value(dst, f, e, false)
		}
		return r.err == nil
	})
	r.path[depth-1].Index = -1
	return dst
}

// value appends a value that is no array or struct.
func (r *jsonReader) value(dst []byte, f *field, v jsonValue, nullable bool) []byte {
	switch f.typ {
	case schema.Bool:
		if string(v) != "true" && string(v) != "false" {
			r.fail(ErrJSON, "a bool, not "+v.kind())
		}
		return append(dst, boolByte(v[0] == 't'))
	case schema.Float64:
		return fastcodec.AppendFloat64(dst, r.float(v))
	case schema.UUID:
		text, err := r.string(v)
		u, bad := fastcodec.ParseUUID(string(text))
		if err == nil && bad != nil {
			r.fail(ErrJSON, "a uuid: 22 characters of url-safe base64")
		}
		return fastcodec.AppendUUID(dst, u)
	case schema.Uint16, schema.Uint32:
		return appendInteger(dst, r.integer(v, 0, 1<<(8*f.size)-1), f.size)
	case schema.Int8, schema.Int16, schema.Int32, schema.Int64:
		most := int64(1)<<(8*f.size-1) - 1
		return appendInteger(dst, r.integer(v, -most-1, most), f.size)
	}
	k := f.kind
	if f.array {
		k = f.element
	}
	if v.isNull() {
		if !nullable {
			r.fail(fastcodec.ErrNull, "a "+Kind(f.typ).String()+" value, not null")
		}
		return appendLength(dst, k, -1)
	}
	if f.typ != schema.String {
		b := r.base64(v)
		return append(appendLength(dst, k, len(b)), b...)
	}
	text, _ := r.string(v)
	if len(text) > maxString {
		r.fail(fastcodec.ErrTooLong, "a string of at most 32767 bytes")
		return dst
	}
	return append(appendLength(dst, k, len(text)), text...)
}

func (r *jsonReader) string(v jsonValue) ([]byte, error) {
	if !v.isString() {
		r.fail(ErrJSON, "a string, not "+v.kind())
		return nil, r.err
	}
	text, err := v.text()
	if err != nil {
		r.fail(ErrJSON, "a string in UTF-8")
	}
	return text, err
}

func (r *jsonReader) base64(v jsonValue) []byte {
	text, err := r.string(v)
	if err != nil {
		return nil
	}
	b, err := base64.StdEncoding.Strict().AppendDecode(nil, text)
	// The decoder passes over line ends.
	if err != nil || bytes.ContainsAny(text, "\r\n") {
		r.fail(ErrJSON, "padded base64")
	}
	return b
}

func (r *jsonReader) integer(v jsonValue, least, most int64) int64 {
	n, err := strconv.ParseInt(unsafeio.String(v), 10, 64)
	if !v.isNumber() || err != nil || n < least || n > most {
		r.fail(ErrJSON, "an integer from "+strconv.FormatInt(least, 10)+" to "+strconv.FormatInt(most, 10)+", not "+v.describe())
	}
	return n
}

// memberName is the name of a member for errors: it comes from outside.
func memberName(text []byte) string {
	for _, c := range text {
		if c < '0' || 'z' < c || '9' < c && c < 'A' || 'Z' < c && c < 'a' {
			return strconv.QuoteToASCII(clipText(string(text)))
		}
	}
	return clipText(string(text))
}

// clipText keeps errors short.
func clipText(s string) string {
	if len(s) > 32 {
		return s[:32] + "..."
	}
	return s
}

// javaNaN is Java's own NaN: which one it was is not in the JSON.
const javaNaN = 0x7ff8000000000000

func (r *jsonReader) float(v jsonValue) float64 {
	switch string(v) {
	case `"NaN"`:
		return math.Float64frombits(javaNaN)
	case `"Infinity"`:
		return math.Inf(1)
	case `"-Infinity"`:
		return math.Inf(-1)
	}
	n, err := strconv.ParseFloat(unsafeio.String(v), 64)
	if !v.isNumber() || err != nil {
		r.fail(ErrJSON, "a float64, not "+v.describe())
	}
	return n
}
