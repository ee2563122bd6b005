package records_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// referenceLines are the lines of the reference buffers.
func referenceLines(t testing.TB) (lines [][]byte) {
	f, err := os.Open("../../testdata/vectors/records.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		lines = append(lines, bytes.Clone(s.Bytes()))
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return lines
}

func TestReferenceBuffers(t *testing.T) {
	var v verifier
	lines := referenceLines(t)
	for i, line := range lines {
		if err := v.line(line); err != nil {
			t.Errorf("line %d: %.100s: %v", i+1, line, err)
		}
	}
	if len(lines) != 162 || v.rebuilt != v.batches || v.records < v.batches {
		t.Errorf("%d buffers, %+v", len(lines), v.tally)
	}
	t.Logf("%d buffers, batches %d, records %d, rebuilt %d", len(lines), v.batches, v.records, v.rebuilt)
}

// TestSpoiledBuffersFail: the comparison notices every value, and every byte of a whole
// batch.
func TestSpoiledBuffersFail(t *testing.T) {
	var v verifier
	n := 0
	for i, line := range referenceLines(t) {
		if len(line) > 20000 || i%3 != 0 {
			continue
		}
		var buffer map[string]any
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&buffer); err != nil {
			t.Fatal(err)
		}
		check := func(what string) {
			text, err := json.Marshal(buffer)
			if err != nil {
				t.Fatal(err)
			}
			if err := v.line(text); err == nil {
				t.Errorf("line %d: %s: no difference found", i+1, what)
			}
			n++
		}
		end := 0
		for _, batch := range buffer["batches"].([]any) {
			b := batch.(map[string]any)
			spoilEach(b, check)
			at, _ := b["at"].(json.Number).Int64()
			size, _ := b["size"].(json.Number).Int64()
			end = int(at + size)
		}
		spoil(buffer, "tail", check)
		spoil(buffer, "magic", check)
		text := buffer["bytes"].(string)
		for at := i % 13; at < 2*end; at += 13 {
			b := []byte(text)
			b[at] = "123456789abcdef0"[strings.IndexByte("0123456789abcdef", b[at])]
			buffer["bytes"] = string(b)
			check(fmt.Sprint("digit ", at))
		}
	}
	if n < 3000 {
		t.Errorf("%d changes only", n)
	}
}

// spoilEach changes each member of an object in turn, those inside too, and calls check.
func spoilEach(object map[string]any, check func(what string)) {
	for name, value := range object {
		list, ok := value.([]any)
		if !ok {
			spoil(object, name, check)
			continue
		}
		for _, element := range list {
			spoilEach(element.(map[string]any), check)
		}
		if len(list) > 0 {
			object[name] = list[1:]
			check("less " + name)
			object[name] = list
		}
	}
}

func spoil(object map[string]any, name string, check func(what string)) {
	was := object[name]
	switch v := was.(type) {
	case json.Number:
		n, _ := v.Int64()
		object[name] = n + 1
	case bool:
		object[name] = !v
	case string:
		object[name] = v + "00"
		if v == "" {
			object[name] = nil // null is not empty
		}
	case nil:
		object[name] = ""
	}
	check(name)
	object[name] = was
}

// firstBatch gives the bytes of the first batch of a reference buffer.
func firstBatch(t testing.TB, line []byte) (b []byte, ok bool) {
	it := records.Batches(fieldOf(t, line))
	if !it.Next() {
		return nil, false
	}
	return bytes.Clone(it.Batch().Bytes()), true
}

// fieldOf gives the bytes of a reference buffer.
func fieldOf(t testing.TB, line []byte) []byte {
	var b struct{ Bytes hexBytes }
	if err := json.Unmarshal(line, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes
}
