// BatchIter: the batches of a records field, or of a log segment.

package records

import "github.com/kafkawire/kafkawire/fastcodec/internal/life"

// BatchIter iterates over the batches in a records field. A cut batch at the end is
// no error: Left says how many bytes it has.
type BatchIter struct {
	b       []byte
	at, end int // of the batch, or of what couldn't be read
	next    int64
	batch   Batch
	mark    life.Mark
	stuck   bool // nobody knows where the next batch begins
	err     *Error
}

// Batches begins with the first batch of a records field, or of the bytes of a log
// segment file.
func Batches(field []byte) BatchIter {
	return BatchIter{b: field, next: -1, mark: life.Of(field)}
}

// Next goes to the next whole batch, and reports whether there is one. It is false at
// the end, and at a batch whose header can't be read: then Err isn't nil, and another
// Next goes on behind that batch if its size can be believed.
func (it *BatchIter) Next() bool {
	it.at = it.end
	if it.stuck {
		return false
	}
	b := it.b[it.at:]
	size, err := splitBatch(b)
	if size == 0 || err != nil {
		return it.stop(size, err)
	}
	it.end = it.at + size
	it.batch = Batch{it.mark, b[:size:size]}
	it.next = it.batch.NextOffset()
	it.err = nil
	return true
}

// stop ends at the front of what is left: at a cut batch, or with an error.
func (it *BatchIter) stop(size int, err error) bool {
	it.stuck = size == 0
	it.err = nil
	if err != nil {
		it.err = batchError(it.b[it.at:], err)
		it.end += size
	}
	return false
}

// Batch is the batch that Next went to.
func (it *BatchIter) Batch() Batch { return it.batch }

// At is where the batch begins in the field; after a Next that was false, what is
// left.
func (it *BatchIter) At() int { return it.at }

// Left is the number of bytes from the end of the last whole batch on: of a cut
// batch, once Next was false without an error.
func (it *BatchIter) Left() int { return len(it.b) - it.end }

// NextOffset is the offset to fetch after the last batch that Next went to; -1 if
// there was none.
func (it *BatchIter) NextOffset() int64 { return it.next }

// Err is why the last Next was false; nil at the end. It is an *Error, whose Byte
// counts from where the batch begins.
func (it *BatchIter) Err() error {
	if it.err == nil {
		return nil
	}
	return it.err
}
