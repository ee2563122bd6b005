// The reference vectors, through every reader and writer of the package.

package layout

import (
	"bytes"
	"errors"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/jsonform"
)

// TestVectors: every body that Kafka's codec wrote is read whole, says what
// Kafka's JSON says, and comes out of that JSON byte for byte.
func TestVectors(t *testing.T) {
	for _, name := range []string{"vectors", "data"} {
		var ix Index
		list := vectors(t, name)
		for i := range list {
			v := &list[i]
			m, body := v.message(t), v.body(t)
			if err := m.Parse(&ix, body); err != nil {
				t.Fatalf("%v: %v", v, err)
			}
			if ix.End() != len(body) {
				t.Fatalf("%v: ends at %d of %d", v, ix.End(), len(body))
			}
			text, end, err := m.AppendJSON(nil, body)
			if err != nil || end != len(body) {
				t.Fatalf("%v: JSON: %v, ends at %d of %d", v, err, end, len(body))
			}
			if d := jsonform.Differ(decode(t, text), decode(t, v.Body), ""); d != "" {
				t.Fatalf("%v: %s", v, d)
			}
			again, err := m.AppendFromJSON(nil, text)
			if err != nil || !bytes.Equal(again, body) {
				t.Fatalf("%v: from JSON: %v\n%x, want\n%x", v, err, again, body)
			}
			if v.Flavor != "unknown-tags" {
				again, err = m.AppendFromJSON(nil, v.Body)
				if err != nil || !bytes.Equal(again, body) {
					t.Fatalf("%v: from Kafka's JSON: %v\n%x, want\n%x", v, err, again, body)
				}
			}
			again, err = m.AppendCanonical(nil, body)
			if err != nil || !bytes.Equal(again, body) {
				t.Fatalf("%v: canonical: %v\n%x, want\n%x", v, err, again, body)
			}
			if v.Flavor == "smallest" {
				if small := m.AppendSmallest(nil); !bytes.Equal(small, body) {
					t.Fatalf("%v: smallest: %x, want %x", v, small, body)
				}
			}
		}
	}
}

// TestHeaders: the headers of all vectors, by the schemas of headers.
func TestHeaders(t *testing.T) {
	list := vectors(t, "vectors")
	var ix Index
	for i := range list {
		v := &list[i]
		name := "RequestHeader"
		if v.Kind == "response" {
			name = "ResponseHeader"
		}
		if hv := v.message(t).HeaderVersion(); hv != v.HeaderV {
			t.Fatalf("%v: header version %d, want %d", v, hv, v.HeaderV)
		}
		m, err := Named(name, v.HeaderV)
		if err != nil {
			t.Fatal(err)
		}
		header := unhex(t, v.Frame)[4:v.BodyAt]
		if err := m.Parse(&ix, header); err != nil || ix.End() != len(header) {
			t.Fatalf("%v: %v, ends at %d of %d", v, err, ix.End(), len(header))
		}
		text, _, err := m.AppendJSON(nil, header)
		if err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		if d := jsonform.Differ(decode(t, text), decode(t, v.Header), ""); d != "" {
			t.Fatalf("%v: %s", v, d)
		}
		if again, err := m.AppendFromJSON(nil, text); err != nil || !bytes.Equal(again, header) {
			t.Fatalf("%v: from JSON: %v\n%x, want\n%x", v, err, again, header)
		}
	}
}

// TestVerdicts: damaged bodies are accepted where Kafka accepts them, but for D1
// to D4, and then say the same.
func TestVerdicts(t *testing.T) {
	classes := map[string]int{}
	list := vectors(t, "verdicts")
	var ix Index
	for i := range list {
		v := &list[i]
		m, body := v.message(t), v.body(t)
		err := m.Parse(&ix, body)
		if _, werr := m.Walk(body, nil); (werr == nil) != (err == nil) || werr != nil && werr.Error() != err.Error() {
			t.Fatalf("%v: the readers disagree: %v, %v", v, err, werr)
		}
		switch {
		case err == nil && !v.Accepted:
			// D4: a known tag below the versions that have it.
			if !hasEarlyTag(m, body) {
				t.Errorf("%v: Kafka refuses it", v)
			}
			classes["D4"]++
			continue
		case err != nil && v.Accepted:
			switch {
			case errors.Is(err, fastcodec.ErrVarint), errors.Is(err, fastcodec.ErrCount):
				classes["D1"]++
			case errors.Is(err, fastcodec.ErrTagSize):
				classes["D2"]++
			case errors.Is(err, fastcodec.ErrTagRepeated):
				classes["D3"]++
			default:
				t.Errorf("%v: %v, but Kafka accepts it", v, err)
			}
			continue
		case err != nil:
			classes["refused"]++
			continue
		}
		classes["accepted"]++
		if left := len(body) - ix.End(); left != v.Left {
			t.Errorf("%v: %d bytes left, want %d", v, left, v.Left)
		}
		text, _, err := m.AppendJSON(nil, body)
		if err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		if d := jsonform.Differ(decode(t, text), decode(t, v.Body), ""); d != "" {
			t.Errorf("%v: %s", v, d)
		}
		if v.Again == "" {
			continue
		}
		again, err := m.AppendCanonical(nil, body[:ix.End()])
		if err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		if !bytes.Equal(again, unhex(t, v.Again)) {
			if utf8Only(m, body) {
				t.Errorf("%v: canonical\n%x, want\n%s", v, again, v.Again)
			}
			classes["D5"]++
		}
	}
	t.Logf("%v", classes)
}

// utf8Only reports whether every string of a body is UTF-8: then JSON keeps it.
func utf8Only(m *Message, body []byte) bool {
	var s stringsSeen
	m.Walk(body, &s)
	return !s.bad
}

// hasEarlyTag reports whether a body has a tag that its struct knows at another
// version only.
func hasEarlyTag(m *Message, body []byte) bool {
	s := earlyTags{m: m}
	m.Walk(body, &s)
	return s.found
}
