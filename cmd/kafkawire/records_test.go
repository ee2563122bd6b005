// records: on the segment of a real broker and captured conversations, whole, cut and
// broken.

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/records"
)

const segmentFile = "../../testdata/segments/00000000000000000000.log"

// Produce v2 requests: a wrapper of two messages and a message of magic 0 behind it; and
// a batch, one whose record is too long for it, one of magic 5, and a piece of one.
const (
	wrapperProduce = "000000b60000000200000007000163ffff000075300000000100036f6c640000000100000003000000900000000000000067000000655c3e7ede01020000018bcfe56805ffffffff0000004f82534e415050590000000001000000010000003b4a00001901341a6bd5507c01000000018bcfe568011720016b000000036f6c64010d010b1c00000018a09d8f8115262805ffffffff00000002ff00000000000000006800000013f4586f000000ffffffff000000056f6c646572"
	brokenProduce  = "000001230000000200000007000163ffff0000753000000001000662726f6b656e0000000100000003000000fa000000000000000a0000003affffffff02e99b8dd80000000000000000018bcfe568000000018bcfe56800ffffffffffffffffffffffffffff0000000110000000026b027600000000000000000b0000003affffffff02e99b8dd80000000000000000018bcfe568000000018bcfe56800ffffffffffffffffffffffffffff0000000111000000026b027600000000000000000c0000003affffffff05e99b8dd80000000000000000018bcfe568000000018bcfe56800ffffffffffffffffffffffffffff0000000110000000026b027600000000000000000a0000003affffffff02e99b8dd80000000000000000018bcfe568000000018bcf"
)

// captured is a line of a capture with a Produce v2 request.
func captured(frame string) string {
	return fmt.Sprintf("{\"conn\":0,\"seq\":0,\"dir\":\"c2s\",\"t\":1,\"key\":0,\"version\":2,\"frame\":\"%s\"}\n", frame)
}

