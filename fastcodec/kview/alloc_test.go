package kview_test

// Allocations.

import (
	"testing"

	"github.com/kafkawire/kafkawire/fuzz/check"
	"github.com/kafkawire/kafkawire/internal/naive"
)

// TestNoAllocations: parsing, and reading every field by accessors, At loops and
// iterators, allocates nothing once the index has grown, for any message at any
// version; nor does copying into a struct and writing that.
func TestNoAllocations(t *testing.T) {
	if reduced {
		t.Skip("the plain build says it; others allocate for their own ends")
	}
	seen := map[*check.Message]bool{}
	run := func(m *check.Message, body []byte) {
		seen[m] = true
		view, codec := m.New(), m.Codec
		byIndex, byIterator := &naive.Dump{}, &naive.Dump{Iterate: true}
		wantNone := func(what string, f func()) {
			t.Helper()
			if n := testing.AllocsPerRun(1, f); n != 0 {
				t.Errorf("%v, %d bytes: %s: %v allocations", m, len(body), what, n)
			}
		}
		parse := func() {
			if err := view.Parse(body, m.Version); err != nil {
				t.Fatal(err)
			}
		}
		wantNone("parse", parse)
		wantNone("read by index", func() { byIndex.Reset(); m.Read(byIndex, view) })
		wantNone("read by iterators", func() { byIterator.Reset(); m.Read(byIterator, view) })
		if string(byIndex.Buf) != string(byIterator.Buf) {
			t.Errorf("%v, %d bytes: index and iterators give other values", m, len(body))
		}
		if codec == nil {
			return
		}
		c := codec()
		var out []byte
		wantNone("parse, copy and append", func() {
			err := c.View.Parse(body, m.Version)
			if err == nil {
				c.Copy()
				out, err = c.Data.AppendTo(out[:0], m.Version)
			}
			if err != nil {
				t.Fatalf("%v: %v", m, err)
			}
		})
	}
	for _, file := range []string{"vectors", "data"} {
		for _, in := range inputs(t, file) {
			run(in.Message, in.body)
		}
	}
	for _, m := range everyVersion(t) {
		v := m.Naive.Full()
		run(m, m.Naive.Write(&v, nil))
	}
	for _, m := range everyVersion(t) {
		if !seen[m] {
			t.Errorf("%v has no input", m)
		}
	}
}
