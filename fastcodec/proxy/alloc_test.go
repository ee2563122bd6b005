// Nothing that a Session does again and again allocates.

package proxy

import (
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

func TestNothingAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops from pools at random")
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
