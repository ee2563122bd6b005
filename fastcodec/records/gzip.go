// Gzip (RFC 1952), of one or more members: read by package inflate, in one piece, and
// written by github.com/klauspost/compress.

package records

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/kafkawire/kafkawire/fastcodec/records/internal/inflate"
)

// gzipExpansion is the most that a byte of deflate can stand for.
const gzipExpansion = 1032

// Flags of a member's header.
const (
	gzipHeaderSum = 1 << (iota + 1)
	gzipExtra
	gzipName
	gzipComment
)

const (
	gzipHeader  = 10
	gzipTrailer = 8
)

var (
	errGzipHeader   = errors.New("gzip: malformed header")
	errGzipChecksum = errors.New("gzip: wrong checksum or size")
)

var inflaters = sync.Pool{New: func() any { return new(inflate.Decoder) }}

func (u *buffer) gunzip(src []byte, limit int) (err error) {
	if len(src) < gzipHeader+gzipTrailer {
		return errTruncated
	}
	// The size of the last member stands at the end. It is believed as far as it can be
	// true.
	size := uint64(binary.LittleEndian.Uint32(src[len(src)-4:]))
	size = min(size, gzipExpansion*uint64(len(src)), uint64(limit))
	dst := u.reserve(int(size)+inflate.Slack, limit+inflate.Slack)
	d := inflaters.Get().(*inflate.Decoder)
	for err == nil && len(src) > 0 {
		dst, src, err = gunzipMember(d, dst, src, limit)
	}
	inflaters.Put(d)
	u.replace(dst)
	if err == inflate.ErrLimit {
		err = ErrDecompressedSize
	}
	return err
}

// gunzipMember unpacks the member that src begins with, and gives what is behind it.
func gunzipMember(d *inflate.Decoder, dst, src []byte, limit int) (_, rest []byte, err error) {
	n, err := gzipHeaderSize(src)
	if err != nil {
		return dst, nil, err
	}
	start := len(dst)
	dst, used, err := d.Append(dst, src[n:], limit)
	if err != nil {
		return dst, nil, err
	}
	src = src[n+used:]
	if len(src) < gzipTrailer {
		return dst, nil, errTruncated
	}
	plain := dst[start:]
	if crc32.ChecksumIEEE(plain) != binary.LittleEndian.Uint32(src) || uint32(len(plain)) != binary.LittleEndian.Uint32(src[4:]) {
		return dst, nil, errGzipChecksum
	}
	return dst, src[gzipTrailer:], nil
}

// gzipHeaderSize reads a member's header, of which nothing matters. Flags without a
// meaning are passed over, as in Java.
func gzipHeaderSize(b []byte) (n int, err error) {
	if len(b) < gzipHeader {
		return 0, errTruncated
	}
	if b[0] != 0x1f || b[1] != 0x8b || b[2] != 8 {
		return 0, errGzipHeader
	}
	flags := b[3]
	n = gzipHeader
	if flags&gzipExtra != 0 {
		if len(b)-n < 2 {
			return 0, errTruncated
		}
		n += 2 + int(binary.LittleEndian.Uint16(b[n:]))
	}
	for _, text := range []byte{gzipName, gzipComment} {
		if flags&text == 0 {
			continue
		}
		size := bytes.IndexByte(b[min(n, len(b)):], 0)
		if size < 0 {
			return 0, errTruncated
		}
		n += size + 1
	}
	if n > len(b) {
		return 0, errTruncated
	}
	if flags&gzipHeaderSum != 0 {
		if len(b)-n < 2 {
			return 0, errTruncated
		}
		if uint16(crc32.ChecksumIEEE(b[:n])) != binary.LittleEndian.Uint16(b[n:]) {
			return 0, errGzipHeader
		}
		n += 2
	}
	return n, nil
}

// gzipPacker is an encoder and what it writes to.
type gzipPacker struct {
	*gzip.Writer
	dst appender
}

// appender is a Writer that appends.
type appender struct{ b []byte }

func (a *appender) Write(b []byte) (int, error) {
	a.b = append(a.b, b...)
	return len(b), nil
}

// Encoders of each level; 0 is the default one.
var gzipPackers [gzip.BestCompression + 1]sync.Pool

func appendGzip(dst, src []byte, level int) ([]byte, error) {
	level = min(max(level, 0), gzip.BestCompression)
	p, ok := gzipPackers[level].Get().(*gzipPacker)
	if !ok {
		p = new(gzipPacker)
		at := level
		if at == 0 {
			at = gzip.DefaultCompression
		}
		w, err := gzip.NewWriterLevel(&p.dst, at)
		if err != nil {
			return dst, err
		}
		p.Writer = w
	}
	p.dst.b = dst
	p.Reset(&p.dst)
	_, err := p.Write(src)
	if err == nil {
		err = p.Close()
	}
	dst, p.dst.b = p.dst.b, nil
	gzipPackers[level].Put(p)
	return dst, err
}
