// What is special about ApiVersions: it is spoken before the versions are known.

package fastcodec

import "encoding/binary"

// ResponseBodyVersion is the version at which to parse the body of a response to a
// request of the given key and version. That is the request's, but for an
// ApiVersions request that the broker didn't understand: it answers at version 0,
// with error 35 (KIP-511), and nothing but the body says so. whole says whether the
// body parses at a version with no bytes left over; it is asked only where the body
// begins with 35:
//
//	v := fastcodec.ResponseBodyVersion(key, version, body, func(b []byte, v int16) bool {
//		return m.Parse(b, v) == nil && len(m.Trailing()) == 0
//	})
func ResponseBodyVersion(key APIKey, version int16, body []byte, whole func(body []byte, version int16) bool) int16 {
	if key != APIVersions || version == 0 || len(body) < 2 ||
		ErrorCode(binary.BigEndian.Uint16(body)) != CodeUnsupportedVersion || whole(body, version) {
		return version
	}
	return 0
}

// ValidSoftwareName reports whether brokers accept a client's software name or
// version in an ApiVersions request: letters, digits, dots and dashes, with a letter
// or digit at both ends (KIP-511). Others are answered with CodeInvalidRequest; the
// codec reads and writes them all the same.
func ValidSoftwareName(name []byte) bool {
	for i, c := range name {
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
		case (c == '.' || c == '-') && i > 0 && i < len(name)-1:
		default:
			return false
		}
	}
	return len(name) > 0
}
