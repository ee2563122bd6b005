package records_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
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
