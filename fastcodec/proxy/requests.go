// The client's side of a Session.

package proxy

import (
	"encoding/binary"
	"math"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

const (
	// requestLeast is the size of the smallest request: key, version, correlation id.
	requestLeast = 8
	// requestHead is what nearly every request begins with: these and the length of the
	// client id.
	requestHead = requestLeast + 2
	// headMost bounds what is held of a request in search of a field: strings of the
	// largest size, and tags that nobody sends.
	headMost = 4 * fastcodec.MaxString
)

// FromClient takes what the client sent: what earlier calls didn't take of it, and
// what has arrived since. The Session keeps nothing of in.
//
// An error, a *FrameError or what Close was given, ends the connection. Whatever may
// still be sent was returned before it.
func (s *Session) FromClient(in []byte) (Step, error) {
	s.toBroker.settle()
	if s.err != nil {
		return Step{}, s.err
	}
	step := s.fromClient(in)
	if s.err != nil && len(step.Send) == 0 {
		return Step{}, s.err
	}
	step.Other = s.toClient.waits()
	step.Resumed, s.resumed = s.resumed, false
	return step, nil
}

func (s *Session) fromClient(in []byte) Step {
	x := run{in: in, flow: &s.client, queue: &s.toBroker}
	for {
		if a, need := x.finish(); a != next {
			return x.step(need)
		}
		if s.mayAsk() {
			if !x.gather() {
				return x.step(0)
			}
			s.asks.emit(s)
		}
		if x.queue.size() >= enough {
			return x.step(0)
		}
		if s.ordinary() && x.queue.empty() {
			x.at = s.passRequests(in, x.at)
			if s.client.left > 0 {
				return x.step(1)
			}
		}
		switch a, need := s.nextRequest(&x); a {
		case wait:
			s.waiting = true
			step := x.step(0)
			step.Wait = true
			return step
		case next:
		default:
			return x.step(need)
		}
	}
}

// ordinary reports whether frames of the client are requests that the table of rules
// alone decides on.
func (s *Session) ordinary() bool {
	return s.client.begun && !s.client.whole && !s.holding && !s.sasl.unsettled && !s.sasl.limited()
}

// passRequests takes the frames in[at:] that pass unseen, which is nearly all. It
// returns where it stopped, at the first that nextRequest has to look at or that
// isn't there in full; of a frame whose rest is missing client.left has the size.
func (s *Session) passRequests(in []byte, at int) int {
	for {
		at = s.passSimple(in, at)
		if s.client.left > 0 || !s.passProduce(in[at:]) {
			return at
		}
		if s.client.left > 0 {
			return len(in)
		}
		at += fastcodec.SizePrefix + int(binary.BigEndian.Uint32(in[at:]))
	}
}

// passSimple is passRequests for those with a known client id and a sure answer. It
// calls nothing, which is half of its speed.
func (s *Session) passSimple(in []byte, at int) int {
	rules, entries, tail := &s.config.rules, s.ring.entries, s.ring.tail
	words, mask, least := s.id.words, s.id.mask, requestHead+len(s.id.id)
	room := min(len(entries), s.config.limits.InFlight) - s.ring.len()
	for ; room > 0; room-- {
		b := in[at:]
		if len(b) < idWordsAt+8*idWords {
			break
		}
		size := int(int32(binary.BigEndian.Uint32(b)))
		head := binary.BigEndian.Uint64(b[fastcodec.SizePrefix:])
		key, version := uint(head>>48), uint(uint16(head>>32))
		if size < requestHead || key >= tableKeys || version >= tableVersions || rules[key*tableVersions+version] != 0 {
			break
		}
		word := binary.LittleEndian.Uint64(b[idWordsAt:])
		if word&0x80 == 0 && ((word^words[0])&mask[0]|
			(binary.LittleEndian.Uint64(b[idWordsAt+8:])^words[1])&mask[1]|
			(binary.LittleEndian.Uint64(b[idWordsAt+16:])^words[2])&mask[2] != 0 || size < least) {
			break // neither null nor the one before
		}
		e := &entries[tail&uint32(len(entries)-1)]
		e.head, e.how = head, 0
		tail++
		if have := len(b) - fastcodec.SizePrefix; size > have {
			s.client.left = size - have
			at = len(in)
			break
		}
		at += fastcodec.SizePrefix + size
	}
	s.ring.tail = tail
	return at
}

// passProduce is passRequests for the frame at the front, if it is a Produce request,
// or one with a long client id, and can pass.
func (s *Session) passProduce(b []byte) bool {
	if len(b) < fastcodec.SizePrefix+requestHead || s.ring.len() >= min(len(s.ring.entries), s.config.limits.InFlight) {
		return false
	}
	size := int(int32(binary.BigEndian.Uint32(b)))
	head := binary.BigEndian.Uint64(b[fastcodec.SizePrefix:])
	key, version := uint(head>>48), uint(uint16(head>>32))
	if size < requestHead || key >= tableKeys || version >= tableVersions {
		return false
	}
	payload := b[fastcodec.SizePrefix:min(len(b), fastcodec.SizePrefix+size)]
	id := payload[requestHead:]
	n := int(int16(binary.BigEndian.Uint16(payload[requestLeast:])))
	if n >= 0 && (n > len(id) || string(id[:n]) != string(s.id.id)) {
		return false
	}
	rule := s.config.rules[key*tableVersions+version]
	switch rule {
	case 0:
	case produce:
		acks, ok := fastcodec.PeekProduceAcks(payload)
		if !ok {
			return false
		}
		if acks == 0 {
			rule = silent
		}
	default:
		return false
	}
	if rule != silent {
		s.ring.push(entry{head: head})
	}
	s.client.left = max(size-(len(b)-fastcodec.SizePrefix), 0)
	return true
}

// nextRequest decides on the frame at the front.
func (s *Session) nextRequest(x *run) (a action, need int) {
	b := x.front()
	if len(b) < fastcodec.SizePrefix {
		return more, fastcodec.SizePrefix - len(b)
	}
	size := int(int32(binary.BigEndian.Uint32(b)))
	have := min(max(size, 0), len(b)-fastcodec.SizePrefix)
	payload := b[fastcodec.SizePrefix : fastcodec.SizePrefix+have]
	f := &s.client
	if !f.begun && isTLS(b) {
		return s.fail(Client, -1, sizeError(b, 1))
	}
	if size < 0 {
		return s.fail(Client, -1, sizeError(b, math.MaxInt32))
	}
	if limit := s.config.limits.Unauthenticated; size > limit && s.sasl.limited() {
		if s.sasl.pending > 0 {
			return wait, 0 // for how it ends
		}
		return s.fail(Client, size, sizeError(b, limit))
	}
	if s.holding || s.full() {
		return wait, 0
	}
	if !f.begun && size > 0 {
		if have == 0 {
			return more, 1
		}
		if payload[0] == gssapiFirst {
			s.sasl.bare()
		}
	}
	if s.sasl.raw {
		token, need := s.sasl.isToken(payload, size)
		if have < need {
			return more, need - have
		}
		if token {
			s.sasl.sent()
			s.push(entry{how: tokens})
			f.begun, f.left = true, fastcodec.SizePrefix+size
			return next, 0
		}
		s.sasl.tokensEnd()
	}
	if size < requestLeast {
		return s.fail(Client, size, shortHeader(size, true))
	}
	if need := min(size, requestHead); have < need {
		return more, need - have
	}

	rule := s.config.rule(fastcodec.APIKey(binary.BigEndian.Uint16(payload)), int16(binary.BigEndian.Uint16(payload[2:])))
	head := headLength(payload, size, rule)
	if have < head {
		return more, head - have
	}
	r := &s.request
	*r = Request{
		Key:           fastcodec.APIKey(binary.BigEndian.Uint16(payload)),
		Version:       int16(binary.BigEndian.Uint16(payload[2:])),
		CorrelationID: int32(binary.BigEndian.Uint32(payload[4:])),
		Size:          size,
		Frame:         b[: fastcodec.SizePrefix+have : fastcodec.SizePrefix+have],
		Whole:         have == size,
		WholeResponse: rule&WholeResponse != 0,
	}
	r.Context = rewrite.Context{Key: r.Key, Version: r.Version, Protocol: s.protocol}
	e := entry{head: headOf(r.Key, r.Version, r.CorrelationID)}
	if !s.identify(r, payload, head) || !s.look(r, &e, rule) {
		return more, 1
	}
	return s.decide(x, e, rule)
}

// headLength is the size of a header up to the client id. A client id that is longer
// than the frame counts as null: the broker will refuse it.
func headLength(payload []byte, size int, rule Rule) int {
	if size < requestHead {
		return size
	}
	if rule&noClientID != 0 {
		return requestLeast
	}
	n := int(int16(binary.BigEndian.Uint16(payload[requestLeast:])))
	if n < 0 || n > size-requestHead {
		return requestHead
	}
	return requestHead + n
}

// identify finds out who sends a request, and remembers it for those that don't say.
// false: it takes more bytes.
func (s *Session) identify(r *Request, payload []byte, head int) bool {
	if head > requestHead || head == requestHead && payload[requestLeast] == 0 && payload[requestLeast+1] == 0 {
		s.id.set(payload[requestHead:head])
	}
	if version, ok := r.Key.RequestHeaderVersion(r.Version); ok && version >= instanceHeader {
		h, _, err := fastcodec.ParseRequest(payload)
		if err != nil && !r.Whole && len(payload) < headMost {
			return false
		}
		if id := h.ClientInstanceID(); err == nil && !id.IsZero() {
			s.instance = id
		}
	}
	r.ClientID, r.ClientInstanceID = s.id.id, s.instance
	return true
}

// instanceHeader is the version of the request header that has the client instance id.
const instanceHeader = 3

// look reads what the session itself wants to know of a request. false: it takes more
// bytes.
func (s *Session) look(r *Request, e *entry, rule Rule) bool {
	switch {
	case rule&produce != 0:
		acks, ok := fastcodec.PeekProduceAcks(r.Payload())
		if !ok && r.Key.HasVersion(r.Version) && !r.Whole && len(r.Frame) < headMost {
			return false
		}
		r.Silent = ok && acks == 0
		if !ok {
			e.how |= unsure
		}
	case r.Key == fastcodec.SaslHandshake:
		return r.Whole || len(r.Frame) >= headMost
	case r.Key == fastcodec.SaslAuthenticate:
		e.how |= authentication
	}
	return true
}

// decide asks the handler, if it wants to be asked, and does what it says.
func (s *Session) decide(x *run, e entry, rule Rule) (a action, need int) {
	r, f := &s.request, &s.client
	frame := fastcodec.SizePrefix + r.Size
	verdict := Pass
	if rule&(AskHead|WholeRequest) != 0 {
		if !x.gather() {
			return send, 0
		}
		if verdict = Whole; rule&AskHead != 0 && !f.whole {
			verdict = s.askRequest(r)
		}
		if verdict == Whole && !f.whole && r.Size > s.config.limits.Request {
			limit := s.config.limits.Request
			s.failed(Client, e, r.Size, sizeError(r.Frame, limit))
			verdict = Pass
		}
		if verdict == Whole {
			if f.whole = true; !r.Whole {
				return more, frame - len(r.Frame)
			}
			if verdict = s.askRequest(r); verdict == Whole {
				verdict = Pass
			}
		}
		if s.err != nil {
			return stop, 0
		}
	}
	if verdict == Hold {
		s.holding = true
		if s.mayAsk() {
			s.asks.emit(s)
		}
		return wait, 0
	}
	f.begun, f.whole = true, false
	if verdict == Answer {
		f.left, f.drop = frame, true
		return next, 0
	}
	if verdict == Replace {
		x.skip(frame)
	} else {
		f.left = frame
	}
	switch r.Key {
	case fastcodec.SaslHandshake:
		s.sasl.handshake(r.Version, mechanismName(r.Payload()))
	case fastcodec.SaslAuthenticate, fastcodec.APIVersions:
	default:
		s.sasl.unsettled = false
	}
	s.protocol = r.Context.Protocol
	if r.Silent {
		return next, 0
	}
	if r.WholeResponse {
		e.how |= shown
		e.note, e.context = r.Note, r.Context
	}
	s.push(e)
	return next, 0
}

// mechanismName is the field of a SaslHandshake request; nil where there is none.
func mechanismName(payload []byte) []byte {
	_, body, err := fastcodec.ParseRequest(payload)
	if err != nil {
		return nil
	}
	name, _ := fastcodec.ConsumeString(body)
	return name
}

// push puts a request that goes to the broker into the queue of those under way.
func (s *Session) push(e entry) {
	if e.how&(tokens|authentication) != 0 {
		s.sasl.pending++
	}
	s.ring.push(e)
}

// full reports whether too much is under way to take another request.
func (s *Session) full() bool {
	return s.ring.len() >= s.config.limits.InFlight || s.answers.size() >= s.config.limits.Answers
}
