// Frames: from the size prefix to the body, and back.

package rewrite

import (
	"encoding/binary"
	"math"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
)

// maxFrame leaves room for offsets that point past the end, on 32 bits as well.
const maxFrame = math.MaxInt32 - 1<<17

// whole reports whether the frame has the size that its prefix says.
func whole(frame []byte) bool {
	return uint64(binary.BigEndian.Uint32(frame)) == uint64(len(frame)-4) && len(frame) <= maxFrame
}

// frameError says what is wrong with a frame whose size or header is.
func frameError(frame []byte, request bool) error {
	if len(frame) < 4 || !whole(frame) {
		return &fastcodec.Error{Message: "frame", Version: fastcodec.NoVersion, Offset: -1, Err: fastcodec.ErrFrameSize, Want: "one whole frame with its size"}
	}
	var err error
	if request {
		_, _, err = fastcodec.ParseRequest(frame[4:])
	} else {
		_, _, err = fastcodec.ParseResponse(frame[4:], fastcodec.APIVersions, 0)
	}
	return err
}

// requestBody is where the body of a request begins, whose header has a client id.
func requestBody(frame []byte, header int16) int {
	at := 14
	if len(frame) < at {
		return refused
	}
	if n := int(int16(binary.BigEndian.Uint16(frame[12:]))); n > 0 {
		at += n
	}
	if header == 1 && at <= len(frame) {
		return at
	}
	if at < len(frame) && frame[at] == 0 && header > 1 {
		return at + 1
	}
	_, body, err := fastcodec.ParseRequest(frame[4:])
	if err != nil {
		return refused
	}
	return len(frame) - len(body)
}

// answered is the version of the body of an ApiVersions response: 0 where the broker
// didn't know the version of the request.
func answered(ctx *Context, body []byte) int16 {
	return fastcodec.ResponseBodyVersion(ctx.Key, ctx.Version, body, func(body []byte, version int16) bool {
		m, err := layout.For(ctx.Key, true, version)
		if err != nil {
			return false
		}
		end, err := m.Walk(body, nil)
		return err == nil && end == len(body)
	})
}

// rewrite edits a frame whose body begins at at.
func (r *Rewriter) rewrite(dst, frame []byte, at int, p *plan, ctx *Context) (out []byte, changed bool, err error) {
	var s state // a composite literal is copied, which costs as much as the rest of a small frame
	s.src, s.dst, s.ahead, s.force, s.ctx, s.plan = frame, dst, aheadOfMixed, r.force, ctx, p
	if p.fixed {
		s.ahead = len(frame)
	}
	off := s.run(frame, p.program, at, 1)
	if s.memory != nil {
		memories.Put(s.memory)
	}
	if off < 0 {
		return dst, false, s.error(at)
	}
	if !s.changed {
		return dst, false, nil
	}
	s.copyTo(len(frame))
	size := len(s.dst) - len(dst) - 4
	if size > math.MaxInt32 {
		return dst, false, &fastcodec.Error{Message: p.message.Name, Version: p.version, Offset: -1, Err: fastcodec.ErrFrameSize, Want: "at most 2147483647 bytes"}
	}
	binary.BigEndian.PutUint32(s.dst[len(dst):], uint32(size))
	return s.dst, true, nil
}

// aheadOfMixed is how far a copy runs ahead of a number that is edited, where names
// are edited, too: most of what it copies too far is cut back and copied again.
const aheadOfMixed = 128
