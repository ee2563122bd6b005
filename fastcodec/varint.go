// Variable-length integers: unsigned ones (lengths, tags) and the zigzag forms of
// records.

package fastcodec

import (
	"math/bits"

	"github.com/kafkawire/kafkawire/fastcodec/internal/fault"
)

// ConsumeError is the sentinel for a negative length that a Consume function
// returned: ErrShort, ErrVarint, ErrNull, ErrTooLong, ErrCount or ErrTagSize. It
// is nil for a length that isn't negative.
func ConsumeError(n int) error { return fault.Reason(n) }

// AppendUvarint appends v as an unsigned varint, 1 to 5 bytes.
func AppendUvarint(dst []byte, v uint32) []byte {
	if v < 0x80 {
		return append(dst, byte(v))
	}
	return appendUvarint(dst, uint64(v))
}

// ConsumeUvarint reads an unsigned varint from the front of b, and gives its
// length, or a negative one for ConsumeError. At most 5 bytes are read; overlong
// forms are, as Kafka reads them; a fifth byte above 0x0f is ErrVarint.
func ConsumeUvarint(b []byte) (v uint32, n int) {
	// One byte is nearly always all there is. In this form, and in no other that was
	// tried, the compiler inlines that case (cost 79 of 80).
	for _, c := range b {
		if c < 0x80 {
			return uint32(c), 1
		}
		break
	}
	v, n = fault.Uvarint32(b)
	return
}

// SizeUvarint is the number of bytes that AppendUvarint appends.
func SizeUvarint(v uint32) int { return (9*bits.Len32(v) + 64) / 64 }

// AppendVarint appends v as a zigzag varint, 1 to 5 bytes.
func AppendVarint(dst []byte, v int32) []byte {
	return AppendUvarint(dst, zigzag32(v))
}

// ConsumeVarint reads what AppendVarint writes, under the rules of
// ConsumeUvarint.
func ConsumeVarint(b []byte) (v int32, n int) {
	u, n := ConsumeUvarint(b)
	return int32(u>>1) ^ -int32(u&1), n
}

// SizeVarint is the number of bytes that AppendVarint appends.
func SizeVarint(v int32) int { return SizeUvarint(zigzag32(v)) }

// AppendVarlong appends v as a zigzag varint, 1 to 10 bytes.
func AppendVarlong(dst []byte, v int64) []byte {
	u := zigzag64(v)
	if u < 0x80 {
		return append(dst, byte(u))
	}
	return appendUvarint(dst, u)
}

// ConsumeVarlong reads what AppendVarlong writes, and gives its length, or a
// negative one for ConsumeError. At most 10 bytes are read; a tenth byte above
// 0x01 is ErrVarint.
func ConsumeVarlong(b []byte) (v int64, n int) {
	u, n := consumeUvarlong(b)
	return int64(u>>1) ^ -int64(u&1), n
}

// SizeVarlong is the number of bytes that AppendVarlong appends.
func SizeVarlong(v int64) int { return (9*bits.Len64(zigzag64(v)) + 64) / 64 }

func zigzag32(v int32) uint32 { return uint32(v<<1) ^ uint32(v>>31) }
func zigzag64(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }

func appendUvarint(dst []byte, v uint64) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

func consumeUvarlong(b []byte) (v uint64, n int) {
	for i := 0; i < 10; i++ {
		if i == len(b) {
			return 0, fault.CodeShort
		}
		c := b[i]
		if i == 9 && c > 0x01 {
			break
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, fault.CodeVarint
}
