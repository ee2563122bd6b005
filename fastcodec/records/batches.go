// BatchIter: the batches of a records field, or of a log segment.

package records

import (
	"encoding/binary"

	"github.com/kafkawire/kafkawire/fastcodec/internal/life"
)

// BatchIter iterates over the batches in a records field. A cut batch at the end is
// no error: Left says how many bytes it has.
type BatchIter struct {
	mark    life.Mark
	b       []byte
	at, end int // of the batch, or of what couldn't be read
	last    int // where the last batch that could be read begins, or -1
	stuck   bool
	err     *Error
}

// Batches begins with the first batch of a records field, or of the bytes of a log
// segment file.
func Batches(field []byte) BatchIter { return BatchIter{life.Of(field), field, 0, 0, -1, false, nil} }

// Next goes to the next whole batch, and reports whether there is one. It is false at
// the end, and at a batch whose header can't be read: then Err isn't nil, and another
// Next goes on behind that batch if its size can be believed.
func (it *BatchIter) Next() bool {
	b, at := it.b, it.end
	// The usual case; split says what is wrong with others. Where a batch begins is known
	// by the size of the one before it: hence no slice of b, whose start takes longer.
	if len(b)-at < HeaderSize || b[at+atMagic] != byte(Magic2) || it.err != nil {
		return it.split()
	}
	size := uint(binary.BigEndian.Uint32(b[at+atSize:at+atSize+4])) + SizeOverhead
	if size < HeaderSize || size > uint(len(b)-at) {
		return it.split()
	}
	it.at, it.last = at, at
	it.end = at + int(size)
	return true
}

// split is Next for all batches.
func (it *BatchIter) split() bool {
	it.at = it.end
	it.err = nil
	if it.stuck {
		return false
	}
	b := it.b[it.at:]
	size, err := splitBatch(b)
	if err != nil {
		it.err = batchError(b, err)
	}
	it.end += size
	if size == 0 {
		it.stuck = true // nobody knows where the next one begins
		return false
	}
	if err != nil {
		return false
	}
	it.last = it.at
	return true
}

// Batch is the batch that Next went to. After a Next that was false it means nothing.
func (it *BatchIter) Batch() Batch { return Batch{it.mark, it.b[it.at:it.end:it.end]} }

// At is where the batch begins in the field; after a Next that was false, what is
// left.
func (it *BatchIter) At() int { return it.at }

// Left is the number of bytes from the end of the last whole batch on: of a cut
// batch, once Next was false without an error.
func (it *BatchIter) Left() int { return len(it.b) - it.end }

// NextOffset is the offset to fetch after the last batch that Next went to; -1 if
// there was none.
func (it *BatchIter) NextOffset() int64 {
	if it.last < 0 {
		return -1
	}
	return Batch{it.mark, it.b[it.last:]}.NextOffset()
}

// Err is why the last Next was false; nil at the end. It is an *Error, whose Byte
// counts from where the batch begins.
func (it *BatchIter) Err() error {
	if it.err == nil {
		return nil
	}
	return it.err
}
