package kview_test

// The limit of the index.

import (
	"errors"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
)

// TestIndexLimit: a body whose index has exactly as many words as the limit allows
// is accepted, one that needs a word more is refused, for the same field by views
// and engine; also where the index has been larger before.
func TestIndexLimit(t *testing.T) {
	n := 0
	for _, m := range everyVersion(t) {
		v := m.Naive.Full()
		body := m.Naive.Write(&v, nil)
		var ix layout.Index
		view := m.New()
		if err := m.Layout.Parse(&ix, body); err != nil {
			t.Fatal(err)
		}
		words := len(ix.Words())
		if words <= 2 {
			continue // none handed out
		}
		n++
		if err := view.Parse(body, m.Version); err != nil {
			t.Fatal(err)
		}
		for limit := words; limit > 2; limit = limit*3/4 - 1 {
			for _, view := range []interface {
				SetIndexLimit(int)
				Parse([]byte, int16) error
			}{view, m.New()} {
				var fresh layout.Index
				for _, ix := range []*layout.Index{&ix, &fresh} {
					view.SetIndexLimit(limit)
					ix.SetLimit(limit)
					a, b := view.Parse(body, m.Version), m.Layout.Parse(ix, body)
					if limit == words {
						if a != nil || b != nil {
							t.Errorf("%v: %d words, limit %d: %v; %v", m, words, limit, a, b)
						}
						continue
					}
					if !errors.Is(a, fastcodec.ErrIndexLimit) || !errors.Is(b, fastcodec.ErrIndexLimit) || a.Error() != b.Error() {
						t.Errorf("%v: %d words, limit %d: %v; %v", m, words, limit, a, b)
					}
				}
			}
		}
		view.SetIndexLimit(0)
		if err := view.Parse(body, m.Version); err != nil {
			t.Errorf("%v: can't be used again: %v", m, err)
		}
	}
	if n == 0 {
		t.Error("no message hands out words")
	}
}
