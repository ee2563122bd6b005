// Lengths, strings, bytes, uuids and floats, each as Append, Consume and Size.
//
// Consume functions read from the front of b and give what they read, and how
// many bytes that took; a negative count is for ConsumeError. What they return
// aliases b, with its capacity clipped. A nil slice is null, an empty one isn't.
//
// Numbers of fixed size have no functions here: they are encoding/binary's
// BigEndian.

package fastcodec

import (
	"encoding/binary"
	"math"

	"github.com/kafkawire/kafkawire/fastcodec/internal/fault"
)

// AppendCompactLength appends a compact length or count: n+1 as a uvarint. n is
// at least -1, which is null, and below 2^31.
func AppendCompactLength(dst []byte, n int) []byte { return AppendUvarint(dst, uint32(n+1)) }

// ConsumeCompactLength reads a compact length or count; -1 is null. 2^31 or more
// is ErrCount (Kafka would read it as negative: two readers, two lengths). Nobody
// has compared the length with what is left of b.
func ConsumeCompactLength(b []byte) (length, n int) {
	v, n := ConsumeUvarint(b)
	switch {
	case n < 0:
		return 0, n
	case v == 0:
		return -1, n
	case v-1 > math.MaxInt32:
		return 0, fault.CodeCount
	}
	return int(v - 1), n
}

// SizeCompactLength is the number of bytes that AppendCompactLength appends.
func SizeCompactLength(n int) int { return SizeUvarint(uint32(n + 1)) }

// AppendInt16Length appends a string's length as non-flexible versions have it.
// n is -1, which is null, to MaxString.
func AppendInt16Length(dst []byte, n int) []byte {
	return binary.BigEndian.AppendUint16(dst, uint16(n))
}

// ConsumeInt16Length reads a string's length; every negative one comes out as -1,
// null.
func ConsumeInt16Length(b []byte) (length, n int) {
	if len(b) < 2 {
		return 0, fault.CodeShort
	}
	return max(int(int16(binary.BigEndian.Uint16(b))), -1), 2
}

// SizeInt16Length is the size of a string's length in non-flexible versions.
const SizeInt16Length = 2

// AppendInt32Length appends a length or count as non-flexible versions have it.
// n is -1, which is null, to 2^31-1.
func AppendInt32Length(dst []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(n))
}

// ConsumeInt32Length reads a length or count; every negative one comes out as -1,
// null. Nobody has compared the length with what is left of b.
func ConsumeInt32Length(b []byte) (length, n int) {
	if len(b) < 4 {
		return 0, fault.CodeShort
	}
	return max(int(int32(binary.BigEndian.Uint32(b))), -1), 4
}

// SizeInt32Length is the size of a length or count in non-flexible versions.
const SizeInt32Length = 4

// AppendString appends a string with an int16 length. A string of more than
// MaxString bytes can't be written; check before: AppendString panics.
func AppendString(dst, s []byte) []byte {
	checkString(s)
	return append(AppendInt16Length(dst, len(s)), s...)
}

// AppendNullableString is AppendString, but writes nil as null.
func AppendNullableString(dst, s []byte) []byte {
	if s == nil {
		return AppendInt16Length(dst, -1)
	}
	return AppendString(dst, s)
}

// ConsumeString reads a string with an int16 length; null is ErrNull.
func ConsumeString(b []byte) (s []byte, n int) { return notNull(ConsumeNullableString(b)) }

// ConsumeNullableString reads a string with an int16 length, or null.
func ConsumeNullableString(b []byte) (s []byte, n int) {
	return content(b, 2, ConsumeInt16Length)
}

// SizeString is the size of a string of n bytes with an int16 length; of null for
// n 0, too.
func SizeString(n int) int { return SizeInt16Length + n }

// AppendCompactString appends a string with a compact length, as flexible
// versions have it. Of more than MaxString bytes: see AppendString.
func AppendCompactString(dst, s []byte) []byte {
	checkString(s)
	return append(AppendCompactLength(dst, len(s)), s...)
}

// AppendNullableCompactString is AppendCompactString, but writes nil as null.
func AppendNullableCompactString(dst, s []byte) []byte {
	if s == nil {
		return append(dst, 0)
	}
	return AppendCompactString(dst, s)
}

// ConsumeCompactString reads a string with a compact length. Null is ErrNull, more
// than MaxString bytes is ErrTooLong, however many follow.
func ConsumeCompactString(b []byte) (s []byte, n int) {
	return notNull(ConsumeNullableCompactString(b))
}

