// What a frame means beyond its own bytes.

package rewrite

import (
	"encoding/binary"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// Context is what is known of a request beyond its own bytes, and what its response
// depends on. A connection keeps one for each request under way: Rewriter.Request
// fills it, and Rewriter.Response takes it for the answer. It holds nothing of the
// frame.
type Context struct {
	Key     fastcodec.APIKey
	Version int16
	// Protocol is the protocol type of the connection's group, which older versions
	// of SyncGroup and of the JoinGroup response don't say: what the last JoinGroup
	// request on the connection said. Request sets it where the request says it, and
	// else leaves it: take it over from one request's Context to the next.
	Protocol Protocol

	field int32 // the request field that the response depends on
	known bool
}

// Protocol is what is known of a group's protocol type.
type Protocol uint8

const (
	// ProtocolUnknown: nobody has said it. Metadata and assignments of members that
	// aren't empty are then refused where topics are edited (ErrRefused).
	ProtocolUnknown Protocol = iota
	// ProtocolConsumer is "consumer": metadata and assignments carry topic names.
	ProtocolConsumer
	// ProtocolOther is any other, such as Kafka Connect's: they are left alone.
	ProtocolOther
)

func (p Protocol) isConsumer() answer {
	switch p {
	case ProtocolConsumer:
		return yes
	case ProtocolOther:
		return no
	}
	return unknown
}

// remember takes the number of size bytes at off as the field that the response
// depends on.
func (s *state) remember(b []byte, off, size int) bool {
	if off+size > len(b) {
		return false
	}
	switch size {
	case 1:
		s.ctx.field = int32(int8(b[off]))
	case 2:
		s.ctx.field = int32(int16(binary.BigEndian.Uint16(b[off:])))
	default:
		s.ctx.field = int32(binary.BigEndian.Uint32(b[off:]))
	}
	s.ctx.known = true
	return true
}

// protocol takes the string at off as the group's protocol type. Null and empty
// say nothing.
func (s *state) protocol(b []byte, off int, wide bool) bool {
	content, end := span(b, off, &op{null: true, wide: wide, limit: maxString})
	switch {
	case content < 0:
		return false
	case content == 0 || content == end:
	case string(b[content:end]) == consumer:
		s.ctx.Protocol = ProtocolConsumer
	default:
		s.ctx.Protocol = ProtocolOther
	}
	return true
}
