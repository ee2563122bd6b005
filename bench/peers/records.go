package main

// Records: iterating, skipping, unpacking and building batches, against kmsg, kgo and
// segmentio's kafka-go. The caller is main; -only Records selects it.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kafkawire/kafkawire/bench/result"
	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// recordCount and valueSize are those of the batch that is measured.
const (
	recordCount = 500
	valueSize   = 100
)

// sampleRecords gives 500 records with keys of 14 bytes and values of 100: text of the
// kind that services write, with numbers and names in it. Every fifth has two headers.
func sampleRecords() []kmsg.Record {
	r := rand.New(rand.NewPCG(3, 5))
	words := []string{"pending", "shipped", "returned", "express", "standard", "gift", "priority", "international", "warehouse", "customer"}
	all := make([]kmsg.Record, recordCount)
	var delta int64
	for i := range all {
		k := &all[i]
		k.TimestampDelta64, k.TimestampDelta, k.OffsetDelta = delta, int32(delta), int32(i)
		delta += int64(r.IntN(20))
		k.Key = fmt.Appendf(nil, "customer-%05d", r.IntN(100000))
		value := fmt.Appendf(nil, `{"order":%d,"amount":%d.%02d,"currency":"EUR","state":"%s","note":"`, 1000000+r.IntN(9000000), r.IntN(1000), r.IntN(100), words[r.IntN(len(words))])
		for len(value) < valueSize-2 {
			value = append(value, words[r.IntN(len(words))]...)
			value = append(value, ' ')
		}
		k.Value = append(value[:valueSize-2], `"}`...)
		if i%5 == 0 {
			k.Headers = []kmsg.Header{
				{Key: "traceparent", Value: fmt.Appendf(nil, "00-%016x%016x-%016x-01", r.Uint64(), r.Uint64(), r.Uint64())},
				{Key: "content-type", Value: []byte("application/json")},
			}
		}
		k.Length = kmsgLength(k)
	}
	return all
}

// kmsgLength is what a user of kmsg has to work out before a record can be written.
func kmsgLength(r *kmsg.Record) int32 {
	n := 1 + kbin.VarlongLen(r.TimestampDelta64) + kbin.VarintLen(r.OffsetDelta) +
		kbin.VarintLen(int32(len(r.Key))) + len(r.Key) + kbin.VarintLen(int32(len(r.Value))) + len(r.Value) +
		kbin.VarintLen(int32(len(r.Headers)))
	for _, h := range r.Headers {
		n += kbin.VarintLen(int32(len(h.Key))) + len(h.Key) + kbin.VarintLen(int32(len(h.Value))) + len(h.Value)
	}
	return int32(n)
}

const firstTimestamp = 1700000000000

// sampleBatch is a batch of the records.
func sampleBatch(all []kmsg.Record, codec records.Codec) []byte {
	var b records.Builder
	h := records.NewBatchHeader()
	h.BaseTimestamp, h.Attributes = firstTimestamp, h.Attributes.WithCodec(codec)
	b.Begin(h)
	var d records.RecordData
	for i := range all {
		recordData(&d, &all[i])
		b.AppendRecord(&d)
	}
	batch, err := b.Finish()
	must(err)
	return batch
}

func recordData(d *records.RecordData, k *kmsg.Record) {
	d.TimestampDelta, d.OffsetDelta, d.Key, d.Value, d.Headers = k.TimestampDelta64, k.OffsetDelta, k.Key, k.Value, d.Headers[:0]
	for _, h := range k.Headers {
		d.Headers = append(d.Headers, records.Header{Key: []byte(h.Key), Value: h.Value})
	}
}

