// The reading of unsigned varints, in full, and the codes by which a read that
// returns a length says that it failed.
package fault

// Codes that stand in for a length. They are negative; Reason turns them into
// sentinels.
const (
	CodeShort = -1 - iota
	CodeVarint
	CodeNull
	CodeTooLong
	CodeCount
	CodeTagSize
)

// Reason is the sentinel of a code; nil for a length.
func Reason(code int) error {
	switch code {
	case CodeShort:
		return Short
	case CodeVarint:
		return Varint
	case CodeNull:
		return Null
	case CodeTooLong:
		return TooLong
	case CodeCount:
		return Count
	case CodeTagSize:
		return TagSize
	}
	if code < 0 {
		return Varint
	}
	return nil
}

// Uvarint32 reads an unsigned varint of at most 32 bits and 5 bytes from the
// front of b and returns it with its length, or a negative code. Overlong forms
// are read, as Kafka does; a fifth byte above 0x0f, whose high bits Kafka would
// drop, is refused. It stays out of line, so that the callers' fast paths inline.
//
//go:noinline
func Uvarint32(b []byte) (v uint32, n int) {
	for i := 0; i < 5; i++ {
		if i == len(b) {
			return 0, CodeShort
		}
		c := b[i]
		if i == 4 && c > 0x0f {
			break
		}
		v |= uint32(c&0x7f) << (7 * i)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, CodeVarint
}
