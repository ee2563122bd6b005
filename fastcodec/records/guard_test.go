package records_test

import (
	"math"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/records"
	"github.com/kafkawire/kafkawire/internal/unsafeio"
)

// TestStaysInside: nobody reads past the end of a field, whole or cut anywhere, nor
// past that of a batch; decoders and their assembly neither.
func TestStaysInside(t *testing.T) {
	if !unsafeio.Guards {
		t.Skip("no guard pages on this system")
	}
	var r records.Reader
	var m records.Mapper
	var dst []byte
	use := func(b []byte) {
		g, free := unsafeio.Guarded(b)
		defer free()
		it := records.Batches(g)
		for it.Next() {
			batch := it.Batch()
			for r.Open(batch); r.Next(); {
				x := r.Record()
				sink += len(x.Bytes()) + int(x.Attributes())
				for k, v := range x.Headers().All() {
					sink += len(k) + len(v)
				}
			}
			r.Check(batch)
			r.Open(batch)
			r.SeekOffset(batch.LastOffset())
			sink += r.Skip(math.MaxInt)
			dst, _, _ = m.Map(dst[:0], batch, keep)
		}
	}
	step := 37
	if testing.Short() || raceEnabled {
		step = 101
	}
	for i, line := range referenceLines(t) {
		field := fieldOf(t, line)
		it := records.Batches(field)
		for it.Next() {
			use(it.Batch().Bytes())
		}
		for cut := i % step; cut < len(field); cut += step {
			use(field[:cut])
		}
		// Cut inside, and the size says so: records and compressed bytes end early.
		if it := records.Batches(field); it.Next() {
			whole := it.Batch().Bytes()
			least := records.HeaderSize
			if it.Batch().Magic() < 2 {
				least = 34
			}
			for cut := least + i%step; cut < len(whole); cut += step {
				b := append([]byte(nil), whole[:cut]...)
				use(seal(b))
			}
		}
	}
}
