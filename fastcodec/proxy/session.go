// Session: one client connection and the broker connection behind it, without I/O.

package proxy

import (
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

// Session pairs what a client and a broker send each other, and decides what of it
// goes on. Make one for each connection by Config.NewSession. It is for one
// goroutine at a time.
type Session struct {
	config *Config
	err    error // it stays

	client, broker flow
	toClient       queue
	toBroker       queue
	ring           ring
	answers        queue // of the entries that are answered

	sasl     sasl
	id       clientID
	instance fastcodec.UUID

	asks     asks
	request  Request
	response Response
	protocol rewrite.Protocol // of the last request
	edit     editState

	deciding bool // a handler is being asked, and dst is in use
	holding  bool // a handler holds the request at the front
	waiting  bool // the client was told to wait, and should hear when it needn't
	resumed  bool // it needn't
}

// Step is what came of a call.
type Step struct {
	// Send is for the other side, before anything that a later call returns. It aliases
	// the bytes that were given in or the Session's own, and is valid until the next
	// call for that side: FromClient and ToBroker for the broker, FromBroker and
	// ToClient for the client.
	Send []byte
	// Taken is how many of the bytes given in are done with. Give in the others again,
	// with more behind them.
	Taken int
	// Need is how many more bytes are missing for the next step, as far as is known;
	// 0 means to call again with what is left.
	Need int
	// Wait says not to call again, of the client's side, before a Step or Resume says
	// so: the request at the front is held, or too much is under way.
	Wait bool
	// Resumed says that the client's side needn't wait any more.
	Resumed bool
	// Other says that there is something to send to the side that gave these bytes in:
	// see ToClient and ToBroker.
	Other bool
}

// ToBroker gives what waits for the broker besides what FromClient returns: requests
// of the proxy's own. Send it before the next call for that side.
func (s *Session) ToBroker() []byte {
	s.toBroker.settle()
	return s.toBroker.lend()
}

// ToClient gives what waits for the client besides what FromBroker returns: answers
// that were made here. Send it before the next call for that side.
func (s *Session) ToClient() []byte {
	s.toClient.settle()
	return s.toClient.lend()
}

// ClientID is the last client id that the client sent and that wasn't null; nil if
// there was none. It is valid until the next FromClient.
func (s *Session) ClientID() []byte { return s.id.id }

// ClientInstanceID is likewise the last client instance id (KIP-1313); zero if there
// was none.
func (s *Session) ClientInstanceID() fastcodec.UUID { return s.instance }

// InFlight is the number of requests that wait for their answers, those of the
// proxy's own and those that are answered already included.
func (s *Session) InFlight() int { return s.ring.len() }

// Quiet reports whether the connection can end without anything lost, once all was
// sent that was returned: no request is under way, and no frame passed in part.
func (s *Session) Quiet() bool {
	return s.answered() && s.AtBoundary()
}

// AtBoundary reports whether the broker got whole requests only.
func (s *Session) AtBoundary() bool {
	return s.client.between() && !s.toBroker.waits()
}

// Authenticated reports whether SASL isn't required, or the client has succeeded, as
// far as can be told from outside: of mechanisms other than PLAIN, OAUTHBEARER and
// SCRAM the first success counts.
func (s *Session) Authenticated() bool { return !s.sasl.required && !s.sasl.limited() }

// Resume ends a Hold: the handler will be asked about the request again. It is called
// by a handler, or by whoever feeds the Session, who then goes on as after a Step
// with Resumed.
func (s *Session) Resume() {
	s.holding = false
	s.wake()
}

// wake tells the client's side that it may go on.
func (s *Session) wake() {
	if s.waiting {
		s.waiting, s.resumed = false, true
	}
}

// Trim gives back memory that a connection without traffic doesn't need. Call it
// where both Sends were sent and no more bytes are there.
func (s *Session) Trim() {
	s.trimToBroker()
	s.trimToClient()
}

func (s *Session) trimToBroker() {
	s.toBroker.settle()
	s.toBroker.trim()
	s.ring.trim()
}

func (s *Session) trimToClient() {
	s.toClient.settle()
	s.toClient.trim()
	s.answers.trim()
}

// answered reports whether the client has all that it will get for what it asked.
func (s *Session) answered() bool {
	return s.ring.len() == 0 && s.broker.between() && !s.toClient.waits()
}

// Close ends the Session: the proxy's own requests under way fail with err, or
// ErrClosed if that is nil, and all memory is given back. Nothing that a Step
// returned is valid any more.
func (s *Session) Close(err error) {
	if err == nil {
		err = ErrClosed
	}
	if s.err == nil {
		s.err = err
	}
	s.asks.fail(s, err)
	s.toClient.free()
	s.toBroker.free()
	s.answers.free()
	s.ring = ring{}
}

// sizeError is the error for a size prefix that is above a limit.
func sizeError(b []byte, limit int) error {
	_, _, _, err := fastcodec.Limits{Frame: limit}.Split(b[:fastcodec.SizePrefix])
	return err
}

// isTLS reports whether a stream begins as TLS does, with a handshake or an alert,
// and not as Kafka: as a size that would be above 350,000,000.
func isTLS(b []byte) bool {
	return (b[0] == 0x16 || b[0] == 0x15) && b[1] == 3 && b[2] <= 4
}
