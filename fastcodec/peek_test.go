package fastcodec

import (
	"bytes"
	"testing"
)

// TestPeekAgreesWithParse holds the peeks against the parser, on whole headers and
// on every prefix.
func TestPeekAgreesWithParse(t *testing.T) {
	for _, payload := range [][]byte{
		requestPayload(Metadata, 12, -5, []byte("client"), []byte("\x00body")),
		requestPayload(Metadata, 1, 5, nil, []byte("body")),
		requestPayload(Metadata, 1, 5, []byte{}, nil),
		requestPayload(10000, -3, 5, []byte("client"), nil),
		[]byte("\x00\x07\x00\x00\x00\x00\x00\x05\x00\x02\x00\x01"),
		[]byte("\x00\x07\x00\x01\x00\x00\x00\x05\x00\x02\x00\x01"),
	} {
		for cut := range len(payload) + 1 {
			guarded(payload[:cut], func(b []byte) {
				key, version, id, client, ok := PeekRequest(b)
				if ok != (cut >= 10) {
					t.Errorf("%x: ok %v", b, ok)
				}
				if !ok {
					return
				}
				h, _, err := ParseRequest(b)
				if err != nil {
					if client != nil && len(client) > cut-10 {
						t.Errorf("%x: client id %q", b, client)
					}
					return
				}
				if key != h.Key() || version != h.Version() || id != h.CorrelationID() || !bytes.Equal(client, h.ClientID()) || (client == nil) != (h.ClientID() == nil) || cap(client) != len(client) {
					t.Errorf("%x: %v v%d %d %q", b, key, version, id, client)
				}
			})
		}
	}
	if id, ok := PeekCorrelationID([]byte("\xff\xff\xff\xfe")); id != -2 || !ok {
		t.Errorf("correlation id %d, %v", id, ok)
	}
}
