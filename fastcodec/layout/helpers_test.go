// What the tests share: the reference vectors, and comparison of JSON by value.

package layout

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/jsonform"
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
	t.Helper()
	v, err := jsonform.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
