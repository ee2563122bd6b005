// A reader of JSON text that encoding/json has found valid. It keeps the text of
// numbers, so that they stay exact, and finds what a decoder would repair
// silently: strings that aren't UTF-8, members that come twice.

package layout

import (
	"errors"
	"strconv"
	"unicode/utf8"
)

// jsonValue is the text of one JSON value, without space around it.
type jsonValue []byte

func (v jsonValue) isNull() bool   { return v[0] == 'n' }
func (v jsonValue) isString() bool { return v[0] == '"' }
func (v jsonValue) isArray() bool  { return v[0] == '[' }
func (v jsonValue) isObject() bool { return v[0] == '{' }
func (v jsonValue) isNumber() bool { return v[0] == '-' || '0' <= v[0] && v[0] <= '9' }

// kind names the type for errors.
func (v jsonValue) kind() string {
	switch {
	case v.isNull():
		return "null"
	case v.isString():
		return "a string"
	case v.isArray():
		return "an array"
	case v.isObject():
		return "an object"
	case v.isNumber():
		return "a number"
	}
	return "a bool"
}

// describe is the text of a number, and the type of anything else.
func (v jsonValue) describe() string {
	if v.isNumber() {
		return clipText(string(v))
	}
	return v.kind()
}

// space is the offset of what is not space from i on.
func (v jsonValue) space(i int) int {
	for i < len(v) && (v[i] == ' ' || v[i] == '\t' || v[i] == '\n' || v[i] == '\r') {
		i++
	}
	return i
}

// skip is the offset behind the value at i.
func (v jsonValue) skip(i int) int {
	depth := 0
	for {
		switch v[i] {
		case '"':
			for i++; v[i] != '"'; i++ {
				if v[i] == '\\' {
					i++
				}
			}
			i++
		case '[', '{':
			depth++
			i++
		case ']', '}':
			depth--
			i++
		case ' ', '\t', '\n', '\r', ',', ':':
			i++
		default:
			for i < len(v) && !isDelimiter(v[i]) {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
}

func isDelimiter(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ',', ':', ']', '}':
		return true
	}
	return false
}

// elements gives each element of an array to yield, until that returns false.
func (v jsonValue) elements(yield func(i int, e jsonValue) bool) {
	n := 0
	for i := v.space(1); v[i] != ']'; n++ {
		end := v.skip(i)
		if !yield(n, v[i:end]) {
			return
		}
		if i = v.space(end); v[i] == ',' {
			i = v.space(i + 1)
		}
	}
}

// len counts the elements of an array.
func (v jsonValue) len() (n int) {
	v.elements(func(int, jsonValue) bool { n++; return true })
	return n
}

// members gives each member of an object to yield, until that returns false.
func (v jsonValue) members(yield func(name, value jsonValue) bool) {
	for i := v.space(1); v[i] != '}'; {
		end := v.skip(i)
		name := v[i:end]
		i = v.space(v.space(end) + 1)
		end = v.skip(i)
		if !yield(name, v[i:end]) {
			return
		}
		if i = v.space(end); v[i] == ',' {
			i = v.space(i + 1)
		}
	}
}

var errNotUTF8 = errors.New("not UTF-8")

// text is what a JSON string says.
func (v jsonValue) text() ([]byte, error) {
	s := v[1 : len(v)-1]
	if !utf8.Valid(s) {
		return nil, errNotUTF8
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			out = append(out, s[i])
			i++
			continue
		}
		i += 2
		switch c := s[i-1]; c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := hex4(s[i:])
			i += 4
			if 0xd800 <= r && r < 0xe000 {
				// Only a high surrogate with a low one behind it is a character.
				low := rune(0)
				if i+6 <= len(s) && s[i] == '\\' && s[i+1] == 'u' {
					low = hex4(s[i+2:])
				}
				if r >= 0xdc00 || low < 0xdc00 || low > 0xdfff {
					return nil, errNotUTF8
				}
				r = (r-0xd800)<<10 + (low - 0xdc00) + 0x10000
				i += 6
			}
			out = utf8.AppendRune(out, r)
		default: // a quote, a slash, a backslash
			out = append(out, c)
		}
	}
	return out, nil
}

// hex4 reads four hex digits.
func hex4(s []byte) rune {
	v, _ := strconv.ParseUint(string(s[:4]), 16, 16)
	return rune(v)
}
