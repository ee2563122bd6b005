// Requests of the proxy's own, put between those of the client.

package proxy

import "github.com/kafkawire/kafkawire/fastcodec"

// Done is called when a request of the proxy's own is answered, or can't be. payload
// is the answer from its header on, valid during the call; it is nil with an error.
// It is called as a Handler is, and may call Ask and Resume.
type Done func(s *Session, payload []byte, err error)

// asks are the requests of the proxy's own: those that wait for the client to end a
// frame or to authenticate, and those under way, in this order from the end.
type asks struct {
	waiting int   // of list, from the end
	list    []ask // oldest first
	frames  []byte
	last    int32 // correlation id
}

type ask struct {
	entry entry
	size  int // of its frame, in frames until it is sent
	done  Done
}

// Ask sends a request to the broker between two of the client's, as soon as the client
// has no frame half sent and has authenticated. The client never sees the answer: done
// gets it. The Session chooses the correlation id. An error is that of
// fastcodec.AppendRequest, or what ended the Session; done isn't called then.
//
// Ask is called by a handler, or by whoever feeds the Session, who then sends what
// ToBroker gives.
func (s *Session) Ask(h fastcodec.RequestHeaderData, body fastcodec.Appender, done Done) error {
	if s.err != nil {
		return s.err
	}
	a := &s.asks
	a.last++
	h.CorrelationID = a.last
	start := len(a.frames)
	frames, err := fastcodec.AppendRequest(a.frames, &h, body)
	if err != nil {
		return err
	}
	a.frames = frames
	a.list = append(a.list, ask{entry{head: headOf(h.Key, h.Version, a.last), how: own}, len(frames) - start, done})
	a.waiting++
	if s.mayAsk() {
		a.emit(s)
	}
	return nil
}

// mayAsk reports whether requests of the proxy's own wait, and can go now.
func (s *Session) mayAsk() bool {
	return s.asks.waiting > 0 && s.client.between() && !s.deciding && !s.sasl.unsettled && !s.sasl.limited() && s.err == nil
}

// emit sends those that wait.
func (a *asks) emit(s *Session) {
	for _, x := range a.list[len(a.list)-a.waiting:] {
		s.ring.push(x.entry)
	}
	a.waiting = 0
	s.toBroker.add(a.frames)
	a.frames = a.frames[:0]
}

// answered takes the answer to the oldest one under way.
func (a *asks) answered(s *Session, e entry, frame []byte, err error) {
	x := a.list[0]
	a.list = append(a.list[:0], a.list[1:]...)
	var payload []byte
	if err == nil {
		payload = frame[fastcodec.SizePrefix:]
	}
	x.done(s, payload, err)
}

// fail ends all of them.
func (a *asks) fail(s *Session, err error) {
	list := a.list
	*a = asks{last: a.last}
	for _, x := range list {
		x.done(s, nil, err)
	}
}
