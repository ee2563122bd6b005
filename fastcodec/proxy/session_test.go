// The session's rows of the faults that proxies had, by their numbers, and what else
// it promises.

package proxy

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// script is a conversation: what each side sends, in turn, and what is to come of it.
type script struct {
	name    string
	options Options
	turns   []turn
	// What has come out in the end. nil: what went in.
	toBroker, toClient []byte
	err                error // wraps it
	from               Side  // of the error
	text               string
	check              func(t *testing.T, s *Session)
}

// turn is what one side sends.
type turn struct {
	from  Side
	bytes []byte
}

func client(parts ...[]byte) turn { return turn{Client, join(parts...)} }
func broker(parts ...[]byte) turn { return turn{Broker, join(parts...)} }

func (x *script) run(t *testing.T) {
	for how, piece := range pieces {
		t.Run(x.name+"/"+how, func(t *testing.T) {
			w := newWire(t, x.options, piece())
			var requests, responses []byte
			for _, turn := range x.turns {
				if turn.from == Client {
					requests = append(requests, turn.bytes...)
					w.fromClient(turn.bytes)
				} else {
					responses = append(responses, turn.bytes...)
					w.fromBroker(turn.bytes)
				}
			}
			if !errors.Is(w.err, x.err) || w.err != nil && w.failedFrom != x.from {
				t.Fatalf("error %v from the %v, want %v", w.err, w.failedFrom, x.err)
			}
			if x.text != "" && w.err.Error() != x.text {
				t.Errorf("error %q\nwant  %q", w.err, x.text)
			}
			if x.toBroker != nil {
				requests = x.toBroker
			}
			if x.toClient != nil {
				responses = x.toClient
			}
			if x.err == nil || x.toBroker != nil || x.toClient != nil {
				equal(t, "to the broker", w.toBroker, requests)
				equal(t, "to the client", w.toClient, responses)
			}
			if x.err == nil && (len(w.client) > 0 || len(w.broker) > 0) {
				t.Errorf("%d bytes of the client and %d of the broker are left", len(w.client), len(w.broker))
			}
			if x.check != nil {
				x.check(t, w.s)
			}
			w.s.Trim()
			w.s.Close(nil)
			if _, err := w.s.FromClient(nil); err == nil {
				t.Error("a closed session goes on")
			}
		})
	}
}

func equal(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	show := func(b []byte) string { return hex.EncodeToString(b[i:min(len(b), i+40)]) }
	t.Errorf("%s: %d bytes, want %d; from byte %d %s, want %s", what, len(got), len(want), i, show(got), show(want))
}

func quiet(t *testing.T, s *Session) {
	t.Helper()
	if !s.Quiet() || s.InFlight() != 0 {
		t.Errorf("%d requests in flight at the end", s.InFlight())
	}
}

// Bodies of Produce requests up to their acks, and behind.
func produceBody(version, acks int16, transactional string) []byte {
	var b []byte
	switch {
	case version >= 9:
		b = append(b, 0)
		if transactional == "null" {
			b = append(b, 0)
		} else {
			b = fastcodec.AppendCompactString(b, []byte(transactional))
		}
	case version >= 3:
		if transactional == "null" {
			b = append(b, 0xff, 0xff)
		} else {
			b = fastcodec.AppendString(b, []byte(transactional))
		}
	}
	return append(b, byte(acks>>8), byte(acks), 0, 0, 0x75, 0x30, 0, 0, 0, 0)
}

// TestS1: nothing is queued for a Produce request with acks 0.
func TestS1(t *testing.T) {
	for version := int16(0); version <= 13; version++ {
		for _, client := range []string{"null", "", "producer-1", strings.Repeat("x", 200)} {
			for _, transactional := range []string{"null", "", "tx-1", strings.Repeat("t", 300)} {
				body := produceBody(version, 0, transactional)
				want := produceBody(version, 1, transactional)
				if version >= 9 {
					// With tags in the header.
					body = join([]byte{2, 5, 1, 9, 200, 1, 0}, body[1:])
				}
				name := fmt.Sprintf("v%d, client %.5s, transaction %.5s", version, client, transactional)
				x := script{name: name, turns: []turn{
					{Client, join(
						request(fastcodec.Metadata, 1, 1, "me", 0, 0, 0, 0),
						request(fastcodec.Produce, version, 2, client, body...),
						request(fastcodec.Produce, version, 3, client, want...),
						request(fastcodec.Produce, version, 4, client, body...),
						request(fastcodec.Heartbeat, 0, 5, client, 0))},
					broker(response(1, 1), response(3, 3), response(5)),
				}, check: quiet}
				if version >= 5 && len(client)+len(transactional) > 100 && testing.Short() {
					continue
				}
				x.run(t)
			}
		}
	}
}

