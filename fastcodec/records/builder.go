// Builder: batches of magic 2, written.

package records

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/valyala/bytebufferpool"
)

// BatchHeader is what a batch's header says, but for what follows from its records:
// size, checksum and count.
type BatchHeader struct {
	BaseOffset      int64
	LeaderEpoch     int32
	Attributes      Attributes
	LastOffsetDelta int32
	BaseTimestamp   int64 // ms
	MaxTimestamp    int64 // ms
	ProducerID      int64
	ProducerEpoch   int16
	BaseSequence    int32
}

// NewBatchHeader gives the header of a plain producer: no leader epoch, no
// timestamps, no producer id (all -1), offsets from 0.
func NewBatchHeader() BatchHeader {
	return BatchHeader{LeaderEpoch: -1, BaseTimestamp: -1, MaxTimestamp: -1, ProducerID: -1, ProducerEpoch: -1, BaseSequence: -1}
}

// Builder writes batches of magic 2, one after another, into a pooled buffer. The zero
// value is ready for Begin. It is for one goroutine.
//
//	h := records.NewBatchHeader()
//	h.Attributes = h.Attributes.WithCodec(records.Zstd)
//	b.Begin(h)
//	b.Append(now, key, value)
//	batch, err := b.Finish()
//	...
//	b.Release()
type Builder struct {
	// Level is the codec's compression level: 1 to 9 for gzip and lz4, 1 to 22 for
	// zstd; 0 is the codec's default.
	Level int

	out *bytebufferpool.ByteBuffer // batches that are finished
	raw *bytebufferpool.ByteBuffer // records to be compressed

	// What records are appended to, all of the memory of out or of raw: n bytes of it
	// are in use.
	to []byte
	n  int

	header BatchHeader
	start  int // of the batch in out
	count  int
	next   int64 // offset delta of the next record
	latest int64 // timestamp delta
	dated  bool  // the base timestamp is settled
	exact  bool
	open   bool
	err    error
}

// Begin starts a batch. The base timestamp will be that of the first record, the last
// offset that of the last one, the maximum timestamp the largest, or h.MaxTimestamp
// where the attributes have LogAppendTimeBit. A batch without records has all three
// from h. Attributes are written as they are.
//
// For an idempotent producer set ProducerID, ProducerEpoch and BaseSequence; for a
// transaction also TransactionalBit; for markers also ControlBit.
func (b *Builder) Begin(h BatchHeader) { b.begin(h, false) }

// BeginExact starts a batch whose header is h in all its fields: to write a batch again
// as it was read.
func (b *Builder) BeginExact(h BatchHeader) { b.begin(h, true) }

func (b *Builder) begin(h BatchHeader, exact bool) {
	if b.out == nil {
		b.out = batchPool.Get()
	}
	if b.open { // one that was never finished
		b.drop()
	}
	b.header, b.exact, b.dated, b.open = h, exact, exact, true
	b.count, b.next, b.latest, b.err = 0, 0, math.MinInt64, nil
	b.start = len(b.out.B)
	b.out.B = slices.Grow(b.out.B, HeaderSize)[:b.start+HeaderSize]
	to := b.out.B
	codec := h.Attributes.Codec()
	if codec != None {
		b.raw = unpackedPool.Get()
		to = b.raw.B[:0]
	}
	b.to, b.n = to[:cap(to)], len(to)
	if !codec.Known() {
		b.fail(ErrCodec)
	}
}

// Append adds a record, with the offset behind that of the last one. Key, value and
// header values may be nil: null. It copies them. What can't be added is Finish's
// error.
func (b *Builder) Append(timestamp int64, key, value []byte, headers ...Header) {
	if !b.dated {
		b.dated = true
		b.header.BaseTimestamp = timestamp
	}
	if b.next != int64(int32(b.next)) {
		b.fail(ErrTooLarge)
	}
	d := RecordData{TimestampDelta: timestamp - b.header.BaseTimestamp, OffsetDelta: int32(b.next), Key: key, Value: value, Headers: headers}
	b.add(&d)
}

// AppendAt is Append with an offset of its own, as log cleaning leaves holes.
func (b *Builder) AppendAt(offset, timestamp int64, key, value []byte, headers ...Header) {
	b.next = offset - b.header.BaseOffset
	b.Append(timestamp, key, value, headers...)
}

