package kview_test

// Views against the engine and the naive reader, over all reference inputs: the
// same verdict, the same error, the same index to the word, equal values. All
// inputs end at a guard page.

import (
	"errors"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fuzz/check"
)

const guardSize = 1 << 17

// TestVectors: every body that Kafka's codec wrote is accepted whole.
func TestVectors(t *testing.T) {
	g := newGuard(guardSize)
	defer g.free()
	seen := map[*check.Message]bool{}
	for _, file := range []string{"vectors", "data"} {
		all, c := inputs(t, file), checkers{}
		for i := range all {
			in := &all[i]
			seen[in.Message] = true
			v, err := c.of(in.Message).Check(g.end(in.body))
			if err != nil || !v.Accepted || v.End != len(in.body) || v.Odd != 0 {
				t.Fatalf("%v: accepted %v, ends at %d of %d, odd %v, %v", in, v.Accepted, v.End, len(in.body), v.Odd.Names(), err)
			}
		}
		t.Logf("%s: %d bodies", file, len(all))
	}
	all, err := kafkas()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if !seen[m] && m.Schema.API.Key >= 0 {
			t.Errorf("%v has no vector", m)
		}
	}
}

// TestVerdicts: damaged bodies have Kafka's verdict, but for D1 to D4.
func TestVerdicts(t *testing.T) {
	g := newGuard(guardSize)
	defer g.free()
	all, c := inputs(t, "verdicts"), checkers{}
	classes := map[string]int{}
	for i := range all {
		in := &all[i]
		v, err := c.of(in.Message).Check(g.end(in.body))
		if err != nil {
			t.Fatalf("%v: %v", in, err)
		}
		switch {
		case v.Accepted && in.Accepted:
			classes["accepted by both"]++
			if left := len(in.body) - v.End; left != in.Left {
				t.Errorf("%v: %d bytes left, Kafka %d", in, left, in.Left)
			}
		case v.Accepted:
			classes["D4"]++
			if in.Error == "" || !hasEarlyTag(in) {
				t.Errorf("%v: accepted, Kafka: %s", in, in.Error)
			}
		case in.Accepted:
			class := ""
			switch v.Err.Err {
			case fastcodec.ErrVarint:
				class = "D1"
			case fastcodec.ErrTagSize, fastcodec.ErrShort:
				class = "D2"
			case fastcodec.ErrTagRepeated:
				class = "D3"
			default:
				t.Errorf("%v: %v, Kafka accepts", in, v.Err)
			}
			classes[class]++
		default:
			classes["refused by both"]++
		}
	}
	t.Logf("%v", classes)
}

// hasEarlyTag reports whether a body has a tag that a struct of the message knows
// at other versions only: the one thing that Kafka refuses and we don't.
func hasEarlyTag(in *input) bool {
	value, _, _, err := in.Naive.Read(in.body)
	return err == nil && in.EarlyTag(&value)
}

// TestCaptures: real traffic is accepted; only the known two requests have bytes
// left over.
func TestCaptures(t *testing.T) {
	frames, err := check.Captures()
	if err != nil {
		t.Fatal(err)
	}
	g := newGuard(guardSize)
	defer g.free()
	find, c, trailing := byName(t), checkers{}, 0
	for _, f := range frames {
		payload := check.Hex(f.Frame)[fastcodec.SizePrefix:]
		var body []byte
		var m kview.Message
		version := f.Version
		if f.Dir == "c2s" {
			_, body, err = fastcodec.ParseRequest(payload)
			m = kview.NewRequest(f.Key)
		} else {
			_, body, err = fastcodec.ParseResponse(payload, f.Key, f.Version)
			m = kview.NewResponse(f.Key)
			version = fastcodec.ResponseBodyVersion(f.Key, version, body, func(b []byte, v int16) bool {
				return m.Parse(b, v) == nil && len(m.Trailing()) == 0
			})
		}
		if err != nil {
			t.Fatalf("%s %d: %v", f.File, f.Seq, err)
		}
		name := f.Key.String() + "Request"
		if f.Dir != "c2s" {
			name = f.Key.String() + "Response"
		}
		v, err := c.of(find(name, version)).Check(g.end(body))
		if err != nil || !v.Accepted || v.Odd != 0 {
			t.Fatalf("%s %d: accepted %v, odd %v, %v", f.File, f.Seq, v.Accepted, v.Odd.Names(), err)
		}
		if v.End < len(body) {
			trailing++
		}
	}
	if trailing != 2 {
		t.Errorf("%d bodies with bytes left over, want 2", trailing)
	}
	t.Logf("%d frames", len(frames))
}

// TestPrefixes: no strict prefix of a body is accepted, and the reason lies at its
// end: something was missing, or a count or size promised more. The views see every
// prefix; the engine and the naive reader those up to 256 bytes, and of longer ones
// two around each end of a field in every eighth body.
func TestPrefixes(t *testing.T) {
	g := newGuard(guardSize)
	defer g.free()
	c, all := checkers{}, append(inputs(t, "vectors"), inputs(t, "data")...)
	prefixes, checked := 0, 0
	for i := range all {
		in := &all[i]
		ends := in.Ends(in.body)
		m := c.of(in.Message)
		for n := range in.body {
			near := ends[n-2] || ends[n-1] || ends[n] || ends[n+1] || ends[n+2]
			if reduced && len(in.body) > 4096 && !near {
				continue
			}
			prefixes++
			prefix := g.end(in.body[:n])
			if n > 256 && (!near || i%8 != 0) {
				if m.View.Parse(prefix, in.Message.Version) == nil {
					t.Fatalf("%v: a prefix of %d of %d bytes is accepted", in, n, len(in.body))
				}
				continue
			}
			checked++
			v, err := m.Check(prefix)
			if err != nil || v.Accepted {
				t.Fatalf("%v: a prefix of %d of %d bytes is accepted: %v", in, n, len(in.body), err)
			}
			if !errors.Is(v.Err, fastcodec.ErrShort) && !errors.Is(v.Err, fastcodec.ErrCount) && !errors.Is(v.Err, fastcodec.ErrTagSize) {
				t.Fatalf("%v: a prefix of %d of %d bytes: %v", in, n, len(in.body), v.Err)
			}
		}
	}
	t.Logf("%d prefixes, %d of them with all readers", prefixes, checked)
}
