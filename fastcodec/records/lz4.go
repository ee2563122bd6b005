// LZ4: the frame format, around blocks of github.com/pierrec/lz4. Kafka writes frames
// of independent 64 KB blocks without checksums (Lz4BlockOutputStream); in magic 0 the
// checksum of the frame's header is a wrong one, which readers of magic 0 pass over
// (KAFKA-3160).

package records

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"sync"

	"github.com/pierrec/lz4/v4"
)

const (
	lz4Magic      = 0x184d2204
	lz4Skippable  = 0x184d2a50 // and the 15 behind it
	lz4Version    = 1 << 6
	lz4VersionSet = 3 << 6
	lz4Alone      = 1 << 5 // blocks don't refer to those before them
	lz4BlockSums  = 1 << 4
	lz4HasSize    = 1 << 3
	lz4HasSum     = 1 << 2
	lz4Stored     = 1 << 31 // in a block's size: it isn't compressed
	lz4Window     = 64 << 10
	lz4Block64KB  = 4 << 4
	lz4BlockSize  = 64 << 10

	// lz4Expansion is what a byte of a block can stand for.
	lz4Expansion = 255
)

var (
	errLZ4Header   = errors.New("lz4: malformed frame header")
	errLZ4Checksum = errors.New("lz4: wrong checksum")
	errLZ4Block    = errors.New("lz4: malformed block")
)

// lz4Frame is what the header of a frame says.
type lz4Frame struct {
	flags byte
	block int // largest block, unpacked
}

// lz4Header reads a frame's header off the front of b; frame.block is 0 if it was a
// skippable frame.
func lz4Header(b []byte, anySum bool) (frame lz4Frame, rest []byte, err error) {
	if len(b) < 7 {
		return frame, nil, errTruncated
	}
	switch magic := binary.LittleEndian.Uint32(b); {
	case magic&^15 == lz4Skippable:
		if len(b) < 8 {
			return frame, nil, errTruncated
		}
		size := binary.LittleEndian.Uint32(b[4:])
		if uint64(size) > uint64(len(b)-8) {
			return frame, nil, errTruncated
		}
		return frame, b[8+size:], nil
	case magic != lz4Magic:
		return frame, nil, errLZ4Header
	}
	frame.flags = b[4]
	size := b[5] >> 4
	if frame.flags&lz4VersionSet != lz4Version || frame.flags&3 != 0 || b[5]&0x8f != 0 || size < 4 {
		return frame, nil, errLZ4Header
	}
	frame.block = 1 << (2*size + 8)
	n := 6
	if frame.flags&lz4HasSize != 0 {
		n += 8
	}
	if len(b) <= n {
		return frame, nil, errTruncated
	}
	if !anySum && b[n] != lz4HeaderSum(b[4:n]) {
		return frame, nil, errLZ4Checksum
	}
	return frame, b[n+1:], nil
}

// lz4HeaderSum is the checksum of a frame's descriptor.
func lz4HeaderSum(descriptor []byte) byte { return byte(xxh32(descriptor) >> 8) }

// next takes a block off the front of b; its data is nil at the end of the frame.
func (f lz4Frame) next(b []byte) (data []byte, stored bool, rest []byte, err error) {
	if len(b) < 4 {
		return nil, false, nil, errTruncated
	}
	size := binary.LittleEndian.Uint32(b)
	b = b[4:]
	if size == 0 {
		if f.flags&lz4HasSum != 0 {
			// As Kafka: that of the batch covers it.
			if len(b) < 4 {
				return nil, false, nil, errTruncated
			}
			b = b[4:]
		}
		return nil, false, b, nil
	}
	stored = size&lz4Stored != 0
	size &^= lz4Stored
	if size > uint32(f.block) {
		return nil, false, nil, errLZ4Block
	}
	end := int(size)
	if f.flags&lz4BlockSums != 0 {
		end += 4
	}
	if end > len(b) {
		return nil, false, nil, errTruncated
	}
	return b[:size:size], stored, b[end:], nil
}

// sound compares the checksum behind a block, if there is one.
func (f lz4Frame) sound(data []byte) bool {
	return f.flags&lz4BlockSums == 0 || binary.LittleEndian.Uint32(data[len(data):len(data)+4]) == xxh32(data)
}

// most is what a block can unpack to.
func (f lz4Frame) most(data []byte, stored bool) int {
	if stored {
		return len(data)
	}
	return min(f.block, lz4Expansion*len(data))
}

func (u *buffer) unlz4(src []byte, limit int, anySum bool) error {
	size, err := lz4Most(src, limit, anySum)
	if err != nil {
		return err
	}
	dst := u.reserve(size, limit)
	for len(src) > 0 {
		var f lz4Frame
		if f, src, err = lz4Header(src, anySum); err != nil {
			return err
		}
		if f.block == 0 {
			continue
		}
		start := len(dst)
		for {
			var data []byte
			var stored bool
			data, stored, src, err = f.next(src)
			if err != nil {
				return err
			}
			if data == nil {
				break
			}
			if dst, err = f.unpack(dst, start, data, stored); err != nil {
				return err
			}
		}
	}
	u.p.B = dst
	return nil
}
