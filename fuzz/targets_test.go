package fuzz

import (
	"bytes"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fuzz/check"
)

// FuzzParse: views, engine and naive reader give the same verdict on a body of any
// message, the same values and the same index, and what is accepted is written
// again so that nothing changes any more.
func FuzzParse(f *testing.F) {
	messages, err := check.Messages()
	if err != nil {
		f.Fatal(err)
	}
	seeds, err := check.Seeds(messages)
	if err != nil {
		f.Fatal(err)
	}
	checkers := make([]*check.Checker, len(messages))
	for i, m := range messages {
		for _, body := range seeds[m] {
			if len(body) <= 64 {
				f.Add(uint16(i), body)
				break
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint16, body []byte) {
		i := int(which) % len(messages)
		if checkers[i] == nil {
			checkers[i] = messages[i].Checker()
		}
		if _, err := checkers[i].Check(body); err != nil {
			t.Fatalf("%s: %x: %v", messages[i], body, err)
		}
	})
}

// FuzzRoundTrip: a body that a view accepts, copied into a struct and written, is
// accepted again and written the same.
func FuzzRoundTrip(f *testing.F) {
	messages, err := check.Messages()
	if err != nil {
		f.Fatal(err)
	}
	codecs := make([]*kview.Codec, len(messages))
	for i := range messages {
		if i%7 == 0 {
			f.Add(uint16(i), []byte{0, 0, 0, 0, 0, 0, 0, 0})
		}
	}
	f.Fuzz(func(t *testing.T, which uint16, body []byte) {
		i := int(which) % len(messages)
		m := messages[i]
		if codecs[i] == nil {
			codecs[i] = m.Codec()
		}
		c := codecs[i]
		if c.View.Parse(body, m.Version) != nil {
			return
		}
		trailing := bytes.Clone(c.View.Trailing())
		c.Copy()
		once, err := c.Data.AppendTo(nil, m.Version)
		if err != nil {
			t.Fatalf("%s: %x: %v", m, body, err)
		}
		// With the trailing bytes: they are part of what bounds a count.
		if err := c.View.Parse(append(bytes.Clone(once), trailing...), m.Version); err != nil {
			t.Fatalf("%s: %x written as %x: %v", m, body, once, err)
		}
		c.Copy()
		if twice, err := c.Data.AppendTo(nil, m.Version); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s: %x written as %x, then %x (%v)", m, body, once, twice, err)
		}
	})
}
