package records_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// faultRows are the faults of records that other codecs had, each named after its row
// in the list of them.
var faultRows = []struct {
	row, name string
	check     func(t *testing.T)
}{
	{"R1", "the last batch is cut", func(t *testing.T) {
		whole := rawBatch(0, 1, record("\x01\x02a\x00"))
		for _, field := range [][]byte{append(bytes.Clone(whole), whole...), append(bytes.Clone(whole), rawMessage(1, 0, 5, []byte("value"))...)} {
			for cut := len(whole); cut < len(field); cut++ {
				it := records.Batches(field[:cut])
				n := 0
				for it.Next() {
					n++
				}
				if n != 1 || it.Err() != nil || it.Left() != cut-len(whole) || it.At() != len(whole) || it.Next() || it.NextOffset() != 9001 {
					t.Fatalf("cut at %d: %d batches, %d left, next offset %d, %v", cut, n, it.Left(), it.NextOffset(), it.Err())
				}
				if _, err := records.ParseBatch(field[len(whole):cut]); !errors.Is(err, fastcodec.ErrShort) {
					t.Fatal(err)
				}
			}
		}
	}},
	{"R2", "a batch without records", func(t *testing.T) {
		b := rawBatch(records.TransactionalBit, 0, nil)
		binary.BigEndian.PutUint32(b[23:], 6)
		seal(b)
		wantRead(t, b)
		it := records.Batches(b)
		if !it.Next() || it.NextOffset() != 9007 || it.Batch().NextOffset() != 9007 || it.Next() {
			t.Error(it.NextOffset())
		}
		// Compressed, as nobody writes it.
		wantRead(t, rawBatch(records.Attributes(records.Zstd), 0, nil))
		wantRead(t, rawBatch(records.Attributes(records.Gzip), 0, zip(t, nil)))
	}},
	{"R3", "20,000 equal records in a small zstd batch", func(t *testing.T) {
		one := record("\x01\x02a\x00")
		payload := zstdOf(bytes.Repeat(one, 20000))
		b := rawBatch(records.Attributes(records.Zstd), 20000, payload)
		got, err := read(must(t, b))
		if len(got) != 20000 || err != nil || len(b) > 200 {
			t.Errorf("%d records in %d bytes, %v", len(got), len(b), err)
		}
	}},
	{"R4", "record count -1", func(t *testing.T) {
		wantError(t, rawBatch(0, -1, nil), records.ErrRecordCount, -1, 57)
		wantError(t, rawBatch(0, math.MinInt32, record("\x01\x02a\x00")), records.ErrRecordCount, -1, 57)
	}},
	{"R4", "record count larger than the records", func(t *testing.T) {
		one := record("\x01\x02a\x00")
		wantError(t, rawBatch(0, 2, one), fastcodec.ErrShort, 1, 61+len(one))
		wantError(t, rawBatch(0, math.MaxInt32, one), fastcodec.ErrShort, 1, 61+len(one))
	}},
	{"R5", "header count", func(t *testing.T) {
		for _, count := range []int64{-1, 1, 2, 1 << 30, math.MinInt32} {
			front := "\x01\x02a"
			body := front + string(binary.AppendVarint(nil, count))
			b := rawBatch(0, 1, record(body))
			wantError(t, b, fastcodec.ErrCount, 0, 61+1+3+len(front))
		}
		// Enough bytes for the count, not for the headers.
		wantError(t, rawBatch(0, 1, record("\x01\x01\x02\x06k")), records.ErrRecordSize, 0, 61+1+3+3)
		wantError(t, rawBatch(0, 1, record("\x01\x01\x02\x00\x06")), records.ErrRecordSize, 0, 61+1+3+4)
	}},
	{"R5", "null header key", func(t *testing.T) {
		wantError(t, rawBatch(0, 1, record("\x01\x01\x02\x01\x01")), fastcodec.ErrNull, 0, 61+1+3+3)
	}},
	{"R6", "timestamp delta of 64 bits", func(t *testing.T) {
		for _, delta := range []int64{0, 1, -1, 1 << 31, -1 << 31, 1 << 40, math.MaxInt64, math.MinInt64} {
			body := append([]byte{0}, binary.AppendVarint(nil, delta)...)
			body = append(body, 0, 1, 1, 0)
			b := rawBatch(0, 1, append(binary.AppendVarint(nil, int64(len(body))), body...))
			wantRead(t, b, plainRecord{offset: 9000, timestamp: delta, key: "null", value: "null"})
		}
		overflow := "\x1a\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x00"
		wantError(t, rawBatch(0, 1, []byte(overflow+"\x01\x01\x00")), fastcodec.ErrVarint, 0, 61+2)
	}},
	{"R7", "a batch of 10 MB", func(t *testing.T) {
		var b records.Builder
		b.Begin(records.NewBatchHeader())
		b.Append(0, nil, make([]byte, 10<<20))
		batch, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		wantRead(t, batch, plainRecord{key: "null", value: string(make([]byte, 10<<20))})
	}},
	{"R8", "record length smaller or larger than its fields", func(t *testing.T) {
		// Length, attributes, deltas, key "k", value "v", no headers.
		good := []byte("\x10\x00\x00\x00\x02k\x02v\x00")
		wantRead(t, rawBatch(0, 1, good), plainRecord{offset: 9000, key: "k", value: "v"})
		for length := byte(0); length < 8; length++ {
			b := bytes.Clone(good)
			b[0] = length << 1
			_, err := read(must(t, rawBatch(0, 1, b)))
			// Without headers the count can be what is missing.
			if !errors.Is(err, records.ErrRecordSize) {
				t.Errorf("length %d: %v", length, err)
			}
		}
		for _, b := range []string{"\x12\x00\x00\x00\x02k\x02v\x00\x00", "\x14\x00\x00\x00\x02k\x02v\x00\x00\x00"} {
			wantError(t, rawBatch(0, 1, []byte(b)), records.ErrRecordSize, 0, 61+9)
		}
		wantError(t, rawBatch(0, 1, []byte("\x12\x00\x00\x00\x02k\x02v\x00")), fastcodec.ErrShort, 0, 61+1)
		wantError(t, rawBatch(0, 1, []byte("\x01\x00\x00\x00\x02k\x02v\x00")), records.ErrRecordSize, 0, 61+1)
		// Large enough for the path without checks of its own.
		long := append(record("\x01\x50"+strings.Repeat("v", 40)+"\x00"), record("\x01\x01\x00")...)
		for at, change := range map[int]byte{0: 2, 5: 2, 4: 0x7f} {
			b := bytes.Clone(long)
			b[at] += change
			if _, err := read(must(t, rawBatch(0, 2, b))); err == nil {
				t.Errorf("byte %d: no error", at)
			}
		}
		// Messages, where Kafka takes no notice.
		for magic := range int8(2) {
			m := rawMessage(magic, 0, 3, []byte("value"))
			wantError(t, seal(append(m, 0)), records.ErrRecordSize, 0, len(m))
			binary.BigEndian.PutUint32(m[len(m)-9:], 6)
			wantError(t, seal(m), records.ErrRecordSize, 0, len(m)-9)
		}
	}},
	{"R9", "bytes after the last record", func(t *testing.T) {
		one := record("\x01\x02a\x00")
		wantError(t, rawBatch(0, 1, append(bytes.Clone(one), 0)), records.ErrLeftover, 1, 61+len(one))
		wantError(t, rawBatch(0, 0, []byte{0}), records.ErrLeftover, 0, 61)
		wantError(t, rawBatch(records.Attributes(records.Zstd), 1, zstdOf(append(one, one...))), records.ErrLeftover, 1, len(one))
		// In a wrapper: a message that isn't whole.
		inner := rawMessage(0, 0, 0, []byte("v"))
		wantError(t, rawMessage(0, records.Attributes(records.Gzip), 7, zip(t, append(inner, 0, 0))), fastcodec.ErrShort, 1, len(inner))
		inner = rawMessage(1, 0, 0, []byte("v")) // the offset of the last one is needed first
		if _, err := read(must(t, rawMessage(1, records.Attributes(records.Gzip), 7, zip(t, append(inner, 0, 0))))); !errors.Is(err, fastcodec.ErrShort) {
			t.Error(err)
		}
	}},
	{"R10", "null and empty", func(t *testing.T) {
		wantRead(t, rawBatch(0, 1, record("\x01\x01\x00")), plainRecord{offset: 9000, key: "null", value: "null"})
		wantRead(t, rawBatch(0, 1, record("\x00\x00\x00")), plainRecord{offset: 9000})
		wantRead(t, rawBatch(0, 1, record("\x00\x01\x04\x02k\x01\x02k\x00")), plainRecord{offset: 9000, value: "null", headers: []string{"k=null", "k="}})
		// Any negative length is null, as in Kafka.
		wantRead(t, rawBatch(0, 1, record("\x03\xff\xff\xff\xff\x0f\x00")), plainRecord{offset: 9000, key: "null", value: "null"})
		// Overlong lengths count.
		wantRead(t, rawBatch(0, 1, record("\x80\x00\x82\x80\x00v\x80\x00")), plainRecord{offset: 9000, value: "v"})
	}},
	{"R11", "wrong checksum", func(t *testing.T) {
		for _, good := range [][]byte{rawBatch(0, 1, record("\x01\x02a\x00")), rawMessage(0, 0, 5, []byte("v")), rawMessage(1, 0, 5, []byte("v"))} {
			covered := 21
			if good[16] < 2 {
				covered = 16
			}
			for at := range good {
				b := bytes.Clone(good)
				b[at] ^= 0x10
				batch, err := records.ParseBatch(b)
				if err != nil || batch.Size() != len(b) {
					continue // in the size or the magic
				}
				err = batch.CheckCRC()
				inCRC := covered == 21 && at >= 17 && at < 21 || covered == 16 && at >= 12 && at < 16
				if wrong := at >= covered || inCRC; errors.Is(err, records.ErrCRC) != wrong {
					t.Errorf("byte %d: %v", at, err)
				}
				var r records.Reader
				if err2 := r.Check(batch); (err2 == nil) != (err == nil) {
					t.Errorf("byte %d: Check: %v", at, err2)
				}
			}
		}
		// Who doesn't ask isn't told.
		b := rawBatch(0, 1, record("\x01\x02a\x00"))
		b[17]++
		wantRead(t, b, plainRecord{offset: 9000, key: "null", value: "a"})
		// Of a message in a wrapper.
		inner := rawMessage(0, 0, 5, []byte("v"))
		inner[12]++
		var r records.Reader
		if err := r.Check(must(t, rawMessage(0, records.Attributes(records.Gzip), 5, zip(t, inner)))); !errors.Is(err, records.ErrCRC) {
			t.Error(err)
		}
	}},
	{"R12", "snappy raw, framed, joined", func(t *testing.T) {
		a, b := record("\x01\x02a\x00"), record("\x01\x02b\x00")
		want := []plainRecord{{offset: 9000, key: "null", value: "a"}, {offset: 9000, key: "null", value: "b"}}
		const littleEndian = "\x82SNAPPY\x00\x01\x00\x00\x00\x01\x00\x00\x00"
		for _, payload := range []string{
			string(s2.EncodeSnappy(nil, append(bytes.Clone(a), b...))),
			xerial(a, b),
			xerial(a) + xerial(b),
			xerial() + xerial() + xerial(a, b) + xerial(),
			littleEndian + xerial(a, b)[16:],
		} {
			wantRead(t, rawBatch(records.Attributes(records.Snappy), 2, []byte(payload)), want...)
		}
		for _, payload := range []string{"", xerial(a)[:12], xerial(a)[:18], xerial(a) + "\xff\xff\xff\xff", xerial(a) + "\x00\x00\x00\x09a", "\xff\xff\xff\xff\x0f\x00", "\xff\xff\xff\xff\xff\x0f\x00"} {
			wantError(t, rawBatch(records.Attributes(records.Snappy), 1, []byte(payload)), records.ErrCompressed, -1, 61)
		}
	}},
	{"R13", "lz4 header checksum of magic 0", func(t *testing.T) {
		var right bytes.Buffer
		w := lz4.NewWriter(&right)
		w.Apply(lz4.ChecksumOption(false), lz4.BlockSizeOption(lz4.Block64Kb))
		w.Write(rawMessage(0, 0, 5, []byte("v")))
		w.Close()
		// Both are read in magic 0.
		for _, sum := range []byte{0x1a, 0x82} {
			payload := bytes.Clone(right.Bytes())
			if string(payload[4:6]) != "\x60\x40" || payload[6] != 0x82 {
				t.Fatalf("%x", payload)
			}
			payload[6] = sum
			wantRead(t, rawMessage(0, records.Attributes(records.LZ4), 5, payload), plainRecord{offset: 5, timestamp: -1, key: "null", value: "v"})
			inner := rawMessage(1, 0, 0, []byte("v"))
			b := rawMessage(1, records.Attributes(records.LZ4), 5, append(bytes.Clone(payload[:7]), lz4Stored(inner)...))
			if sum == 0x82 {
				wantRead(t, b, plainRecord{offset: 5, timestamp: 1700000000000, key: "null", value: "v"})
			} else {
				wantError(t, b, records.ErrCompressed, -1, 34)
			}
		}
		// And written.
		for magic, sum := range []byte{0x1a, 0x82} {
			var b records.MessageBuilder
			b.Begin(int8(magic), records.Attributes(records.LZ4))
			b.Append(5, 0, nil, []byte("v"))
			m, err := b.Finish()
			if err != nil || !bytes.Contains(m, append([]byte("\x04\x22\x4d\x18\x60\x40"), sum)) {
				t.Errorf("magic %d: %x, %v", magic, m, err)
			}
		}
	}},
	{"R14", "zstd and gzip in several pieces", func(t *testing.T) {
		a, b := record("\x01\x02a\x00"), record("\x01\x02b\x00")
		want := []plainRecord{{offset: 9000, key: "null", value: "a"}, {offset: 9000, key: "null", value: "b"}}
		skippable := []byte("\x5a\x2a\x4d\x18\x03\x00\x00\x00abc")
		for name, payload := range map[string][]byte{
			"several frames":    append(zstdOf(a), zstdOf(b)...),
			"skippable frames":  bytes.Join([][]byte{skippable, zstdOf(a), skippable, zstdOf(b), skippable}, nil),
			"streamed, no size": zstdStream(t, a, b),
		} {
			t.Log(name)
			wantRead(t, rawBatch(records.Attributes(records.Zstd), 2, payload), want...)
		}
		wantRead(t, rawBatch(records.Attributes(records.Gzip), 2, append(zip(t, a), zip(t, b)...)), want...)
		for _, c := range []struct {
			codec   records.Codec
			payload []byte
		}{
			{records.Zstd, append(zstdOf(a), 0)}, {records.Zstd, zstdOf(a)[:9]}, {records.Zstd, []byte("not zstd at all")}, {records.Zstd, append(zstdOf(a), skippable[:9]...)},
			{records.Gzip, append(zip(t, a), 0)}, {records.Gzip, zip(t, a)[:20]}, {records.Gzip, nil}, {records.Gzip, []byte("not gzip at all")},
		} {
			wantError(t, rawBatch(records.Attributes(c.codec), 1, c.payload), records.ErrCompressed, -1, 61)
		}
	}},
	{"R15", "offsets in wrappers", func(t *testing.T) {
		message := func(magic int8, offset, timestamp int64) []byte {
			m := rawMessage(magic, 0, offset, []byte("v"))
			if magic == 1 {
				binary.BigEndian.PutUint64(m[18:], uint64(timestamp))
			}
			return seal(m)
		}
		wrapped := func(magic int8, a records.Attributes, offset int64, inner ...[]byte) []byte {
			return rawMessage(magic, a|records.Attributes(records.Gzip), offset, zip(t, bytes.Join(inner, nil)))
		}
		record := func(offset, timestamp int64) plainRecord {
			return plainRecord{offset: offset, timestamp: timestamp, key: "null", value: "v"}
		}
		// Absolute in magic 0, whatever the wrapper says.
		for _, offset := range []int64{0, 103, 7} {
			wantRead(t, wrapped(0, 0, offset, message(0, 100, 0), message(0, 103, 0)), record(100, -1), record(103, -1))
		}
		// Relative in magic 1: the last one has the wrapper's.
		wantRead(t, wrapped(1, 0, 103, message(1, 0, 50), message(1, 3, 60)), record(100, 50), record(103, 60))
		wantRead(t, wrapped(1, 0, 103, message(1, 100, 50), message(1, 103, 60)), record(100, 50), record(103, 60))
		// A wrapper at 0 from an old producer.
		wantRead(t, wrapped(1, 0, 0, message(1, 0, 50), message(1, 1, 60)), record(0, 50), record(1, 60))
		// Time of the append.
		wantRead(t, wrapped(1, records.LogAppendTimeBit, 103, message(1, 0, 50), message(1, 3, 60)), record(100, 1700000000000), record(103, 1700000000000))

		value := 34
		wantError(t, wrapped(1, 0, 2, message(1, 0, 50), message(1, 3, 60)), records.ErrWrapper, -1, 0)
		wantError(t, wrapped(1, 0, 3), records.ErrWrapper, -1, 0)
		wantError(t, wrapped(1, 0, 3, message(0, 3, 0)), records.ErrWrapper, 0, 16)
		wantError(t, wrapped(0, 0, 3, wrapped(0, 0, 3, message(0, 3, 0))), records.ErrWrapper, 0, 16)
		wantError(t, wrapped(1, 0, 3, rawBatch(0, 0, nil)), records.ErrWrapper, 0, 16)
		null := rawMessage(1, records.Attributes(records.Gzip), 3, nil)
		binary.BigEndian.PutUint32(null[value-4:], math.MaxUint32)
		wantError(t, seal(null), fastcodec.ErrNull, -1, value-4)
	}},
	{"R16", "decompression bombs", func(t *testing.T) {
		const limit = 1 << 20
		zeros := make([]byte, 4<<20)
		var raw []byte
		for range 1000 { // zstd: 128 KB of zeros a block of 4 bytes
			raw = append(raw, 0x02, 0x00, 0x10, 0x00)
		}
		raw[len(raw)-4] |= 1
		claims := []byte("\xff\xff\xff\xff\x07")
		for name, c := range map[string]struct {
			codec   records.Codec
			payload []byte
			want    error
		}{
			"gzip":                {records.Gzip, zip(t, zeros), records.ErrDecompressedSize},
			"gzip members":        {records.Gzip, bytes.Repeat(zip(t, zeros[:limit/2]), 3), records.ErrDecompressedSize},
			"snappy":              {records.Snappy, s2.EncodeSnappy(nil, zeros), records.ErrDecompressedSize},
			"xerial":              {records.Snappy, []byte(xerial(zeros[:limit/2], zeros[:limit/2], zeros[:1])), records.ErrDecompressedSize},
			"lz4":                 {records.LZ4, lz4Of(zeros), records.ErrDecompressedSize},
			"zstd":                {records.Zstd, zstdOf(zeros), records.ErrDecompressedSize},
			"zstd, no size":       {records.Zstd, append([]byte("\x28\xb5\x2f\xfd\x00\x58"), raw...), records.ErrDecompressedSize},
			"snappy, only claims": {records.Snappy, claims, records.ErrCompressed},
			"gzip, only claims":   {records.Gzip, append(zip(t, nil)[:18], 0xff, 0xff, 0xff, 0xff), records.ErrCompressed},
			"zstd, only claims":   {records.Zstd, []byte("\x28\xb5\x2f\xfd\xa0\xff\xff\xff\x0f\x01\x00\x00"), records.ErrCompressed},
		} {
			batch := must(t, rawBatch(records.Attributes(c.codec), 1, c.payload))
			var r records.Reader
			r.MaxDecompressed = limit
			r.Open(batch) // decoders
			r.Next()
			r.Release()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r.Open(batch)
			if r.Next() || !errors.Is(r.Err(), c.want) {
				t.Errorf("%s: %v, want %v", name, r.Err(), c.want)
			}
			runtime.ReadMemStats(&after)
			// Besides the buffer a decoder, if the pool has lost the first one.
			if got := after.TotalAlloc - before.TotalAlloc; got > 2*limit+3<<20 {
				t.Errorf("%s: %d bytes reserved", name, got)
			}
			r.Release()
		}
	}},
	{"R16", "at the limit", func(t *testing.T) {
		one := record("\x01\x02a\x00")
		for size := 1; size < 70000; size = size*3 + 1 {
			payload := bytes.Repeat(one, size)
			for _, codec := range codecsOf(2)[1:] {
				packed := map[records.Codec][]byte{records.Gzip: zip(t, payload), records.Snappy: []byte(xerial(payload)), records.LZ4: lz4Of(payload), records.Zstd: zstdOf(payload)}[codec]
				for _, less := range []int{-1, 0, 1} {
					var r records.Reader
					r.MaxDecompressed = len(payload) - less
					r.Open(must(t, rawBatch(records.Attributes(codec), int32(size), packed)))
					n := 0
					for r.Next() {
						n++
					}
					if less <= 0 && (n != size || r.Err() != nil) || less > 0 && !errors.Is(r.Err(), records.ErrDecompressedSize) {
						t.Errorf("%s, limit of %d bytes - %d: %d records, %v", codec, len(payload), less, n, r.Err())
					}
					r.Release()
				}
			}
		}
	}},
	{"R17", "codecs 5 to 7", func(t *testing.T) {
		for codec := records.Attributes(5); codec < 8; codec++ {
			wantError(t, rawBatch(codec, 1, record("\x01\x01\x00")), records.ErrCodec, -1, 22)
			wantError(t, rawMessage(0, codec, 1, []byte("v")), records.ErrCodec, -1, 17)
			wantError(t, rawMessage(1, codec, 1, []byte("v")), records.ErrCodec, -1, 17)
		}
		// zstd is younger than messages.
		wantError(t, rawMessage(1, records.Attributes(records.Zstd), 1, zstdOf(rawMessage(1, 0, 0, nil))), records.ErrCodec, -1, 17)
	}},
}

