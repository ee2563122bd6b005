// UUIDs: topic ids, directory ids, client instance ids.

package fastcodec

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
)

// UUID is Kafka's uuid as two words, so that it can be compared and be a map's
// key. The zero UUID is Kafka's "none".
type UUID struct {
	Hi, Lo uint64 // the first and the last 8 bytes, big-endian
}

// ErrUUID: a text that is no UUID.
var ErrUUID = errors.New("not a UUID: want 22 characters of base64 or 32 hex digits")

// UUIDFrom is the UUID of 16 bytes in wire order.
func UUIDFrom(b [16]byte) UUID {
	return UUID{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

// ParseUUID reads Kafka's text form, unpadded base64 with '-' and '_', or hex with
// or without the dashes of the canonical form (8-4-4-4-12). Else it returns
// ErrUUID.
func ParseUUID(text string) (UUID, error) {
	var b [16]byte
	if len(text) == 22 {
		// 22 characters carry 132 bits: Strict refuses other than zeros in the last 4.
		n, err := base64.RawURLEncoding.Strict().Decode(b[:], []byte(text))
		if err != nil || n != 16 {
			return UUID{}, ErrUUID
		}
		return UUIDFrom(b), nil
	}
	digits := make([]byte, 0, 32)
	for i := 0; i < len(text); i++ {
		if len(text) == 36 && (i == 8 || i == 13 || i == 18 || i == 23) {
			if text[i] != '-' {
				return UUID{}, ErrUUID
			}
			continue
		}
		if len(digits) == 32 {
			return UUID{}, ErrUUID
		}
		digits = append(digits, text[i])
	}
	if len(digits) != 32 {
		return UUID{}, ErrUUID
	}
	if _, err := hex.Decode(b[:], digits); err != nil {
		return UUID{}, ErrUUID
	}
	return UUIDFrom(b), nil
}

// IsZero reports whether u is Kafka's "none".
func (u UUID) IsZero() bool { return u == UUID{} }

// Bytes gives the 16 bytes in wire order.
func (u UUID) Bytes() (b [16]byte) {
	binary.BigEndian.PutUint64(b[:8], u.Hi)
	binary.BigEndian.PutUint64(b[8:], u.Lo)
	return b
}

// String is the canonical form: 32 lower-case hex digits as 8-4-4-4-12.
func (u UUID) String() string {
	b := u.Bytes()
	var t [36]byte
	hex.Encode(t[:8], b[:4])
	hex.Encode(t[9:13], b[4:6])
	hex.Encode(t[14:18], b[6:8])
	hex.Encode(t[19:23], b[8:10])
	hex.Encode(t[24:], b[10:])
	t[8], t[13], t[18], t[23] = '-', '-', '-', '-'
	return string(t[:])
}

// Base64 is Kafka's own text form, as in its JSON and its tools: 22 characters,
// url-safe, not padded.
func (u UUID) Base64() string { return string(u.AppendBase64(nil)) }

// AppendBase64 appends the form of Base64 to dst.
func (u UUID) AppendBase64(dst []byte) []byte {
	b := u.Bytes()
	return base64.RawURLEncoding.AppendEncode(dst, b[:])
}