// TestS1UnknownVersion: whether a Produce request of an unknown version is answered
// can't be told from it, but from what comes next.
func TestS1UnknownVersion(t *testing.T) {
	x := script{name: "unknown Produce", turns: []turn{
		client(request(fastcodec.Produce, 99, 1, "me", 0, 0), request(fastcodec.Produce, 99, 2, "me", 1), request(fastcodec.Metadata, 0, 3, "me")),
		broker(response(2, 1), response(3, 2)),
	}, check: quiet}
	x.run(t)
}

// TestS2: pairing is by order, whatever the correlation ids.
func TestS2(t *testing.T) {
	ids := []int32{7, 7, 7, 2147483647, -2147483648, -1, 0, 7}
	var requests, responses []byte
	for i, id := range ids {
		requests = append(requests, request(fastcodec.APIKey(10+i), 0, id, "me", byte(i))...)
		responses = append(responses, response(id, byte(i), 1, 2)...)
	}
	x := script{name: "same, wrapped and negative ids", turns: []turn{client(requests), broker(responses)}, check: quiet}
	x.run(t)

	x = script{name: "out of order", turns: []turn{
		client(request(fastcodec.Metadata, 5, 1, "me"), request(fastcodec.Heartbeat, 0, 2, "me")),
		broker(response(2, 1))},
		err: ErrCorrelation, from: Broker,
		text: "broker: Metadata v5 response, correlation id 1, 5 bytes: response out of order"}
	x.run(t)

	x = script{name: "nobody asked", turns: []turn{client(request(fastcodec.Metadata, 5, 1, "me")), broker(response(1, 1), response(2))},
		toClient: response(1, 1), err: ErrUnexpected, from: Broker, text: "broker: frame, 4 bytes: response without a request"}
	x.run(t)
}

// TestS2Deep: many requests under way at once, more than the ring begins with.
func TestS2Deep(t *testing.T) {
	var requests, responses []byte
	for i := range int32(3000) {
		requests = append(requests, request(fastcodec.APIKey(i%95), 20, i, "me", byte(i))...)
		responses = append(responses, response(i, byte(i))...)
	}
	w := newWire(t, Options{}, nil)
	for range 3 {
		w.fromClient(requests)
		if w.s.InFlight() != 3000 {
			t.Fatal(w.s.InFlight())
		}
		w.fromBroker(responses)
	}
	if w.err != nil {
		t.Fatal(w.err)
	}
	quiet(t, w.s)
	w.s.Trim()
	if len(w.s.ring.entries) > ringKeep {
		t.Error("an idle session keeps its ring")
	}
}

// TestInFlightLimit: a client with too many requests under way isn't read, and goes on
// later.
func TestInFlightLimit(t *testing.T) {
	w := newWire(t, Options{Limits: Limits{InFlight: 100}}, nil)
	var requests, responses []byte
	for i := range int32(1000) {
		requests = append(requests, request(fastcodec.Heartbeat, 0, i, "me", byte(i))...)
		responses = append(responses, response(i, byte(i))...)
	}
	w.fromClient(requests)
	if w.s.InFlight() != 100 || !w.waits {
		t.Fatal(w.s.InFlight(), w.waits)
	}
	for len(responses) > 0 && w.err == nil {
		w.fromBroker(responses[:9])
		responses = responses[9:]
	}
	if w.err != nil || !bytes.Equal(w.toBroker, requests) {
		t.Fatal(w.err, len(w.toBroker))
	}
	quiet(t, w.s)
}

