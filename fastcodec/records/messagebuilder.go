// MessageBuilder: messages of magic 0 and 1, written. Brokers from 4.0 on no longer
// take them; tests of old clients need them.

package records

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/valyala/bytebufferpool"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// MessageBuilder writes messages of magic 0 and 1 into a pooled buffer: plain ones, one
// behind the other, or a wrapper that holds them. The zero value is ready for Begin. It
// is for one goroutine.
type MessageBuilder struct {
	// Level is the codec's compression level: 1 to 9 for gzip and lz4; 0 is the
	// codec's default.
	Level int

	out *bytebufferpool.ByteBuffer
	raw *bytebufferpool.ByteBuffer // messages to be wrapped; nil without a codec

	magic       int8
	attributes  Attributes
	start       int   // in out
	first, last int64 // offsets
	timestamp   int64
	count       int
	err         error
}

// Begin starts a set of messages. Attributes are those of each message; with a codec
// they are a wrapper's, whose messages have the others.
func (b *MessageBuilder) Begin(magic int8, a Attributes) {
	if b.out == nil {
		b.out = batchPool.Get()
	}
	b.dropRaw()
	b.magic, b.attributes = magic, a
	b.start, b.count, b.timestamp, b.err = len(b.out.B), 0, math.MinInt64, nil
	switch {
	case magic != Magic0 && magic != Magic1:
		b.err = ErrMagic
	case !a.Codec().in(magic):
		b.err = ErrCodec
	case a.Codec() != None:
		b.raw = unpackedPool.Get()
		b.raw.B = b.raw.B[:0]
	}
}

// Append adds a message. Magic 0 has no timestamps. Key and value may be nil: null. It
// copies them. What can't be added is Finish's error.
func (b *MessageBuilder) Append(offset, timestamp int64, key, value []byte) {
	if b.err != nil {
		return
	}
	if b.count == 0 {
		b.first = offset
	}
	b.last = offset
	b.timestamp = max(b.timestamp, timestamp)
	b.count++
	if b.raw == nil {
		b.out.B, b.err = appendMessage(b.out.B, b.magic, b.attributes, offset, timestamp, key, value)
		return
	}
	// Offsets in a wrapper of magic 1 are relative.
	if b.magic == Magic1 {
		offset -= b.first
	}
	b.raw.B, b.err = appendMessage(b.raw.B, b.magic, b.attributes.WithCodec(None), offset, timestamp, key, value)
}

// Finish completes the set and gives its bytes, which live as long as Bytes. A wrapper
// has the last offset and the largest timestamp of its messages; without messages there
// is none. After an error, ErrTooLarge, ErrCodec or ErrMagic, the set is gone.
func (b *MessageBuilder) Finish() ([]byte, error) {
	if b.out == nil {
		return nil, nil
	}
	if b.err == nil && b.raw != nil && b.count > 0 {
		b.out.B, b.err = appendWrapper(b.out.B, b.magic, b.attributes, b.last, b.timestamp, nil, b.raw.B, b.Level)
	}
	b.dropRaw()
	if b.err != nil {
		b.out.B = b.out.B[:b.start]
		return nil, b.err
	}
	return b.out.B[b.start:len(b.out.B):len(b.out.B)], nil
}

func (b *MessageBuilder) dropRaw() {
	if b.raw != nil {
		giveBack(&unpackedPool, b.raw)
		b.raw = nil
	}
}

// Bytes gives all that was written since the last Release. It is valid until the next
// Begin or Append, or Release.
func (b *MessageBuilder) Bytes() []byte {
	if b.out == nil {
		return nil
	}
	return b.out.B
}

// Release gives the buffer back and ends the life of Bytes.
func (b *MessageBuilder) Release() {
	b.dropRaw()
	if b.out != nil {
		giveBack(&batchPool, b.out)
		b.out = nil
	}
}

// appendMessage appends a message. On an error nothing is appended.
func appendMessage(dst []byte, magic int8, a Attributes, offset, timestamp int64, key, value []byte) ([]byte, error) {
	size := leastMessage0 + len(key) + len(value)
	if magic == Magic1 {
		size += leastMessage1 - leastMessage0
	}
	if uint(size) > math.MaxInt32 {
		return dst, ErrTooLarge
	}
	at := len(dst)
	dst = slices.Grow(dst, size)
	dst = appendMessageHead(dst, magic, a, offset, timestamp)
	dst = fastcodec.AppendNullableBytes(dst, key)
	dst = fastcodec.AppendNullableBytes(dst, value)
	sealMessage(dst[at:])
	return dst, nil
}

// appendWrapper appends a wrapper of messages that are in inner, one behind the other.
func appendWrapper(dst []byte, magic int8, a Attributes, offset, timestamp int64, key, inner []byte, level int) (_ []byte, err error) {
	at := len(dst)
	dst = appendMessageHead(dst, magic, a, offset, timestamp)
	dst = fastcodec.AppendNullableBytes(dst, key)
	dst = append(dst, 0, 0, 0, 0)
	value := len(dst)
	dst, err = pack(dst, inner, a.Codec(), magic, level)
	if err == nil && len(dst)-at > math.MaxInt32 {
		err = ErrTooLarge
	}
	if err != nil {
		return dst[:at], err
	}
	binary.BigEndian.PutUint32(dst[value-4:], uint32(len(dst)-value))
	sealMessage(dst[at:])
	return dst, nil
}

// appendMessageHead appends what stands in front of the key, with room for size and
// checksum.
func appendMessageHead(dst []byte, magic int8, a Attributes, offset, timestamp int64) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(offset))
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0, byte(magic), byte(a))
	if magic == Magic1 {
		dst = binary.BigEndian.AppendUint64(dst, uint64(timestamp))
	}
	return dst
}

// sealMessage writes size and checksum of a message that is complete.
func sealMessage(m []byte) {
	binary.BigEndian.PutUint32(m[atSize:], uint32(len(m)-SizeOverhead))
	messageCRC.seal(m)
}
