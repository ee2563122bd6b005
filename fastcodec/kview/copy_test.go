package kview

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/internal/life"
)

// TestStructsWriteEveryVector: view, struct, bytes again, without an allocation.
func TestStructsWriteEveryVector(t *testing.T) {
	f, err := os.Open("../../testdata/vectors/vectors.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	sc := bufio.NewScanner(z)
	sc.Buffer(nil, 1<<26)
	requests, responses := map[int16]*Codec{}, map[int16]*Codec{}
	var out []byte
	for sc.Scan() {
		var v struct {
			API     int16
			Kind    string
			Version int16
			Frame   string
			BodyAt  int
			Name    string
		}
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		frame, err := hex.DecodeString(v.Frame)
		if err != nil {
			t.Fatal(err)
		}
		codecs, make := requests, NewRequestCodec
		if v.Kind == "response" {
			codecs, make = responses, NewResponseCodec
		}
		c := codecs[v.API]
		if c == nil {
			c = make(fastcodec.APIKey(v.API))
			codecs[v.API] = c
		}
		body := frame[v.BodyAt:]
		again := func() {
			if err = c.View.Parse(body, v.Version); err == nil {
				c.Copy()
				out, err = c.Data.AppendTo(out[:0], v.Version)
			}
		}
		again()
		if err != nil {
			t.Errorf("%s %s v%d: %v", v.Name, v.Kind, v.Version, err)
			continue
		}
		if !bytes.Equal(out, body) {
			t.Errorf("%s %s v%d:\n got %x\nwant %x", v.Name, v.Kind, v.Version, out, body)
		}
		if life.Debug {
			continue // such builds keep a mark of every parse
		}
		if n := testing.AllocsPerRun(3, again); n != 0 {
			t.Errorf("%s %s v%d: %v allocations", v.Name, v.Kind, v.Version, n)
		}
	}
}