// Count is the number of records in the batch so far.
func (b *Builder) Count() int { return b.count }

// RecordsSize is how many bytes the records in the batch have so far, uncompressed.
func (b *Builder) RecordsSize() int {
	if b.raw != nil {
		return b.n
	}
	return b.n - b.start - HeaderSize
}

// Finish completes the batch and gives its bytes, which live as long as Bytes. After an
// error, ErrTooLarge or ErrCodec, the batch is gone and those before it stay.
func (b *Builder) Finish() ([]byte, error) {
	if !b.open {
		return nil, nil
	}
	if b.err == nil {
		b.err = b.pack()
	}
	if b.err == nil && len(b.out.B)-b.start-SizeOverhead > math.MaxInt32 {
		b.err = ErrTooLarge
	}
	if b.err != nil {
		b.drop()
		return nil, b.err
	}
	if !b.exact && b.count > 0 {
		b.header.LastOffsetDelta = int32(b.next - 1)
		if !b.header.Attributes.Has(LogAppendTimeBit) {
			b.header.MaxTimestamp = b.header.BaseTimestamp + b.latest
		}
	}
	b.open, b.to, b.n = false, nil, 0
	batch := b.out.B[b.start:len(b.out.B):len(b.out.B)]
	b.header.put(batch, b.count)
	return batch, nil
}

// pack brings the records into out.
func (b *Builder) pack() (err error) {
	if b.raw == nil {
		b.out.B = b.to[:b.n]
		return nil
	}
	b.raw.B = b.to[:b.n]
	if b.count > 0 {
		b.out.B, err = pack(b.out.B, b.raw.B, b.header.Attributes.Codec(), Magic2, b.Level)
	}
	b.giveRaw()
	return err
}

// put writes the header in front of its records.
func (h *BatchHeader) put(batch []byte, count int) {
	p := (*[HeaderSize]byte)(batch)
	binary.BigEndian.PutUint64(p[atBaseOffset:], uint64(h.BaseOffset))
	binary.BigEndian.PutUint32(p[atSize:], uint32(len(batch)-SizeOverhead))
	binary.BigEndian.PutUint32(p[atLeaderEpoch:], uint32(h.LeaderEpoch))
	p[atMagic] = byte(Magic2)
	binary.BigEndian.PutUint16(p[atAttributes:], uint16(h.Attributes))
	binary.BigEndian.PutUint32(p[atLastOffsetDelta:], uint32(h.LastOffsetDelta))
	binary.BigEndian.PutUint64(p[atBaseTimestamp:], uint64(h.BaseTimestamp))
	binary.BigEndian.PutUint64(p[atMaxTimestamp:], uint64(h.MaxTimestamp))
	binary.BigEndian.PutUint64(p[atProducerID:], uint64(h.ProducerID))
	binary.BigEndian.PutUint16(p[atProducerEpoch:], uint16(h.ProducerEpoch))
	binary.BigEndian.PutUint32(p[atBaseSequence:], uint32(h.BaseSequence))
	binary.BigEndian.PutUint32(p[atCount:], uint32(count))
	batchCRC.seal(batch)
}

// drop takes back a batch that isn't finished.
func (b *Builder) drop() {
	b.open, b.to, b.n = false, nil, 0
	b.out.B = b.out.B[:b.start]
	b.giveRaw()
}

func (b *Builder) giveRaw() {
	if b.raw != nil {
		giveBack(&unpackedPool, b.raw)
		b.raw = nil
	}
}

// Bytes gives the batches that were finished since the last Release, one behind the
// other. They are valid until the next Begin, or Release.
func (b *Builder) Bytes() []byte {
	if b.out == nil {
		return nil
	}
	if b.open {
		return b.out.B[:b.start]
	}
	return b.out.B
}

// Release gives the buffer back and ends the life of Bytes. An unfinished batch is
// gone. The Builder can go on with new batches.
func (b *Builder) Release() {
	if b.open {
		b.drop()
	}
	if b.out != nil {
		giveBack(&batchPool, b.out)
		b.out = nil
	}
}
