// What a handler may decide, and what comes of it.

package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// only is a rule for one API.
func only(key fastcodec.APIKey, rule Rule) func(fastcodec.APIKey, int16) Rule {
	return func(k fastcodec.APIKey, _ int16) Rule {
		if k == key {
			return rule
		}
		return 0
	}
}

// replaced is a frame with its payload's last byte one higher.
func replaced(f []byte) []byte {
	f = bytes.Clone(f)
	f[len(f)-1]++
	return f
}

// TestReplace: edited frames stand among those that pass, in their order.
func TestReplace(t *testing.T) {
	for _, size := range []int{1, 100, 5000, 40000, 300000} {
		h := &testHandler{rule: only(fastcodec.Metadata, WholeRequest|WholeResponse),
			request: func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
				if !r.Whole || len(r.Payload()) != r.Size {
					t.Error("not whole")
				}
				r.Note = uint64(r.CorrelationID) * 3
				return append(dst, replaced(r.Frame)...), Replace, nil
			},
			response: func(s *Session, r *Response, dst []byte) ([]byte, Verdict, error) {
				if r.Note != uint64(r.CorrelationID)*3 || r.Key != fastcodec.Metadata || r.Version != 5 {
					t.Errorf("%+v", r)
				}
				if r.CorrelationID%4 == 0 {
					return dst, Pass, nil
				}
				return append(dst, replaced(r.Frame)...), Replace, nil
			}}
		var in, out, answers, edited []byte
		for i := range int32(max(4, 40-size/1000)) {
			pass, edit := request(fastcodec.Heartbeat, 0, 2*i, "me", make([]byte, size)...), request(fastcodec.Metadata, 5, 2*i+1, "me", make([]byte, size)...)
			in = join(in, pass, edit)
			out = join(out, pass, replaced(edit))
			pass, edit = response(2*i, make([]byte, size)...), response(2*i+1, make([]byte, size)...)
			answers = join(answers, pass, edit)
			if (2*i+1)%4 != 0 {
				edit = replaced(edit)
			}
			edited = join(edited, pass, edit)
		}
		x := script{name: fmt.Sprint(size), options: Options{Handler: h}, turns: []turn{client(in), broker(answers)}, toBroker: out, toClient: edited, check: quiet}
		if size > 1000 {
			x.runOnce(t)
		} else {
			x.run(t)
		}
	}
}

// TestAnswer: what is answered here comes in the order of the requests, and the
// request goes nowhere.
func TestAnswer(t *testing.T) {
	for _, rule := range []Rule{AskHead, WholeRequest} {
		h := &testHandler{rule: only(fastcodec.Metadata, rule),
			request: func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
				return append(dst, response(r.CorrelationID, 'h')...), Answer, nil
			}}
		metadata := func(id int32) []byte { return request(fastcodec.Metadata, 5, id, "me", make([]byte, 50)...) }
		heartbeat := func(id int32) []byte { return request(fastcodec.Heartbeat, 0, id, "me", 1, 2, 3) }
		here := func(id int32) []byte { return response(id, 'h') }
		there := func(id int32) []byte { return response(id, 't', 't') }
		x := script{name: fmt.Sprint(rule), options: Options{Handler: h}, turns: []turn{
			client(metadata(1), metadata(2)),
			client(heartbeat(3), metadata(4), metadata(5), heartbeat(6), metadata(7)),
			broker(there(3)), broker(there(6)),
			client(metadata(8), heartbeat(9)), broker(there(9)),
			client(metadata(10)),
		}, toBroker: join(heartbeat(3), heartbeat(6), heartbeat(9)),
			toClient: join(here(1), here(2), there(3), here(4), here(5), there(6), here(7), here(8), there(9), here(10)), check: quiet}
		x.run(t)
	}
}

// TestAnswerSilent: who doesn't want an answer gets none.
func TestAnswerSilent(t *testing.T) {
	h := &testHandler{rule: only(fastcodec.Produce, AskHead),
		request: func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
			return append(dst, response(r.CorrelationID)...), Answer, nil
		}}
	x := script{name: "produce", options: Options{Handler: h}, turns: []turn{
		client(request(fastcodec.Produce, 3, 1, "me", produceBody(3, 0, "tx")...), request(fastcodec.Produce, 3, 2, "me", produceBody(3, 1, "tx")...))},
		toBroker: []byte{}, toClient: response(2), check: quiet}
	x.run(t)
}

