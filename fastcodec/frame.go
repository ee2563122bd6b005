// Frames: an int32 size, then that many bytes, the payload.

package fastcodec

import (
	"encoding/binary"
	"math"
	"strconv"
)

// SizePrefix is the size of a frame's size.
const SizePrefix = 4

// Split takes the first frame off buf. It returns the frame's payload, which
// aliases buf with its capacity clipped, and what follows the frame. Where buf ends
// before the frame does, payload is nil, rest is buf, and need is the number of
// bytes that are still missing as far as is known: of the size prefix first. An err
// means that the stream is broken, and no more of it can be read: a size that is
// negative or above DefaultLimits.Frame (ErrFrameSize), or the start of a TLS
// record (ErrTLS). Any other size is a frame, 0 too; whether it holds a header is
// for ParseRequest and ParseResponse to say.
func Split(buf []byte) (payload, rest []byte, need int, err error) {
	return DefaultLimits.Split(buf)
}

// Split is the function Split under the limit l.Frame.
func (l Limits) Split(buf []byte) (payload, rest []byte, need int, err error) {
	if len(buf) < SizePrefix {
		return nil, buf, SizePrefix - len(buf), nil
	}
	size, err := l.frameSize(binary.BigEndian.Uint32(buf))
	if err != nil {
		return nil, buf, 0, err
	}
	if have := len(buf) - SizePrefix; have < size {
		return nil, buf, size - have, nil
	}
	end := SizePrefix + size
	return buf[SizePrefix:end:end], buf[end:], 0, nil
}

// frameSize checks a size prefix.
func (l Limits) frameSize(prefix uint32) (int, error) {
	limit := l.Frame
	if limit == 0 {
		limit = DefaultLimits.Frame
	}
	// The limit may be above 2^31-1, the prefix may be above an int.
	if prefix > math.MaxInt32 || uint64(prefix) > uint64(limit) {
		return 0, frameError(prefix, limit)
	}
	return int(prefix), nil
}

// frameError says what is wrong with a size prefix. A TLS record begins with its
// type (0x16 handshake, 0x15 alert), then the version 3.0 to 3.4: read as sizes,
// these are above 350,000,000.
func frameError(prefix uint32, limit int) error {
	kind, major, minor := prefix>>24, prefix>>16&0xff, prefix>>8&0xff
	if (kind == 0x16 || kind == 0x15) && major == 3 && minor <= 4 {
		return &Error{Message: "frame", Version: NoVersion, Offset: 0, Err: ErrTLS,
			Want: "a Kafka frame; the peer speaks TLS where plaintext is spoken"}
	}
	return &Error{Message: "frame", Version: NoVersion, Offset: 0, Err: ErrFrameSize,
		Want: "0 to " + strconv.Itoa(min(limit, math.MaxInt32)) + ", not " + strconv.Itoa(int(int32(prefix)))}
}
