// Batch: the view of one batch of any magic, in place.

package records

import (
	"encoding/binary"
	"math"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/internal/life"
)

// The formats.
const (
	Magic0 int8 = iota // since 0.8
	Magic1             // since 0.10: timestamps
	Magic2             // since 0.11: record batches
)

// Where the fields of a batch are (Kafka's DefaultRecordBatch).
const (
	atBaseOffset      = 0
	atSize            = 8
	atLeaderEpoch     = 12
	atMagic           = 16
	atCRC             = 17
	atAttributes      = 21
	atLastOffsetDelta = 23
	atBaseTimestamp   = 27
	atMaxTimestamp    = 35
	atProducerID      = 43
	atProducerEpoch   = 51
	atBaseSequence    = 53
	atCount           = 57
)

// Where the fields of a message are that a batch has elsewhere, or not at all
// (Kafka's LegacyRecord).
const (
	atMessageCRC        = 12
	atMessageAttributes = 17
	atMessageTimestamp  = 18 // magic 1
)

const (
	// HeaderSize is the size of a batch of magic 2 without records.
	HeaderSize = 61
	// SizeOverhead is how much a batch is larger than the size in it.
	SizeOverhead = 12

	untilMagic     = 17
	leastMessage0  = 26 // message of magic 0 with null key and value
	leastMessage1  = 34
	leastSizeField = leastMessage0 - SizeOverhead
)

// Batch is a view of one batch: 61 bytes or more in magic 2, one message in magic 0
// and 1. Its size and magic are right; nothing else was looked at. What a magic lacks
// reads as Kafka gives it: no producer and no leader epoch is -1.
//
// The zero value is no batch: its accessors panic.
type Batch struct {
	mark life.Mark
	b    []byte
}

// ParseBatch views the batch that b begins with; its Size says how much of b it
// takes. A batch that isn't whole is fastcodec.ErrShort: where that is no error,
// use Batches.
func ParseBatch(b []byte) (Batch, error) {
	size, err := splitBatch(b)
	if err != nil {
		return Batch{}, batchError(b, err)
	}
	if size == 0 {
		return Batch{}, batchError(b, fastcodec.ErrShort)
	}
	return newBatch(b[:size:size]), nil
}

func newBatch(b []byte) Batch { return Batch{life.Of(b), b} }

// splitBatch gives the size of the batch that b begins with, 0 if it isn't whole.
// With an error the size is where the next batch would begin, 0 if nobody knows
// (Kafka's ByteBufferLogInputStream; the sizes of magic 1 and 2 it checks later).
func splitBatch(b []byte) (size int, err error) {
	if len(b) < SizeOverhead {
		return 0, nil
	}
	said := int32(binary.BigEndian.Uint32(b[atSize:]))
	if said < leastSizeField {
		return 0, ErrBatchSize
	}
	if len(b) < untilMagic {
		return 0, nil
	}
	if int(said) <= len(b)-SizeOverhead {
		size = int(said) + SizeOverhead
	}
	switch int8(b[atMagic]) {
	case Magic2:
		if said < HeaderSize-SizeOverhead {
			return size, ErrBatchSize
		}
	case Magic1:
		if said < leastMessage1-SizeOverhead {
			return size, ErrBatchSize
		}
	case Magic0:
	default:
		return size, ErrMagic
	}
	return size, nil
}

// batchError is an error in the header of the batch that b begins with.
func batchError(b []byte, err error) *Error {
	e := &Error{Record: -1, Err: err}
	if len(b) >= 8 {
		e.BaseOffset = int64(binary.BigEndian.Uint64(b))
	}
	switch err {
	case ErrBatchSize:
		e.Byte = atSize
	case ErrMagic:
		e.Byte = atMagic
	default:
		e.Byte = len(b)
	}
	return e
}

func (b Batch) bytes() []byte {
	b.mark.Check()
	return b.b
}

// old reports whether the batch is a message.
func (b Batch) old() bool { return int8(b.bytes()[atMagic]) < Magic2 }

// Fields of a batch of magic 2, which old has looked at. All ask for the whole header,
// so that whoever reads several is checked once.
func (b Batch) int16(at int) int16 {
	return int16(binary.BigEndian.Uint16((*[HeaderSize]byte)(b.b)[at : at+2]))
}

func (b Batch) int32(at int) int32 {
	return int32(binary.BigEndian.Uint32((*[HeaderSize]byte)(b.b)[at : at+4]))
}

func (b Batch) int64(at int) int64 {
	return int64(binary.BigEndian.Uint64((*[HeaderSize]byte)(b.b)[at : at+8]))
}

// Bytes is the whole batch.
func (b Batch) Bytes() []byte { return b.bytes() }

// Size is how many bytes the batch has.
func (b Batch) Size() int { return len(b.b) }

// Magic is the format: Magic0, Magic1 or Magic2.
func (b Batch) Magic() int8 { return int8(b.bytes()[atMagic]) }

// BaseOffset is the offset of the first record, as far as it is still there. A
// message has that of its record; a wrapper that of its last one.
func (b Batch) BaseOffset() int64 { return int64(binary.BigEndian.Uint64(b.bytes()[:8])) }

// LastOffset is the offset of the last record that the batch was written with.
func (b Batch) LastOffset() int64 {
	if b.old() {
		return b.BaseOffset()
	}
	return b.BaseOffset() + int64(b.int32(atLastOffsetDelta))
}

