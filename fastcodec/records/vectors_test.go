package records_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/records"
	"github.com/kafkawire/kafkawire/internal/batchjson"
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

// TestReferenceBuffers: every field of every batch, every record and header, and the
// bytes left over are those that Kafka reads; each batch is written again from them.
// (That each value in the reference counts is tested with the command, whose verify
// does the same.)
func TestReferenceBuffers(t *testing.T) {
	var r records.Reader
	var rebuilder batchjson.Rebuilder
	lines := referenceLines(t)
	batches := 0
	for i, line := range lines {
		var want struct {
			Bytes   batchjson.Hex
			Batches []any
			Tail    int
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		it := records.Batches(want.Bytes)
		n := 0
		for ; it.Next() && n < len(want.Batches); n++ {
			b := it.Batch()
			got, err := batchjson.Read(&r, b, it.At())
			if err != nil {
				t.Fatalf("line %d, batch %d: %v", i+1, n, err)
			}
			if got := parsed(t, got); !reflect.DeepEqual(got, want.Batches[n]) {
				t.Errorf("line %d, batch %d is\n%v, want\n%v", i+1, n, got, want.Batches[n])
			}
			if next := b.NextOffset(); next != got.LastOffset+1 {
				t.Errorf("line %d, batch %d: next offset %d, want %d", i+1, n, next, got.LastOffset+1)
			}
			if err := rebuilder.Check(b); err != nil {
				t.Errorf("line %d, batch %d: %v", i+1, n, err)
			}
			batches++
		}
		if it.Err() != nil || n != len(want.Batches) || it.Left() != want.Tail {
			t.Errorf("line %d: %d batches, %d bytes left over, want %d and %d; %v", i+1, n, it.Left(), len(want.Batches), want.Tail, it.Err())
		}
	}
	if len(lines) != 162 || batches != 430 {
		t.Errorf("%d buffers, %d batches", len(lines), batches)
	}
}

// parsed is a value as JSON reads it. (Numbers are below 2^53 here.)
func parsed(t testing.TB, v any) (out any) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
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
	var b struct{ Bytes batchjson.Hex }
	if err := json.Unmarshal(line, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes
}
