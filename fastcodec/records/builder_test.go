package records_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// build writes one batch.
func build(t testing.TB, h records.BatchHeader, appends func(b *records.Builder)) records.Batch {
	t.Helper()
	var b records.Builder
	b.Begin(h)
	appends(&b)
	batch, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	v := must(t, batch)
	if err := v.CheckCRC(); err != nil {
		t.Error(err)
	}
	return v
}

// TestBuilder: what a producer's batch has in its header, in each codec.
func TestBuilder(t *testing.T) {
	var want []plainRecord
	for _, codec := range codecsOf(records.Magic2) {
		h := records.NewBatchHeader()
		h.Attributes = h.Attributes.WithCodec(codec)
		batch := build(t, h, func(b *records.Builder) {
			want = want[:0]
			for i := range 300 {
				value := []byte(strings.Repeat("v", 13*i))
				timestamp := 1700000000000 + int64(i*997%5000)
				b.Append(timestamp, fmt.Appendf(nil, "key %d", i), value, records.Header{Key: []byte("h"), Value: value[:i%9]}, records.Header{})
				want = append(want, plainRecord{int64(i), timestamp, fmt.Sprintf("key %d", i), string(value), []string{"h=" + string(value[:i%9]), "=null"}})
			}
			if b.Count() != 300 || b.RecordsSize() < 13*300*299/2 {
				t.Error(b.Count(), b.RecordsSize())
			}
		})
		got, err := read(batch)
		if err != nil {
			t.Error(err)
		}
		sameRecords(t, got, want)
		wantHeader := records.BatchHeader{
			LeaderEpoch: -1, Attributes: h.Attributes, LastOffsetDelta: 299,
			BaseTimestamp: 1700000000000,
			ProducerID:    -1, ProducerEpoch: -1, BaseSequence: -1,
		}
		for i := range want {
			wantHeader.MaxTimestamp = max(wantHeader.MaxTimestamp, want[i].timestamp)
		}
		if batch.Header() != wantHeader || batch.Count() != 300 || batch.Codec() != codec {
			t.Errorf("header %+v, want %+v", batch.Header(), wantHeader)
		}
	}
}

// TestBuilderSizes: lengths are right at every boundary of their varints.
func TestBuilderSizes(t *testing.T) {
	for around, width := range map[int]int{30: 30, 64: 30, 8000: 5, 8192: 30, 1 << 20: 12} {
		if raceEnabled {
			width /= 6
		}
		for n := around - width; n <= around+width; n++ {
			value := bytes.Repeat([]byte{'v'}, n)
			headers := []records.Header{{Key: []byte("a header"), Value: value}, {Key: value}}
			batch := build(t, records.NewBatchHeader(), func(b *records.Builder) {
				b.Append(0, nil, value)
				b.Append(1<<40, value, nil)
				b.Append(-1<<40, value, value)
				b.Append(5, value[:0], value, headers...)
			})
			got, err := read(batch)
			if err != nil {
				t.Fatalf("%d: %v", n, err)
			}
			v := string(value)
			sameRecords(t, got, []plainRecord{{0, 0, "null", v, nil}, {1, 1 << 40, v, "null", nil}, {2, -1 << 40, v, v, nil}, {3, 5, "", v, []string{"a header=" + v, v + "=null"}}})
			var r records.Reader
			for r.Open(batch); r.Next(); {
				length, size := binary.Varint(r.Record().Bytes())
				if int(length)+size != len(r.Record().Bytes()) || size != len(binary.AppendVarint(nil, length)) {
					t.Fatalf("%d: length %d in %d bytes of %d", n, length, size, len(r.Record().Bytes()))
				}
			}
		}
	}
}

