// Snappy: raw blocks as librdkafka and others write them, and the stream of the
// xerial Java library, which Kafka's clients write and read. That stream is a header
// of 16 bytes and blocks with an int32 size; streams may be joined.

package records

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/klauspost/compress/s2"
)

const (
	xerialMagic     = "\x82SNAPPY\x00"
	xerialVersions  = "\x00\x00\x00\x01\x00\x00\x00\x01" // version, and least one that can read it
	xerialHeader    = len(xerialMagic + xerialVersions)
	xerialBlockSize = 32 << 10
)

var errXerial = errors.New("malformed xerial stream")

// snappyExpansion is more than what a byte of snappy can stand for: 3 bytes copy 64.
const snappyExpansion = 22

func (u *buffer) unsnappy(src []byte, limit int) error {
	if !isXerial(src) {
		size, err := snappySize(src)
		if err != nil {
			return err
		}
		if size > limit {
			return ErrDecompressedSize
		}
		dst := u.reserve(size, limit)
		_, err = s2.Decode(dst[:size], src)
		u.p.B = dst[:size]
		return err
	}
	// Once for the size, once for the bytes.
	size := 0
	for blocks := src; len(blocks) > 0; {
		block, rest, err := nextXerial(blocks)
		if err != nil {
			return err
		}
		blocks = rest
		if block == nil {
			continue
		}
		n, err := snappySize(block)
		if err != nil {
			return err
		}
		if n > limit-size {
			return ErrDecompressedSize
		}
		size += n
	}
	dst := u.reserve(size, limit)
	for blocks := src; len(blocks) > 0; {
		block, rest, _ := nextXerial(blocks)
		blocks = rest
		if block == nil {
			continue
		}
		n, _ := snappySize(block)
		have := len(dst)
		if _, err := s2.Decode(dst[have:have+n], block); err != nil {
			return err
		}
		dst = dst[:have+n]
	}
	u.p.B = dst
	return nil
}

// isXerial looks at the magic only: versions were written in either byte order.
func isXerial(b []byte) bool {
	return len(b) >= len(xerialMagic) && string(b[:len(xerialMagic)]) == xerialMagic
}

// nextXerial takes a block off the front of a stream, or a header: block is nil then.
func nextXerial(b []byte) (block, rest []byte, err error) {
	if isXerial(b) {
		if len(b) < xerialHeader {
			return nil, nil, errXerial
		}
		return nil, b[xerialHeader:], nil
	}
	if len(b) < 4 {
		return nil, nil, errXerial
	}
	size := binary.BigEndian.Uint32(b)
	b = b[4:]
	if uint64(size) > uint64(len(b)) {
		return nil, nil, errXerial
	}
	return b[:size:size], b[size:], nil
}

// snappySize is how much a block says that it unpacks to, if it can.
func snappySize(block []byte) (int, error) {
	size, err := s2.DecodedLen(block)
	if err == nil && size/snappyExpansion > len(block) {
		err = s2.ErrCorrupt
	}
	return size, err
}

// appendSnappy writes a xerial stream, which is what all clients read.
func appendSnappy(dst, src []byte) []byte {
	dst = append(dst, xerialMagic...)
	dst = append(dst, xerialVersions...)
	for len(src) > 0 {
		block := src[:min(len(src), xerialBlockSize)]
		src = src[len(block):]
		dst = slices.Grow(dst, 4+s2.MaxEncodedLen(len(block)))
		at := len(dst) + 4
		packed := s2.EncodeSnappy(dst[at:cap(dst)], block) // in place, as there is room
		dst = dst[:at+len(packed)]
		binary.BigEndian.PutUint32(dst[at-4:], uint32(len(packed)))
	}
	return dst
}
