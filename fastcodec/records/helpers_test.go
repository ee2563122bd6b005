package records_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// codecsOf are the codecs that a magic can have.
func codecsOf(magic int8) []records.Codec {
	all := []records.Codec{records.None, records.Gzip, records.Snappy, records.LZ4, records.Zstd}
	if magic < records.Magic2 {
		all = all[:4]
	}
	return all
}

// seal makes size and checksum of a batch right.
func seal(b []byte) []byte {
	binary.BigEndian.PutUint32(b[8:], uint32(len(b)-12))
	if b[16] == 2 {
		binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], crc32.MakeTable(crc32.Castagnoli)))
	} else {
		binary.BigEndian.PutUint32(b[12:], crc32.ChecksumIEEE(b[16:]))
	}
	return b
}

// rawBatch is a batch of magic 2 around the bytes of its records, whatever they are.
func rawBatch(a records.Attributes, count int32, payload []byte) []byte {
	b := make([]byte, records.HeaderSize, records.HeaderSize+len(payload))
	binary.BigEndian.PutUint64(b, 9000)
	b[16] = 2
	binary.BigEndian.PutUint16(b[21:], uint16(a))
	binary.BigEndian.PutUint32(b[57:], uint32(count))
	return seal(append(b, payload...))
}

// rawMessage is a message around a value.
func rawMessage(magic int8, a records.Attributes, offset int64, value []byte) []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(offset))
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0, byte(magic), byte(a))
	if magic == 1 {
		b = binary.BigEndian.AppendUint64(b, 1700000000000)
	}
	b = binary.BigEndian.AppendUint32(b, math.MaxUint32)
	b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
	return seal(append(b, value...))
}

// record is one record of magic 2 around the bytes behind its attributes and deltas.
func record(body string) []byte {
	body = "\x00\x00\x00" + body
	return append(binary.AppendVarint(nil, int64(len(body))), body...)
}

// must parses a batch that is whole.
func must(t testing.TB, b []byte) records.Batch {
	t.Helper()
	batch, err := records.ParseBatch(b)
	if err != nil || batch.Size() != len(b) {
		t.Fatalf("%x: %v", b, err)
	}
	return batch
}

// plainRecord is a record as values, to be compared.
type plainRecord struct {
	offset, timestamp int64
	key, value        string // "null" for null
	headers           []string
}

func orNull(b []byte) string {
	if b == nil {
		return "null"
	}
	return string(b)
}

// read reads all records of a batch.
func read(batch records.Batch) (all []plainRecord, err error) {
	var r records.Reader
	defer r.Release()
	for r.Open(batch); r.Next(); {
		x := r.Record()
		p := plainRecord{offset: x.Offset(), timestamp: x.Timestamp(), key: orNull(x.Key()), value: orNull(x.Value())}
		for k, v := range x.Headers().All() {
			p.headers = append(p.headers, string(k)+"="+orNull(v))
		}
		all = append(all, p)
	}
	return all, r.Err()
}

func sameRecords(t testing.TB, got, want []plainRecord) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b plainRecord) bool {
		return a.offset == b.offset && a.timestamp == b.timestamp && a.key == b.key && a.value == b.value && slices.Equal(a.headers, b.headers)
	}) {
		t.Errorf("records are\n%.1000v\nwant\n%.1000v", got, want)
	}
}

// wantRead reads a batch and compares.
func wantRead(t testing.TB, b []byte, want ...plainRecord) {
	t.Helper()
	got, err := read(must(t, b))
	if err != nil {
		t.Error(err)
	}
	sameRecords(t, got, want)
}

// wantError reads a batch and wants an error at a record and byte, after the records
// before it.
func wantError(t testing.TB, b []byte, sentinel error, index, at int) {
	t.Helper()
	batch := must(t, b)
	got, err := read(batch)
	var e *records.Error
	if !errors.Is(err, sentinel) || !errors.As(err, &e) {
		t.Errorf("error %v, want %v", err, sentinel)
		return
	}
	if e.BaseOffset != batch.BaseOffset() || e.Record != index || e.Byte != at {
		t.Errorf("%v: want record %d, byte %d", err, index, at)
	}
	if len(got) != max(index, 0) {
		t.Errorf("%v: after %d records", err, len(got))
	}
	var r records.Reader
	if err := r.Check(batch); err == nil {
		t.Errorf("Check: no error, want %v", sentinel)
	}
	if r.Next() {
		t.Error("a record after an error of Check")
	}
}
