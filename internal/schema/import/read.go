// This file reads the message schemas in a kafka-clients jar: JSON as Kafka's
// generator takes it, with comments, coerced scalars and single values for lists.
package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kafkawire/kafkawire/internal/schema"
)

// definition is one message as one release has it. valid is None where the
// release has removed it.
type definition struct {
	release  string
	order    int // of the release, oldest first
	key      int16
	kind     schema.Kind
	name     string
	valid    schema.Versions
	flexible schema.Versions
	headers  []schema.HeaderRange
	fields   []*fieldDef
	structs  map[string]*structDef

	listeners []string
	unstable  bool
}

type structDef struct {
	versions schema.Versions
	fields   []*fieldDef
}

// fieldDef is a field with what its schema says of it. Ranges are as written, but
// for the defaults that Kafka gives them.
type fieldDef struct {
	schema.Field
	structName string
	entity     string
	fields     []*fieldDef
}

// jarReader collects what is wrong with a jar's schemas, so that all of it is reported.
type jarReader struct {
	file     string
	problems []string
}

func (r *jarReader) problem(where, format string, args ...any) {
	r.problems = append(r.problems, r.file+": "+where+": "+fmt.Sprintf(format, args...))
}

// readJar reads all schemas of a jar. The release is named by the file.
func readJar(name string, order int) ([]*definition, error) {
	jar, err := zip.OpenReader(name)
	if err != nil {
		return nil, err
	}
	defer jar.Close()
	release := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(name), ".jar"), "kafka-clients-")
	return readSchemas(&jar.Reader, release, order)
}

func readSchemas(jar *zip.Reader, release string, order int) ([]*definition, error) {
	var all []*definition
	var problems []string
	for _, f := range jar.File {
		if dir, file := path.Split(f.Name); dir != "common/message/" || path.Ext(file) != ".json" {
			continue
		}
		text, err := readFile(f)
		if err != nil {
			return nil, err
		}
		r := &jarReader{file: release + ": " + path.Base(f.Name)}
		d := r.definition(stripComments(text))
		d.release, d.order = release, order
		all = append(all, d)
		problems = append(problems, r.problems...)
	}
	if len(all) == 0 {
		problems = append(problems, release+": no schemas in common/message")
	}
	if problems != nil {
		return nil, fmt.Errorf("%s", strings.Join(problems, "\n"))
	}
	return all, nil
}

func readFile(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// stripComments blanks // and /* */ comments outside of strings.
func stripComments(text []byte) []byte {
	out := slices.Clone(text)
	blank := func(from, to int) int {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
		return to
	}
	until := func(from int, end string) int {
		if n := bytes.Index(text[from:], []byte(end)); n >= 0 {
			return from + n
		}
		return len(text)
	}
	for i := 0; i < len(text); {
		switch {
		case text[i] == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i++
		case bytes.HasPrefix(text[i:], []byte("//")):
			i = blank(i, until(i, "\n"))
		case bytes.HasPrefix(text[i:], []byte("/*")):
			i = blank(i, min(until(i+2, "*/")+2, len(text)))
		default:
			i++
		}
	}
	return out
}

// object is a JSON object whose members are taken one by one, so that those left
// are the unknown ones.
type object struct {
	*jarReader
	where   string
	members map[string]json.RawMessage
}

func (r *jarReader) object(raw []byte, where string) object {
	o := object{jarReader: r, where: where}
	if err := json.Unmarshal(raw, &o.members); err != nil {
		r.problem(where, "%v", err)
	}
	return o
}

func (o object) take(key string) json.RawMessage {
	raw := o.members[key]
	delete(o.members, key)
	return raw
}

// text takes a scalar of any kind as text; null and missing are "".
func (o object) text(key string) string {
	raw := o.take(key)
	switch {
	case raw == nil || string(raw) == "null":
		return ""
	case raw[0] == '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			o.problem(o.where, "%s: %v", key, err)
		}
		return text
	case raw[0] == '{' || raw[0] == '[':
		o.problem(o.where, "%s: want a scalar", key)
		return ""
	}
	return string(raw)
}

func (o object) bool(key string) bool {
	text := o.text(key)
	if text != "" && text != "true" && text != "false" {
		o.problem(o.where, "%s: want true or false, not %q", key, text)
	}
	return text == "true"
}

func (o object) versions(key string, missing schema.Versions) schema.Versions {
	text := strings.TrimSpace(o.text(key))
	if text == "" {
		return missing
	}
	v, err := schema.ParseVersions(text)
	if err != nil {
		o.problem(o.where, "%s: %v", key, err)
	}
	return v
}

// list takes an array, or a single value as an array of one.
func (o object) list(key string) []json.RawMessage {
	raw := o.take(key)
	if raw == nil || string(raw) == "null" {
		return nil
	}
	if raw[0] != '[' {
		return []json.RawMessage{raw}
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		o.problem(o.where, "%s: %v", key, err)
	}
	return items
}

// done reports the members that nobody took.
func (o object) done() {
	for _, key := range slices.Sorted(maps.Keys(o.members)) {
		if !slices.Contains(ignoredKeywords, key) {
			o.problem(o.where, "unknown keyword %q", key)
		}
	}
}

var messageKinds = map[string]schema.Kind{
	"request": schema.Request, "response": schema.Response, "header": schema.Header, "data": schema.Data,
}

