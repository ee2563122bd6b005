// Reader: frames from an io.Reader, in pooled buffers that grow only as bytes
// arrive.

package fastcodec

import (
	"encoding/binary"
	"io"
	"math/bits"
	"sync"

	"github.com/kafkawire/kafkawire/fastcodec/internal/life"
)

// readAhead is the size of a Reader's own buffer, all that an idle connection
// holds. A frame has a buffer of its own only once it has arrived here whole, or
// has filled this one.
const readAhead = 4096

// Reader reads frames from a stream. It is for one goroutine; the frames that it
// returns may go to others.
type Reader struct {
	r      io.Reader
	limits Limits
	err    error // of a broken stream: it stays

	// Bytes read and not yet given to a frame.
	ahead      [readAhead]byte
	start, end int

	// A frame whose size is known and that has taken bytes: size is that of its
	// payload, -1 between frames.
	frame *Frame
	size  int
}

// NewReader gives a Reader of r under limits.Frame.
func NewReader(r io.Reader, limits Limits) *Reader {
	x := &Reader{limits: limits.WithDefaults()}
	x.Reset(r)
	return x
}

// Reset drops what the Reader has read ahead, an unfinished frame with it, and
// turns it to another stream.
func (x *Reader) Reset(r io.Reader) {
	if x.frame != nil {
		x.frame.Release()
	}
	x.r, x.err = r, nil
	x.start, x.end = 0, 0
	x.frame, x.size = nil, -1
}

// Next reads the next frame. Release the frame when nothing reads it any more.
//
// At the end of the stream the error is io.EOF between frames, and
// io.ErrUnexpectedEOF inside one. A size that is negative or above the limit is
// ErrFrameSize, TLS is ErrTLS; both stay, as the stream can't be read any further.
// Other errors are the stream's own: after one that passes, such as a deadline,
// Next goes on where it stopped.
//
// Memory follows what has arrived, never what the prefix promises: a frame's
// buffer has at most twice the bytes that arrived (and never less than 64 bytes).
func (x *Reader) Next() (*Frame, error) {
	if x.err != nil {
		return nil, x.err
	}
	if x.size < 0 {
		if err := x.fill(SizePrefix, false); err != nil {
			return nil, err
		}
		size, err := x.limits.frameSize(binary.BigEndian.Uint32(x.ahead[x.start:]))
		if err != nil {
			x.err = err
			return nil, err
		}
		x.start += SizePrefix
		x.size = size
	}
	if x.frame == nil {
		if err := x.fill(min(x.size, readAhead), true); err != nil {
			return nil, err
		}
		have := min(x.size, x.end-x.start)
		x.frame = takeFrame(have)
		x.frame.buf = append(x.frame.buf, x.ahead[x.start:x.start+have]...)
		x.start += have
	}
	for len(x.frame.buf) < x.size {
		if len(x.frame.buf) == cap(x.frame.buf) {
			x.frame = x.frame.grow(x.size)
		}
		buf := x.frame.buf
		n, err := x.read(buf[len(buf):min(cap(buf), x.size)])
		x.frame.buf = buf[:len(buf)+n]
		if err != nil && len(x.frame.buf) < x.size {
			return nil, endInside(err)
		}
	}
	f := x.frame
	x.frame, x.size = nil, -1
	life.Begin(f.buf)
	return f, nil
}

// fill reads until n bytes are ahead, n at most readAhead. inside says that a
// frame has begun.
func (x *Reader) fill(n int, inside bool) error {
	if x.end-x.start >= n {
		return nil
	}
	if x.start > 0 {
		x.end = copy(x.ahead[:], x.ahead[x.start:x.end])
		x.start = 0
	}
	for x.end < n {
		m, err := x.read(x.ahead[x.end:])
		x.end += m
		if err != nil && x.end < n {
			if inside || x.end > 0 {
				err = endInside(err)
			}
			return err
		}
	}
	return nil
}

// read is one Read that gets at least a byte or an error.
func (x *Reader) read(p []byte) (int, error) {
	for range maxEmptyReads {
		if n, err := x.r.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// maxEmptyReads is how often in a row an io.Reader may read nothing without an
// error.
const maxEmptyReads = 100

// endInside is the stream's error as it reads inside a frame.
func endInside(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Frame is one frame's payload in a pooled buffer.
type Frame struct{ buf []byte }

// Payload gives the frame without its size prefix: what ParseRequest and
// ParseResponse take. It is valid until Release.
func (f *Frame) Payload() []byte {
	f.check()
	return f.buf[:len(f.buf):len(f.buf)]
}

// Release gives the buffer back. It ends the life of the payload, and of every
// view and slice that aliases it. Call it once; the Frame is gone then.
func (f *Frame) Release() {
	f.check()
	life.End(f.buf)
	if life.Debug {
		f.buf = nil // what ended is never handed out again
		return
	}
	f.giveBack()
}

// check finds uses after Release in debug builds.
func (f *Frame) check() {
	if life.Debug && f.buf == nil {
		panic("kafkawire: frame used after its release")
	}
}

// Buffers come in powers of two, a pool each, from 2^minClass to 2^maxClass bytes;
// larger ones are left to the garbage collector.
const (
	minClass = 6
	maxClass = 26
)

var framePools [maxClass - minClass + 1]sync.Pool

// takeFrame gives an empty frame whose buffer has room for size bytes.
func takeFrame(size int) *Frame {
	class := max(bits.Len(uint(max(size, 1)-1)), minClass)
	if class > maxClass {
		return &Frame{make([]byte, 0, size)}
	}
	if f, ok := framePools[class-minClass].Get().(*Frame); ok {
		return f
	}
	return &Frame{make([]byte, 0, 1<<class)}
}

// grow moves a full frame, size bytes in the end, into a buffer of twice the size.
func (f *Frame) grow(size int) *Frame {
	g := takeFrame(min(2*len(f.buf), size))
	g.buf = append(g.buf, f.buf...)
	f.giveBack()
	return g
}

// giveBack puts the frame into the pool of its size.
func (f *Frame) giveBack() {
	if c := cap(f.buf); c >= 1<<minClass && c <= 1<<maxClass {
		f.buf = f.buf[:0]
		framePools[bits.Len(uint(c))-1-minClass].Put(f)
	}
}
