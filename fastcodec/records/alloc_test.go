package records_test

import (
	"fmt"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/internal/life"
	"github.com/kafkawire/kafkawire/fastcodec/records"
)

var sink int

// TestNothingAllocates: opening, checking, iterating, skipping and reading headers; and
// with codecs, unpacking and building, once the pools are warm.
func TestNothingAllocates(t *testing.T) {
	if raceEnabled || life.Debug {
		t.Skip("promised without the race detector and kafkawiredebug only: the one drops from pools at random, the other keeps books")
	}
	var r records.Reader
	var b records.Builder
	var mb records.MessageBuilder
	var m records.Mapper
	var d records.RecordData
	headers := []records.Header{{Key: []byte("a header"), Value: []byte("its value")}, {Key: []byte("another")}}
	value := []byte("the value of a record that isn't all that long")
	masked := []byte("*****")
	dst := make([]byte, 0, 1<<20)
	work := map[string]func(){}

	fill := func(codec records.Codec) []byte {
		h := records.NewBatchHeader()
		h.Attributes = h.Attributes.WithCodec(codec)
		b.Begin(h)
		for i := range 200 {
			b.Append(int64(i), value[:10], value, headers[:i%3]...)
		}
		batch, err := b.Finish()
		if err != nil {
			panic(err)
		}
		return batch
	}
	fillMessages := func(magic int8, codec records.Codec) []byte {
		mb.Begin(magic, records.Attributes(codec))
		for i := range 200 {
			mb.Append(int64(i), int64(i), value[:10], value)
		}
		set, err := mb.Finish()
		if err != nil {
			panic(err)
		}
		return set
	}
	readAll := func(field []byte) {
		it := records.Batches(field)
		for it.Next() {
			batch := it.Batch()
			h := batch.Header()
			sink += int(h.BaseOffset) + int(batch.Count())
			for r.Open(batch); r.Next(); {
				x := r.Record()
				sink += int(x.Offset()) + int(x.Timestamp()) + len(x.Key()) + len(x.Value()) + len(x.Bytes())
				for k, v := range x.Headers().All() {
					sink += len(k) + len(v)
				}
				if v, ok := x.Headers().Last("another"); ok {
					sink += len(v)
				}
				x.CopyTo(&d)
			}
			if r.Err() != nil {
				panic(r.Err())
			}
			if err := r.Check(batch); err != nil {
				panic(err)
			}
			r.Open(batch)
			sink += r.Skip(3)
			if r.SeekOffset(100) {
				sink += r.Skip(1000)
			}
		}
		if it.Err() != nil {
			panic(it.Err())
		}
	}
	change := func(r records.Record, e *records.Edit) {
		switch r.Index() % 4 {
		case 1:
			e.Drop()
		case 2:
			e.SetValue(masked)
		case 3:
			e.SetHeaders(headers)
		}
	}
	for _, codec := range codecsOf(records.Magic2) {
		field := append([]byte(nil), fill(codec)...)
		b.Release()
		batch := must(t, field)
		work[fmt.Sprint("read ", codec)] = func() { readAll(field) }
		work[fmt.Sprint("read and release ", codec)] = func() { readAll(field); r.Release() }
		work[fmt.Sprint("build ", codec)] = func() { fill(codec); b.Release() }
		work[fmt.Sprint("map ", codec)] = func() {
			var err error
			if dst, _, err = m.Map(dst[:0], batch, change); err != nil {
				panic(err)
			}
			if dst, _, err = m.Map(dst[:0], batch, keep); err != nil {
				panic(err)
			}
		}
		work[fmt.Sprint("edit ", codec)] = func() {
			batch.SetBaseOffset(5)
			batch.SetLeaderEpoch(6)
			batch.SetAttributes(batch.Attributes())
			batch.SetMaxTimestamp(records.CreateTime, 7)
			batch.SetProducer(-1, -1, -1)
		}
	}
	for magic := range int8(2) {
		for _, codec := range codecsOf(magic) {
			field := append([]byte(nil), fillMessages(magic, codec)...)
			mb.Release()
			work[fmt.Sprint("read magic ", magic, " ", codec)] = func() { readAll(field) }
			work[fmt.Sprint("build magic ", magic, " ", codec)] = func() { fillMessages(magic, codec); mb.Release() }
		}
	}
	for name, f := range work {
		for range 3 {
			f()
		}
		if n := testing.AllocsPerRun(50, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestPoolsKeepBuffers: pools go on handing buffers out after they have learned which
// sizes are in use.
func TestPoolsKeepBuffers(t *testing.T) {
	if raceEnabled || life.Debug || testing.Short() {
		t.Skip("promised without the race detector and kafkawiredebug only")
	}
	var b records.Builder
	h := records.NewBatchHeader()
	h.Attributes = records.Attributes(records.Zstd)
	b.Begin(h)
	for range 50 {
		b.Append(0, nil, []byte("a value"))
	}
	field, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	batch := must(t, append([]byte(nil), field...))
	b.Release()
	var r records.Reader
	use := func() {
		for r.Open(batch); r.Next(); {
		}
		r.Release()
		h.Attributes = records.Attributes(records.Snappy)
		b.Begin(h)
		for range 30 {
			b.Append(0, nil, []byte("a value"))
		}
		b.Finish()
		b.Release()
	}
	for range 45000 { // a pool learns after 42,000
		use()
	}
	if n := testing.AllocsPerRun(1000, use); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestErrorsAllocateOneValue: a refused batch costs its error and nothing else.
func TestErrorsAllocateOneValue(t *testing.T) {
	bad := must(t, rawBatch(0, 2, append(record("\x01\x02a\x00"), "\x10\x00\x00\x00\x01\x01\x02\x01\x01"...)))
	var r records.Reader
	if n := testing.AllocsPerRun(100, func() {
		for r.Open(bad); r.Next(); {
		}
		if r.Err() == nil {
			panic("accepted")
		}
	}); n != 1 && !life.Debug {
		t.Errorf("%v allocations", n)
	}
}
