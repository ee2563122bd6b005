// explain on records: the lines cover the bytes, and say what the reference says.

package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// buffersOfRecords are the reference buffers.
func buffersOfRecords(t *testing.T) (all [][]byte) {
	t.Helper()
	eachLine(t, recordsFile, func(_ int, text []byte) {
		b, err := hex.DecodeString(unquoted(members(t, string(text))["bytes"]))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	})
	return all
}

// tiles checks that the lines without others inside cover each byte once: of the
// field, and of what each compressed batch unpacks to.
func tiles(lines []layout.Branch, field []byte) error {
	at, unpackedAt, unpackedEnd := 0, 0, 0
	for i, l := range lines {
		if strings.HasPrefix(l.Text, "packed bytes = ") {
			if unpackedAt != unpackedEnd {
				return fmt.Errorf("line %d: unpacked bytes end at %d, want %d", i, unpackedAt, unpackedEnd)
			}
			words := strings.Fields(l.Text)
			fmt.Sscan(words[len(words)-3], &unpackedEnd)
			unpackedAt = 0
		}
		place := &at
		if l.Unpacked {
			place = &unpackedAt
		}
		if l.Offset != *place {
			return fmt.Errorf("line %d: at %d, want %d: %+v", i, l.Offset, *place, l)
		}
		if inner := i+1 < len(lines) && lines[i+1].Depth > l.Depth && lines[i+1].Unpacked == l.Unpacked; !inner {
			*place += l.Size
		}
	}
	if at != len(field) || unpackedAt != unpackedEnd {
		return fmt.Errorf("%d of %d bytes, %d of %d unpacked ones", at, len(field), unpackedAt, unpackedEnd)
	}
	return nil
}