func segmentBytes(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(segmentFile)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// batchEnds are where the batches of a segment end.
func batchEnds(data []byte) (ends []int) {
	for it := records.Batches(data); it.Next(); {
		ends = append(ends, it.At()+it.Batch().Size())
	}
	return ends
}

func written(t *testing.T, data []byte) (name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "segment.log")
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func packed(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const segmentTotal = "records: 30 batches, 410 records, 14013 bytes, left over 0, broken 0\n"

// TestRecordsOfSegment: mapped, from standard input, and gzip'd, it is the same list.
func TestRecordsOfSegment(t *testing.T) {
	data := segmentBytes(t)
	code, want, stderr := kafkawire("", "records", segmentFile)
	if code != 0 || stderr != "" || !strings.HasSuffix(want, "\n"+segmentTotal) {
		t.Fatalf("exit %d, %s%.500s", code, stderr, want)
	}
	if batches, all := strings.Count(want, "\nbatch "), strings.Count(want, "\n  record "); batches != 30 || all != 410 {
		t.Errorf("%d lines of batches, %d of records", batches, all)
	}
	_, want, _ = strings.Cut(want, "\n") // the name
	for name, in := range map[string]struct{ stdin, file string }{
		"stdin":       {string(data), "-"},
		"gzip, stdin": {string(packed(t, data)), "-"},
		"gzip":        {"", written(t, packed(t, data))},
	} {
		code, out, stderr := kafkawire(in.stdin, "records", in.file)
		if _, out, _ = strings.Cut(out, "\n"); code != 0 || stderr != "" || out != want {
			t.Errorf("%s: exit %d, %s%.500s", name, code, stderr, out)
		}
	}
	for _, empty := range []string{written(t, nil), "-"} {
		code, out, stderr := kafkawire("", "records", "-count", empty)
		if code != 0 || stderr != "" || !strings.HasSuffix(out, "records: 0 batches, 0 records, 0 bytes, left over 0, broken 0\n") {
			t.Errorf("empty: exit %d, %s%s", code, stderr, out)
		}
	}
}

// TestRecordsOfTornSegment: cut anywhere, it has all whole batches, and says how many
// bytes are left over.
func TestRecordsOfTornSegment(t *testing.T) {
	data := segmentBytes(t)
	ends := batchEnds(data)
	for cut := 0; cut <= len(data); cut += 1 + cut/40 {
		whole, end := 0, 0
		for ; whole < len(ends) && ends[whole] <= cut; whole++ {
			end = ends[whole]
		}
		code, out, stderr := kafkawire(string(data[:cut]), "records", "-batches", "-")
		want := fmt.Sprintf("records: %d batches, ", whole)
		last := fmt.Sprintf(" %d bytes, left over %d, broken 0\n", cut, cut-end)
		if code != 0 || stderr != "" || !strings.Contains(out, want) || !strings.HasSuffix(out, last) {
			t.Errorf("cut at %d: exit %d, %s%s, want %s%s", cut, code, stderr, out, want, last)
		}
		if said := fmt.Sprintf("\nleft over at=%d size=%d: a batch that isn't whole\n", end, cut-end); strings.Contains(out, said) != (cut > end) {
			t.Errorf("cut at %d: %s, want%s", cut, out, said)
		}
	}
	// A segment that was made at its full size.
	code, out, stderr := kafkawire(string(append(data, make([]byte, 4096)...)), "records", "-batches", "-")
	if code != 0 || stderr != "" || !strings.Contains(out, "\nleft over at=14013 size=4096: zeros\n") {
		t.Errorf("exit %d, %s%s", code, stderr, out)
	}
}

// TestRecordsOfBrokenSegment: each way to be broken is said with offset, record and
// byte, and hides no other batch.
func TestRecordsOfBrokenSegment(t *testing.T) {
	data := segmentBytes(t)
	ends := batchEnds(data)
	second := ends[0]
	for _, c := range []struct {
		name     string
		at       int // in the second batch
		value    byte
		sealed   bool // with the right checksum all the same
		complain []string
		total    string
	}{
		{"checksum", 17, 1, false, []string{"batch at offset 20: byte 17: wrong checksum"}, "30 batches, 410 records, 14013 bytes, left over 0, broken 1"},
		{"value", 80, 0xee, false, []string{"batch at offset 20: byte 17: wrong checksum"}, "30 batches, 410 records, 14013 bytes, left over 0, broken 1"},
		{"count", 60, 21, true, []string{"batch at offset 20: record 20: byte 2060: short input"}, "30 batches, 410 records, 14013 bytes, left over 0, broken 1"},
		{"record length", 61, 2, true, []string{"batch at offset 20: record 0: byte 63: record length is not that of its fields"}, "30 batches, 390 records, 14013 bytes, left over 0, broken 1"},
		{"record length, checksum", 61, 2, false, []string{"batch at offset 20: byte 17: wrong checksum", "batch at offset 20: record 0: byte 63: record length is not that of its fields"}, "30 batches, 390 records, 14013 bytes, left over 0, broken 1"},
		{"codec", 22, 7, true, []string{"batch at offset 20: byte 22: unknown codec"}, "30 batches, 390 records, 14013 bytes, left over 0, broken 1"},
		{"no gzip", 22, 1, true, []string{"batch at offset 20: byte 61: malformed compressed data"}, "30 batches, 390 records, 14013 bytes, left over 0, broken 1"},
		{"magic", 16, 9, false, []string{"batch at offset 20: byte 16: unknown magic"}, "29 batches, 390 records, 14013 bytes, left over 0, broken 1"},
		{"size", 8, 0xff, false, []string{"batch at offset 20: byte 8: batch size less than its header"}, "1 batches, 20 records, 14013 bytes, left over 12733, broken 1"},
	} {
		spoiled := bytes.Clone(data)
		spoiled[second+c.at] = c.value
		if c.sealed {
			binary.BigEndian.PutUint32(spoiled[second+17:], crc32.Checksum(spoiled[second+21:ends[1]], crc32.MakeTable(crc32.Castagnoli)))
		}
		for _, flag := range []string{"-batches", "-count", "-bytes=5", "-json"} {
			code, out, stderr := kafkawire(string(spoiled), "records", flag, "-")
			said := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
			ok := code == 1 && len(said) == len(c.complain)
			for i := 0; ok && i < len(said); i++ {
				ok = strings.HasPrefix(said[i], "kafkawire: stdin: at 1280: "+c.complain[i])
			}
			if !ok {
				t.Errorf("%s, %s: exit %d, %s, want %q", c.name, flag, code, stderr, c.complain)
			}
			switch {
			case flag != "-json" && !strings.HasSuffix(out, "records: "+c.total+"\n"):
				t.Errorf("%s, %s: %s, want %s", c.name, flag, out[max(0, len(out)-100):], c.total)
			case flag == "-json" && strings.Count(out, `"error":"`+c.complain[0]) != 1:
				t.Errorf("%s: no error, or several", c.name)
			}
		}
	}
}

// TestRecordsLimit: a batch that unpacks to more is an error; nothing else is.
func TestRecordsLimit(t *testing.T) {
	code, out, stderr := kafkawire("", "records", "-count", "-limit", "1000", segmentFile)
	if code != 1 || !strings.Contains(stderr, "limit of decompressed bytes exceeded") || !strings.Contains(out, "records: 30 batches, ") {
		t.Errorf("exit %d, %s%s", code, stderr, out)
	}
	if code, _, stderr = kafkawire("", "records", "-count", "-limit", "3000", segmentFile); code != 0 {
		t.Error(stderr)
	}
}

// TestRecordsJSON: the batches of -json are those of the reference.
func TestRecordsJSON(t *testing.T) {
	code, out, stderr := kafkawire("", "records", "-json", recordsFile)
	if code != 0 || stderr != "" {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	ours := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	eachLine(t, recordsFile, func(n int, text []byte) {
		var buffer struct {
			Batches []json.RawMessage
			Tail    int
		}
		if err := json.Unmarshal(text, &buffer); err != nil {
			t.Fatal(err)
		}
		at := fmt.Sprintf(`{"file":%q,"line":%d,`, recordsFile, n)
		for _, want := range buffer.Batches {
			got := members(t, ours[0])
			for _, name := range []string{"file", "line"} {
				delete(got, name)
			}
			a, _ := parseJSON([]byte(joined(got)))
			b, _ := parseJSON(want)
			if d := compareJSON(a, b); d != nil || !strings.HasPrefix(ours[0], at) {
				t.Errorf("line %d: %v: %s", n, d, ours[0])
			}
			ours = ours[1:]
		}
		if buffer.Tail > 0 {
			if !strings.HasPrefix(ours[0], at) || !strings.HasSuffix(ours[0], fmt.Sprintf(`"leftOver":%d}`, buffer.Tail)) {
				t.Errorf("line %d: %s, want %d bytes left over", n, ours[0], buffer.Tail)
			}
			ours = ours[1:]
		}
	})
	if len(ours) != 0 {
		t.Errorf("%d lines more", len(ours))
	}
}

// TestRecordsOfCaptures: every records field has its line, API, topic and partition.
func TestRecordsOfCaptures(t *testing.T) {
	code, out, stderr := kafkawire("", append([]string{"records"}, glob(t, "../../testdata/captures/*.jsonl.gz")...)...)
	if code != 0 || stderr != "" || !strings.HasSuffix(out, "\nrecords: 419 batches, 1711 records, 63281 bytes, left over 0, broken 0\n") {
		t.Fatalf("exit %d, %s%s", code, stderr, out[max(0, len(out)-200):])
	}
	for _, want := range []string{
		"\n../../testdata/captures/kafkajs.jsonl.gz:49: Produce request v7, topic js, partition 1: 277 bytes\nbatch offsets=0..5 at=335 size=277 ",
		"\n../../testdata/captures/java-compressions.jsonl.gz:27: Produce request v13, topic c-gzip, partition 0: 466 bytes\nbatch offsets=0..29 at=52 size=466 ", // by its id
		`control="commit, coordinator epoch 0"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestRecordsOfUnknownVersion: a frame that may hold records is not passed over.
func TestRecordsOfUnknownVersion(t *testing.T) {
	for key, fails := range map[int]bool{0: true, 1: true, 78: true, 59: true, 3: false, 10000: false} {
		capture := fmt.Sprintf(`{"conn":0,"seq":0,"dir":"s2c","t":1,"key":%d,"version":99,"frame":"0000000600000007abcd"}`, key)
		if code, out, stderr := kafkawire(capture, "records", "-"); code == 1 != fails {
			t.Errorf("key %d: exit %d, %s%s", key, code, stderr, out)
		}
	}
}

// TestRecordsProgress: the bar goes over the bytes of the files; there is none where it
// would stand between the lines.
func TestRecordsProgress(t *testing.T) {
	for _, c := range []struct {
		onTerminal bool
		flag, file string
		bar        bool
	}{
		{false, "-bytes=9", segmentFile, true},
		{false, "-bytes=9", recordsFile, true},
		{true, "-count", segmentFile, true},
		{true, "-bytes=9", segmentFile, false},
	} {
		e := &env{err: io.Discard, out: bufio.NewWriter(io.Discard), terminal: true, outTerminal: c.onTerminal}
		if err := recordsCommand.run(e, []string{c.flag, c.file}); err != nil {
			t.Fatal(err)
		}
		if e.bar != nil != c.bar || c.bar && e.bar.done != e.bar.total {
			t.Errorf("%+v: %+v", c, e.bar)
		}
	}
}

// TestShownContent: text in quotes, never within a character; other bytes in hex.
func TestShownContent(t *testing.T) {
	for _, c := range []struct {
		content string
		most    int
		want    string
	}{
		{"", 0, `""`}, {"", 1, `""`},
		{"text", 0, `"text"`}, {"text", 4, `"text"`}, {"text", 3, `"tex"...`},
		{"a \"b\"\\", 0, `"a \"b\"\\"`}, {"line\n", 9, `"line\n"`},
		{"h\u00e9\u4e16", 6, "\"h\u00e9\u4e16\""}, {"h\u00e9\u4e16", 5, "\"h\u00e9\"..."}, {"h\u00e9\u4e16", 2, `"h"...`},
		{"\u4e16", 1, "0xe4..."}, {"\u4e16", 2, "0xe4b8..."}, {"\U0001f600", 3, "0xf09f98..."},
		{"\x00\x01", 0, "0x0001"}, {"\xff\xfe\xfd\xfc\xfb", 4, "0xfffefdfc..."}, {"a\x7f", 0, "0x617f"},
	} {
		if got := string(appendContent(nil, []byte(c.content), c.most)); got != c.want {
			t.Errorf("%q, %d: %s, want %s", c.content, c.most, got, c.want)
		}
	}
	if got := string(appendContent(nil, nil, 1)); got != "null" {
		t.Error(got)
	}
}

// TestRecordsDamaged: whatever is in a segment, the list ends with the count, and no
// byte is lost: whole batches, broken ones and what is left over.
func TestRecordsDamaged(t *testing.T) {
	data := segmentBytes(t)
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		spoiled := bytes.Clone(data)
		for range 1 + r.IntN(4) {
			spoiled[r.IntN(len(spoiled))] = byte(r.IntN(256))
		}
		if r.IntN(3) == 0 {
			binary.BigEndian.PutUint32(spoiled[8+batchEnds(data)[r.IntN(20)]:], r.Uint32()%5000)
		}
		for _, flag := range []string{"-bytes=3", "-json"} {
			code, out, stderr := kafkawire(string(spoiled), "records", flag, "-")
			if code > 1 || (code == 1) != (stderr != "") || flag != "-json" && !strings.Contains(out, "\nrecords: ") {
				t.Fatalf("exit %d, %s%s", code, stderr, out)
			}
		}
	}
}
