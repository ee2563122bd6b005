// Errors: what was wrong with a connection, and in which frame.

package proxy

import (
	"errors"
	"strconv"

	"github.com/kafkawire/kafkawire/fastcodec"
)

var (
	// ErrUnexpected: a broker sent a response that nobody waits for.
	ErrUnexpected = errors.New("response without a request")
	// ErrCorrelation: a response isn't the one whose turn it is. Brokers answer in
	// the order of the requests, so the stream makes no sense any more.
	ErrCorrelation = errors.New("response out of order")
	// ErrClosed: the session or the connection was closed.
	ErrClosed = errors.New("closed")
	// ErrRefused: a request that the handler doesn't let through.
	ErrRefused = errors.New("request refused")
)

// Side is an end of a connection.
type Side uint8

// The client connects to the proxy, the proxy to the broker.
const (
	Client Side = iota
	Broker
)

// String is "client" or "broker".
func (s Side) String() string {
	if s == Client {
		return "client"
	}
	return "broker"
}

// FrameError says in which frame something was wrong. Err wraps a sentinel of this
// package or of fastcodec, as an *fastcodec.Error where a field is to blame. It
// keeps nothing of the frame.
type FrameError struct {
	From        Side             // who sent the frame
	Known       bool             // Key, Version and Correlation are known
	Key         fastcodec.APIKey // of the request, or of that which the response answers
	Version     int16            // likewise
	Correlation int32            // likewise
	Size        int              // of the frame without its size prefix; -1 where it isn't known
	Err         error
}

// Error gives one line:
//
//	broker: Metadata v12 response, correlation id 5, 812 bytes: MetadataResponse v12: Brokers: offset 4: short input
func (e *FrameError) Error() string {
	b := append(make([]byte, 0, 128), e.From.String()...)
	b = append(b, ": "...)
	if e.Known {
		b = append(b, e.Key.String()...)
		b = append(b, " v"...)
		b = strconv.AppendInt(b, int64(e.Version), 10)
		if e.From == Client {
			b = append(b, " request"...)
		} else {
			b = append(b, " response"...)
		}
		b = append(b, ", correlation id "...)
		b = strconv.AppendInt(b, int64(e.Correlation), 10)
	} else {
		b = append(b, "frame"...)
	}
	if e.Size >= 0 {
		b = append(b, ", "...)
		b = strconv.AppendInt(b, int64(e.Size), 10)
		b = append(b, " bytes"...)
	}
	b = append(b, ": "...)
	return string(append(b, e.Err.Error()...))
}

// Unwrap gives Err.
func (e *FrameError) Unwrap() error { return e.Err }
