// verify on record data, and on copies of it that were spoiled: those must fail.

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const recordsFile = vectorsDir + "records.jsonl.gz"

func TestVerifyRecords(t *testing.T) {
	code, out, stderr := kafkawire("", "verify", recordsFile)
	if want := "verify: 162 buffers, batches 430, records 1498, rebuilt 430, failed 0\n"; code != 0 || stderr != "" || out != want {
		t.Errorf("exit %d, %s%s, want %s", code, out, stderr, want)
	}
}

// TestVerifyOfBothKinds: each kind of file has its line, that of records the last.
func TestVerifyOfBothKinds(t *testing.T) {
	const frames = "verify: 89 frames, header 0, json 89, from-json 89, from-struct 89, verdict 0, opaque 0, trailing 0, failed 0\n"
	for _, files := range [][]string{{vectorsDir + "data.jsonl.gz", recordsFile}, {recordsFile, vectorsDir + "data.jsonl.gz"}} {
		code, out, stderr := kafkawire("", append([]string{"verify"}, files...)...)
		want := "classes: D1 0, D2 0, D3 0, D4 0, D5 0\n" + frames + "verify: 162 buffers, batches 430, records 1498, rebuilt 430, failed 0\n"
		if code != 0 || stderr != "" || out != want {
			t.Errorf("exit %d, %s%s", code, out, stderr)
		}
	}
	// A line that is no JSON counts as what the file is; one failure is enough.
	line := sampled(t, recordsFile, 1000)[0]
	for _, text := range []string{"{\n" + line, line + "\n{}"} {
		code, out, stderr := kafkawire(text+"\n", "verify", "-", vectorsDir+"data.jsonl.gz")
		if code != 1 || !strings.Contains(out, frames+"verify: 2 buffers, ") || !strings.HasSuffix(out, ", failed 1\n") {
			t.Errorf("exit %d, %s%s", code, out, stderr)
		}
	}
}

// spoiledBuffer runs verify on a spoiled line and gives what it says.
func spoiledBuffer(t *testing.T, what, text string) (stderr string) {
	t.Helper()
	code, out, stderr := kafkawire(text+"\n", "verify", "-")
	if code != 1 || stderr == "" || strings.HasSuffix(out, " failed 0\n") {
		t.Errorf("%s: exit %d, %s%s%.500s", what, code, out, stderr, text)
	}
	return stderr
}

// TestSpoiledRecordsFail: each member of a buffer, of a batch, of a record and of a
// header is another, missing, or one too many; and each byte of a whole batch.
func TestSpoiledRecordsFail(t *testing.T) {
	long(t)
	kinds := map[string]bool{} // of buffers: one of each
	n := 0
	eachLine(t, recordsFile, func(_ int, line []byte) {
		text := string(line)
		m := members(t, text)
		kind := string(m["magic"]) + string(m["codec"]) + string(m["flavor"])
		if kinds[kind] || len(text) > 6000 {
			return
		}
		kinds[kind] = true
		changedLeaves(line, func(what string, changed json.RawMessage) {
			var label struct{ Flavor string }
			switch {
			case what == " with more":
				return // of the buffer: it may have more to say
			case what == ".flavor" && json.Unmarshal(changed, &label) == nil && label.Flavor != "":
				return // a label
			}
			spoiledBuffer(t, kind+what, string(changed))
			n++
		})
		b, err := hex.DecodeString(unquoted(m["bytes"]))
		if err != nil {
			t.Fatal(err)
		}
		var batches []struct{ At, Size int }
		if err := json.Unmarshal(m["batches"], &batches); err != nil {
			t.Fatal(err)
		}
		end := 0
		for _, batch := range batches {
			end = batch.At + batch.Size
		}
		for at := len(kinds) % 5; at < end; at += 3 + at/50 {
			spoiled := bytes.Clone(b)
			spoiled[at] ^= 1 << (at % 8)
			spoiledBuffer(t, fmt.Sprintf("%s: byte %d", kind, at), with(t, text, "bytes", hex.EncodeToString(spoiled)))
			n++
		}
		spoiledBuffer(t, "cut", with(t, text, "bytes", hex.EncodeToString(b[:len(b)-1])))
		spoiledBuffer(t, "longer", with(t, text, "bytes", hex.EncodeToString(append(b, 0))))
	})
	if t.Logf("%d kinds of buffers, %d changes", len(kinds), n); len(kinds) < 60 || n < 5000 {
		t.Error("too few")
	}
}

func unquoted(text json.RawMessage) (s string) {
	_ = json.Unmarshal(text, &s)
	return s
}

// TestSpoiledRecordsAreNamed: line, batch, record and field.
func TestSpoiledRecordsAreNamed(t *testing.T) {
	var line string
	for _, text := range sampled(t, recordsFile, 1) {
		if strings.HasPrefix(text, `{"magic":2,"codec":"lz4","flavor":"several"`) {
			line = text
			break
		}
	}
	var buffer map[string]any
	if err := json.Unmarshal([]byte(line), &buffer); err != nil {
		t.Fatal(err)
	}
	batch := buffer["batches"].([]any)[1].(map[string]any)
	spoil := func(object map[string]any, name string, value any) (stderr string) {
		was := object[name]
		object[name] = value
		text, err := json.Marshal(buffer)
		if err != nil {
			t.Fatal(err)
		}
		object[name] = was
		return spoiledBuffer(t, name, string(text))
	}
	place := fmt.Sprintf("kafkawire: stdin:1: magic 2, lz4: batch 1 at byte %v, base offset %v", batch["at"], batch["baseOffset"])
	record := batch["records"].([]any)[1].(map[string]any)
	for _, c := range []struct {
		object      map[string]any
		name, where string
	}{
		{batch, "crc", place + ": crc: "},
		{record, "timestamp", place + ", record 1: timestamp: "},
		{record, "headers", place + ", record 1: headers: "},
		{buffer, "tail", "kafkawire: stdin:1: magic 2, lz4: tail: "},
	} {
		stderr := spoil(c.object, c.name, 7.0)
		if got := "kafkawire: " + stderr; !strings.HasPrefix(got, c.where) {
			t.Errorf("%s: %s, want %s", c.name, got, c.where)
		}
	}
}

// TestSpoiledRecordsFiles: files that end early.
func TestSpoiledRecordsFiles(t *testing.T) {
	good, err := os.ReadFile(recordsFile)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"gzip cut": good[:len(good)-20], "text cut": text.Bytes()[:text.Len()-20]} {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
		code, out, stderr := kafkawire("", "verify", file)
		if code != 1 || stderr == "" || !strings.HasPrefix(out, "verify: ") || !strings.HasSuffix(out, ", failed 1\n") {
			t.Errorf("%s: exit %d, %s%s", name, code, out, stderr)
		}
	}
}
