// Compression: one call for each direction, whatever the codec. The codecs have a
// file each.

package records

import "errors"

// unpackSlack is what may be reserved beyond a limit: zstd decodes faster where a whole
// block has room.
const unpackSlack = 128<<10 + 64

// unpack decompresses src into the buffer. The error is ErrDecompressedSize where it
// would be more than limit bytes, else one of the codec.
func (u *buffer) unpack(codec Codec, magic int8, src []byte, limit int) error {
	switch codec {
	case Gzip:
		return u.gunzip(src, limit)
	case Snappy:
		return u.unsnappy(src, limit)
	case LZ4:
		return u.unlz4(src, limit, magic == Magic0)
	default:
		return u.unzstd(src, limit)
	}
}

// pack appends src to dst, compressed. level is that of the codec, 0 its default.
func pack(dst, src []byte, codec Codec, magic int8, level int) ([]byte, error) {
	switch codec {
	case None:
		return append(dst, src...), nil
	case Gzip:
		return appendGzip(dst, src, level)
	case Snappy:
		return appendSnappy(dst, src), nil
	case LZ4:
		return appendLZ4(dst, src, level, magic == Magic0)
	default:
		return appendZstd(dst, src, level)
	}
}

// errTruncated is the cause of ErrCompressed where the input ends too early.
var errTruncated = errors.New("compressed data ends too early")
