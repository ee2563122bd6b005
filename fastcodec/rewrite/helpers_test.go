// What the tests share: the reference vectors and captures, comparison of JSON by
// value, and edits.

package rewrite

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/internal/jsonform"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// vector is a line of testdata/vectors/vectors.jsonl.gz: see the README there.
type vector struct {
	API     fastcodec.APIKey `json:"api"`
	Name    string
	Kind    string
	Version int16
	Flavor  string
	Frame   string
	BodyAt  int
	Body    json.RawMessage
}

func (v *vector) String() string {
	return fmt.Sprintf("%s %s v%d %s", v.Name, v.Kind, v.Version, v.Flavor)
}

func (v *vector) response() bool { return v.Kind == "response" }

// message is the full name: "FetchRequest".
func (v *vector) message() string {
	return v.Name + strings.ToUpper(v.Kind[:1]) + v.Kind[1:]
}

func (v *vector) frame() []byte { return unhex(v.Frame) }

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// oneGoroutine skips a long test under the race detector, which has nothing to find
// in it.
func oneGoroutine(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine only, in which the race detector has nothing to find: run without -race")
	}
}

// lines calls each for every line of a gzipped file of testdata.
func lines(t testing.TB, name string, each func(line []byte)) {
	t.Helper()
	linesOf(t, filepath.Join("../../testdata", name), each)
}

// linesOf does so for any file, gzipped or not.
func linesOf(t testing.TB, name string, each func(line []byte)) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	text := io.Reader(in)
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		if text, err = gzip.NewReader(in); err != nil {
			t.Fatal(err)
		}
	}
	scan := bufio.NewScanner(text)
	scan.Buffer(nil, 1<<26)
	for scan.Scan() {
		each(scan.Bytes())
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
}

// vectorsFile is another file of the form of the reference vectors, gzipped or not:
//
//	go test ./fastcodec/rewrite -run 'Identity|Entities|Endpoints' -vectors FILE
//
// With one, no test asks whether every field and every version was seen.
var vectorsFile = flag.String("vectors", "", "the `FILE` of vectors to rewrite, by its full name; the project's own if not given")

var allVectors []vector

// vectors reads the reference vectors, once.
func vectors(t testing.TB) []vector {
	if allVectors == nil {
		name := *vectorsFile
		if name == "" {
			name = "../../testdata/vectors/vectors.jsonl.gz"
		}
		linesOf(t, name, func(line []byte) {
			var v vector
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			allVectors = append(allVectors, v)
		})
	}
	return allVectors
}

// hexOf is bytes as captures have them.
func hexOf(b []byte) string { return hex.EncodeToString(b) }

// rows reads a table of testdata as maps from column to cell.
func rows(t testing.TB, name string) (list []map[string]string) {
	var head []string
	lines(t, name, func(line []byte) {
		cells := strings.Split(string(line), "\t")
		if head == nil {
			head = cells
			return
		}
		row := map[string]string{}
		for i, c := range cells {
			row[head[i]] = c
		}
		list = append(list, row)
	})
	return list
}

// compiled makes a Rewriter; forced ones edit what is equal, too.
func compiled(t testing.TB, e Edits, forced bool) *Rewriter {
	t.Helper()
	r, err := Compile(e)
	if err != nil {
		t.Fatal(err)
	}
	r.force = forced
	return r
}

// run rewrites a frame as a request or response of ctx.
func (r *Rewriter) run(frame []byte, response bool, ctx *Context) (out []byte, changed bool, err error) {
	if response {
		return r.Response(nil, frame, ctx)
	}
	return r.Request(nil, frame, ctx)
}

// contextOf is the context of a vector: KeyType is what the request of a response
// says.
func contextOf(v *vector, keyType int32) *Context {
	return &Context{Key: v.API, Version: v.Version, Protocol: ProtocolOther, field: keyType, known: true}
}

// messageAt is the layout of a message.
func messageAt(t testing.TB, key fastcodec.APIKey, response bool, version int16) *layout.Message {
	t.Helper()
	m, err := layout.For(key, response, version)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// bodyOf is where the body of a frame begins.
func bodyOf(t testing.TB, frame []byte, key fastcodec.APIKey, version int16, response bool) int {
	t.Helper()
	var body []byte
	var err error
	if response {
		_, body, err = fastcodec.ParseResponse(frame[4:], key, version)
	} else {
		_, body, err = fastcodec.ParseRequest(frame[4:])
	}
	if err != nil {
		t.Fatal(err)
	}
	return len(frame) - len(body)
}

// frameOf is a frame with a body in the place of another's.
func frameOf(like []byte, bodyAt int, body []byte) []byte {
	frame := append(bytes.Clone(like[:bodyAt]), body...)
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame
}

// jsonOf is a body's JSON, decoded.
func jsonOf(t testing.TB, m *layout.Message, body []byte) any {
	t.Helper()
	text, _, err := m.AppendJSON(nil, body)
	if err != nil {
		t.Fatalf("%s v%d: %v", m.Name(), m.Version(), err)
	}
	return decode(t, text)
}

// decode reads JSON with its numbers as text.
func decode(t testing.TB, text []byte) any {
	t.Helper()
	v, err := jsonform.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// same are edits that look at everything and change nothing.
func same() Edits {
	name := func(old, scratch []byte) ([]byte, Action) { return append(scratch, old...), Replace }
	names := Names{Request: name, Response: name, Prefixes: true}
	id := func(id int64) int64 { return id }
	endpoint := func(e Endpoint) ([]byte, int32) { return e.Host, e.Port }
	return Edits{
		Endpoints: Endpoints{Request: endpoint, Response: endpoint},
		Topics:    names, Groups: names, Transactions: names, Clusters: names,
		Brokers: IDs{id, id}, Producers: IDs{id, id},
	}
}

// parse reads a schema in the notation.
func parse(t testing.TB, text string) *schema.API {
	t.Helper()
	a, err := schema.ParseAPI("test.txt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}