// records measures. Times are of a record where the work is done record by record.
func (r *runner) records() {
	all := sampleRecords()
	plain := sampleBatch(all, records.None)
	var work []workload
	add := func(name, input, against string, bar, aim float64, n int, p pair) {
		l := result.Line{Work: "Records " + name, Input: input, Against: against, Bar: bar, Aim: aim}
		work = append(work, workload{l, p, n})
	}
	input := fmt.Sprintf("%d records of %d bytes, %d bytes", recordCount, valueSize, len(plain))
	var reader records.Reader
	ours := func(b []byte) func() {
		batch, err := records.ParseBatch(b)
		must(err)
		return func() { sink = iterate(&reader, batch) }
	}
	add("iterate", input, "kmsg Record.ReadFrom", 4, 6, recordCount, pair{ours(plain), func() { sink = kmsgIterate(plain) }})
	add("iterate", input, "kgo.ProcessFetchPartition", 6, 9, recordCount, pair{ours(plain), func() { sink = kgoIterate(plain) }})
	add("iterate", input, "kafka-go RecordSet", 20, 40, recordCount, pair{ours(plain), func() { sink = segmentioIterate(plain) }})
	add("skip", input, "kmsg Record.ReadFrom", 15, 20, recordCount, pair{func() {
		batch, err := records.ParseBatch(plain)
		must(err)
		reader.Open(batch)
		sink = uint64(reader.Skip(math.MaxInt))
	}, func() { sink = kmsgIterate(plain) }})
	headers := bytes.Repeat(sampleBatch(nil, records.None), recordCount)
	add("header", fmt.Sprintf("%d headers, all fields", recordCount), "kmsg RecordBatch.ReadFrom", 0, 0, recordCount, pair{func() { sink = readHeaders(headers) }, func() { sink = kmsgHeaders(headers) }})
	add("header", fmt.Sprintf("%d headers, offsets and count", recordCount), "kmsg RecordBatch.ReadFrom", 0, 0, recordCount, pair{func() { sink = viewHeaders(headers) }, func() { sink = kmsgViewHeaders(headers) }})
	table := crc32.MakeTable(crc32.Castagnoli)
	add("crc", input, "hash/crc32", 0.9, 1, 1, pair{func() {
		batch, err := records.ParseBatch(plain)
		must(err)
		must(batch.CheckCRC())
	}, func() {
		if crc32.Checksum(plain[21:], table) != binary.BigEndian.Uint32(plain[17:]) {
			panic("crc")
		}
	}})
	add("check", input, "kmsg Record.ReadFrom", 0, 0, recordCount, pair{func() {
		batch, err := records.ParseBatch(plain)
		must(err)
		must(reader.Check(batch))
	}, func() { sink = kmsgIterate(plain) }})
	for _, codec := range []records.Codec{records.Gzip, records.Snappy, records.LZ4, records.Zstd} {
		packed := sampleBatch(all, codec)
		add("unpack", fmt.Sprintf("%s, %d to %d bytes", codec, len(packed), len(plain)), "kgo.ProcessFetchPartition", 1.3, 1.6, recordCount, pair{ours(packed), func() { sink = kgoIterate(packed) }})
	}
	add("build", input, "kmsg Record.AppendTo", 2, 3, recordCount, buildPair(all))
	for i := range work {
		same(&work[i])
	}
	r.measureSmall(work)
}

// same compares what both sides read.
func same(w *workload) {
	sink = 0
	w.ours()
	ours := sink
	sink = 0
	if w.theirs(); sink != ours && w.Work != "Records skip" && w.Work != "Records check" {
		panic(fmt.Sprintf("%s: kafkawire read %d, the peer %d", w.Work, ours, sink))
	}
}

// measureSmall is measure with short samples, of which there are many.
func (r *runner) measureSmall(work []workload) {
	pairs := make([]pair, len(work))
	for i := range work {
		pairs[i] = work[i].pair
	}
	s := r.small
	s.rounds *= 10
	for i, t := range s.run(pairs) {
		w, n := &work[i], float64(work[i].frames)
		w.Ratio, w.Ours, w.Theirs = t.ratio(), t.Ours/n, t.Theirs/n
		w.OursAllocs, w.TheirsAllocs = allocations(w.ours)/n, allocations(w.theirs)/n
		r.add(w.Line)
	}
}

// iterate reads every record.
func iterate(r *records.Reader, b records.Batch) (sum uint64) {
	for r.Open(b); r.Next(); {
		x := r.Record()
		sum += uint64(x.Offset()) + uint64(x.Timestamp()) + uint64(len(x.Key())) + uint64(len(x.Value())) + uint64(x.Headers().Len())
	}
	must(r.Err())
	return sum
}

func kmsgIterate(b []byte) (sum uint64) {
	var batch kmsg.RecordBatch
	must(batch.ReadFrom(b))
	for in := batch.Records; len(in) > 0; {
		length, n := kbin.Varint(in)
		end := n + int(length)
		if n <= 0 || length < 0 || end > len(in) {
			panic("length")
		}
		var x kmsg.Record
		must(x.ReadFrom(in[:end]))
		in = in[end:]
		sum += uint64(batch.FirstOffset+int64(x.OffsetDelta)) + uint64(batch.FirstTimestamp+x.TimestampDelta64) + uint64(len(x.Key)) + uint64(len(x.Value)) + uint64(len(x.Headers))
	}
	return sum
}

var decompressor = kgo.DefaultDecompressor()

