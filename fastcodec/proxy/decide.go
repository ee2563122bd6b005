// How a Session asks its handler, and what becomes of errors.

package proxy

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// askRequest asks the handler about s.request. The frame of a Replace is in the queue
// then, that of an Answer on its way to the client. On an error the verdict is Pass,
// and s.err says whether that is to happen.
func (s *Session) askRequest(r *Request) Verdict {
	q := &s.toBroker
	dst := q.tail(len(r.Frame) + slack)
	start := len(dst)
	s.deciding = true
	dst, verdict, err := s.config.options.Handler.Request(s, r, dst)
	s.deciding = false
	e := entry{head: headOf(r.Key, r.Version, r.CorrelationID)}
	if err == nil && (verdict == Replace || verdict == Answer && !r.Silent) {
		err = checkFrame(dst, start)
	}
	if err != nil {
		s.failed(Client, e, r.Size, err)
		return Pass
	}
	switch verdict {
	case Replace:
		q.keep(dst)
	case Answer:
		if !r.Silent {
			s.answerHere(e, dst[start:])
		}
	case Whole, Hold:
	default:
		return Pass
	}
	return verdict
}

// askResponse asks the handler about an answer, likewise.
func (s *Session) askResponse(e entry, frame []byte) Verdict {
	q := &s.toClient
	dst := q.tail(len(frame) + slack)
	start := len(dst)
	r := &s.response
	*r = Response{Key: e.key(), Version: e.version(), CorrelationID: e.correlation(), Frame: frame, Note: e.note, Context: e.context}
	s.deciding = true
	dst, verdict, err := s.config.options.Handler.Response(s, r, dst)
	s.deciding = false
	if err == nil && verdict == Replace {
		err = checkFrame(dst, start)
	}
	if err != nil {
		s.failed(Broker, e, len(frame)-fastcodec.SizePrefix, err)
		return Pass
	}
	if verdict != Replace {
		return Pass
	}
	q.keep(dst)
	return Replace
}

// answerHere sends an answer that was made here when those before it are through.
func (s *Session) answerHere(e entry, frame []byte) {
	if s.ring.len() == 0 && s.broker.between() {
		s.toClient.add(frame)
		return
	}
	s.answers.add(frame)
	e.how, e.note = answered, uint64(len(frame))
	s.ring.push(e)
}

// checkFrame holds a handler to what it promises: that it appended one frame.
func checkFrame(dst []byte, start int) error {
	if n := len(dst) - start - fastcodec.SizePrefix; n < responseLeast || uint64(n) != uint64(binary.BigEndian.Uint32(dst[start:])) {
		return fmt.Errorf("handler: %w: %d bytes are not one frame", fastcodec.ErrFrameSize, n+fastcodec.SizePrefix)
	}
	return nil
}

// failed applies the policy to a frame that the handler wanted and couldn't have, or
// couldn't read. What it refuses is never forwarded.
func (s *Session) failed(from Side, e entry, size int, err error) {
	frame := &FrameError{from, true, e.key(), e.version(), e.correlation(), size, err}
	if s.config.options.OnError == Close || errors.Is(err, ErrRefused) {
		s.err = frame
	} else if report := s.config.options.Report; report != nil {
		report(frame)
	}
}

// fail ends the stream for a frame of which nothing is known.
func (s *Session) fail(from Side, size int, err error) (action, int) {
	s.err = &FrameError{From: from, Size: size, Err: err}
	return stop, 0
}

// shortHeader is the error of a frame of a size that is too small for a header: the
// same, however much of it is there.
func shortHeader(size int, request bool) error {
	payload := make([]byte, size)
	if request {
		_, _, err := fastcodec.ParseRequest(payload)
		return err
	}
	_, _, err := fastcodec.ParseResponse(payload, fastcodec.APIVersions, 0)
	return err
}