// TestAnswersLimit: a client that asks and doesn't read isn't read any more.
func TestAnswersLimit(t *testing.T) {
	h := &testHandler{rule: only(fastcodec.Metadata, AskHead),
		request: func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
			return append(dst, response(r.CorrelationID, make([]byte, 1000)...)...), Answer, nil
		}}
	w := newWire(t, Options{Handler: h, Limits: Limits{Answers: 10000}}, nil)
	in := request(fastcodec.Heartbeat, 0, 0, "me", 1)
	for i := range int32(100) {
		in = append(in, request(fastcodec.Metadata, 5, i, "me", 1, 2, 3)...)
	}
	w.fromClient(in)
	if w.s.InFlight() > 11 || !w.waits {
		t.Fatal(w.s.InFlight(), w.waits)
	}
	w.fromBroker(response(0))
	if w.err != nil || len(w.toClient) != 8+100*1008 {
		t.Fatal(w.err, len(w.toClient))
	}
	quiet(t, w.s)
}

// TestHead: the handler is asked once it knows who asks for what, long before the
// frame is there; and again about the whole, if it wants that.
func TestHead(t *testing.T) {
	var asked []string
	h := &testHandler{rule: func(fastcodec.APIKey, int16) Rule { return AskHead },
		request: func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
			asked = append(asked, fmt.Sprintf("%v %d %v %d %s", r.Key, r.CorrelationID, r.Whole, r.Size, r.ClientID))
			if r.Key == fastcodec.Metadata {
				r.WholeResponse = true
				return dst, Whole, nil
			}
			return dst, Pass, nil
		},
		response: func(s *Session, r *Response, dst []byte) ([]byte, Verdict, error) {
			asked = append(asked, fmt.Sprint("answer ", r.CorrelationID))
			return dst, Pass, nil
		}}
	w := newWire(t, Options{Handler: h}, bytewise)
	w.fromClient(join(request(fastcodec.Heartbeat, 0, 1, "me", make([]byte, 30)...), request(fastcodec.Metadata, 5, 2, "me", make([]byte, 30)...)))
	w.fromBroker(join(response(1, 5), response(2, 5)))
	const want = "Heartbeat 1 false 42 me, Metadata 2 false 42 me, Metadata 2 true 42 me, answer 2"
	if got := strings.Join(asked, ", "); w.err != nil || got != want {
		t.Fatalf("%v, %s\nwant %s", w.err, got, want)
	}
}

// TestHold: a request that is held keeps those behind it, and nothing else.
func TestHold(t *testing.T) {
	for _, rule := range []Rule{AskHead, WholeRequest} {
		release := false
		asked := 0
		h := &testHandler{rule: only(fastcodec.Metadata, rule),
			request: func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
				if asked++; !release {
					return dst, Hold, nil
				}
				return dst, Pass, nil
			}}
		w := newWire(t, Options{Handler: h}, nil)
		before, held, behind := request(fastcodec.Heartbeat, 0, 1, "me"), request(fastcodec.Metadata, 5, 2, "me", 1, 2, 3), request(fastcodec.Heartbeat, 0, 3, "me")
		w.fromClient(join(before, held, behind))
		w.fromBroker(response(1))
		w.fromClient(request(fastcodec.Heartbeat, 0, 4, "me"))
		equal(t, "while it is held", w.toBroker, before)
		equal(t, "the answer before it", w.toClient, response(1))
		if !w.waits || asked != 1 {
			t.Fatal(w.waits, asked)
		}
		if step, err := w.s.FromClient(w.client); !step.Wait || err != nil || asked != 1 {
			t.Error("held requests are asked about before Resume")
		}
		release = true
		w.s.Resume()
		w.waits = false
		w.pump()
		equal(t, "afterwards", w.toBroker, join(before, held, behind, request(fastcodec.Heartbeat, 0, 4, "me")))
		w.fromBroker(join(response(2), response(3), response(4)))
		if w.err != nil || asked != 2 {
			t.Error(w.err, asked)
		}
		quiet(t, w.s)
	}
}