func kgoIterate(b []byte) (sum uint64) {
	p := kmsg.FetchResponseTopicPartition{RecordBatches: b}
	got, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{DisableCRCValidation: true, Topic: "t"}, &p, decompressor, nil)
	must(got.Err)
	for _, x := range got.Records {
		sum += uint64(x.Offset) + uint64(x.Timestamp.UnixMilli()) + uint64(len(x.Key)) + uint64(len(x.Value)) + uint64(len(x.Headers))
	}
	return sum
}

// segmentioIterate has the checksum compared: that can't be switched off.
func segmentioIterate(b []byte) (sum uint64) {
	var set protocol.RecordSet
	field := append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
	_, err := set.ReadFrom(bytes.NewReader(field))
	must(err)
	for {
		x, err := set.Records.ReadRecord()
		if err == io.EOF {
			return sum
		}
		must(err)
		sum += uint64(x.Offset) + uint64(x.Time.UnixMilli()) + uint64(x.Key.Len()) + uint64(x.Value.Len()) + uint64(len(x.Headers))
	}
}

// readHeaders reads all fields of batch headers.
func readHeaders(field []byte) (sum uint64) {
	it := records.Batches(field)
	for it.Next() {
		b := it.Batch()
		sum += uint64(b.BaseOffset()) + uint64(b.Size()) + uint64(b.LeaderEpoch()) + uint64(b.Magic()) + uint64(b.CRC()) + uint64(b.Attributes()) + uint64(b.LastOffsetDelta()) +
			uint64(b.BaseTimestamp()) + uint64(b.MaxTimestamp()) + uint64(b.ProducerID()) + uint64(b.ProducerEpoch()) + uint64(b.BaseSequence()) + uint64(b.Count())
	}
	must(it.Err())
	return sum
}

func kmsgHeaders(field []byte) (sum uint64) {
	for len(field) > 0 {
		size := 12 + int(binary.BigEndian.Uint32(field[8:]))
		var b kmsg.RecordBatch
		must(b.ReadFrom(field[:size]))
		field = field[size:]
		sum += uint64(b.FirstOffset) + uint64(size) + uint64(b.PartitionLeaderEpoch) + uint64(b.Magic) + uint64(uint32(b.CRC)) + uint64(b.Attributes) + uint64(b.LastOffsetDelta) +
			uint64(b.FirstTimestamp) + uint64(b.MaxTimestamp) + uint64(b.ProducerID) + uint64(b.ProducerEpoch) + uint64(b.FirstSequence) + uint64(b.NumRecords)
	}
	return sum
}

// viewHeaders reads of each batch what decides whether to look into it.
func viewHeaders(field []byte) (sum uint64) {
	it := records.Batches(field)
	for it.Next() {
		b := it.Batch()
		sum += uint64(b.BaseOffset()) + uint64(b.LastOffset()) + uint64(b.Count())
	}
	return sum
}

func kmsgViewHeaders(field []byte) (sum uint64) {
	for len(field) > 0 {
		size := 12 + int(binary.BigEndian.Uint32(field[8:]))
		var b kmsg.RecordBatch
		must(b.ReadFrom(field[:size]))
		field = field[size:]
		sum += 2*uint64(b.FirstOffset) + uint64(b.LastOffsetDelta) + uint64(b.NumRecords)
	}
	return sum
}

// buildPair writes a batch from records in memory whose differences to the header are
// worked out on both sides. A kmsg record also wants its length, and a kmsg batch its
// records as bytes.
func buildPair(all []kmsg.Record) pair {
	var b records.Builder
	data := make([]records.RecordData, len(all))
	for i := range all {
		recordData(&data[i], &all[i])
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	theirs, written := make([]byte, 0, 1<<20), make([]byte, 0, 1<<20)
	return pair{func() {
		h := records.NewBatchHeader()
		h.BaseTimestamp = firstTimestamp
		b.Begin(h)
		for i := range data {
			b.AppendRecord(&data[i])
		}
		batch, err := b.Finish()
		must(err)
		sink = uint64(len(batch)) + uint64(batch[17])<<32
		b.Release()
	}, func() {
		written = written[:0]
		for i := range all {
			all[i].Length = kmsgLength(&all[i])
			written = all[i].AppendTo(written)
		}
		k := kmsg.RecordBatch{
			Length: int32(49 + len(written)), PartitionLeaderEpoch: -1, Magic: 2, LastOffsetDelta: int32(len(all) - 1),
			FirstTimestamp: firstTimestamp, MaxTimestamp: firstTimestamp + all[len(all)-1].TimestampDelta64,
			ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1, NumRecords: int32(len(all)), Records: written,
		}
		theirs = k.AppendTo(theirs[:0])
		binary.BigEndian.PutUint32(theirs[17:], crc32.Checksum(theirs[21:], table))
		sink = uint64(len(theirs)) + uint64(theirs[17])<<32
	}}
}
