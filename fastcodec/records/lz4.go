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
	sums := 4
	if size == 0 {
		if f.flags&lz4HasSum == 0 {
			sums = 0
		}
		// Not compared, as in Kafka: the checksum of the batch covers it all.
		if len(b) < sums {
			return nil, false, nil, errTruncated
		}
		return nil, false, b[sums:], nil
	}
	if f.flags&lz4BlockSums == 0 {
		sums = 0
	}
	stored = size&lz4Stored != 0
	size &^= lz4Stored
	if size > uint32(f.block) {
		return nil, false, nil, errLZ4Block
	}
	if int(size)+sums > len(b) {
		return nil, false, nil, errTruncated
	}
	data, rest = b[:size:size], b[int(size)+sums:]
	if sums > 0 && binary.LittleEndian.Uint32(b[size:]) != xxh32(data) {
		return nil, false, nil, errLZ4Checksum
	}
	return data, stored, rest, nil
}

// most is what a block can unpack to.
func (f lz4Frame) most(data []byte, stored bool) int {
	if stored {
		return len(data)
	}
	return min(f.block, lz4Expansion*len(data))
}

// unpack appends a block to dst, which has the frame's earlier ones from start on and
// never more than limit bytes.
func (f lz4Frame) unpack(dst []byte, start int, data []byte, stored bool, limit int) ([]byte, error) {
	have := len(dst)
	most := f.most(data, stored)
	room := min(most, limit-have)
	if stored {
		if room < len(data) {
			return dst, ErrDecompressedSize
		}
		return append(dst, data...), nil
	}
	var n int
	var err error
	if into := dst[have : have+room]; f.flags&lz4Alone != 0 {
		n, err = lz4.UncompressBlock(data, into)
	} else {
		n, err = lz4.UncompressBlockWithDict(data, into, dst[max(start, have-lz4Window):])
	}
	if err != nil && room < most {
		err = ErrDecompressedSize // one of both, and nobody can tell
	}
	if err != nil {
		return dst, err
	}
	return dst[:have+n], nil
}

func (u *buffer) unlz4(src []byte, limit int, anySum bool) error {
	// Once for the most that it can be, once for the bytes.
	most := 0
	err := lz4Blocks(src, anySum, func(f lz4Frame, data []byte, stored, first bool) error {
		most += f.most(data, stored)
		return nil
	})
	if err != nil {
		return err
	}
	dst, start := u.reserve(min(most, limit), limit), 0
	err = lz4Blocks(src, anySum, func(f lz4Frame, data []byte, stored, first bool) (err error) {
		if first {
			start = len(dst)
		}
		dst, err = f.unpack(dst, start, data, stored, limit)
		return err
	})
	u.p.B = dst
	return err
}

// lz4Blocks calls f for each block of each frame.
func lz4Blocks(src []byte, anySum bool, f func(frame lz4Frame, data []byte, stored, first bool) error) error {
	for len(src) > 0 {
		frame, rest, err := lz4Header(src, anySum)
		if err != nil {
			return err
		}
		src = rest
		for first := true; frame.block > 0; first = false {
			var data []byte
			var stored bool
			if data, stored, src, err = frame.next(src); err != nil {
				return err
			}
			if data == nil {
				break
			}
			if err = f(frame, data, stored, first); err != nil {
				return err
			}
		}
	}
	return nil
}

var lz4Packers = sync.Pool{New: func() any { return new(lz4.Compressor) }}

// appendLZ4 writes a frame as Kafka does. Levels above 1 are those of the slower
// compressor, up to 9.
func appendLZ4(dst, src []byte, level int, wrongSum bool) ([]byte, error) {
	at := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, lz4Magic)
	dst = append(dst, lz4Version|lz4Alone, lz4Block64KB)
	sum := lz4HeaderSum(dst[at+4:])
	if wrongSum {
		sum = lz4HeaderSum(dst[at:])
	}
	dst = append(dst, sum)

	fast := lz4Packers.Get().(*lz4.Compressor)
	defer lz4Packers.Put(fast)
	for len(src) > 0 {
		block := src[:min(len(src), lz4BlockSize)]
		src = src[len(block):]
		dst = slices.Grow(dst, 4+lz4.CompressBlockBound(len(block)))
		at := len(dst) + 4
		into := dst[at : at+lz4.CompressBlockBound(len(block))]
		var n int
		var err error
		if level > 1 {
			slow := lz4.CompressorHC{Level: lz4.CompressionLevel(1 << (8 + min(level, 9)))}
			n, err = slow.CompressBlock(block, into)
		} else {
			n, err = fast.CompressBlock(block, into)
		}
		if err != nil {
			return dst, err
		}
		size := uint32(n)
		if n == 0 || n >= len(block) {
			n = copy(into, block)
			size = uint32(n) | lz4Stored
		}
		dst = dst[:at+n]
		binary.LittleEndian.PutUint32(dst[at-4:], size)
	}
	return append(dst, 0, 0, 0, 0), nil
}

// xxh32 is the xxHash of 32 bits with seed 0, which LZ4 frames have for checksums.
func xxh32(b []byte) uint32 {
	const (
		prime1 = 2654435761
		prime2 = 2246822519
		prime3 = 3266489917
		prime4 = 668265263
		prime5 = 374761393
	)
	hash := uint32(prime5)
	size := uint32(len(b))
	if len(b) >= 16 {
		first := uint32(prime1)
		lanes := [4]uint32{first + prime2, prime2, 0, -first}
		for ; len(b) >= 16; b = b[16:] {
			for i := range lanes {
				lane := lanes[i] + binary.LittleEndian.Uint32(b[4*i:])*prime2
				lanes[i] = bits.RotateLeft32(lane, 13) * prime1
			}
		}
		hash = bits.RotateLeft32(lanes[0], 1) + bits.RotateLeft32(lanes[1], 7) +
			bits.RotateLeft32(lanes[2], 12) + bits.RotateLeft32(lanes[3], 18)
	}
	hash += size
	for ; len(b) >= 4; b = b[4:] {
		hash = bits.RotateLeft32(hash+binary.LittleEndian.Uint32(b)*prime3, 17) * prime4
	}
	for _, c := range b {
		hash = bits.RotateLeft32(hash+uint32(c)*prime5, 11) * prime1
	}
	hash ^= hash >> 15
	hash *= prime2
	hash ^= hash >> 13
	hash *= prime3
	return hash ^ hash>>16
}
