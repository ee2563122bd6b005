package kdata

// What generated appenders are made of. Their hot parts inline or are one call;
// the compact forms have a length or count of one byte nearly always.

import (
	"encoding/binary"
	"slices"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// room makes dst n bytes longer; what they are is up to the caller.
func room(dst []byte, n int) []byte {
	if cap(dst)-len(dst) < n {
		dst = moreRoom(dst, n)
	}
	return dst[:len(dst)+n]
}

// grow makes room for n bytes behind dst.
func grow(dst []byte, n int) []byte {
	if cap(dst)-len(dst) < n {
		return moreRoom(dst, n)
	}
	return dst
}

//go:noinline
func moreRoom(dst []byte, n int) []byte { return slices.Grow(dst, n) }

func bit(b bool) byte {
	var n byte
	if b {
		n = 1
	}
	return n
}

// countOf is the length of an array that can be null, -1 where it is.
func countOf[T any](s []T) int {
	if s == nil {
		return -1
	}
	return len(s)
}

// compactCount appends the count of an array, -1 for null.
func compactCount(dst []byte, n int) []byte {
	if n > 126 {
		return longCount(dst, n)
	}
	return append(dst, byte(n+1))
}

//go:noinline
func longCount(dst []byte, n int) []byte { return fastcodec.AppendUvarint(dst, uint32(n)+1) }

// legacyCount appends the count of an array, -1 for null.
func legacyCount(dst []byte, n int) []byte { return binary.BigEndian.AppendUint32(dst, uint32(n)) }

// compactString appends a string. It copies short ones itself: the call of memmove
// costs more than that.
//
//go:noinline
func compactString(dst, s []byte) []byte {
	n, at := len(s), len(dst)
	end := at + 1 + n
	if n > 32 || end > cap(dst) {
		return longBytes(dst, s)
	}
	dst = dst[:end]
	dst[at] = byte(n + 1)
	at++
	switch {
	case n >= 16:
		*(*[16]byte)(dst[at : at+16]) = *(*[16]byte)(s[:16])
		*(*[16]byte)(dst[end-16 : end]) = *(*[16]byte)(s[n-16 : n])
	case n >= 8:
		*(*[8]byte)(dst[at : at+8]) = *(*[8]byte)(s[:8])
		*(*[8]byte)(dst[end-8 : end]) = *(*[8]byte)(s[n-8 : n])
	case n >= 4:
		*(*[4]byte)(dst[at : at+4]) = *(*[4]byte)(s[:4])
		*(*[4]byte)(dst[end-4 : end]) = *(*[4]byte)(s[n-4 : n])
	default:
		for _, c := range s {
			dst[at] = c
			at++
		}
	}
	return dst
}

func compactNullableString(dst, s []byte) []byte {
	if s == nil {
		return append(dst, 0)
	}
	return compactString(dst, s)
}

func compactBytes(dst, s []byte) []byte { return longBytes(dst, s) }

func compactNullableBytes(dst, s []byte) []byte {
	if s == nil {
		return append(dst, 0)
	}
	return longBytes(dst, s)
}

//go:noinline
func longBytes(dst, s []byte) []byte {
	if len(s) < 127 {
		dst = append(dst, byte(len(s)+1))
	} else {
		dst = longCount(dst, len(s))
	}
	return append(dst, s...)
}

//go:noinline
func legacyString(dst, s []byte) []byte {
	return append(append(dst, byte(len(s)>>8), byte(len(s))), s...)
}

func legacyNullableString(dst, s []byte) []byte {
	if s == nil {
		return append(dst, 0xff, 0xff)
	}
	return legacyString(dst, s)
}

//go:noinline
func legacyBytes(dst, s []byte) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(s))), s...)
}

func legacyNullableBytes(dst, s []byte) []byte {
	if s == nil {
		return append(dst, 0xff, 0xff, 0xff, 0xff)
	}
	return legacyBytes(dst, s)
}

// compactStrings appends the elements of an array of strings.
func compactStrings(dst []byte, s [][]byte) ([]byte, *failure) {
	for i := range s {
		if len(s[i]) > fastcodec.MaxString {
			return nil, longElement(i)
		}
		dst = compactString(dst, s[i])
	}
	return dst, nil
}

// legacyStrings appends the elements of an array of strings.
func legacyStrings(dst []byte, s [][]byte) ([]byte, *failure) {
	for i := range s {
		if len(s[i]) > fastcodec.MaxString {
			return nil, longElement(i)
		}
		dst = legacyString(dst, s[i])
	}
	return dst, nil
}

//go:noinline
func longElement(i int) *failure {
	return &failure{&fastcodec.Error{Offset: -1, Err: fastcodec.ErrTooLong, Want: "at most 32767 bytes"}, i}
}

// The elements of arrays of numbers. Each makes its room once.

func appendInt8s(dst []byte, s []int8) []byte {
	dst = grow(dst, len(s))
	for _, v := range s {
		dst = append(dst, byte(v))
	}
	return dst
}

func appendInt16s(dst []byte, s []int16) []byte {
	dst = grow(dst, 2*len(s))
	for _, v := range s {
		dst = binary.BigEndian.AppendUint16(dst, uint16(v))
	}
	return dst
}

func appendInt32s(dst []byte, s []int32) []byte {
	dst = grow(dst, 4*len(s))
	for _, v := range s {
		dst = binary.BigEndian.AppendUint32(dst, uint32(v))
	}
	return dst
}

func appendInt64s(dst []byte, s []int64) []byte {
	dst = grow(dst, 8*len(s))
	for _, v := range s {
		dst = binary.BigEndian.AppendUint64(dst, uint64(v))
	}
	return dst
}

func appendUUIDs(dst []byte, s []fastcodec.UUID) []byte {
	dst = grow(dst, 16*len(s))
	for _, v := range s {
		dst = fastcodec.AppendUUID(dst, v)
	}
	return dst
}

// appendUnknownTags puts a section of unknown tags in the place of an empty one.
//
//go:noinline
func appendUnknownTags(dst []byte, tags []fastcodec.Tag, index int) ([]byte, *failure) {
	if err := fastcodec.CheckTags(tags, 0); err != nil {
		return nil, badTags(err, index)
	}
	return fastcodec.AppendTags(dst[:len(dst)-1], tags), nil
}

// setTagSize writes the size of the tagged field whose payload begins at and ends
// dst: one byte stands before it, and the payload moves where that is too little.
func setTagSize(dst []byte, at int) []byte {
	size := len(dst) - at
	if size < 0x80 {
		dst[at-1] = byte(size)
		return dst
	}
	return setLongTagSize(dst, at)
}

//go:noinline
func setLongTagSize(dst []byte, at int) []byte {
	size := uint32(len(dst) - at)
	more := fastcodec.SizeUvarint(size) - 1
	dst = append(dst, 0, 0, 0, 0)[:len(dst)+more]
	copy(dst[at+more:], dst[at:])
	fastcodec.AppendUvarint(dst[:at-1], size)
	return dst
}
