package main

import (
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
)

// What is replayed is what a broker would have sent: it parses, and has the size that
// is asked for. Where the proxy has to hold answers, there are addresses in them.
func TestAnswers(t *testing.T) {
	for _, w := range works {
		answers, err := w.answers()
		if err != nil {
			t.Fatal(err)
		}
		for _, frame := range answers {
			payload, rest, _, err := fastcodec.Split(frame)
			if err != nil || len(rest) > 0 || len(frame) < w.fetch || w.fetch > 0 && len(frame) > w.fetch+10<<10 {
				t.Fatalf("%s: %d bytes, %d behind, %v", w.name, len(frame), len(rest), err)
			}
			_, body, err := fastcodec.ParseResponse(payload, w.key, w.version)
			if err != nil {
				t.Fatal(err)
			}
			c := kview.NewResponseCodec(w.key)
			if err := c.View.Parse(body, w.version); err != nil {
				t.Fatalf("%s: %v", w.name, err)
			}
			if m, ok := c.View.(*kview.FetchResponse); ok && w.version >= 16 && m.NodeEndpoints().Len() == 0 {
				t.Errorf("%s: no addresses", w.name)
			}
		}
	}
}
