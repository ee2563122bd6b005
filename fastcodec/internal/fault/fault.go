// Package fault says why bytes were refused. Parsers only notice that a field
// doesn't fit; once that is known nothing is hot any more, and they ask here for
// the sentinel and the words. So every parser gives the same verdict for the same
// reason, and the reasons stand once.
package fault

import "errors"

// The sentinels. Package fastcodec exports and documents them.
var (
	Short            = errors.New("short input")
	Varint           = errors.New("malformed varint")
	Null             = errors.New("null where none is legal")
	TooLong          = errors.New("string too long")
	Count            = errors.New("count larger than the bytes left allow")
	TagRepeated      = errors.New("tagged field repeated")
	TagSize          = errors.New("wrong size of a tagged field")
	TagKnown         = errors.New("unknown tag has the number of a known one")
	Version          = errors.New("unsupported version")
	UnknownAPI       = errors.New("unknown API key")
	Trailing         = errors.New("bytes after the last field")
	IndexLimit       = errors.New("index limit exceeded")
	FrameSize        = errors.New("frame size out of range")
	TLS              = errors.New("TLS on a plaintext connection")
	NotInVersion     = errors.New("field not in this version")
	TagsNotSupported = errors.New("tagged fields not supported in this version")
)

// MaxString is the most bytes that a string may have, in either encoding
// (Kafka's MessageDataGenerator checks it in readers and writers).
const MaxString = 32767

// Kind is the form of the field that was refused.
type Kind uint8

const (
	Fixed                 Kind = iota // a number, bool, uuid or null marker; arg is its size
	Uvarint                           // an unsigned varint with no further meaning
	String16                          // int16 length
	String16Nullable                  //
	CompactString                     // uvarint of length + 1
	CompactStringNullable             //
	Bytes32                           // int32 length; records too
	Bytes32Nullable                   //
	CompactBytes                      // uvarint of length + 1; records too
	CompactBytesNullable              //
	Count32                           // elements of an array, int32; arg is the size of the smallest element
	Count32Nullable                   //
	CompactCount                      // uvarint of count + 1; arg as above
	CompactCountNullable              //
	TagCount                          // number of tagged fields
	TagNumber                         // number of one tagged field
	TagPayloadSize                    // size of one tagged field, and whether its payload fits
	TagMismatch                       // a known tagged field whose payload is shorter or longer than its size
	TagTwice                          // a known tagged field that came before
	Index                             // the offset index would pass its limit
	Left                              // bytes after the last field, where that is an error
)

// Diagnose says why the field of kind k at offset off of b was refused, and what
// was wanted there. arg is the size of a Fixed field, or the smallest size of an
// array's element. It allocates nothing, and is total: it has an answer for
// fields that fit, too.
func Diagnose(b []byte, off int, k Kind, arg int) (sentinel error, want string) {
	if off < 0 || off > len(b) {
		off = len(b)
	}
	b = b[off:]
	switch k {
	case Fixed:
		return Short, bytesText(arg)
	case String16, String16Nullable:
		if len(b) < 2 {
			return Short, "2 bytes of string length"
		}
		if b[0] >= 0x80 {
			return Null, "a string, not null"
		}
		return Short, "as many bytes as the string's length says"
	case Bytes32, Bytes32Nullable:
		if len(b) < 4 {
			return Short, "4 bytes of length"
		}
		if b[0] >= 0x80 {
			return Null, "bytes, not null"
		}
		return Short, "as many bytes as the length says"
	case Count32, Count32Nullable:
		if len(b) < 4 {
			return Short, "4 bytes of array count"
		}
		if b[0] >= 0x80 {
			return Null, "an array, not null"
		}
		return Count, "an array count that the bytes left can hold"
	case TagMismatch:
		return TagSize, "a payload of exactly the tag's size"
	case TagTwice:
		return TagRepeated, "a known tag at most once"
	case Index:
		return IndexLimit, "fewer index entries"
	case Left:
		return Trailing, "the end of the message"
	}

	v, n := Uvarint32(b)
	if n < 0 {
		return Reason(n), uvarintText(k)
	}
	left := uint64(len(b) - n)
	switch k {
	case CompactString, CompactStringNullable:
		if v == 0 {
			return Null, "a string, not null"
		}
		if v-1 > MaxString {
			return TooLong, "a string of at most 32767 bytes"
		}
		return Short, "as many bytes as the string's length says"
	case CompactBytes, CompactBytesNullable:
		if v == 0 {
			return Null, "bytes, not null"
		}
		return Short, "as many bytes as the length says"
	case CompactCount, CompactCountNullable:
		if v == 0 {
			return Null, "an array, not null"
		}
		return Count, "an array count that the bytes left can hold"
	case TagCount:
		return Count, "a tag count that the bytes left can hold"
	case TagPayloadSize:
		if uint64(v) > left {
			return TagSize, "as many bytes as the tag's size says"
		}
	}
	return Short, "a field that ends within the input"
}

// uvarintText names the uvarint with which a field of kind k begins.
func uvarintText(k Kind) string {
	switch k {
	case CompactString, CompactStringNullable:
		return "a uvarint of string length"
	case CompactBytes, CompactBytesNullable:
		return "a uvarint of length"
	case CompactCount, CompactCountNullable:
		return "a uvarint of array count"
	case TagCount:
		return "a uvarint of tag count"
	case TagNumber:
		return "a uvarint of tag number"
	case TagPayloadSize:
		return "a uvarint of tag size"
	}
	return "a uvarint"
}

// bytesText is "N bytes" without formatting.
func bytesText(size int) string {
	switch size {
	case 1:
		return "1 byte"
	case 2:
		return "2 bytes"
	case 4:
		return "4 bytes"
	case 8:
		return "8 bytes"
	case 16:
		return "16 bytes"
	}
	return "a field of fixed size"
}
