// These tests feed the importer small jars made in memory: what JSON it takes, how
// releases merge, and what makes it fail.
package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/internal/schema"
)

// jar is a jar with one schema a text.
func jar(t *testing.T, schemas ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, text := range append(schemas, "no JSON") {
		name := fmt.Sprintf("common/message/S%d.json", i)
		if i == len(schemas) {
			name = "common/message/README.md"
		}
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// importTexts imports releases 1.0, 2.0 and so on, each given by its schemas, and
// returns the notation of all, the notes, and the error.
func importTexts(t *testing.T, releases ...[]string) (notation, notes string, err error) {
	t.Helper()
	var defs []*definition
	for i, schemas := range releases {
		b := jar(t, schemas...)
		r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		d, err := readSchemas(r, fmt.Sprintf("%d.0", i+1), i)
		if err != nil {
			return "", "", err
		}
		defs = append(defs, d...)
	}
	apis, err := importAll(defs, "", func(format string, args ...any) { notes += fmt.Sprintf(format+"\n", args...) })
	for _, a := range apis {
		notation += string(schema.Format(a))
	}
	return notation, notes, err
}

// data is a schema of a data message D with the given versions and fields.
func data(versions, flexible, fields string) string {
	return fmt.Sprintf(`{"type": "data", "name": "D", "validVersions": %q, "flexibleVersions": %q, "fields": [%s]}`, versions, flexible, fields)
}

func TestJSONOddities(t *testing.T) {
	for name, c := range map[string]struct{ schema, want string }{
		"comments, also in strings": {`// first
{ /* one
   more "*/ "type": "data", "name": "D", // "name": "E",
  "validVersions": "0", "flexibleVersions": "none",
  "fields": [ { "name": "X", "type": "int8", "versions": "0+", "about": "see http://x/*\"//" } ] } /* last`,
			"data D 0\n  X  int8\n"},
		"scalars of any kind": {data("0", "0+", `
  {"name": "A", "type": "int8", "versions": "0+", "default": -1, "tag": "0", "taggedVersions": "0+", "ignorable": "true"},
  {"name": "B", "type": "bool", "versions": "0+", "default": true, "ignorable": "false"},
  {"name": "C", "type": "int32", "versions": "0+", "default": "0x7fffffff", "tag": 1, "taggedVersions": "0+"},
  {"name": "E", "type": "int64", "versions": 0, "default": "0xcafcacafcacafca"},
  {"name": "F", "type": "int32", "versions": "0+", "default": "010"},
  {"name": "G", "type": "bool", "versions": "0+", "default": "false"},
  {"name": "H", "type": "int16", "versions": "0+", "default": "0"},
  {"name": "I", "type": "float64", "versions": "0+", "default": "0.0"}`),
			`data D 0, flexible 0+
  A  int8 = -1                   tag 0, ignorable
  B  bool = true
  C  int32 = 2147483647          tag 1
  E  int64 = 914172222550880202
  F  int32 = 10
  G  bool
  H  int16
  I  float64
`},
		"null is no default, \"null\" is one": {data("0", "none", `
  {"name": "A", "type": "string", "versions": "0+", "nullableVersions": "0+", "default": null},
  {"name": "B", "type": "string", "versions": "0+", "nullableVersions": "0+", "default": "null"},
  {"name": "C", "type": "string", "versions": "0+", "default": ""}`),
			"data D 0\n  A  string?\n  B  string? = null\n  C  string\n"},
		"single values for lists": {`{"type": "data", "name": "D", "validVersions": "0", "flexibleVersions": "none",
  "fields": {"name": "A", "type": "[]int8", "versions": "0"}}`,
			"data D 0\n  A  []int8\n"},
		"versions from taggedVersions, spaces around": {data(" 0-1 ", "1+", `
  {"name": "A", "type": "int8", "taggedVersions": " 1+ ", "tag": 0}`),
			"data D 0-1, flexible 1+\n  A  int8 1+  tag 0\n"},
		"cluster ids and entities are marked": {data("0", "none", `
  {"name": "ClusterId", "type": "string", "versions": "0+", "zeroCopy": true},
  {"name": "Isr", "type": "[]int32", "versions": "0+", "entityType": "brokerId"}`),
			"data D 0\n  ClusterId  string   cluster\n  Isr        []int32  broker\n"},
		"ranges are cut to those around, fields without a version go": {data("2-5", "none", `
  {"name": "A", "type": "[]S", "versions": "0-4", "fields": [
    {"name": "B", "type": "int8", "versions": "3+"},
    {"name": "C", "type": "int8", "versions": "5+"},
    {"name": "E", "type": "string", "versions": "1+", "nullableVersions": "0-3"}]},
  {"name": "F", "type": "int8", "versions": "0-1"}`),
			"data D 2-5\n  A    []S 2-4\n    B  int8 3-4\n    E  string null 2-3\n"},
	} {
		got, _, err := importTexts(t, []string{c.schema})
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.want)
		}
	}
}

