package kdata

// What generated appenders are made of. A segment of small things is written by
// stores into room that was checked once: that needs no helper but the copiers
// below. All else is here, one call a field.
//
// An appender doesn't stop at a value that can't be written, and doesn't say which
// it was: it notes that there is one. explain then looks for it.

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// encoder is the state of one AppendTo.
type encoder struct {
	v                int16 // the version
	flexible, failed bool
}

func (e *encoder) failIf(failed bool) {
	if failed {
		e.failed = true
	}
}

// room makes dst n bytes longer; the caller writes them.
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

// result is what AppendTo returns of a message x, of which dst has what follows start.
func (e *encoder) result(dst []byte, start int, x any, message string, flexible int16) ([]byte, error) {
	if e.failed {
		return dst[:start], explain(x, message, e.v, flexible)
	}
	return dst, nil
}

func bit(b bool) byte {
	var n byte
	if b {
		n = 1
	}
	return n
}

// lengthOf is the length of a slice, -1 where it is nil and null allows that.
func lengthOf[T any](s []T, null bool) int {
	if s == nil && null {
		return -1
	}
	return len(s)
}

// appendLength appends a length in the flexible encoding, -1 for null.
func appendLength(dst []byte, n int) []byte {
	if n > 126 {
		return fastcodec.AppendUvarint(dst, uint32(n)+1)
	}
	return append(dst, byte(n+1))
}

// putLong copies a string of 16 to 64 bytes to d, putShort one of up to 15: both are
// called, one of them does it. (Together they would not inline. A call of memmove
// costs more than either.) The parts of what is copied may overlap.
func putLong(d *[64]byte, s []byte) {
	if n := len(s); n >= 16 {
		*(*[16]byte)(d[:]) = [16]byte(s)
		if n > 32 {
			*(*[16]byte)(d[16:]) = [16]byte(s[16:])
			*(*[16]byte)(d[n-32 : n]) = [16]byte(s[n-32:])
		}
		*(*[16]byte)(d[n-16 : n]) = [16]byte(s[n-16:])
	}
}

func putShort(d *[64]byte, s []byte) {
	if n := len(s); n < 4 {
		for i, c := range s {
			d[i] = c
		}
	} else if n < 8 {
		*(*[4]byte)(d[:]) = [4]byte(s)
		*(*[4]byte)(d[n-4 : n]) = [4]byte(s[n-4:])
	} else if n < 16 {
		*(*[8]byte)(d[:]) = [8]byte(s)
		*(*[8]byte)(d[n-8 : n]) = [8]byte(s[n-8:])
	}
}

// putUvarint writes n at a place of w, and returns where it ends.
func putUvarint(w []byte, at, n int) int {
	for n >= 0x80 {
		w[at] = byte(n) | 0x80
		at, n = at+1, n>>7
	}
	w[at] = byte(n)
	return at + 1
}

// The elements of short arrays of numbers.

func putInt8s(d *[32]byte, s []int8) {
	for i, v := range s {
		d[i] = byte(v)
	}
}

func putInt16s(d *[32]byte, s []int16) {
	for i, v := range s {
		binary.BigEndian.PutUint16(d[2*i:2*i+2], uint16(v))
	}
}

func putInt32s(d *[32]byte, s []int32) {
	for i, v := range s {
		binary.BigEndian.PutUint32(d[4*i:4*i+4], uint32(v))
	}
}

func putInt64s(d *[32]byte, s []int64) {
	for i, v := range s {
		binary.BigEndian.PutUint64(d[8*i:8*i+8], uint64(v))
	}
}

func putUUIDs(d *[32]byte, s []fastcodec.UUID) {
	for i, v := range s {
		binary.BigEndian.PutUint64(d[16*i:16*i+8], v.Hi)
		binary.BigEndian.PutUint64(d[16*i+8:16*i+16], v.Lo)
	}
}

// compactCount appends the count of an array, -1 for null.
func compactCount(dst []byte, n int, e *encoder) []byte {
	if n > 126 {
		return longCount(dst, n, e)
	}
	return append(dst, byte(n+1))
}

//go:noinline
func longCount(dst []byte, n int, e *encoder) []byte {
	e.failIf(uint64(n) > math.MaxInt32)
	return fastcodec.AppendUvarint(dst, uint32(n)+1)
}

// legacyCount appends the count of an array, -1 for null.
func legacyCount(dst []byte, n int, e *encoder) []byte {
	e.failIf(n > math.MaxInt32)
	return binary.BigEndian.AppendUint32(dst, uint32(n))
}

//go:noinline
func compactString(dst, s []byte, e *encoder) []byte {
	switch n := len(dst) + 1 + shortString; {
	case n <= cap(dst) && len(s) <= shortString:
		w := dst[len(dst):n:n]
		w[0] = byte(len(s) + 1)
		putLong((*[64]byte)(w[1:65]), s)
		putShort((*[64]byte)(w[1:65]), s)
		return dst[:len(dst)+1+len(s)]
	case len(s) > fastcodec.MaxString:
		e.failed = true
		return dst
	}
	return append(compactCount(dst, len(s), e), s...)
}

// shortString is the most bytes of a string that is copied without a call.
const shortString = 64

func compactNullableString(dst, s []byte, e *encoder) []byte {
	if s == nil {
		return append(dst, 0)
	}
	return compactString(dst, s, e)
}

