// Edits of ApiVersions responses, and the answer to a version that isn't known.

package rewrite

import (
	"encoding/binary"

	"github.com/kafkawire/kafkawire/fastcodec"
)

const apiVersionsKey = int16(fastcodec.APIVersions)

// versions edits the element of an ApiVersions response at off: an API and its
// lowest and highest version.
func (s *state) versions(b []byte, off int) int {
	if off+6 > len(b) {
		return refused
	}
	r := s.plan.rewriter
	key := fastcodec.APIKey(binary.BigEndian.Uint16(b[off:]))
	low, high := int16(binary.BigEndian.Uint16(b[off+2:])), int16(binary.BigEndian.Uint16(b[off+4:]))
	lowest, highest, known := key.Versions()
	switch {
	case r.hides(key) || !known && r.isolates:
		return hidden
	case !known || !r.edits.Versions.Clamp:
		return off
	}
	lowest, highest = max(lowest, low), min(highest, high)
	if lowest > highest {
		return hidden
	}
	if lowest != low || s.force {
		s.number(off+2, 2, int64(lowest))
	}
	if highest != high || s.force {
		s.number(off+4, 2, int64(highest))
	}
	return off
}

// hides reports whether the caller wants the API hidden.
func (r *Rewriter) hides(key fastcodec.APIKey) bool {
	for _, k := range r.edits.Versions.Hide {
		if k == key {
			return true
		}
	}
	return false
}

// AppendVersionReply appends the frame that answers an ApiVersions request of a
// version that isn't supported (KIP-511): version 0, error 35, and the versions of
// ApiVersions itself that are, which the client then chooses from.
func AppendVersionReply(dst []byte, correlationID int32, lowest, highest int16) []byte {
	const size = 4 + 2 + 4 + 6
	dst = binary.BigEndian.AppendUint32(dst, size)
	dst = binary.BigEndian.AppendUint32(dst, uint32(correlationID))
	dst = binary.BigEndian.AppendUint16(dst, uint16(fastcodec.CodeUnsupportedVersion))
	dst = fastcodec.AppendInt32Length(dst, 1)
	dst = binary.BigEndian.AppendUint16(dst, uint16(fastcodec.APIVersions))
	dst = binary.BigEndian.AppendUint16(dst, uint16(lowest))
	return binary.BigEndian.AppendUint16(dst, uint16(highest))
}