// lastFault is the last row of the list.
const lastFault = 17

func TestFaults(t *testing.T) {
	tested := map[string]bool{}
	for _, f := range faultRows {
		tested[f.row] = t.Run(f.row+" "+f.name, f.check) || tested[f.row]
	}
	for n := 1; n <= lastFault; n++ {
		if row := fmt.Sprint("R", n); !tested[row] {
			t.Errorf("no case of row %s", row)
		}
	}
}

func zip(t testing.TB, b []byte) []byte {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(b); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

var zstdWriter, _ = zstd.NewWriter(nil)

func zstdOf(b []byte) []byte { return zstdWriter.EncodeAll(b, nil) }

// zstdStream writes parts as one frame of several blocks, without the size.
func zstdStream(t testing.TB, parts ...[]byte) []byte {
	var buf bytes.Buffer
	w, err := zstd.NewWriter(&buf, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			t.Fatal(err)
		}
		w.Flush()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func lz4Of(b []byte) []byte {
	var buf bytes.Buffer
	w := lz4.NewWriter(&buf)
	w.Write(b)
	w.Close()
	return buf.Bytes()
}

// lz4Stored is a frame's blocks and end: one block that isn't compressed.
func lz4Stored(b []byte) []byte {
	s := binary.LittleEndian.AppendUint32(nil, uint32(len(b))|1<<31)
	s = append(s, b...)
	return append(s, 0, 0, 0, 0)
}

// xerial frames blocks.
func xerial(blocks ...[]byte) string {
	s := "\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01"
	for _, b := range blocks {
		packed := s2.EncodeSnappy(nil, b)
		s += string(binary.BigEndian.AppendUint32(nil, uint32(len(packed)))) + string(packed)
	}
	return s
}

// TestErrorText: one line that says where.
func TestErrorText(t *testing.T) {
	_, err := read(must(t, rawBatch(0, 1, record("\x01\x00"))))
	want := "batch at offset 9000: record 0: byte 67: record length is not that of its fields: want a varint of header count"
	if fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = read(must(t, rawBatch(records.Attributes(records.Gzip), 1, zip(t, record("\x01\x00")))))
	want = "batch at offset 9000: record 0: decompressed byte 6: record length is not that of its fields: want a varint of header count"
	if fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestGoesOn: a batch that can't be read hides none of the others.
func TestGoesOn(t *testing.T) {
	good := rawBatch(0, 1, record("\x01\x02a\x00"))
	badMagic := bytes.Clone(good)
	badMagic[16] = 3
	badRecords := rawBatch(0, -1, nil)
	badSize := bytes.Clone(good)[:40]
	binary.BigEndian.PutUint32(badSize[8:], 28)
	unknown := bytes.Clone(good)
	binary.BigEndian.PutUint32(unknown[8:], 13)
	field := bytes.Join([][]byte{good, badMagic, good, badRecords, good, badSize, good, unknown, good}, nil)
	it := records.Batches(field)
	var log []string
	for range 12 {
		if it.Next() {
			got, err := read(it.Batch())
			log = append(log, fmt.Sprint(len(got), " ", err))
		} else {
			log = append(log, fmt.Sprint("not ", it.Err()))
		}
	}
	want := []string{
		"1 <nil>",
		"not batch at offset 9000: byte 16: unknown magic",
		"1 <nil>",
		"0 batch at offset 9000: byte 57: negative record count",
		"1 <nil>",
		"not batch at offset 9000: byte 8: batch size less than its header",
		"1 <nil>",
		"not batch at offset 9000: byte 8: batch size less than its header",
		"not <nil>", "not <nil>", "not <nil>", "not <nil>",
	}
	for i := range want {
		if log[i] != want[i] {
			t.Errorf("%d: %s, want %s", i, log[i], want[i])
		}
	}
	if it.Left() != 2*len(good) {
		t.Errorf("%d bytes left", it.Left())
	}
}
