package kview_test

// Faults generated from the schemas: an instance of every message that has all
// there is, with something else in one place.

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fuzz/check"
	"github.com/kafkawire/kafkawire/internal/naive"
)

// everyVersion gives the messages that a row's cases are made for: all, in the
// plain build; else the lowest and the highest version of each encoding.
// Those with elements without bytes are left out: whether their counts are legal
// depends on the bytes behind (row L9).
func everyVersion(t *testing.T) []*check.Message {
	all := slices.DeleteFunc(messages(t), func(m *check.Message) bool { return m.Schema.Name == "ShapeEmpty" && m.Version < 2 })
	if !reduced {
		return all
	}
	var some []*check.Message
	for i, m := range all {
		edge := func(j int) bool {
			return j < 0 || j == len(all) || all[j].Schema != m.Schema || all[j].Flexible() != m.Flexible()
		}
		if edge(i-1) || edge(i+1) {
			some = append(some, m)
		}
	}
	return some
}

// place is one place in a full instance of a message.
type place struct {
	t *testing.T
	*check.Checker
	value *naive.Value
	body  []byte // as it is without a fault
	i     int
	naive.Site
}

// places calls each for the places that pick picks, and fails where no message has
// any.
func places(t *testing.T, pick func(*naive.Site) bool, each func(p *place)) {
	t.Helper()
	n := 0
	for _, m := range everyVersion(t) {
		c, v := m.Checker(), m.Naive.Full()
		body, sites := m.Naive.Sites(&v, nil)
		for i, s := range sites {
			if pick(&s) {
				n++
				each(&place{t, c, &v, body, i, s})
			}
			if t.Failed() {
				return
			}
		}
	}
	if n == 0 {
		t.Error("no message has such a place")
	}
	t.Logf("%d places", n)
}

// with writes the instance with b in the place. The place's Offset is where it is now.
func (p *place) with(b []byte, drop bool) []byte {
	edit := func(i int, s *naive.Site) ([]byte, bool) {
		if i == p.i {
			return b, drop
		}
		return nil, false
	}
	if !p.InTag {
		return p.Naive.Write(p.value, edit)
	}
	body, sites := p.Naive.Sites(p.value, edit)
	p.Offset = sites[p.i].Offset
	return body
}

// nested reports whether a count in front of the place would be refused if the body
// ended here.
func (p *place) nested() bool { return p.InTag || strings.Contains(p.Path, "[") }

// again is a body that all readers accept as it is written again. What differs, if
// anything, is odd.
func (p *place) again(body []byte, odd naive.Oddity) []byte {
	p.t.Helper()
	v, err := p.Check(body)
	if err != nil || !v.Accepted || v.Odd&^odd != 0 {
		p.t.Errorf("%v: %s: %v, %v, odd %v\n%x", p.Message, p.Path, v.Err, err, v.Odd.Names(), body)
	}
	return bytes.Clone(p.Canonical())
}

// refused wants a body to be refused by all readers for the field in the place.
func (p *place) refused(body []byte, want error) {
	p.t.Helper()
	p.refusedAt(body, want, p.Path, p.Offset)
}

func (p *place) refusedAt(body []byte, want error, path string, offset int) {
	p.t.Helper()
	wantRefused(p.t, p.Checker, body, want, path, offset)
}

func wantRefused(t *testing.T, c *check.Checker, body []byte, want error, path string, offset int) {
	t.Helper()
	v, err := c.Check(body)
	switch {
	case err != nil:
		t.Error(err)
	case v.Accepted:
		t.Errorf("%v: %s at %d: accepted, want %v\n%x", c.Message, path, offset, want, body)
	case !errors.Is(v.Err, want) || v.Err.Path.String() != path || v.Err.Offset != offset:
		t.Errorf("%v: %v\nwant %s: offset %d: %v\n%x", c.Message, v.Err, path, offset, want, body)
	}
}

// accepted wants a body to be accepted by all readers, and to be written again as
// want, or as it is where that is nil.
func (p *place) accepted(body, want []byte) check.Verdict {
	p.t.Helper()
	return wantAccepted(p.t, p.Checker, body, want)
}

func wantAccepted(t *testing.T, c *check.Checker, body, want []byte) check.Verdict {
	t.Helper()
	v, err := c.Check(body)
	if want == nil {
		want = body
	}
	switch {
	case err != nil:
		t.Error(err)
	case !v.Accepted:
		t.Errorf("%v\n%x", v.Err, body)
	case string(c.Canonical()) != string(want):
		t.Errorf("%v: %x\nis written %x\nwant %x", c.Message, body, c.Canonical(), want)
	}
	return v
}

// Picks.

func isLength(s *naive.Site) bool { return s.Kind == naive.Length }
func isCount(s *naive.Site) bool  { return s.Kind == naive.Count }

func isString(s *naive.Site) bool { return isLength(s) && s.Field.Type == "string" }

// isNullableLength picks what can be null by its length or count.
func isNullableLength(s *naive.Site) bool { return (isLength(s) || isCount(s)) && s.Nullable() }

func and(picks ...func(*naive.Site) bool) func(*naive.Site) bool {
	return func(s *naive.Site) bool {
		for _, pick := range picks {
			if !pick(s) {
				return false
			}
		}
		return true
	}
}

func not(pick func(*naive.Site) bool) func(*naive.Site) bool {
	return func(s *naive.Site) bool { return !pick(s) }
}

func isVarint(s *naive.Site) bool { return s.Varint() }

func kindIs(kinds ...naive.Kind) func(*naive.Site) bool {
	return func(s *naive.Site) bool {
		for _, k := range kinds {
			if s.Kind == k {
				return true
			}
		}
		return false
	}
}

// number is n as a length or count of the place's own form.
func (p *place) number(n int) []byte {
	return naive.LengthBytes(n, p.Varint(), isString(&p.Site))
}

// past is the sentinel of a length or count in the place that is more than the
// bytes left.
func (p *place) past(n uint64) error {
	switch {
	case p.Kind == naive.Count || p.Kind == naive.TagCount:
		return fastcodec.ErrCount
	case p.Kind == naive.TagSize:
		return fastcodec.ErrTagSize
	case isString(&p.Site) && n > fastcodec.MaxString:
		return fastcodec.ErrTooLong
	}
	return fastcodec.ErrShort
}