// TestExplainRecordsTile: of the reference buffers, and of such that were damaged.
func TestExplainRecordsTile(t *testing.T) {
	var tree batchTree
	all := buffersOfRecords(t)
	for i, field := range all {
		lines := tree.inside(&layout.Node{Kind: layout.Records, Content: field})
		if err := tiles(lines, field); err != nil {
			t.Errorf("buffer %d: %v", i, err)
		}
		for _, l := range lines {
			if strings.HasPrefix(l.Text, "broken") || strings.Contains(l.Text, "(wrong)") {
				t.Errorf("buffer %d: %s", i, l.Text)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 9))
	broken := 0
	for range 5000 {
		field := bytes.Clone(all[r.IntN(len(all))])
		if len(field) > 3000 {
			field = field[:3000]
		}
		for range 1 + r.IntN(3) {
			at := r.IntN(len(field))
			if r.IntN(2) == 0 {
				at = r.IntN(min(len(field), 80))
			}
			field[at] = byte(r.IntN(256))
		}
		lines := tree.inside(&layout.Node{Kind: layout.Records, Content: field})
		if err := tiles(lines, field); err != nil {
			t.Fatalf("%v\n%x", err, field)
		}
		for _, l := range lines {
			if strings.HasPrefix(l.Text, "broken") {
				broken++
			}
		}
	}
	if broken < 500 {
		t.Errorf("%d broken batches only", broken)
	}
}

// TestExplainRecordsValues: the records in the tree are those of the reference.
func TestExplainRecordsValues(t *testing.T) {
	var tree batchTree
	eachLine(t, recordsFile, func(n int, text []byte) {
		var buffer struct {
			Bytes   string
			Batches []struct {
				Records []struct {
					Offset     int64
					Key, Value *string
					Headers    []any
				}
			}
		}
		if err := json.Unmarshal(text, &buffer); err != nil {
			t.Fatal(err)
		}
		field, _ := hex.DecodeString(buffer.Bytes)
		var got []string
		wrapped := false
		for _, l := range tree.inside(&layout.Node{Kind: layout.Records, Content: field}) {
			name, rest, _ := strings.Cut(l.Text, " ")
			_, value, _ := strings.Cut(rest, " = ")
			switch {
			case strings.HasPrefix(name, "Record["), strings.HasPrefix(name, "Message["):
				offset, _, _ := strings.Cut(strings.TrimPrefix(value, "offset "), ",")
				if wrapped = strings.HasPrefix(name, "Message[") && !strings.HasSuffix(value, "none"); !wrapped {
					got = append(got, offset)
				}
			case wrapped: // the wrapper's own
			case strings.HasPrefix(rest, "bytes = ") && (name == "Key" || name == "Value"):
				_, length, _ := strings.Cut(value, " len=")
				got = append(got, name+" "+strings.TrimSuffix(length, ")"))
			}
		}
		var want []string
		length := func(s *string) int {
			if s == nil {
				return -1
			}
			return len(*s) / 2
		}
		for _, b := range buffer.Batches {
			for _, r := range b.Records {
				want = append(want, fmt.Sprint(r.Offset), fmt.Sprint("Key ", length(r.Key)), fmt.Sprint("Value ", length(r.Value)))
				for _, h := range r.Headers {
					if v, ok := h.(map[string]any)["value"].(string); ok {
						want = append(want, fmt.Sprint("Value ", len(v)/2))
					} else {
						want = append(want, "Value -1")
					}
				}
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("line %d: got\n%q, want\n%q", n, got, want)
		}
	})
}

// TestExplainKeepsTrees: without what is in records, the trees are those of the layout.
func TestExplainKeepsTrees(t *testing.T) {
	long(t)
	inside := 0
	trees := layout.Trees{Inside: func(n *layout.Node) []layout.Branch {
		lines := new(batchTree).inside(n)
		for i := range lines {
			lines[i].Text = "INSIDE " + lines[i].Text
		}
		inside += len(lines)
		return lines
	}}
	for _, file := range append(glob(t, "../../testdata/captures/*.jsonl.gz"), vectorsDir+"vectors.jsonl.gz") {
		eachLine(t, file, func(n int, text []byte) {
			l, err := parseLine(text)
			if err != nil {
				t.Fatal(err)
			}
			f, err := l.frame()
			if err != nil {
				t.Fatal(err)
			}
			plain, _, err := layout.AppendTree(nil, f.data, f.key, f.version, f.response)
			if err != nil {
				t.Fatal(err)
			}
			tree, cut, err := trees.AppendFrame(nil, f.data, f.key, f.version, f.response)
			if cut != nil || err != nil {
				t.Fatal(cut, err)
			}
			var kept []byte
			for line := range bytes.Lines(tree) {
				if !bytes.Contains(line, []byte("+-- INSIDE ")) {
					kept = append(kept, line...)
				}
			}
			if !bytes.Equal(kept, plain) {
				t.Fatalf("%s:%d: got\n%s, want\n%s", file, n, kept, plain)
			}
		})
	}
	if inside < 10000 {
		t.Errorf("%d lines only", inside)
	}
}

// TestExplainSnapshotPieces: a piece of a snapshot shows batches if it begins with one.
func TestExplainSnapshotPieces(t *testing.T) {
	var b records.Builder
	b.Begin(records.NewBatchHeader())
	b.Append(0, nil, []byte("value"))
	batch, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	piece := append(bytes.Clone(batch), batch...)
	node := layout.Node{Kind: layout.Records, Name: unaligned}
	for _, c := range []struct{ from, to, batches int }{{0, len(piece), 2}, {0, len(piece) - 1, 1}, {1, len(piece), 0}, {0, len(batch) - 1, 0}, {5, 20, 0}} {
		node.Content = piece[c.from:c.to]
		n := 0
		for _, l := range new(batchTree).inside(&node) {
			if strings.HasPrefix(l.Text, "RecordBatch[") {
				n++
			}
		}
		if n != c.batches {
			t.Errorf("%+v: %d batches", c, n)
		}
	}
}