func TestSchemasThatFail(t *testing.T) {
	for name, c := range map[string]struct{ schema, want string }{
		"unknown keyword": {`{"type": "data", "name": "D", "validVersions": "0", "colour": 1, "taste": 2, "fields": [
  {"name": "A", "type": "int8", "versions": "0", "shape": {}}]}`,
			"1.0: S0.json: message.A: unknown keyword \"shape\"\n1.0: S0.json: message: unknown keyword \"colour\"\n" +
				"1.0: S0.json: message: unknown keyword \"taste\""},
		"trailing tokens":  {data("0", "none", "") + " {}", "invalid character '{' after top-level value"},
		"no JSON":          {"{", "unexpected end of JSON input"},
		"unknown type":     {strings.Replace(data("0", "none", ""), `"data"`, `"rumour"`, 1), "unknown type"},
		"unknown field":    {data("0", "none", `{"name": "A", "type": "int7", "versions": "0"}`), `message.A: unknown type "int7"`},
		"unknown entity":   {data("0", "none", `{"name": "A", "type": "int8", "versions": "0", "entityType": "hat"}`), `unknown entity type "hat"`},
		"open versions":    {data("0+", "none", ""), "validVersions must be bounded"},
		"closed flexible":  {data("0-2", "0-1", ""), "flexibleVersions open"},
		"bad versions":     {data("0", "none", `{"name": "A", "type": "int8", "versions": "3-1"}`), `bad versions "3-1"`},
		"no versions":      {data("0", "none", `{"name": "A", "type": "int8"}`), "message.A: no versions"},
		"flexible field":   {data("0", "0+", `{"name": "A", "type": "string", "versions": "0", "flexibleVersions": "1+"}`), "only none"},
		"bad bool":         {data("0", "none", `{"name": "A", "type": "int8", "versions": "0", "mapKey": "yes"}`), "want true or false"},
		"bad default":      {data("0", "none", `{"name": "A", "type": "int8", "versions": "0", "default": "x"}`), "default: "},
		"text default":     {data("0", "none", `{"name": "A", "type": "string", "versions": "0", "default": "x"}`), "only null is known"},
		"default too big":  {data("0", "none", `{"name": "A", "type": "int8", "versions": "0", "default": "200"}`), `bad default "200"`},
		"tag alone":        {data("0", "0+", `{"name": "A", "type": "int8", "versions": "0", "tag": 0}`), "go together"},
		"list for scalar":  {data("0", "none", `{"name": ["A"], "type": "int8", "versions": "0"}`), "name: want a scalar"},
		"struct undefined": {data("0", "none", `{"name": "A", "type": "S", "versions": "0"}`), "no section struct S"},
		"no key":           {`{"type": "request", "name": "DRequest", "validVersions": "0", "fields": []}`, "apiKey: "},
	} {
		_, _, err := importTexts(t, []string{c.schema})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	if _, _, err := importTexts(t, []string{}); err == nil {
		t.Error("a jar without schemas was taken")
	}
}

func TestNewestReleaseDefines(t *testing.T) {
	older := data("0-3", "2+", `
  {"name": "Old", "type": "int8", "versions": "0-1"},
  {"name": "A", "type": "string", "versions": "0+", "nullableVersions": "0+", "ignorable": true, "default": "null"},
  {"name": "Middle", "type": "int8", "versions": "1", "default": "7"},
  {"name": "S", "type": "[]S", "versions": "0+", "fields": [
    {"name": "X", "type": "int8", "versions": "0-2"},
    {"name": "Y", "type": "int8", "versions": "0+"}]}`)
	newer := data("2-4", "2+", `
  {"name": "A", "type": "string", "versions": "2+", "nullableVersions": "2-3", "entityType": "topicName"},
  {"name": "S", "type": "[]Renamed", "versions": "2+", "fields": [
    {"name": "X", "type": "int8", "versions": "2", "default": "1"},
    {"name": "Y", "type": "int8", "versions": "2+"},
    {"name": "Z", "type": "int8", "versions": "4+"}]}`)
	want := `data D 0-4, flexible 2+
  Old     int8 0-1
  A       string null 0-3  topic
  Middle  int8 1 = 7
  S       []Renamed
    X     int8 0-2 = 1
    Y     int8
    Z     int8 4+
`
	got, notes, err := importTexts(t, []string{older}, []string{newer})
	if err != nil || got != want || notes != "" {
		t.Errorf("%v\n%s%s", err, got, notes)
	}
	// A removed message stays as the last release had it.
	got, _, err = importTexts(t, []string{older}, []string{newer}, []string{`{"type": "data", "name": "D", "validVersions": "none"}`})
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestAPIFromTheNewestReleaseThatServesIt(t *testing.T) {
	api := func(valid, listeners, more string) []string {
		return []string{
			fmt.Sprintf(`{"type": "request", "apiKey": 900, "name": "TRequest", "validVersions": %q, "flexibleVersions": "1+",
  "listeners": %s, %s "fields": []}`, valid, listeners, more),
			fmt.Sprintf(`{"type": "response", "apiKey": 900, "name": "TResponse", "validVersions": %q, "flexibleVersions": "1+", "fields": []}`, valid),
		}
	}
	gone := []string{
		`{"type": "request", "apiKey": 900, "name": "TRequest", "validVersions": "none"}`,
		`{"type": "response", "apiKey": 900, "name": "TResponse", "validVersions": "none"}`,
	}
	got, _, err := importTexts(t, api("0-1", `["broker"]`, ""),
		api("1-2", `["zkBroker", "controller"]`, `"latestVersionUnstable": true, "headerVersions": {"0": 1, "1": 2, "2+": "3"},`), gone)
	want := "api 900 T  controller, zkBroker, unstable\n\nrequest 0-2, flexible 1+, header 3 for 2+\n\nresponse 0-2, flexible 1+\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestReleasesThatDisagree(t *testing.T) {
	field := func(name, typ, versions, more string) string {
		return fmt.Sprintf(`{"name": %q, "type": %q, "versions": %q%s}`, name, typ, versions, more)
	}
	base := field("A", "int8", "0+", "") + "," + field("B", "string", "0+", "")
	for name, c := range map[string]struct{ older, newer, want string }{
		"another type": {data("0", "none", field("A", "int16", "0+", "")), data("0", "none", field("A", "int8", "0+", "")),
			"D: v0: conflict: {int16} in 1.0, {int8} in a newer release"},
		"another order": {data("0", "none", field("B", "string", "0+", "")+","+field("A", "int8", "0+", "")), data("0", "none", base),
			"D: v0: conflict"},
		"another null": {data("0", "none", base), data("0", "none", field("A", "int8", "0+", "")+","+field("B", "string", "0+", `, "nullableVersions": "0+"`)),
			"D: v0: conflict: {int8 str} in 1.0, {int8 str?} in a newer release"},
		"flexible since": {data("0", "none", base), data("0", "0+", base), "D: v0: conflict"},
		"a field less":   {data("0", "none", base), data("0", "none", field("A", "int8", "0+", "")), "D: v0: conflict"},
		"renamed": {data("0", "none", base), data("0", "none", field("A", "int8", "0+", "")+","+field("C", "string", "0+", "")),
			`D: "C" is B in 1.0: decide whether that is a rename`},
		"type of a lost version": {data("0", "none", field("A", "int16", "0+", "")), data("1", "none", field("A", "int8", "0+", "")),
			"D: A has another type or tag in 1.0"},
		"order of a lost version": {data("0", "none", field("B", "string", "0+", "")+","+field("A", "int8", "0+", "")), data("1", "none", base),
			"D: v0: merged to"},
		"gap in the versions": {data("0", "none", base), data("2", "none", base), "D: validVersions: a gap"},
		"gap in a field": {data("0", "none", base), data("1-2", "none", field("A", "int8", "2+", "")+","+field("B", "string", "0+", "")),
			"D: A: a gap"},
	} {
		_, _, err := importTexts(t, []string{c.older}, []string{c.newer})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestDecidedRenameKeepsTheGoName(t *testing.T) {
	defer func(was []rename, conflicts []conflict) { decidedRenames, decidedConflicts = was, conflicts }(decidedRenames, decidedConflicts)
	decidedRenames = []rename{{"D", "S[].C", "AId", true}, {"D", "S[].C", "B", true}, {"D", "X", "Y", false}}
	decidedConflicts = []conflict{{"D", 1}}
	s := func(name, top, at1 string) []string {
		return []string{data("0-1", "none", fmt.Sprintf(`{"name": "S", "type": "[]S", "versions": "0+", "fields": [
  {"name": %q, "type": "int8", "versions": "0+"}]}, {"name": %q, "type": "int8", "versions": "0"}%s`, name, top, at1))}
	}
	got, notes, err := importTexts(t, s("AId", "Y", `, {"name": "Z", "type": "int8", "versions": "1"}`), s("B", "X", ""), s("C", "X", ""))
	want := "data D 0-1\n  S    []S\n    C  int8    go AID\n  X    int8 0\n"
	wantNotes := `decided rename: D S[].C was AId in 1.0
decided rename: D X was Y in 1.0
decided conflict: D v1 is another in 1.0
decided rename: D S[].C was B in 2.0
`
	if err != nil || got != want || notes != wantNotes {
		t.Errorf("%v\n%s%s", err, got, notes)
	}
}

// The committed notation has every mark of the table, and the table every field.
func TestMarksAreInTheNotation(t *testing.T) {
	rows := readMarks(marksTable)
	if len(rows) < 100 {
		t.Errorf("%d rows", len(rows))
	}
	for _, row := range rows {
		m, err := schema.ByName(row.message)
		if err != nil {
			t.Error(err)
			continue
		}
		f := fieldAt(m.Root, row.path)
		if f == nil {
			t.Errorf("%s has no field %s", row.message, row.path)
			continue
		}
		for _, text := range row.marks {
			probe := schema.Field{Name: f.Name, Versions: f.Versions, Tag: -1}
			if err := probe.Mark(text); err != nil {
				t.Errorf("%s %s: %v", row.message, row.path, err)
				continue
			}
			if probe.Endpoint != f.Endpoint && probe.Entities == nil || probe.Entities != nil && !slices.Contains(f.Entities, probe.Entities[0]) {
				t.Errorf("%s %s isn't marked %s", row.message, row.path, text)
			}
		}
	}
}

func TestWriteAndCheck(t *testing.T) {
	dir := t.TempDir()
	apis := filepath.Join(dir, "apis")
	if err := os.Mkdir(apis, 0o755); err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(data("0", "none", `{"name": "A", "type": "int8", "versions": "0"}`), `"D"`, `"E"`, 1)
	path := filepath.Join(dir, "kafka-clients-1.0.jar")
	if err := os.WriteFile(path, jar(t, data("0", "none", ""), other), 0o644); err != nil {
		t.Fatal(err)
	}
	try := func(only string, check bool, want string, fails bool) {
		t.Helper()
		var out strings.Builder
		err := run(&out, only, check, apis, []string{path})
		if (err != nil) != fails || !strings.Contains(out.String(), want) {
			t.Errorf("got %v\n%s\nwant %s", err, out.String(), want)
		}
	}
	stale := filepath.Join(apis, "data-Stale.txt")
	if err := os.WriteFile(stale, []byte("data Stale 0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	try("D", false, "1 files, 1 differ", false)
	try("", true, "data-E.txt, from line 1:\n+ data E 0\n+   A  int8\n", true)
	try("", false, "removed "+stale, false)
	try("", true, "1.0: 2 schemas\n2 files, 0 differ", false)
	if err := os.WriteFile(filepath.Join(apis, "data-E.txt"), []byte("data E 0\n  A  int16\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	try("", true, "data-E.txt, from line 2:\n-   A  int16\n+   A  int8\n2 files, 1 differ", true)
	try("D", true, "1 files, 0 differ", false)
	try("D,F", true, "", true)
	if err := run(&strings.Builder{}, "", false, apis, nil); err == nil {
		t.Error("no jars, no error")
	}
}