//go:noinline
func legacyString(dst, s []byte, e *encoder) []byte {
	switch n := len(dst) + 2 + shortString; {
	case n <= cap(dst) && len(s) <= shortString:
		w := dst[len(dst):n:n]
		binary.BigEndian.PutUint16(w[0:2], uint16(len(s)))
		putLong((*[64]byte)(w[2:66]), s)
		putShort((*[64]byte)(w[2:66]), s)
		return dst[:len(dst)+2+len(s)]
	case len(s) > fastcodec.MaxString:
		e.failed = true
		return dst
	}
	return append(binary.BigEndian.AppendUint16(dst, uint16(len(s))), s...)
}

func legacyNullableString(dst, s []byte, e *encoder) []byte {
	if s == nil {
		return append(dst, 0xff, 0xff)
	}
	return legacyString(dst, s, e)
}

//go:noinline
func compactBytes(dst, s []byte, e *encoder) []byte {
	if uint64(len(s)) > math.MaxInt32 {
		e.failed = true
		return dst
	}
	return append(compactCount(dst, len(s), e), s...)
}

func compactNullableBytes(dst, s []byte, e *encoder) []byte {
	if s == nil {
		return append(dst, 0)
	}
	return compactBytes(dst, s, e)
}

//go:noinline
func legacyBytes(dst, s []byte, e *encoder) []byte {
	if uint64(len(s)) > math.MaxInt32 {
		e.failed = true
		return dst
	}
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(s))), s...)
}

func legacyNullableBytes(dst, s []byte, e *encoder) []byte {
	if s == nil {
		return append(dst, 0xff, 0xff, 0xff, 0xff)
	}
	return legacyBytes(dst, s, e)
}

// compactStrings appends the elements of an array of strings.
func compactStrings(dst []byte, all [][]byte, e *encoder) []byte {
	for _, s := range all {
		if n := len(dst) + 1 + shortString; n <= cap(dst) && len(s) <= shortString {
			w := dst[len(dst):n:n]
			w[0] = byte(len(s) + 1)
			putLong((*[64]byte)(w[1:65]), s)
			putShort((*[64]byte)(w[1:65]), s)
			dst = dst[:len(dst)+1+len(s)]
		} else {
			dst = compactString(dst, s, e)
		}
	}
	return dst
}

// legacyStrings appends the elements of an array of strings.
func legacyStrings(dst []byte, all [][]byte, e *encoder) []byte {
	for _, s := range all {
		if n := len(dst) + 2 + shortString; n <= cap(dst) && len(s) <= shortString {
			w := dst[len(dst):n:n]
			binary.BigEndian.PutUint16(w[0:2], uint16(len(s)))
			putLong((*[64]byte)(w[2:66]), s)
			putShort((*[64]byte)(w[2:66]), s)
			dst = dst[:len(dst)+2+len(s)]
		} else {
			dst = legacyString(dst, s, e)
		}
	}
	return dst
}

// The same by methods, for either encoding.

// string appends a string, null where it is nil and null allows that.
//
//go:noinline
func (e *encoder) string(dst, s []byte, null bool) []byte {
	n := lengthOf(s, null)
	switch {
	case n > fastcodec.MaxString:
		e.failed = true
		return dst
	case e.flexible:
		return append(appendLength(dst, n), s...)
	}
	return append(append(dst, byte(n>>8), byte(n)), s...)
}

// count appends the count of an array, -1 for null.
func (e *encoder) count(dst []byte, n int) []byte {
	if e.flexible {
		return compactCount(dst, n, e)
	}
	return legacyCount(dst, n, e)
}

// tags appends the tag section of a struct that knows no tags, in versions that have
// one.
func (e *encoder) tags(dst []byte, unknown []fastcodec.Tag) []byte {
	if !e.flexible {
		e.failIf(len(unknown) > 0)
		return dst
	}
	return closing(dst, unknown, e)
}

// closing appends the tag section of a struct that knows none.
func closing(dst []byte, unknown []fastcodec.Tag, e *encoder) []byte {
	dst = append(dst, 0)
	if len(unknown) > 0 {
		dst = unknownTags(dst, unknown, e)
	}
	return dst
}

// unknownTags puts a section of unknown tags in the place of an empty one.
//
//go:noinline
func unknownTags(dst []byte, tags []fastcodec.Tag, e *encoder) []byte {
	if fastcodec.CheckTags(tags, 0) != nil {
		e.failed = true
		return dst
	}
	return fastcodec.AppendTags(dst[:len(dst)-1], tags)
}

// setTagCount writes the count of tagged fields in the place of that of an empty
// section, which ends dst.
func setTagCount(dst []byte, count int) []byte {
	if count < 0x80 {
		dst[len(dst)-1] = byte(count)
		return dst
	}
	return fastcodec.AppendUvarint(dst[:len(dst)-1], uint32(count))
}

// tagMerge hands out unknown tags among known ones, if there are any.
type tagMerge struct {
	fastcodec.TagMerge
	any bool
}

// start begins with unknown tags; known is the mask of known ones.
func (m *tagMerge) start(unknown []fastcodec.Tag, known uint32, e *encoder) {
	if len(unknown) > 0 {
		m.startAny(unknown, known, e)
	}
}

//go:noinline
func (m *tagMerge) startAny(unknown []fastcodec.Tag, known uint32, e *encoder) {
	if fastcodec.CheckTags(unknown, known) != nil {
		e.failed = true
		return
	}
	m.any = true
	m.Start(unknown)
}

// below appends the unknown tags below a known one.
func (m *tagMerge) below(dst []byte, tag uint32) []byte {
	if m.any {
		return m.AppendBelow(dst, tag)
	}
	return dst
}

// rest appends the unknown tags that are left.
func (m *tagMerge) rest(dst []byte) []byte {
	if m.any {
		return m.AppendRest(dst)
	}
	return dst
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