func (r *jarReader) definition(text []byte) *definition {
	o := r.object(text, "message")
	d := &definition{key: -1, name: o.text("name"), structs: map[string]*structDef{}}
	kind, ok := messageKinds[o.text("type")]
	if !ok {
		o.problem(o.where, "unknown type")
	}
	d.kind = kind
	if kind == schema.Request || kind == schema.Response {
		key, err := strconv.ParseUint(o.text("apiKey"), 10, 15)
		if err != nil {
			o.problem(o.where, "apiKey: %v", err)
		}
		d.key = int16(key)
	}
	d.valid = o.versions("validVersions", schema.None)
	d.flexible = o.versions("flexibleVersions", schema.None)
	if d.valid.Max == schema.Forever || !d.flexible.Empty() && d.flexible.Max != schema.Forever {
		o.problem(o.where, "validVersions must be bounded and flexibleVersions open")
	}
	if kind == schema.Request {
		d.unstable = o.bool("latestVersionUnstable")
		for _, raw := range o.list("listeners") {
			d.listeners = append(d.listeners, strings.Trim(string(raw), `"`))
		}
		slices.Sort(d.listeners)
	}
	if raw := o.take("headerVersions"); raw != nil {
		h := r.object(raw, "headerVersions")
		for _, key := range slices.Sorted(maps.Keys(h.members)) {
			versions, err := schema.ParseVersions(strings.TrimSpace(key))
			header, err2 := strconv.ParseUint(h.text(key), 10, 15)
			if err != nil || err2 != nil {
				o.problem(h.where, "bad %q", key)
			}
			d.headers = append(d.headers, schema.HeaderRange{Versions: versions, Header: int16(header)})
		}
	}
	for _, raw := range o.list("commonStructs") {
		s := r.object(raw, "commonStructs")
		name := s.text("name")
		s.where = name
		d.structs[name] = &structDef{s.versions("versions", schema.Versions{Max: schema.Forever}), r.fields(s)}
		s.done()
	}
	d.fields = r.fields(o)
	o.done()
	return d
}

func (r *jarReader) fields(parent object) []*fieldDef {
	var fields []*fieldDef
	for _, raw := range parent.list("fields") {
		fields = append(fields, r.field(raw, parent.where))
	}
	return fields
}

func (r *jarReader) field(raw json.RawMessage, in string) *fieldDef {
	o := r.object(raw, in)
	f := &fieldDef{}
	f.Name = o.text("name")
	o.where += "." + f.Name
	typeName, array := strings.CutPrefix(o.text("type"), "[]")
	f.Array = array
	if t, ok := schema.ParseType(typeName); ok {
		f.Type = t
	} else if typeName != "" && 'A' <= typeName[0] && typeName[0] <= 'Z' {
		f.Type, f.structName = schema.StructType, typeName
	} else {
		o.problem(o.where, "unknown type %q", typeName)
	}
	f.Tagged = o.versions("taggedVersions", schema.None)
	f.Versions = o.versions("versions", f.Tagged)
	if f.Versions.Empty() {
		o.problem(o.where, "no versions")
	}
	f.Nullable = o.versions("nullableVersions", schema.None)
	f.Tag = -1
	if text := o.text("tag"); text != "" {
		tag, err := strconv.ParseUint(text, 10, 15)
		if err != nil {
			o.problem(o.where, "tag: %v", err)
		}
		f.Tag = int(tag)
	}
	if (f.Tag >= 0) == f.Tagged.Empty() {
		o.problem(o.where, "tag and taggedVersions go together")
	}
	f.Ignorable = o.bool("ignorable")
	f.MapKey = o.bool("mapKey")
	if text := o.text("flexibleVersions"); text == "none" && f.Type == schema.String && !f.Array {
		f.LegacyText = true
	} else if text != "" {
		o.problem(o.where, "flexibleVersions of a field: only none, of a string, is known, not %q", text)
	}
	if e := o.text("entityType"); e != "" && e != "unknown" {
		if f.entity = entityKinds[e]; f.entity == "" {
			o.problem(o.where, "unknown entity type %q", e)
		}
	}
	var err error
	if f.Default, err = canonicalDefault(o.text("default"), f.Type, f.Array); err != nil {
		o.problem(o.where, "default: %v", err)
	}
	f.fields = r.fields(o)
	o.done()
	return f
}

// canonicalDefault is the default in the notation's form: "" for the zero value,
// numbers in decimal. Kafka takes hexadecimal too; a leading 0 is no octal.
func canonicalDefault(text string, t schema.Type, array bool) (string, error) {
	switch {
	case text == "" || text == "null":
		return text, nil
	case array || t >= schema.UUID:
		return "", fmt.Errorf("only null is known here, not %q", text)
	case t == schema.Bool:
		if text != "true" && text != "false" {
			return "", fmt.Errorf("want true or false, not %q", text)
		}
		return strings.TrimPrefix(text, "false"), nil
	case t == schema.Float64:
		n, err := strconv.ParseFloat(text, 64)
		if n == 0 {
			return "", err
		}
		return text, err
	}
	base := 10
	digits, hex := strings.CutPrefix(text, "0x")
	if hex {
		base = 16
	}
	n, err := strconv.ParseInt(digits, base, 64)
	if n == 0 {
		return "", err
	}
	return strconv.FormatInt(n, 10), err
}