// TestS3 is TestCapturesInPieces for the captures; here: the sizes around the head.
func TestS3(t *testing.T) {
	var requests, responses []byte
	for n := range 40 {
		requests = append(requests, request(fastcodec.Heartbeat, 0, int32(n), strings.Repeat("i", n), make([]byte, n%5)...)...)
		responses = append(responses, response(int32(n), make([]byte, n)...)...)
	}
	x := script{name: "client ids of every size", turns: []turn{client(requests), broker(responses)}, check: quiet}
	x.run(t)
	x = script{name: "requests of 8 and 9 bytes, and a client id past the end", turns: []turn{
		client(frame([]byte("\x00\x0c\x00\x00\x00\x00\x00\x01")), frame([]byte("\x00\x0c\x00\x00\x00\x00\x00\x02\x00")),
			frame([]byte("\x00\x0c\x00\x00\x00\x00\x00\x03\x00\x09abc")), request(fastcodec.ControlledShutdown, 0, 4, "ab")),
		broker(response(1), response(2, 1), response(3), response(4)),
	}, check: quiet}
	x.run(t)
}

// TestS0: what streams has no limit, what is held has one.
func TestS0(t *testing.T) {
	big := make([]byte, 3<<20)
	small := Limits{Request: 1 << 20, Response: 1 << 20}
	passes := script{name: "3 MB pass under a limit of 1 MB", options: Options{Limits: small}, turns: []turn{
		client(request(fastcodec.Produce, 7, 1, "me", join(produceBody(7, 1, "null"), big)...)), broker(response(1, big...)),
	}, check: quiet}
	passes.runOnce(t)

	holds := func(rule Rule) *testHandler {
		return &testHandler{rule: func(fastcodec.APIKey, int16) Rule { return rule }}
	}
	for _, x := range []script{
		{name: "request", options: Options{Limits: small, Handler: holds(WholeRequest)}, from: Client, err: fastcodec.ErrFrameSize,
			turns: []turn{client(request(fastcodec.Fetch, 7, 1, "me", big...))}},
		{name: "response", options: Options{Limits: small, Handler: holds(WholeResponse)}, from: Broker, err: fastcodec.ErrFrameSize,
			turns: []turn{client(request(fastcodec.Fetch, 7, 1, "me", 1)), broker(response(1, big...))}},
	} {
		x.runOnce(t)
		x.name, x.err, x.options.OnError, x.check = x.name+", forwarded", nil, Forward, quiet
		reports := 0
		x.options.Report = func(e *FrameError) {
			reports++
			if !errors.Is(e, fastcodec.ErrFrameSize) || e.Key != fastcodec.Fetch || e.Version != 7 {
				t.Error(e)
			}
		}
		if x.from == Client {
			x.turns = append(x.turns, broker(response(1, 1)))
		}
		x.runOnce(t)
		if reports != 2 { // of two ways to send it
			t.Errorf("%s: %d reports", x.name, reports)
		}
	}
}

// runOnce is run for conversations that are too long to come bytewise.
func (x *script) runOnce(t *testing.T) {
	all := pieces
	defer func() { pieces = all }()
	pieces = map[string]func() func(int) int{"whole": all["whole"], "random 1": all["random 1"]}
	x.run(t)
}

// TestNegativeSize: the only size that no frame can have.
func TestNegativeSize(t *testing.T) {
	x := script{name: "client", turns: []turn{client(request(fastcodec.Heartbeat, 0, 1, "me"), []byte("\xff\xff\xff\xfe"))},
		toBroker: request(fastcodec.Heartbeat, 0, 1, "me"), err: fastcodec.ErrFrameSize, from: Client}
	x.run(t)
	x = script{name: "broker", turns: []turn{client(request(fastcodec.Heartbeat, 0, 1, "me")), broker([]byte("\x80\x00\x00\x00"))},
		err: fastcodec.ErrFrameSize, from: Broker}
	x.run(t)
}

// TestShortFrames: a request has at least 8 bytes, a response 4.
func TestShortFrames(t *testing.T) {
	for n := range 8 {
		x := script{name: fmt.Sprint("request ", n), turns: []turn{client(frame(make([]byte, n)))}, err: fastcodec.ErrShort, from: Client}
		x.run(t)
	}
	for n := range 4 {
		x := script{name: fmt.Sprint("response ", n), turns: []turn{client(request(fastcodec.Heartbeat, 0, 1, "me")), broker(frame(make([]byte, n)))},
			err: fastcodec.ErrShort, from: Broker}
		x.run(t)
	}
}

