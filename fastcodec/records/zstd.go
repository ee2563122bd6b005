// Zstandard: frames, one or several, with or without their content's size.

package records

import (
	"encoding/binary"
	"errors"
	"sync"

	"github.com/klauspost/compress/zstd"
)

const (
	zstdMagic     = 0xfd2fb528
	zstdSkippable = 0x184d2a50 // and the 15 behind it
	zstdBlock     = 128 << 10  // the most that a block can unpack to
)

var errZstdFrame = errors.New("zstd: malformed frame")

// zstdMost is the most bytes that frames can unpack to: of each block what its header
// says, or 128 KB. It is at most limit+1.
func zstdMost(src []byte, limit int) (most int, err error) {
	for len(src) > 0 {
		if len(src) < 8 {
			return 0, errTruncated
		}
		magic := binary.LittleEndian.Uint32(src)
		if magic&^15 == zstdSkippable {
			size := binary.LittleEndian.Uint32(src[4:])
			if uint64(size) > uint64(len(src)-8) {
				return 0, errTruncated
			}
			src = src[8+size:]
			continue
		}
		if magic != zstdMagic {
			return 0, errZstdFrame
		}
		sums, n := zstdHeader(src[4])
		if len(src) < n {
			return 0, errTruncated
		}
		src = src[n:]
		for last := false; !last; {
			if len(src) < 3 {
				return 0, errTruncated
			}
			head := uint32(src[0]) | uint32(src[1])<<8 | uint32(src[2])<<16
			last = head&1 != 0
			size := int(head >> 3)
			unpacked := size
			switch head >> 1 & 3 {
			case 1: // a byte repeated
				size = 1
			case 2:
				unpacked = zstdBlock
			case 3:
				return 0, errZstdFrame
			}
			if size > len(src)-3 {
				return 0, errTruncated
			}
			src = src[3+size:]
			most = min(most+unpacked, limit+1)
		}
		if len(src) < sums {
			return 0, errTruncated
		}
		src = src[sums:]
	}
	return most, nil
}

// zstdHeader gives the sizes of a frame's checksum and of its header, magic included.
func zstdHeader(descriptor byte) (sum, size int) {
	single := descriptor >> 5 & 1
	size = 4 + 1 + 1 - int(single)
	size += [4]int{0, 1, 2, 4}[descriptor&3] // dictionary id
	size += [4]int{int(single), 2, 4, 8}[descriptor>>6]
	return int(descriptor>>2&1) * 4, size
}

// Decoders come in two kinds: one that trusts us to have room, and one that stops at
// the end of it, which has a slower way of copying.
var (
	zstdUnpackers = sync.Pool{New: func() any { return newZstdUnpacker(false) }}
	zstdStoppers  = sync.Pool{New: func() any { return newZstdUnpacker(true) }}
)

func newZstdUnpacker(stops bool) *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(stops))
	if err != nil {
		panic(err) // of options that are right
	}
	return d
}

func (u *buffer) unzstd(src []byte, limit int) error {
	most, err := zstdMost(src, limit)
	if err != nil {
		return err
	}
	pool := &zstdUnpackers
	if most > limit {
		pool, most = &zstdStoppers, limit
	}
	dst := u.reserve(most+unpackSlack, limit+unpackSlack)
	d := pool.Get().(*zstd.Decoder)
	dst, err = d.DecodeAll(src, dst)
	pool.Put(d)
	if err == nil {
		u.replace(dst)
	}
	if err == zstd.ErrDecoderSizeExceeded || len(dst) > limit {
		return ErrDecompressedSize
	}
	return err
}

// Encoders of each level; Kafka's levels fall onto them.
var zstdPackers [zstd.SpeedBestCompression + 1]sync.Pool

func appendZstd(dst, src []byte, level int) ([]byte, error) {
	speed := zstd.SpeedDefault
	if level != 0 {
		speed = zstd.EncoderLevelFromZstd(level)
	}
	e, ok := zstdPackers[speed].Get().(*zstd.Encoder)
	if !ok {
		var err error
		// The checksum of the batch covers the frame.
		if e, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(speed), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true)); err != nil {
			return dst, err
		}
	}
	dst = e.EncodeAll(src, dst)
	zstdPackers[speed].Put(e)
	return dst, nil
}
