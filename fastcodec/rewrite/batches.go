// Producer ids in the headers of record batches.

package rewrite

import "github.com/kafkawire/kafkawire/fastcodec/records"

// batches edits the record batches in a records field and returns where it ends.
// What can't be read as a batch has no producer id that anyone would read, and
// stays: cut batches, older formats, damage.
func (s *state) batches(b []byte, o *op, at int) int {
	content, end := span(b, at, o)
	if content <= 0 {
		return end
	}
	f := o.edit.rules[0].id
	it := records.Batches(b[content:end:end])
	for it.Next() {
		old := it.Batch().ProducerID()
		if old < 0 {
			continue
		}
		id := f(old)
		if id < 0 {
			return s.fail(at, ErrResult, wantID)
		}
		if id == old && !s.force {
			continue
		}
		from := content + it.At()
		s.changed = true
		s.cover(from + it.Batch().Size())
		// The same batch in dst, where it may be written to.
		batch, err := records.ParseBatch(s.dst[s.place(from):])
		if err == nil {
			err = batch.SetProducer(id, batch.ProducerEpoch(), batch.BaseSequence())
		}
		if err != nil {
			return s.fail(at, err, "a batch that was read before")
		}
	}
	return end
}
