// A schema of the tests' own, with shapes that no Kafka message has.

package layout

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/jsonform"
	"github.com/kafkawire/kafkawire/internal/schema"
)

const shapesNotation = `data Shapes 0-3, flexible 1+
  Empties      []Empty 0-1
    Later      int32 1
  Rows         []Row
    Cells      []string 1+
    Flag       bool 2+
  Single       Single 2+
    Key        string
    Point      Point 3+
    Value      bytes? 3+
    Tail       int16
  Perhaps      Perhaps? 2+
    Id         uuid
    Text       string?
  Fixed        Fixed? 2+
    A          int8
    B          uint32
  After        uint16 2+
  Weight       float64 2+
  Batch        records? 2+
  Null         NullTag? 1+ = null  tag 0
    N          int32
    S          string
  NotNull      NotNullTag? 1+      tag 1
    N          int32 = 5
    S          string?
  Number       int32 2+ = 7        tag 2
  Text         string? 1+ = null   tag 3
  Numbers      []int32 1+          tag 4
  Strings      []string? 1+ = null tag 5
  Strided      []Stride 1+         tag 6
    X          int8
    Y          int64
  Entries      []Entry? 1+         tag 7
    Name       string
    Deep       string? 2+ = null   tag 0
  Float        float64 1+          tag 8
  On           bool 1+ = true      tag 9
  Uuid         uuid 1+             tag 10
  Point        Point 1+            tag 11
  Bytes        bytes 1+            tag 12
  Name         string 1+           tag 13

struct Point 1+
  X  int32
  Y  int32
`

