// Text in JSON: strings out as Kafka reads them, strings in only if they are
// UTF-8.

package layout

import (
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendJSONString appends s as a JSON string. Bytes that are not UTF-8 come out
// as U+FFFD, as many as Java's decoder makes of them.
func appendJSONString(dst, s []byte) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
			i++
		case c == '\n':
			dst = append(dst, '\\', 'n')
			i++
		case c < 0x20 || c == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			i++
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, n := utf8.DecodeRune(s[i:])
			if r == utf8.RuneError && n == 1 {
				n = malformed(s[i:])
			}
			dst = utf8.AppendRune(dst, r)
			i += n
		}
	}
	return append(dst, '"')
}

// malformed is the number of bytes at the front of s, which is not the start of a
// character, that Java's decoder (String.decodeUTF8 of the JDK) replaces by one
// U+FFFD: the longest start of a character that could still have become one, a
// whole encoded surrogate, or one byte.
func malformed(s []byte) int {
	c := s[0]
	size := 0
	low, high := byte(0x80), byte(0xbf) // of the second byte
	switch {
	case 0xc2 <= c && c <= 0xdf:
		size = 2
	case 0xe0 <= c && c <= 0xef:
		size = 3
		if c == 0xe0 {
			low = 0xa0
		}
	case 0xf0 <= c && c <= 0xf4:
		size = 4
		if c == 0xf0 {
			low = 0x90
		}
		if c == 0xf4 {
			high = 0x8f
		}
	default:
		return 1
	}
	n := 1
	for n < size && n < len(s) && low <= s[n] && s[n] <= high {
		low, high = 0x80, 0xbf
		n++
	}
	return n
}
