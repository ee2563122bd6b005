package bench

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// recordCount is the number of records in a batch here; their values have 100 bytes.
const recordCount = 500

// sampleBatch has keys of 14 bytes and values as services write them; every fifth record
// has two headers.
func sampleBatch(b *testing.B, codec records.Codec) records.Batch {
	r := rand.New(rand.NewPCG(3, 5))
	words := []string{"pending", "shipped", "returned", "express", "standard", "gift", "priority", "international"}
	var w records.Builder
	h := records.NewBatchHeader()
	h.Attributes = h.Attributes.WithCodec(codec)
	w.Begin(h)
	timestamp := int64(1700000000000)
	for i := range recordCount {
		value := fmt.Appendf(nil, `{"order":%d,"amount":%d.%02d,"note":"`, 1000000+r.IntN(9000000), r.IntN(1000), r.IntN(100))
		for len(value) < 98 {
			value = append(append(value, words[r.IntN(len(words))]...), ' ')
		}
		var headers []records.Header
		if i%5 == 0 {
			headers = []records.Header{
				{Key: []byte("traceparent"), Value: fmt.Appendf(nil, "00-%016x%016x-%016x-01", r.Uint64(), r.Uint64(), r.Uint64())},
				{Key: []byte("content-type"), Value: []byte("application/json")},
			}
		}
		w.Append(timestamp, fmt.Appendf(nil, "customer-%05d", r.IntN(100000)), append(value[:98], `"}`...), headers...)
		timestamp += int64(r.IntN(20))
	}
	bytes, err := w.Finish()
	if err != nil {
		b.Fatal(err)
	}
	batch, err := records.ParseBatch(bytes)
	if err != nil {
		b.Fatal(err)
	}
	return batch
}

// eachRecord runs a benchmark whose operation handles all records, and says what one of
// them takes.
func eachRecord(b *testing.B, name string, size int, f func()) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(size))
		b.ReportAllocs()
		f() // pools
		for b.Loop() {
			f()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/recordCount, "ns/record")
	})
}

func readRecord(x records.Record) uint64 {
	return uint64(x.Offset()) + uint64(x.Timestamp()) + uint64(len(x.Key())) + uint64(len(x.Value())) + uint64(x.Headers().Len())
}

// all is a Reader's loop as an iterator, which a Reader doesn't have: it is as fast
// while it inlines, and leaves Err to be forgotten.
func all(r *records.Reader) iter.Seq[records.Record] {
	return func(yield func(records.Record) bool) {
		for r.Next() {
			if !yield(r.Record()) {
				return
			}
		}
	}
}

func BenchmarkRecordsIterate(b *testing.B) {
	var r records.Reader
	batch := sampleBatch(b, records.None)
	size := batch.Size()
	eachRecord(b, "Next", size, func() {
		for r.Open(batch); r.Next(); {
			sink += readRecord(r.Record())
		}
	})
	eachRecord(b, "range", size, func() {
		r.Open(batch)
		for x := range all(&r) {
			sink += readRecord(x)
		}
	})
	eachRecord(b, "headers", size, func() {
		for r.Open(batch); r.Next(); {
			for k, v := range r.Record().Headers().All() {
				sink += uint64(len(k) + len(v))
			}
		}
	})
	eachRecord(b, "Skip", size, func() {
		r.Open(batch)
		sink += uint64(r.Skip(math.MaxInt))
	})
	eachRecord(b, "SeekOffset", size, func() {
		r.Open(batch)
		r.SeekOffset(batch.LastOffset())
	})
	eachRecord(b, "Check", size, func() {
		if err := r.Check(batch); err != nil {
			b.Fatal(err)
		}
	})
	for _, codec := range []records.Codec{records.Gzip, records.Snappy, records.LZ4, records.Zstd} {
		batch := sampleBatch(b, codec)
		eachRecord(b, codec.String(), size, func() {
			for r.Open(batch); r.Next(); {
				sink += readRecord(r.Record())
			}
		})
	}
}

// BenchmarkRecordsHeader goes over batches and reads what a router or an auditor wants,
// or all there is.
func BenchmarkRecordsHeader(b *testing.B) {
	var w records.Builder
	for range recordCount {
		w.Begin(records.NewBatchHeader())
		if _, err := w.Finish(); err != nil {
			b.Fatal(err)
		}
	}
	field := w.Bytes()
	run := func(name string, read func(b records.Batch) uint64) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				it := records.Batches(field)
				for it.Next() {
					sink += read(it.Batch())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/recordCount, "ns/batch")
		})
	}
	run("offsets and count", func(b records.Batch) uint64 {
		return uint64(b.BaseOffset()) + uint64(b.NextOffset()) + uint64(b.Count())
	})
	run("all fields", func(b records.Batch) uint64 {
		return uint64(b.BaseOffset()) + uint64(b.Size()) + uint64(b.LeaderEpoch()) + uint64(b.Magic()) + uint64(b.CRC()) +
			uint64(b.Attributes()) + uint64(b.LastOffsetDelta()) + uint64(b.BaseTimestamp()) + uint64(b.MaxTimestamp()) +
			uint64(b.ProducerID()) + uint64(b.ProducerEpoch()) + uint64(b.BaseSequence()) + uint64(b.Count())
	})
}

func BenchmarkRecordsBuild(b *testing.B) {
	for _, codec := range []records.Codec{records.None, records.Gzip, records.Snappy, records.LZ4, records.Zstd} {
		batch := sampleBatch(b, records.None)
		all := make([]records.RecordData, 0, recordCount)
		var r records.Reader
		for r.Open(batch); r.Next(); {
			var d records.RecordData
			r.Record().CopyTo(&d)
			all = append(all, d)
		}
		h := batch.Header()
		h.Attributes = h.Attributes.WithCodec(codec)
		var w records.Builder
		eachRecord(b, codec.String(), batch.Size(), func() {
			w.Begin(h)
			for i := range all {
				w.AppendRecord(&all[i])
			}
			if _, err := w.Finish(); err != nil {
				b.Fatal(err)
			}
			w.Release()
		})
	}
}

func BenchmarkRecordsMap(b *testing.B) {
	var m records.Mapper
	var dst []byte
	mask := make([]byte, 100)
	for _, codec := range []records.Codec{records.None, records.Zstd} {
		batch := sampleBatch(b, codec)
		for _, c := range []struct {
			name string
			f    func(r records.Record, e *records.Edit)
		}{
			{"keep", func(records.Record, *records.Edit) {}},
			{"mask one", func(r records.Record, e *records.Edit) {
				if r.Index() == 250 {
					e.SetValue(mask)
				}
			}},
			{"mask all", func(r records.Record, e *records.Edit) { e.SetValue(mask) }},
			{"drop half", func(r records.Record, e *records.Edit) {
				if r.Index()%2 == 0 {
					e.Drop()
				}
			}},
		} {
			eachRecord(b, fmt.Sprint(codec, ", ", c.name), batch.Size(), func() {
				var err error
				if dst, _, err = m.Map(dst[:0], batch, c.f); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
	batch := sampleBatch(b, records.None)
	b.Run("SetMaxTimestamp", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := batch.SetMaxTimestamp(records.LogAppendTime, 1700000000000); err != nil {
				b.Fatal(err)
			}
		}
	})
}