// shapes is the test schema at a version.
func shapes(t testing.TB, version int16) *Message {
	api, err := schema.ParseAPI("shapes", []byte(shapesNotation))
	if err != nil {
		t.Fatal(err)
	}
	m, err := Compile(api.Messages[0], version)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fullShape is version 3 with everything there that can be.
const fullShape = `{
	"rows": [{"cells": ["a", "bc"], "flag": true}, {"cells": [], "flag": false, "unknownTags": [{"tag": 77, "data": "AQ=="}]}],
	"single": {"key": "k", "point": {"x": 1, "y": 2}, "value": null, "tail": -3},
	"perhaps": {"id": "AAECAwQFBgcICQoLDA0ODw", "text": null},
	"fixed": {"a": -1, "b": 4294967295, "unknownTags": [{"tag": 0, "data": ""}]},
	"after": 65535, "weight": 1.5, "batch": "AAA=",
	"null": {"n": 1, "s": "t"}, "notNull": null, "number": 8, "text": "", "numbers": [1, -1], "strings": [],
	"strided": [{"x": 1, "y": 2}, {"x": 3, "y": 4, "unknownTags": [{"tag": 5, "data": "AA=="}]}],
	"entries": [{"name": "e", "deep": "d"}, {"name": ""}],
	"float": 0.25, "on": false, "uuid": "AAECAwQFBgcICQoLDA0ODw", "point": {"x": 0, "y": 1}, "bytes": "/w==", "name": "x",
	"unknownTags": [{"tag": 4294967295, "data": "AQI="}, {"tag": 14, "data": "Ag=="}, {"tag": 14, "data": "AQ=="}]
}`

// TestShapes: everything there is goes out, in and out again, and the index has it all.
func TestShapes(t *testing.T) {
	m := shapes(t, 3)
	body, err := m.AppendFromJSON(nil, []byte(fullShape))
	if err != nil {
		t.Fatal(err)
	}
	text, end, err := m.AppendJSON(nil, body)
	if err != nil || end != len(body) {
		t.Fatal(err, end)
	}
	again, err := m.AppendFromJSON(nil, text)
	if err != nil || !bytes.Equal(again, body) {
		t.Errorf("%v\n%x, want\n%x", err, again, body)
	}
	if canonical, err := m.AppendCanonical(nil, body); err != nil || !bytes.Equal(canonical, body) {
		t.Errorf("canonical: %v\n%x, want\n%x", err, canonical, body)
	}
	var ix Index
	if err := m.Parse(&ix, body); err != nil || ix.End() != len(body) {
		t.Fatal(err, ix.End())
	}
	if d := jsonform.Differ(decode(t, indexJSON(m, &ix, body)), decode(t, text), ""); d != "" {
		t.Error(d)
	}
}

// TestDefaultsLeftOut is T7, with a default of every type: tagged fields at their
// default are not written, and read back as if not there.
func TestDefaultsLeftOut(t *testing.T) {
	for version := int16(1); version <= 3; version++ {
		m := shapes(t, version)
		small := m.AppendSmallest(nil)
		text, _, err := m.AppendJSON(nil, small)
		if err != nil {
			t.Fatal(err)
		}
		given := `, "null": null, "notNull": {"n": 5, "s": ""}, "text": null, "numbers": [], "strings": null, "strided": [],
			"entries": [], "float": -0.0, "on": true, "uuid": "AAAAAAAAAAAAAAAAAAAAAA", "point": {"x": 0, "y": 0}, "bytes": "", "name": ""}`
		if version >= 2 {
			given = `, "number": 7` + given
		}
		body, err := m.AppendFromJSON(nil, append(text[:len(text)-1:len(text)-1], given...))
		if err != nil || !bytes.Equal(body, small) {
			t.Errorf("v%d: %v, %x, want %x", version, err, body, small)
		}
	}
}

// TestExplicitDefaults is T6: a known tag that carries its default is accepted,
// does not appear in JSON, and is left out of the canonical form.
func TestExplicitDefaults(t *testing.T) {
	m := shapes(t, 2)
	small := m.AppendSmallest(nil)
	root := small[:len(small)-1] // without its tag section
	body := append(append([]byte{}, root...), unhex(t, "04"+"020400000007"+"0001"+"00"+"0401"+"01"+"030100")...)
	var ix Index
	if err := m.Parse(&ix, body); err != nil || ix.End() != len(body) {
		t.Fatal(err, ix.End())
	}
	plain, _, _ := m.AppendJSON(nil, small)
	text, _, err := m.AppendJSON(nil, body)
	if err != nil || !bytes.Equal(text, plain) {
		t.Errorf("%v, %s, want %s", err, text, plain)
	}
	if c, err := m.AppendCanonical(nil, body); err != nil || !bytes.Equal(c, small) {
		t.Errorf("%v, %x, want %x", err, c, small)
	}
}

// TestTestSchemaRows are the rows of the fault table that need the test schema.
func TestTestSchemaRows(t *testing.T) {
	for _, c := range []struct {
		name, body string
		version    int16
		want       error
		message    string // what the error says
		canonical  string // where accepted; "" for the body itself
	}{
		{"L9: struct without bytes, constant distance", "7fffffff" + "00000000", 0, fastcodec.ErrCount, "Empties: offset 0", ""},
		{"L9: as many as there are bytes", "00000004" + "00000000", 0, nil, "", ""},
		{"L9: struct without bytes, with entries", "00000000" + "7fffffff" + "00", 0, fastcodec.ErrCount, "Rows: offset 4", ""},
		{"L9: as many of those as there are bytes", "00000000" + "00000002" + "0000", 0, nil, "", ""},
		{"N6: null in a tag", "01" + "01" + "01" + "010100", 1, nil, "", ""},
		{"N6: there", "01" + "01" + "01" + "0006" + "0100000001" + "01" + "00", 1, fastcodec.ErrTagSize, "Null: offset 5", ""},
		{"N6: there, size counts the marker", "01" + "01" + "01" + "0007" + "0100000001" + "01" + "00", 1, nil, "", ""},
		{"N6: any marker above 0 is there", "01" + "01" + "01" + "0008" + "ff0100000001" + "01" + "00", 1, nil, "", "010101000701000000010100"},
		{"N6: no marker", "01" + "01" + "01" + "0000", 1, fastcodec.ErrShort, "Null: offset 5", ""},
		{"N6: bad marker", "01" + "01" + "01" + "0006" + "ffffffffff00", 1, fastcodec.ErrVarint, "Null: offset 5", ""},
		{"N0: null is not empty", "01" + "01" + "02" + "0301" + "01" + "0502" + "8000", 1, nil, "", "0101" + "01" + "030101"},
		{"T5: known tag below its version", "01" + "01" + "01" + "0201" + "ff", 1, nil, "", ""},
		{"T5: below its version, in a tag", "01" + "01" + "01" + "0706" + "02" + "01" + "01" + "00" + "01" + "00", 1, nil, "", ""},
		{"T8: unknown tags between known ones, any order", "01" + "01" + "05" + "0e0101" + "0d0302" + "6162" + "0e0100" + "040502" + "00000001" + "0f00", 1, fastcodec.ErrTagSize, "Name", ""},
		{"T8: unknown tags between known ones, any order", "01" + "01" + "05" + "0e0101" + "0d0203" + "61" + "0e0100" + "040502" + "00000001" + "0f00", 1, fastcodec.ErrTagSize, "Name", ""},
		{"T8: unknown tags between known ones, any order", "01" + "01" + "05" + "0e0101" + "0d0202" + "61" + "0e0100" + "040502" + "00000001" + "0f00", 1, nil, "",
			"01" + "01" + "05" + "040502" + "00000001" + "0d020261" + "0e0101" + "0e0100" + "0f00"},
		{"T4: tag twice", "01" + "01" + "02" + "0d0202" + "61" + "0d0202" + "61", 1, fastcodec.ErrTagRepeated, "tagged_fields: offset 7", ""},
		{"T4: at its default the first time", "01" + "01" + "02" + "0d0101" + "0d0202" + "61", 1, fastcodec.ErrTagRepeated, "tagged_fields: offset 6", ""},
		{"T4: size past the end", "01" + "01" + "01" + "0d03" + "0161", 1, fastcodec.ErrTagSize, "tagged_fields: offset 4", ""},
		{"T4: payload past the end", "01" + "01" + "01" + "0d02" + "0361", 1, fastcodec.ErrShort, "Name: offset 5", ""},
		{"a tagged bool is true for any byte", "01" + "01" + "01" + "0901" + "07", 1, nil, "", "010100"},
	} {
		m := shapes(t, c.version)
		body := unhex(t, c.body)
		var ix Index
		err := m.Parse(&ix, body)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
			continue
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "Shapes v") || !strings.Contains(err.Error(), c.message) {
				t.Errorf("%s: %v, want %s in it", c.name, err, c.message)
			}
			continue
		}
		want := body
		if c.canonical != "" {
			want = unhex(t, c.canonical)
		}
		if got, err := m.AppendCanonical(nil, body); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: canonical %x, %v, want %x", c.name, got, err, want)
		}
	}
}

// TestAbsentVersions: fields that a version lacks leave no trace.
func TestAbsentVersions(t *testing.T) {
	for version, want := range []string{
		"00000001" + "00000001",
		"02" + "0000000000" + "02" + "0201" + "00" + "00",
		"02" + "02010000" + "01000000" + "01" + strings.Repeat("00", 16) + "0100" + "01" + "0000000000" + "00" + "0000" + strings.Repeat("00", 8) + "3e" + "00000000000000000000003100000000" + "02595fb7dd" + strings.Repeat("00", 40) + "00",
		"02" + "02010000" + "01" + "0000000000000000" + "00" + "01" + "0000" + "00" + "01" + strings.Repeat("00", 16) + "0100" + "01" + "0000000000" + "00" + "0000" + strings.Repeat("00", 8) + "3e" + "00000000000000000000003100000000" + "02595fb7dd" + strings.Repeat("00", 40) + "00",
	} {
		if got := shapes(t, int16(version)).AppendSmallest(nil); !bytes.Equal(got, unhex(t, want)) {
			t.Errorf("v%d: %x, want %s", version, got, want)
		}
	}
}
