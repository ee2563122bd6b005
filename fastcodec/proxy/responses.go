// The broker's side of a Session.

package proxy

import (
	"encoding/binary"
	"math"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// responseLeast is the size of the smallest response: the correlation id.
const responseLeast = 4

// FromBroker takes what the broker sent, as FromClient does for the client.
func (s *Session) FromBroker(in []byte) (Step, error) {
	s.toClient.settle()
	if s.err != nil {
		return Step{}, s.err
	}
	before := s.ring.head
	step := s.fromBroker(in)
	if s.err != nil && len(step.Send) == 0 {
		return Step{}, s.err
	}
	if s.mayAsk() {
		s.asks.emit(s)
	}
	if s.waiting && s.ring.head != before && !s.holding && !s.full() {
		s.wake()
	}
	step.Other = s.toBroker.waits()
	step.Resumed, s.resumed = s.resumed, false
	return step, nil
}

func (s *Session) fromBroker(in []byte) Step {
	x := run{in: in, flow: &s.broker, queue: &s.toClient}
	for {
		if a, need := x.finish(); a != next {
			return x.step(need)
		}
		for s.answerReady() {
			if !x.gather() {
				return x.step(0)
			}
			s.toClient.add(s.answers.pop(int(s.ring.at(0).note)))
			s.ring.pop()
		}
		if x.queue.size() >= enough {
			return x.step(0)
		}
		if s.broker.begun && x.queue.empty() {
			x.at = s.passResponses(in, x.at)
			if s.broker.left > 0 {
				return x.step(1)
			}
			if s.answerReady() {
				continue
			}
		}
		if a, need := s.nextResponse(&x); a != next {
			return x.step(need)
		}
	}
}

// answerReady reports whether it is the turn of an answer that was made here.
func (s *Session) answerReady() bool { return s.ring.len() > 0 && s.ring.at(0).how&answered != 0 }

// passResponses takes the frames in[at:] that pass unseen, as passRequests does.
func (s *Session) passResponses(in []byte, at int) int {
	ring := &s.ring
	for ring.len() > 0 {
		b := in[at:]
		if len(b) < fastcodec.SizePrefix+responseLeast {
			break
		}
		size := int(int32(binary.BigEndian.Uint32(b)))
		e := ring.at(0)
		if size < responseLeast || e.how != 0 || e.correlation() != int32(binary.BigEndian.Uint32(b[fastcodec.SizePrefix:])) {
			break
		}
		ring.pop()
		if have := len(b) - fastcodec.SizePrefix; size > have {
			s.broker.left = size - have
			return len(in)
		}
		at += fastcodec.SizePrefix + size
	}
	return at
}

// nextResponse decides on the frame at the front.
func (s *Session) nextResponse(x *run) (a action, need int) {
	b := x.front()
	if len(b) < fastcodec.SizePrefix {
		return more, fastcodec.SizePrefix - len(b)
	}
	size := int(int32(binary.BigEndian.Uint32(b)))
	have := min(max(size, 0), len(b)-fastcodec.SizePrefix)
	payload := b[fastcodec.SizePrefix : fastcodec.SizePrefix+have]
	f := &s.broker
	if !f.begun && isTLS(b) {
		return s.fail(Broker, -1, sizeError(b, 1))
	}
	if size < 0 {
		return s.fail(Broker, -1, sizeError(b, math.MaxInt32))
	}
	if s.ring.len() == 0 {
		return s.fail(Broker, size, ErrUnexpected)
	}
	if s.ring.at(0).how&tokens != 0 {
		token, need := s.isTokenAnswer(payload, size)
		if have < need {
			return more, need - have
		}
		if token {
			s.pop()
			s.sasl.round()
			f.begun, f.left = true, fastcodec.SizePrefix+size
			return next, 0
		}
		for s.ring.at(0).how&tokens != 0 { // the last ones have no answer
			s.pop()
		}
	}
	if size < responseLeast {
		return s.fail(Broker, size, shortHeader(size, false))
	}
	if have < responseLeast {
		return more, responseLeast - have
	}
	if e := s.ring.at(0); e.correlation() != int32(binary.BigEndian.Uint32(payload)) {
		if e.how&unsure == 0 || s.ring.len() == 1 {
			s.err = &FrameError{Broker, true, e.key(), e.version(), e.correlation(), size, ErrCorrelation}
			return stop, 0
		}
		s.pop() // there was no answer to it
		return next, 0
	}
	return s.answer(x, size, b[:fastcodec.SizePrefix+have:fastcodec.SizePrefix+have])
}

// isTokenAnswer reports whether a frame of the broker is a SASL token, where the
// oldest request under way was one. need, if not 0, is how many bytes must be there.
func (s *Session) isTokenAnswer(payload []byte, size int) (token bool, need int) {
	i := 0
	for i < s.ring.len() && s.ring.at(i).how&tokens != 0 {
		i++
	}
	if s.sasl.counted() || i == s.ring.len() || size < responseLeast {
		return true, 0
	}
	if len(payload) < responseLeast {
		return false, responseLeast
	}
	if s.sasl.mechanism == gssapiMechanism && gssapiToken(payload) {
		return true, 0
	}
	return s.ring.at(i).correlation() != int32(binary.BigEndian.Uint32(payload)), 0
}

// answer deals with the answer to the oldest request under way. frame is what is there
// of it.
func (s *Session) answer(x *run, size int, frame []byte) (a action, need int) {
	f, e := &s.broker, *s.ring.at(0)
	whole := fastcodec.SizePrefix + size
	if e.how&(shown|own|authentication) == 0 {
		s.pop()
		f.begun, f.left = true, whole
		return next, 0
	}
	fits := size <= s.config.limits.Response
	if fits && len(frame) < whole {
		f.whole = true
		return more, whole - len(frame)
	}
	if e.how&shown != 0 && !x.gather() {
		return send, 0
	}
	s.pop()
	f.begun, f.whole, f.left = true, false, whole
	if e.how&own != 0 {
		var err error
		if !fits {
			err = &FrameError{Broker, true, e.key(), e.version(), e.correlation(), size, sizeError(frame, s.config.limits.Response)}
		}
		f.drop = true
		s.asks.answered(s, e, frame, err)
		return next, 0
	}
	if e.how&authentication != 0 && fits && authenticated(e, frame[fastcodec.SizePrefix:]) {
		s.sasl.round()
	}
	if e.how&shown == 0 {
		return next, 0
	}
	if !fits {
		s.failed(Broker, e, size, sizeError(frame, s.config.limits.Response))
	} else if s.askResponse(e, frame) == Replace {
		f.left = 0
		x.skip(whole)
	}
	if s.err != nil {
		f.left = 0
		return stop, 0
	}
	return next, 0
}

// pop takes the oldest request off those under way.
func (s *Session) pop() {
	if s.ring.at(0).how&(tokens|authentication) != 0 {
		s.sasl.pending--
	}
	s.ring.pop()
}

// authenticated reports whether an answer to SaslAuthenticate is no error.
func authenticated(e entry, payload []byte) bool {
	_, body, err := fastcodec.ParseResponse(payload, e.key(), e.version())
	return err == nil && len(body) >= 2 && body[0] == 0 && body[1] == 0
}
