// Nothing that a Session does again and again allocates.

package proxy

import (
	"bytes"
	"io"
	"net"
	"runtime"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

func TestNothingAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops from pools at random: run without -race")
	}
	same := func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
		return append(dst, r.Frame...), Replace, nil
	}
	for name, h := range map[string]Handler{
		"pass":  nil,
		"heads": &testHandler{rule: func(fastcodec.APIKey, int16) Rule { return AskHead }},
		"whole": &testHandler{rule: func(fastcodec.APIKey, int16) Rule { return WholeRequest | WholeResponse }},
		"replace": &testHandler{
			rule:    func(fastcodec.APIKey, int16) Rule { return WholeRequest | WholeResponse },
			request: same,
			response: func(s *Session, r *Response, dst []byte) ([]byte, Verdict, error) {
				return append(dst, r.Frame...), Replace, nil
			}},
		"answer": &testHandler{rule: only(fastcodec.Metadata, AskHead),
			request: func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
				at := len(dst)
				dst = append(dst, 0, 0, 0, 5, 0, 0, 0, byte(r.CorrelationID), 1)
				_ = at
				return dst, Answer, nil
			}},
	} {
		var requests, responses []byte
		for i := range int32(50) {
			requests = join(requests,
				request(fastcodec.Heartbeat, 4, 4*i, "me", make([]byte, 100)...),
				request(fastcodec.Produce, 3, 4*i+1, "me", produceBody(3, 1, "tx")...),
				request(fastcodec.Produce, 9, 4*i+1, "me", produceBody(9, 0, "tx")...),
				request(10000, 9, 4*i+2, "null"),
				request(fastcodec.Metadata, 5, 4*i+3, "me", make([]byte, 20)...))
			responses = join(responses, response(4*i, 1, 2, 3), response(4*i+1, make([]byte, 500)...), response(4*i+2))
			if name != "answer" {
				responses = join(responses, response(4*i+3, 1))
			}
		}
		s := Compile(Options{Handler: h}).NewSession()
		round := func() {
			exchange(t, s, requests, responses)
			s.ToClient()
			s.Trim()
		}
		round()
		if n := testing.AllocsPerRun(20, round); n > 0 {
			t.Errorf("%s: %v allocations for %d frames", name, n, 450)
		}
		s.Close(nil)
	}
}

// TestConnAllocatesNothing: nor do the loops around it, frame after frame, whether
// answers pass or are edited.
func TestConnAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops from pools at random: run without -race")
	}
	body := kdata.NewMetadataResponse()
	body.Brokers = []kdata.MetadataResponseBroker{{NodeID: 3, Host: []byte("broker"), Port: 9092}}
	metadata, err := fastcodec.AppendResponse(nil, &fastcodec.ResponseHeaderData{Key: fastcodec.Metadata, Version: 5, CorrelationID: 1}, &body)
	if err != nil {
		t.Fatal(err)
	}
	const deep = 50
	var requests, responses []byte
	for range deep {
		requests = join(requests, request(fastcodec.Metadata, 5, 1, "me", 0, 0, 0, 0, 1), request(fastcodec.Heartbeat, 0, 2, "me", make([]byte, 200)...))
		responses = join(responses, metadata, response(2, make([]byte, 100)...))
	}
	toBroker, toClient := make([]byte, len(requests)), make([]byte, len(responses)+deep*(len("proxy.test")-len("broker")))
	host := []byte("proxy.test")
	edits := rewrite.Edits{Endpoints: rewrite.Endpoints{Response: func(e rewrite.Endpoint) ([]byte, int32) { return host, 10000 + e.NodeID }}}
	r := newRig(t, "loopback", Options{Handler: newEditor(t, EditorOptions{Edits: edits})})
	round := func() {
		for _, err := range []error{
			exchangeOver(r.client, r.broker, requests, toBroker),
			exchangeOver(r.broker, r.client, responses, toClient),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	round()
	var before, after runtime.MemStats
	const rounds = 200
	runtime.ReadMemStats(&before)
	for range rounds {
		round()
	}
	runtime.ReadMemStats(&after)
	if n := after.Mallocs - before.Mallocs; n > rounds*deep*2*2/100 {
		t.Errorf("%d allocations for %d frames", n, rounds*deep*2*2)
	}
	if !bytes.Contains(toClient, []byte("proxy.test")) {
		t.Error("not edited")
	}
	r.client.Close()
	r.end(nil)
}

// exchangeOver writes at one end and reads at the other; the kernel has room for it.
func exchangeOver(from, to net.Conn, p, got []byte) error {
	if _, err := from.Write(p); err != nil {
		return err
	}
	_, err := io.ReadFull(to, got)
	return err
}