// NextOffset is the offset to fetch after this batch, whether it has records or not.
func (b Batch) NextOffset() int64 { return b.LastOffset() + 1 }

// LastOffsetDelta is LastOffset less BaseOffset.
func (b Batch) LastOffsetDelta() int32 {
	if b.old() {
		return 0
	}
	return b.int32(atLastOffsetDelta)
}

// LeaderEpoch is the epoch of the leader that appended the batch; -1 from producers.
func (b Batch) LeaderEpoch() int32 {
	if b.old() {
		return -1
	}
	return b.int32(atLeaderEpoch)
}

// CRC is the checksum as it stands in the batch: CRC-32C in magic 2, else CRC-32.
func (b Batch) CRC() uint32 {
	if b.old() {
		return binary.BigEndian.Uint32(b.b[atMessageCRC : atMessageCRC+4])
	}
	return uint32(b.int32(atCRC))
}

// Attributes are the batch's attributes.
func (b Batch) Attributes() Attributes {
	if b.old() {
		return Attributes(b.b[atMessageAttributes])
	}
	return Attributes(b.int16(atAttributes))
}

// Codec is what the records are compressed with. It may be an unknown one.
func (b Batch) Codec() Codec { return b.Attributes().Codec() }

// TimestampType says whose clock the timestamps are of.
func (b Batch) TimestampType() TimestampType {
	if b.Magic() == Magic0 {
		return NoTimestampType
	}
	if b.Attributes()&LogAppendTimeBit != 0 {
		return LogAppendTime
	}
	return CreateTime
}

// Transactional reports whether the batch is part of a transaction.
func (b Batch) Transactional() bool { return b.has(TransactionalBit) }

// Control reports whether the batch holds control records. It may have none: log
// cleaning leaves such batches.
func (b Batch) Control() bool { return b.has(ControlBit) }

// has is for bits that magic 0 and 1 don't have.
func (b Batch) has(bit Attributes) bool { return !b.old() && b.lowAttributes()&bit != 0 }

// lowAttributes are those of a batch of magic 2 that have a meaning.
func (b Batch) lowAttributes() Attributes {
	return Attributes((*[HeaderSize]byte)(b.b)[atAttributes+1])
}

// DeleteHorizon is the time in ms from which on tombstones and transaction markers
// of the batch may be cleaned away (KIP-534). ok is false where none is set.
func (b Batch) DeleteHorizon() (ms int64, ok bool) {
	if !b.has(DeleteHorizonBit) {
		return -1, false
	}
	return b.int64(atBaseTimestamp), true
}

// BaseTimestamp is what the records' timestamp deltas count from, in ms: in magic 2
// the first record's timestamp or the delete horizon, in a message its timestamp.
func (b Batch) BaseTimestamp() int64 {
	if b.old() {
		return b.messageTimestamp()
	}
	return b.int64(atBaseTimestamp)
}

// MaxTimestamp is the largest timestamp of the records in ms, or the time of the
// append; -1 in magic 0.
func (b Batch) MaxTimestamp() int64 {
	if b.old() {
		return b.messageTimestamp()
	}
	return b.int64(atMaxTimestamp)
}

func (b Batch) messageTimestamp() int64 {
	if b.Magic() == Magic0 {
		return -1
	}
	return int64(binary.BigEndian.Uint64(b.bytes()[atMessageTimestamp : atMessageTimestamp+8]))
}

// ProducerID is the id of an idempotent or transactional producer, or -1.
func (b Batch) ProducerID() int64 {
	if b.old() {
		return -1
	}
	return b.int64(atProducerID)
}

// ProducerEpoch is the producer's epoch, or -1.
func (b Batch) ProducerEpoch() int16 {
	if b.old() {
		return -1
	}
	return b.int16(atProducerEpoch)
}

// BaseSequence is the producer's sequence number of the first record, or -1.
func (b Batch) BaseSequence() int32 {
	if b.old() {
		return -1
	}
	return b.int32(atBaseSequence)
}

// LastSequence is the producer's sequence number of the last record, or -1.
func (b Batch) LastSequence() int32 {
	first := b.BaseSequence()
	if first == -1 {
		return -1
	}
	return AddSequence(first, b.LastOffsetDelta())
}

// AddSequence counts a producer's sequence number up by n: after 2^31-1 comes 0.
func AddSequence(sequence, n int32) int32 {
	if sequence > math.MaxInt32-n {
		return n - (math.MaxInt32 - sequence) - 1
	}
	return sequence + n
}

// Count is the number of records that the header says; it may be negative, or wrong.
// A message is one record; a wrapper doesn't say how many it holds: -1.
func (b Batch) Count() int32 {
	if b.old() {
		if Attributes(b.b[atMessageAttributes])&codecMask != 0 {
			return -1
		}
		return 1
	}
	return b.int32(atCount)
}

// Header copies the fields of a batch of magic 2 that a Builder writes it from. Of
// magic 0 and 1 it has what they have.
func (b Batch) Header() BatchHeader {
	return BatchHeader{
		BaseOffset:      b.BaseOffset(),
		LeaderEpoch:     b.LeaderEpoch(),
		Attributes:      b.Attributes(),
		LastOffsetDelta: b.LastOffsetDelta(),
		BaseTimestamp:   b.BaseTimestamp(),
		MaxTimestamp:    b.MaxTimestamp(),
		ProducerID:      b.ProducerID(),
		ProducerEpoch:   b.ProducerEpoch(),
		BaseSequence:    b.BaseSequence(),
	}
}