// TestH8: what the codec doesn't know passes.
func TestH8(t *testing.T) {
	x := script{name: "unknown", turns: []turn{
		client(request(10000, 3, 1, "me", 1), request(fastcodec.Fetch, 99, 2, "null", 2), request(-5, -7, 3, "me", 3), request(127, 31, 4, "me"), request(128, 32, 5, "me")),
		broker(response(1, 9), response(2), response(3, 7), response(4), response(5)),
	}, check: quiet}
	x.run(t)
}

// TestH11: TLS is told from a frame, where a stream begins.
func TestH11(t *testing.T) {
	hello := []byte("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
	x := script{name: "hello", turns: []turn{client(hello)}, err: fastcodec.ErrTLS, from: Client}
	x.run(t)
	hello[2], hello[3] = 3, 1
	x.run(t)
	x = script{name: "alert", turns: []turn{client(request(fastcodec.APIVersions, 3, 1, "me", 0)), broker([]byte("\x15\x03\x03\x00\x02\x02\x46"))},
		err: fastcodec.ErrTLS, from: Broker}
	x.run(t)
	// Later on it is a size like others.
	w := newWire(t, Options{}, nil)
	w.fromClient(join(request(fastcodec.Heartbeat, 0, 1, "me"), []byte("\x16\x03\x01\x02\x00\x0c\x00\x00\x00\x00\x00\x02\xff\xff")))
	if w.err != nil || w.s.InFlight() != 2 {
		t.Error(w.err, w.s.InFlight())
	}
}

// TestN7: the client id of a connection is remembered where later requests have null.
func TestN7(t *testing.T) {
	var seen []string
	h := &testHandler{rule: func(fastcodec.APIKey, int16) Rule { return AskHead },
		request: func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
			if r.ClientID == nil {
				seen = append(seen, "nil")
			} else {
				seen = append(seen, string(r.ClientID))
			}
			return dst, Pass, nil
		}}
	w := newWire(t, Options{Handler: h}, nil)
	w.fromClient(join(
		request(fastcodec.Heartbeat, 0, 1, "null"), request(fastcodec.Heartbeat, 0, 2, ""), request(fastcodec.Heartbeat, 0, 3, "null"),
		request(fastcodec.Heartbeat, 0, 4, "me"), request(fastcodec.Heartbeat, 0, 5, "null"), request(fastcodec.Heartbeat, 0, 6, "a longer client id than most"),
		request(fastcodec.Heartbeat, 0, 7, "null"), request(fastcodec.ControlledShutdown, 0, 8, "")))
	if got := strings.Join(seen, "|"); w.err != nil || got != "nil|||me|me|a longer client id than most|a longer client id than most|a longer client id than most" {
		t.Error(w.err, got)
	}
	if string(w.s.ClientID()) != "a longer client id than most" || !w.s.ClientInstanceID().IsZero() {
		t.Error(w.s.ClientID(), w.s.ClientInstanceID())
	}
}

// TestClientIDWithoutHandler: it is remembered of frames that pass unseen, too.
func TestClientIDWithoutHandler(t *testing.T) {
	for n := range 40 {
		w := newWire(t, Options{}, nil)
		id := strings.Repeat("x", n)
		other := id[:max(n-1, 0)] + "y"
		w.fromClient(join(request(fastcodec.Heartbeat, 0, 1, "first"), request(fastcodec.Heartbeat, 0, 2, other, 1, 2, 3), request(fastcodec.Heartbeat, 0, 3, id, make([]byte, 50)...),
			request(fastcodec.Heartbeat, 0, 4, "null", make([]byte, 50)...)))
		if w.err != nil || string(w.s.ClientID()) != id {
			t.Fatalf("%d: %v, %q", n, w.err, w.s.ClientID())
		}
		w.fromClient(join(request(fastcodec.Heartbeat, 0, 5, other, make([]byte, 50)...), request(fastcodec.Heartbeat, 0, 6, other, make([]byte, 50)...)))
		if string(w.s.ClientID()) != other {
			t.Fatalf("%d: %q", n, w.s.ClientID())
		}
	}
}
