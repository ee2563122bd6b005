// Encoder: frames written into pooled buffers.

package fastcodec

import (
	"math/bits"

	"github.com/valyala/bytebufferpool"

	"github.com/kafkawire/kafkawire/fastcodec/internal/life"
)

// Class is a class of traffic. Each has a pool of its own, since a pool learns one
// size of buffers: from a mix of small and large frames it would learn to drop the
// large ones.
type Class uint8

const (
	Control Class = iota // heartbeats, commits, ApiVersions: some hundred bytes
	Medium               // metadata, groups, admin calls: kilobytes
	Bulk                 // Produce and Fetch
	classes
)

// Pointers: the pools' counters need 64-bit alignment on 32-bit systems, which the
// elements of an array don't have there.
var encoderPools = [classes]*bytebufferpool.Pool{{}, {}, {}}

// Encoder writes frames one after another into a buffer from its class's pool. The
// zero value is ready, of class Control; set Class before the first frame. It is
// for one goroutine. A connection that has a buffer of its own needs no Encoder:
// AppendRequest and AppendResponse do the work.
type Encoder struct {
	Class Class
	buf   *bytebufferpool.ByteBuffer // nil between Release and the next frame
}

// Request appends a request's frame. On an error, that of AppendRequest, the frames
// before it stay.
func (e *Encoder) Request(h *RequestHeaderData, body Appender) (err error) {
	buf := e.buffer()
	buf.B, err = AppendRequest(buf.B, h, body)
	return err
}

// Response appends a response's frame. On an error, that of AppendResponse, the
// frames before it stay.
func (e *Encoder) Response(h *ResponseHeaderData, body Appender) (err error) {
	buf := e.buffer()
	buf.B, err = AppendResponse(buf.B, h, body)
	return err
}

// Frame appends a frame that holds payload as it is.
func (e *Encoder) Frame(payload []byte) (err error) {
	buf := e.buffer()
	buf.B, err = AppendFrame(buf.B, payload)
	return err
}

// Bytes gives the frames written since the last Release. They are valid until the
// next frame is written, or until Release.
func (e *Encoder) Bytes() []byte {
	if e.buf == nil {
		return nil
	}
	return e.buf.B
}

// Release gives the buffer back and ends the life of Bytes. The Encoder can go on
// with new frames; without frames, Release does nothing.
func (e *Encoder) Release() {
	buf := e.buf
	if buf == nil {
		return
	}
	e.buf = nil
	life.End(buf.B)
	if life.Debug {
		return // what ended is never handed out again
	}
	// A pool drops buffers whose capacity is above the sizes it learned, powers of
	// two. One that grew by appends is past the size that its content needs: clip it,
	// or usual frames would be dropped.
	if size := 1 << bits.Len(uint(max(len(buf.B), 1)-1)); cap(buf.B) > size && cap(buf.B)&(cap(buf.B)-1) != 0 {
		buf.B = buf.B[:len(buf.B):size]
	}
	// Never reset before: the pool learns from the length at Put.
	encoderPools[e.class()].Put(buf)
}

func (e *Encoder) buffer() *bytebufferpool.ByteBuffer {
	if e.buf == nil {
		e.buf = encoderPools[e.class()].Get()
	}
	return e.buf
}

// class is the Class, or Bulk for a value that is none.
func (e *Encoder) class() Class { return min(e.Class, Bulk) }
