package kview

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

func TestParseAcceptsEveryVector(t *testing.T) {
	f, err := os.Open("../../testdata/vectors/vectors.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, _ := gzip.NewReader(f)
	sc := bufio.NewScanner(z)
	sc.Buffer(nil, 1<<26)
	n := 0
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
		frame, _ := hex.DecodeString(v.Frame)
		m := NewRequest(fastcodec.APIKey(v.API))
		if v.Kind == "response" {
			m = NewResponse(fastcodec.APIKey(v.API))
		}
		body := frame[v.BodyAt:]
		if err := m.Parse(body, v.Version); err != nil {
			t.Errorf("%s %s v%d: %v", v.Name, v.Kind, v.Version, err)
		} else if len(m.Trailing()) != 0 {
			t.Errorf("%s %s v%d: %d trailing", v.Name, v.Kind, v.Version, len(m.Trailing()))
		}
		for i := range body {
			if err := m.Parse(body[:i:i], v.Version); err == nil {
				t.Errorf("%s %s v%d: prefix %d accepted", v.Name, v.Kind, v.Version, i)
				break
			}
		}
		n++
	}
	t.Log(n)
}
