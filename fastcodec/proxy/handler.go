// Handler: what a proxy does with the frames that it wants to see.

package proxy

import (
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

// Handler decides on frames. The methods are called by the Session, one at a time
// for each; a Handler that serves several sessions is called by all of them at once.
// They must not block: to wait for something, hold the request.
//
// dst is where the Session collects what it will send: a method that replaces or
// answers appends one whole frame to it, size prefix included, and returns it. What
// is in it already isn't the Handler's to read or change.
type Handler interface {
	// Rule says what the Handler wants to see of the requests of an API and version
	// and of their answers. Compile calls it for every key below 128 and version
	// below 32, a Session for each request beyond these.
	Rule(key fastcodec.APIKey, version int16) Rule
	// Request decides on a request. An error is for the policy of the Config.
	Request(s *Session, r *Request, dst []byte) ([]byte, Verdict, error)
	// Response decides on the answer to a request: Pass or Replace. An error is for
	// the policy of the Config.
	Response(s *Session, r *Response, dst []byte) ([]byte, Verdict, error)
}

// Verdict is what a Handler says.
type Verdict uint8

const (
	// Pass forwards the frame as it is.
	Pass Verdict = iota
	// Whole asks to be shown the request whole, where it isn't yet.
	Whole
	// Replace forwards the frame that was appended to dst in its place. It has the
	// key, the version and the correlation id of the one it replaces.
	Replace
	// Answer doesn't forward the request: dst has the answer, which the client gets
	// when those before it are answered. To a request that has no answer (Produce
	// with acks 0) it is dropped.
	Answer
	// Hold keeps the request, and all behind it, until Session.Resume. Then the
	// Handler is asked about it again.
	Hold
)

// Request is a request that a Handler decides on. It is valid during the call.
type Request struct {
	Key           fastcodec.APIKey
	Version       int16
	CorrelationID int32
	// ClientID is the client id of the request, or, where that is null, the last one
	// that the client sent before (KIP-1313: later requests need not repeat it).
	ClientID []byte
	// ClientInstanceID is likewise that of the request or the last one before it;
	// zero where the client never sent one.
	ClientInstanceID fastcodec.UUID
	// Size is that of the frame without its size prefix.
	Size int
	// Frame is the request from its size prefix on: all of it if Whole, else what is
	// there, which is at least the header up to the client id.
	Frame []byte
	Whole bool
	// Silent says that nobody will answer: Produce with acks 0.
	Silent bool
	// WholeResponse says whether the Handler wants to see the answer. It begins as
	// the Rule says; the Handler may change it.
	WholeResponse bool
	// Note and Context are the Handler's, to find again with the answer. Context begins
	// with the key and version, and with the Protocol that the last one had.
	Note    uint64
	Context rewrite.Context
}

// Payload is Frame without its size prefix.
func (r *Request) Payload() []byte { return r.Frame[fastcodec.SizePrefix:] }

// Response is an answer that a Handler decides on. It is valid during the call.
type Response struct {
	Key           fastcodec.APIKey // of the request
	Version       int16            // of the request; see fastcodec.ResponseBodyVersion
	CorrelationID int32
	Frame         []byte          // all of it, from its size prefix on
	Note          uint64          // that of the request
	Context       rewrite.Context // likewise
}

// Payload is Frame without its size prefix.
func (r *Response) Payload() []byte { return r.Frame[fastcodec.SizePrefix:] }
