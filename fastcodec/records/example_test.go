package records_test

import (
	"bytes"
	"fmt"

	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// written is a records field for the examples.
func written() []byte {
	var b records.Builder
	h := records.NewBatchHeader()
	h.BaseOffset = 100
	h.Attributes = h.Attributes.WithCodec(records.Zstd)
	b.Begin(h)
	b.Append(1700000000000, []byte("order-1"), []byte("paid"), records.Header{Key: []byte("by"), Value: []byte("card")})
	b.Append(1700000000005, []byte("order-2"), nil)
	batch, err := b.Finish()
	if err != nil {
		panic(err)
	}
	defer b.Release()
	return bytes.Clone(batch)
}

func ExampleBatches() {
	field := written()
	field = append(field, field[:30]...) // a Fetch answer may end in a batch that is cut

	var r records.Reader
	batches := records.Batches(field)
	for batches.Next() {
		batch := batches.Batch()
		fmt.Println(batch.Count(), "records in", batch.Codec())
		for r.Open(batch); r.Next(); {
			x := r.Record()
			fmt.Printf("%d %s: %s, null %v\n", x.Offset(), x.Key(), x.Value(), x.Value() == nil)
			for k, v := range x.Headers().All() {
				fmt.Printf("  %s: %s\n", k, v)
			}
		}
		if err := r.Err(); err != nil {
			fmt.Println(err) // of this batch; the next ones can be read
		}
	}
	if err := batches.Err(); err != nil {
		fmt.Println(err)
	}
	fmt.Println(batches.Left(), "bytes left over, fetch from", batches.NextOffset())
	// Output:
	// 2 records in zstd
	// 100 order-1: paid, null false
	//   by: card
	// 101 order-2: , null true
	// 30 bytes left over, fetch from 102
}

func ExampleBuilder() {
	var b records.Builder
	h := records.NewBatchHeader()
	h.ProducerID, h.ProducerEpoch, h.BaseSequence = 4711, 0, 0 // from InitProducerId
	b.Begin(h)
	b.Append(1700000000000, []byte("key"), []byte("value"))
	batch, err := b.Finish()
	fmt.Println(len(batch), err)
	b.Release() // batch is gone
	// Output: 76 <nil>
}

func ExampleMapper() {
	var m records.Mapper
	out, changed, err := m.MapAll(nil, written(), func(r records.Record, e *records.Edit) {
		if r.Value() == nil {
			e.Drop()
		} else {
			e.SetValue([]byte("****"))
		}
	})
	fmt.Println(changed, err)
	var r records.Reader
	batches := records.Batches(out)
	for batches.Next() {
		for r.Open(batches.Batch()); r.Next(); {
			fmt.Printf("%d %s: %s\n", r.Record().Offset(), r.Record().Key(), r.Record().Value())
		}
	}
	fmt.Println("fetch from", batches.NextOffset())
	// Output:
	// true <nil>
	// 100 order-1: ****
	// fetch from 102
}