// TestS12: the proxy asks something itself while a request is held, between those of
// the client, and swallows the answer.
func TestS12(t *testing.T) {
	body := fastcodec.Raw{0, 0, 0, 0}
	own := func(id int32) []byte { return request(fastcodec.Metadata, 1, id, "proxy", body...) }
	for how, piece := range pieces {
		t.Run(how, func(t *testing.T) {
			var got []string
			h := &testHandler{rule: only(fastcodec.Fetch, WholeRequest)}
			h.request = func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
				if len(got) > 0 {
					return dst, Pass, nil
				}
				err := s.Ask(fastcodec.RequestHeaderData{Key: fastcodec.Metadata, Version: 1, ClientID: []byte("proxy")}, &body, func(s *Session, payload []byte, err error) {
					got = append(got, fmt.Sprintf("%x %v", payload, err))
					s.Resume()
				})
				return dst, Hold, err
			}
			w := newWire(t, Options{Handler: h}, piece())
			first, fetch, last := request(fastcodec.Heartbeat, 0, 1, "me", 1), request(fastcodec.Fetch, 13, 1, "me", 1, 2, 3), request(fastcodec.Heartbeat, 0, 1, "me", 2)
			w.fromClient(join(first, fetch, last))
			equal(t, "held", w.toBroker, join(first, own(1)))
			w.fromBroker(join(response(1, 1), response(1, 2, 3)))
			equal(t, "resumed", w.toBroker, join(first, own(1), fetch, last))
			w.fromBroker(join(response(1, 4), response(1, 5)))
			equal(t, "to the client", w.toClient, join(response(1, 1), response(1, 4), response(1, 5)))
			if w.err != nil || fmt.Sprint(got) != "[000000010203 <nil>]" {
				t.Error(w.err, got)
			}
			quiet(t, w.s)
		})
	}
}

// TestAskBetween: requests of the proxy's own never stand inside one of the client's,
// and not before the client has authenticated.
func TestAskBetween(t *testing.T) {
	body := fastcodec.Raw{0, 0, 0, 0}
	header := fastcodec.RequestHeaderData{Key: fastcodec.Metadata, Version: 1}
	own := func(id int32) []byte { return request(fastcodec.Metadata, 1, id, "null", body...) }
	answers := 0
	done := func(s *Session, payload []byte, err error) {
		if err != nil || len(payload) != 5 {
			t.Error(payload, err)
		}
		answers++
	}
	w := newWire(t, Options{}, nil)
	ask := func() {
		t.Helper()
		if err := w.s.Ask(header, &body, done); err != nil {
			t.Fatal(err)
		}
		w.toBroker = append(w.toBroker, w.s.ToBroker()...)
	}
	ask()
	f := request(fastcodec.Produce, 3, 1, "me", append(produceBody(3, 1, "tx"), make([]byte, 100)...)...)
	w.fromClient(f[:80])
	ask()
	ask()
	w.fromClient(f[80:])
	w.fromClient(f)
	equal(t, "to the broker", w.toBroker, join(own(1), f, own(2), own(3), f))
	w.fromBroker(join(response(1, 9), response(1, 8), response(2, 9), response(3, 9), response(1, 7)))
	equal(t, "to the client", w.toClient, join(response(1, 8), response(1, 7)))
	if w.err != nil || answers != 3 {
		t.Error(w.err, answers)
	}
	quiet(t, w.s)

	w, answers = newWire(t, Options{SASL: true}, nil), 0
	ask()
	login := join(request(fastcodec.APIVersions, 0, 1, "me"), handshake(1, 2, "PLAIN"))
	w.fromClient(login)
	w.fromBroker(join(response(1), handshakeAnswer(2)))
	w.fromClient(authenticate(1, 3, "\x00a\x00b"))
	w.fromBroker(authenticateAnswer(1, 3, 0))
	equal(t, "while it logs in", w.toBroker, join(login, authenticate(1, 3, "\x00a\x00b")))
	w.fromClient(f)
	equal(t, "afterwards", w.toBroker, join(login, authenticate(1, 3, "\x00a\x00b"), f, own(1)))

	// What wasn't answered fails.
	failed := 0
	w.s.Ask(header, &body, func(s *Session, payload []byte, err error) {
		if !errors.Is(err, ErrClosed) || payload != nil {
			t.Error(payload, err)
		}
		if s.Ask(header, &body, nil) == nil {
			t.Error("asked after the end")
		}
		failed++
	})
	w.s.asks.list[0].done = w.s.asks.list[1].done
	w.s.Close(nil)
	if failed != 2 {
		t.Error(failed)
	}
}

