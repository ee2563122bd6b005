package proxy

import (
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

// testHandler is a Handler made of functions; nil ones pass.
type testHandler struct {
	rule     func(fastcodec.APIKey, int16) Rule
	request  func(*Session, *Request, []byte) ([]byte, Verdict, error)
	response func(*Session, *Response, []byte) ([]byte, Verdict, error)
}

func (h *testHandler) Rule(key fastcodec.APIKey, version int16) Rule { return h.rule(key, version) }

func (h *testHandler) Request(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
	if h.request == nil {
		return dst, Pass, nil
	}
	return h.request(s, r, dst)
}

func (h *testHandler) Response(s *Session, r *Response, dst []byte) ([]byte, Verdict, error) {
	if h.response == nil {
		return dst, Pass, nil
	}
	return h.response(s, r, dst)
}

// endpointOf is an address as an answer has it.
func endpointOf(key fastcodec.APIKey, node int32, host string, port int32) rewrite.Endpoint {
	return rewrite.Endpoint{Key: key, NodeID: node, Host: []byte(host), Port: port}
}
