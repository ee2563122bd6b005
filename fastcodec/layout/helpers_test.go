// What the tests share: the reference vectors, and comparison of JSON by value.

package layout

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// vector is a line of testdata/vectors: see the README there.
type vector struct {
	API      fastcodec.APIKey `json:"api"`
	Name     string
	Kind     string
	Version  int16
	Flavor   string
	Frame    string
	BodyAt   int
	HeaderV  int16 `json:"headerVersion"`
	Header   json.RawMessage
	Body     json.RawMessage
	Bytes    string
	Accepted bool
	Left     int
	Again    string
	Change   string
}

func (v *vector) String() string {
	return fmt.Sprintf("%s %s v%d %s%s", v.Name, v.Kind, v.Version, v.Flavor, v.Change)
}

func (v *vector) message(t testing.TB) *Message {
	m, err := For(v.API, v.Kind == "response", v.Version)
	if v.Kind == "" {
		m, err = Named(v.Name, v.Version)
	}
	if err != nil {
		t.Fatalf("%v: %v", v, err)
	}
	return m
}

// body is the message's bytes.
func (v *vector) body(t testing.TB) []byte {
	if v.Frame != "" {
		return unhex(t, v.Frame)[v.BodyAt:]
	}
	return unhex(t, v.Bytes)
}

func unhex(t testing.TB, s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// vectors reads a file of testdata/vectors, once.
func vectors(t testing.TB, name string) []vector {
	if list := loaded[name]; list != nil {
		return list
	}
	f, err := os.Open(filepath.Join("../../testdata/vectors", name+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var list []vector
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	if err := lines.Err(); err != nil || len(list) == 0 {
		t.Fatal(name, err, len(list))
	}
	loaded[name] = list
	return list
}

var loaded = map[string][]vector{}

// decode reads JSON with its numbers as text.
func decode(t testing.TB, text []byte) any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return v
}

// differ says where two decoded JSON values differ, or "". Unknown tags in got,
// which Kafka's form doesn't have, are passed over where want has none.
func differ(got, want any, path string) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: %v is no object", path, got)
		}
		g = maps.Clone(g)
		if w[unknownMember] == nil {
			delete(g, unknownMember)
		}
		for _, k := range slices.Sorted(maps.Keys(w)) {
			if _, ok := g[k]; !ok {
				return fmt.Sprintf("%s.%s: missing", path, k)
			}
			if d := differ(g[k], w[k], path+"."+k); d != "" {
				return d
			}
			delete(g, k)
		}
		if len(g) > 0 {
			return fmt.Sprintf("%s: too many: %v", path, g)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("%s: %v, want %v", path, got, want)
		}
		for i := range w {
			if d := differ(g[i], w[i], fmt.Sprintf("%s[%d]", path, i)); d != "" {
				return d
			}
		}
	case json.Number:
		g, ok := got.(json.Number)
		if ok && g != w {
			a, err1 := g.Float64()
			b, err2 := w.Float64()
			// Only float64 fields have other texts for the same number.
			ok = err1 == nil && err2 == nil && a == b && bytes.ContainsAny([]byte(g+w), ".eE")
		}
		if !ok {
			return fmt.Sprintf("%s: %v, want %v", path, got, want)
		}
	default:
		if got != want {
			return fmt.Sprintf("%s: %v, want %v", path, got, want)
		}
	}
	return ""
}