// ConsumeNullableCompactString is ConsumeCompactString, but reads null as nil.
func ConsumeNullableCompactString(b []byte) (s []byte, n int) {
	v, n := ConsumeUvarint(b)
	if n < 0 || v == 0 {
		return nil, n
	}
	if v-1 > MaxString {
		return nil, fault.CodeTooLong
	}
	return clip(b, n, uint64(v-1))
}

// SizeCompactString is the size of a string of n bytes with a compact length; of
// null for n 0, too. SizeCompactBytes is the same for bytes.
func SizeCompactString(n int) int { return SizeCompactLength(n) + n }

// AppendBytes appends bytes with an int32 length. 2^31 bytes or more can't be
// written: AppendBytes panics.
func AppendBytes(dst, p []byte) []byte {
	checkBytes(p)
	return append(AppendInt32Length(dst, len(p)), p...)
}

// AppendNullableBytes is AppendBytes, but writes nil as null.
func AppendNullableBytes(dst, p []byte) []byte {
	if p == nil {
		return AppendInt32Length(dst, -1)
	}
	return AppendBytes(dst, p)
}

// ConsumeBytes reads bytes with an int32 length; null is ErrNull.
func ConsumeBytes(b []byte) (p []byte, n int) { return notNull(ConsumeNullableBytes(b)) }

// ConsumeNullableBytes reads bytes with an int32 length, or null.
func ConsumeNullableBytes(b []byte) (p []byte, n int) {
	return content(b, 4, ConsumeInt32Length)
}

// SizeBytes is the size of n bytes with an int32 length; of null for n 0, too.
func SizeBytes(n int) int { return SizeInt32Length + n }

// AppendCompactBytes appends bytes with a compact length. 2^31 bytes or more: see
// AppendBytes.
func AppendCompactBytes(dst, p []byte) []byte {
	checkBytes(p)
	return append(AppendCompactLength(dst, len(p)), p...)
}

// AppendNullableCompactBytes is AppendCompactBytes, but writes nil as null.
func AppendNullableCompactBytes(dst, p []byte) []byte {
	if p == nil {
		return append(dst, 0)
	}
	return AppendCompactBytes(dst, p)
}

// ConsumeCompactBytes reads bytes with a compact length; null is ErrNull.
func ConsumeCompactBytes(b []byte) (p []byte, n int) {
	return notNull(ConsumeNullableCompactBytes(b))
}

// ConsumeNullableCompactBytes reads bytes with a compact length, or null.
func ConsumeNullableCompactBytes(b []byte) (p []byte, n int) {
	v, n := ConsumeUvarint(b)
	if n < 0 || v == 0 {
		return nil, n
	}
	return clip(b, n, uint64(v-1))
}

// SizeCompactBytes is the size of n bytes with a compact length; of null for n 0,
// too.
func SizeCompactBytes(n int) int { return SizeCompactLength(n) + n }

// AppendUUID appends the 16 bytes of a uuid.
func AppendUUID(dst []byte, u UUID) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, u.Hi), u.Lo)
}

// ConsumeUUID reads a uuid.
func ConsumeUUID(b []byte) (u UUID, n int) {
	if len(b) < SizeUUID {
		return UUID{}, fault.CodeShort
	}
	return UUID{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}, SizeUUID
}

// SizeUUID is the size of a uuid.
const SizeUUID = 16

// AppendFloat64 appends a float64 (IEEE 754).
func AppendFloat64(dst []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(v))
}

// ConsumeFloat64 reads a float64.
func ConsumeFloat64(b []byte) (v float64, n int) {
	if len(b) < SizeFloat64 {
		return 0, fault.CodeShort
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b)), SizeFloat64
}

// SizeFloat64 is the size of a float64.
const SizeFloat64 = 8

// content reads what stands behind a length of fixed size.
func content(b []byte, size int, length func([]byte) (int, int)) ([]byte, int) {
	l, n := length(b)
	if n < 0 || l < 0 {
		return nil, n
	}
	return clip(b, size, uint64(l))
}

// clip gives length bytes of b from at on, which lies in b, and where they end.
func clip(b []byte, at int, length uint64) ([]byte, int) {
	if length > uint64(len(b)-at) {
		return nil, fault.CodeShort
	}
	end := at + int(length)
	return b[at:end:end], end
}

// notNull turns null into an error.
func notNull(p []byte, n int) ([]byte, int) {
	if p == nil && n >= 0 {
		return nil, fault.CodeNull
	}
	return p, n
}

func checkString(s []byte) {
	if len(s) > MaxString {
		panic("fastcodec: string of more than 32767 bytes")
	}
}

func checkBytes(p []byte) {
	if uint64(len(p)) > math.MaxInt32 {
		panic("fastcodec: more than 2^31-1 bytes")
	}
}
