// Real conversations: every frame has a tree, and goes through JSON and back.

package layout

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

func TestCaptures(t *testing.T) {
	files, err := filepath.Glob("../../testdata/captures/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("no captures", err)
	}
	frames, trailing := 0, 0
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(z)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var c struct {
				Dir, Frame string
				Key        fastcodec.APIKey
				Version    int16
			}
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			frames++
			frame, response := unhex(t, c.Frame), c.Dir == "s2c"
			if _, cut, err := AppendTree(nil, frame, c.Key, c.Version, response); cut != nil || err != nil {
				t.Fatalf("%s: %v v%d: %+v, %v", name, c.Key, c.Version, cut, err)
			}
			m, err := For(c.Key, response, c.Version)
			if err != nil {
				t.Fatal(err)
			}
			header := "RequestHeader"
			if response {
				header = "ResponseHeader"
			}
			h, err := Named(header, m.HeaderVersion())
			if err != nil {
				t.Fatal(err)
			}
			at, err := h.Walk(frame[4:], nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			body := frame[4+at:]
			text, end, err := m.AppendJSON(nil, body)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if end < len(body) {
				trailing++
			}
			if again, err := m.AppendFromJSON(nil, text); err != nil || !bytes.Equal(again, body[:end]) {
				t.Fatalf("%s: %v\n%x, want\n%x", name, err, again, body[:end])
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	if trailing != 2 {
		t.Errorf("%d of %d frames with trailing bytes, want 2", trailing, frames)
	}
}