func TestBuilderProducers(t *testing.T) {
	h := records.NewBatchHeader()
	h.ProducerID, h.ProducerEpoch, h.BaseSequence = 4711, 3, math.MaxInt32-1
	h.Attributes |= records.TransactionalBit
	b := build(t, h, func(b *records.Builder) {
		for range 4 {
			b.Append(5, nil, nil)
		}
	})
	if b.ProducerID() != 4711 || b.ProducerEpoch() != 3 || b.BaseSequence() != math.MaxInt32-1 || b.LastSequence() != 1 || !b.Transactional() || b.Control() {
		t.Errorf("%+v, last sequence %d", b.Header(), b.LastSequence())
	}

	h.Attributes |= records.ControlBit
	h.BaseSequence = -1
	b = build(t, h, func(b *records.Builder) { b.AppendEndTxn(1700000000000, records.Commit, 90) })
	if !b.Control() || b.LastSequence() != -1 {
		t.Errorf("%+v", b.Header())
	}
	var r records.Reader
	r.Open(b)
	if !r.Next() {
		t.Fatal(r.Err())
	}
	version, what, ok := records.ParseControlKey(r.Record().Key())
	if version != 0 || what != records.Commit || !ok {
		t.Error(version, what, ok)
	}
	version, epoch, ok := records.ParseEndTxn(r.Record().Value())
	if version != 0 || epoch != 90 || !ok {
		t.Error(version, epoch, ok)
	}
	if _, _, ok := records.ParseControlKey([]byte("abc")); ok {
		t.Error("a key of 3 bytes")
	}
	if _, _, ok := records.ParseEndTxn([]byte("abcde")); ok {
		t.Error("a value of 5 bytes")
	}
}

func TestBuilderBroker(t *testing.T) {
	h := records.NewBatchHeader()
	h.BaseOffset, h.LeaderEpoch, h.Attributes, h.MaxTimestamp = 5000, 7, records.LogAppendTimeBit, 1700000009999
	b := build(t, h, func(b *records.Builder) {
		b.Append(50, nil, []byte("a"))
		b.AppendAt(5007, 40, nil, []byte("b"))
	})
	if b.LastOffset() != 5007 || b.MaxTimestamp() != 1700000009999 || b.BaseTimestamp() != 50 || b.TimestampType() != records.LogAppendTime || b.LeaderEpoch() != 7 {
		t.Errorf("%+v", b.Header())
	}
	got, _ := read(b)
	sameRecords(t, got, []plainRecord{{offset: 5000, timestamp: 1700000009999, key: "null", value: "a"}, {offset: 5007, timestamp: 1700000009999, key: "null", value: "b"}})
	var r records.Reader
	r.Open(b)
	r.Next()
	r.Next()
	if x := r.Record(); x.TimestampDelta() != -10 || x.OffsetDelta() != 7 || x.Index() != 1 {
		t.Error(x.TimestampDelta(), x.OffsetDelta(), x.Index())
	}
}

// TestBuilderExact: the header as it stands, of which nothing is worked out.
func TestBuilderExact(t *testing.T) {
	h := records.BatchHeader{
		BaseOffset: 5, LeaderEpoch: 6, Attributes: -1 << 8, LastOffsetDelta: 70, BaseTimestamp: 8, MaxTimestamp: -9,
		ProducerID: 10, ProducerEpoch: 11, BaseSequence: 12,
	}
	var b records.Builder
	for range 2 {
		b.BeginExact(h)
		b.AppendRecord(&records.RecordData{Attributes: 3, TimestampDelta: 1000, OffsetDelta: 50, Value: []byte("v")})
		batch, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if got := must(t, batch).Header(); got != h {
			t.Errorf("%+v, want %+v", got, h)
		}
		var r records.Reader
		if err := r.Check(must(t, batch)); err != nil || !r.Next() || r.Record().Attributes() != 3 {
			t.Error(err)
		}
	}
	// Two batches, one behind the other.
	it := records.Batches(b.Bytes())
	if !it.Next() || !it.Next() || it.Next() || it.Left() != 0 {
		t.Error("not two batches")
	}
	// One without records.
	b.Release()
	b.BeginExact(h)
	batch, err := b.Finish()
	if err != nil || len(batch) != records.HeaderSize || must(t, batch).Header() != h {
		t.Errorf("%x, %v", batch, err)
	}
}