// TestOwnAnswerTooLarge: it fails, and is dropped; the client notices nothing.
func TestOwnAnswerTooLarge(t *testing.T) {
	body := fastcodec.Raw{0, 0, 0, 0}
	for how, piece := range pieces {
		w := newWire(t, Options{Limits: Limits{Response: 100}}, piece())
		var got error
		w.s.Ask(fastcodec.RequestHeaderData{Key: fastcodec.Metadata, Version: 1}, &body, func(s *Session, payload []byte, err error) { got = err })
		w.fromClient(request(fastcodec.Heartbeat, 0, 1, "me"))
		w.fromBroker(join(response(1, make([]byte, 1000)...), response(1, 5)))
		equal(t, how, w.toClient, response(1, 5))
		if w.err != nil || !errors.Is(got, fastcodec.ErrFrameSize) {
			t.Error(how, w.err, got)
		}
		quiet(t, w.s)
	}
}

// TestHandlerErrors: the policy decides, except that what is refused never passes,
// and nothing half-written is sent.
func TestHandlerErrors(t *testing.T) {
	cause := errors.New("no good")
	refused := fmt.Errorf("%w: not here", ErrRefused)
	for _, err := range []error{cause, refused} {
		fails := func(dst []byte) ([]byte, Verdict, error) { return append(dst, "half-written"...), Replace, err }
		h := &testHandler{rule: only(fastcodec.Metadata, WholeRequest|WholeResponse),
			request: func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
				if r.CorrelationID == 2 {
					return fails(dst)
				}
				return dst, Pass, nil
			},
			response: func(s *Session, r *Response, dst []byte) ([]byte, Verdict, error) { return fails(dst) },
		}
		metadata := func(id int32) []byte { return request(fastcodec.Metadata, 5, id, "me", 1) }
		one := []turn{client(request(fastcodec.Heartbeat, 0, 1, "me"), metadata(2)), broker(response(1), response(2, 2))}
		other := []turn{client(request(fastcodec.Heartbeat, 0, 1, "me"), metadata(3)), broker(response(1), response(3, 2))}
		sentinel := err
		if err == refused {
			sentinel = ErrRefused
		}
		x := script{name: "request, close", options: Options{Handler: h}, turns: one, toBroker: request(fastcodec.Heartbeat, 0, 1, "me"), toClient: []byte{},
			err: sentinel, from: Client, text: "client: Metadata v5 request, correlation id 2, 13 bytes: " + err.Error()}
		x.run(t)
		x = script{name: "response, close", options: Options{Handler: h}, turns: other, toClient: response(1), err: sentinel, from: Broker,
			text: "broker: Metadata v5 response, correlation id 3, 5 bytes: " + err.Error()}
		x.run(t)
		if err == refused {
			x.options.OnError = Forward
			x.run(t)
			continue
		}
		for _, turns := range [][]turn{one, other} {
			reports := 0
			x = script{name: "forward", options: Options{Handler: h, OnError: Forward, Report: func(e *FrameError) {
				if reports++; !errors.Is(e, cause) {
					t.Error(e)
				}
			}}, turns: turns, check: quiet}
			x.run(t)
			if reports < len(pieces) {
				t.Errorf("%d reports", reports)
			}
		}
	}
}

// TestHandlerLies: what a handler appends must be one frame.
func TestHandlerLies(t *testing.T) {
	for name, lie := range map[string][]byte{"nothing": nil, "too little": {0, 0, 0, 4, 1, 2, 3}, "too much": append(response(1), 0), "no header": {0, 0, 0, 0}} {
		h := &testHandler{rule: only(fastcodec.Metadata, WholeResponse),
			response: func(s *Session, r *Response, dst []byte) ([]byte, Verdict, error) {
				return append(dst, lie...), Replace, nil
			}}
		x := script{name: name, options: Options{Handler: h}, turns: []turn{client(request(fastcodec.Metadata, 5, 1, "me", 1)), broker(response(1, 1))},
			toClient: []byte{}, err: fastcodec.ErrFrameSize, from: Broker}
		x.run(t)
	}
}