// TestBuilderRefuses: what no batch can be, and that the batches before it stay.
func TestBuilderRefuses(t *testing.T) {
	var b records.Builder
	b.Append(0, nil, nil) // without a Begin
	if batch, err := b.Finish(); batch != nil || err != nil || b.Bytes() != nil {
		t.Errorf("%x, %v", batch, err)
	}
	b.Begin(records.NewBatchHeader())
	b.Append(0, nil, []byte("good"))
	if _, err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	good := bytes.Clone(b.Bytes())
	for name, c := range map[string]struct {
		begin func()
		want  error
	}{
		"offset": {func() {
			b.Begin(records.NewBatchHeader())
			b.AppendAt(1<<31, 0, nil, nil)
		}, records.ErrTooLarge},
		"offset after the last": {func() {
			b.Begin(records.NewBatchHeader())
			b.AppendAt(1<<31-1, 0, nil, nil)
			b.Append(0, nil, nil)
		}, records.ErrTooLarge},
		"codec": {func() {
			h := records.NewBatchHeader()
			h.Attributes = 5
			b.Begin(h)
			b.Append(0, nil, []byte("v"))
		}, records.ErrCodec},
	} {
		c.begin()
		if !bytes.Equal(b.Bytes(), good) {
			t.Errorf("%s: the batch before it isn't what it was", name)
		}
		if batch, err := b.Finish(); batch != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %x, %v", name, batch, err)
		}
		if !bytes.Equal(b.Bytes(), good) {
			t.Errorf("%s: the batch before it isn't what it was", name)
		}
	}
	b.Begin(records.NewBatchHeader()) // never finished
	b.Append(0, nil, []byte("lost"))
	b.Begin(records.NewBatchHeader())
	b.Append(0, nil, []byte("good"))
	if batch, err := b.Finish(); err != nil || !bytes.Equal(batch, good) {
		t.Errorf("%x, %v", batch, err)
	}
	b.Release()
	b.Release()
}

func TestMessageBuilder(t *testing.T) {
	var b records.MessageBuilder
	for magic := range int8(2) {
		for _, codec := range codecsOf(magic) {
			var want []plainRecord
			b.Begin(magic, records.Attributes(codec))
			for i := range 20 {
				timestamp := 1700000000000 + int64(i*7%5)
				b.Append(int64(1000+3*i), timestamp, nil, fmt.Appendf(nil, "value %d", i))
				if magic == 0 {
					timestamp = -1
				}
				want = append(want, plainRecord{offset: int64(1000 + 3*i), timestamp: timestamp, key: "null", value: fmt.Sprintf("value %d", i)})
			}
			set, err := b.Finish()
			if err != nil {
				t.Fatal(err)
			}
			var got []plainRecord
			it := records.Batches(set)
			var r records.Reader
			batches := 0
			for it.Next() {
				if err := r.Check(it.Batch()); err != nil {
					t.Error(err)
				}
				all, _ := read(it.Batch())
				got = append(got, all...)
				batches++
				if it.Batch().Codec() != codec || it.Batch().Magic() != magic {
					t.Error(it.Batch().Codec(), it.Batch().Magic())
				}
			}
			if codec != records.None && batches != 1 || codec == records.None && batches != 20 || it.Left() != 0 {
				t.Errorf("%d batches, %d bytes left", batches, it.Left())
			}
			sameRecords(t, got, want)
			b.Release()
		}
	}
	for a, want := range map[records.Attributes]error{4: records.ErrCodec, 5: records.ErrCodec} {
		b.Begin(1, a)
		b.Append(0, 0, nil, nil)
		if m, err := b.Finish(); m != nil || !errors.Is(err, want) {
			t.Errorf("%x, %v", m, err)
		}
	}
	b.Begin(2, 0)
	if _, err := b.Finish(); !errors.Is(err, records.ErrMagic) {
		t.Error(err)
	}
	b.Begin(1, records.Attributes(records.Gzip))
	if m, err := b.Finish(); len(m) != 0 || err != nil {
		t.Errorf("%x, %v", m, err)
	}
}

// TestUnpacked: the bytes that places of records count from.
func TestUnpacked(t *testing.T) {
	for _, codec := range codecsOf(records.Magic2) {
		h := records.NewBatchHeader()
		h.Attributes = h.Attributes.WithCodec(codec)
		batch := build(t, h, func(b *records.Builder) {
			b.Append(0, nil, []byte("one"))
			b.Append(0, nil, []byte("two"))
		})
		var r records.Reader
		r.Open(batch)
		if r.Unpacked() != nil {
			t.Errorf("%s: unpacked before it was asked for", codec)
		}
		for r.Next() {
			from := r.Unpacked()
			if (from == nil) != (codec == records.None) {
				t.Errorf("%s: %x", codec, from)
			}
			if from == nil {
				from = batch.Bytes()
			}
			x := r.Record()
			if !bytes.HasPrefix(from[x.At():], x.Bytes()) || !bytes.Contains(x.Bytes(), x.Value()) {
				t.Errorf("%s: record at %d isn't %x", codec, x.At(), x.Bytes())
			}
		}
		r.Release()
		if r.Unpacked() != nil || r.Next() || r.Err() != nil {
			t.Errorf("%s: something after Release", codec)
		}
	}
}
