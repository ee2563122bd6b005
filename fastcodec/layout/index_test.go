// The index: no allocations, limits, reuse.

package layout

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// TestParseAllocatesNothing: once an Index has grown, no message at any version
// makes Parse allocate; a body that is refused costs the error.
func TestParseAllocatesNothing(t *testing.T) {
	var ix Index
	list := vectors(t, "vectors")
	for i := range list {
		v := &list[i]
		m, body := v.message(t), v.body(t)
		if n := testing.AllocsPerRun(1, func() {
			if err := m.Parse(&ix, body); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations", v, n)
		}
		if len(body) == 0 || v.Flavor != "random" {
			continue
		}
		short := body[:len(body)-1]
		if n := testing.AllocsPerRun(1, func() {
			if m.Parse(&ix, short) == nil {
				t.Fatal("accepted")
			}
		}); n != 1 {
			t.Errorf("%v: %v allocations for an error", v, n)
		}
	}
	if n := testing.AllocsPerRun(10, func() {
		if _, err := For(fastcodec.Fetch, true, 12); err != nil {
			t.Fatal(err)
		}
		if _, err := Named("RequestHeader", 2); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations to find a message", n)
	}
}

// manyTopics is a Metadata v1 request with n topics of no name.
func manyTopics(n int) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(n)), make([]byte, 2*n)...)
}

// TestIndexLimit: what needs more is refused before anything is reserved, and the
// Index stays usable. Elements with entries, strings, single structs, side blocks
// and elements with unknown tags all count.
func TestIndexLimit(t *testing.T) {
	m, err := For(fastcodec.Metadata, false, 1)
	if err != nil {
		t.Fatal(err)
	}
	var ix Index
	body := manyTopics(140000) // L4: many are fine by themselves
	if err := m.Parse(&ix, body); err != nil {
		t.Fatal(err)
	}
	need := len(ix.Words())
	ix.SetLimit(need)
	if err := m.Parse(&ix, body); err != nil {
		t.Error("at the limit:", err)
	}
	ix.SetLimit(need - 1)
	err = m.Parse(&ix, body)
	const want = "MetadataRequest v1: Topics: offset 0: index limit exceeded: want fewer index entries"
	if !errors.Is(err, fastcodec.ErrIndexLimit) || err.Error() != want || len(ix.Words()) > 2 {
		t.Errorf("%v, %d words", err, len(ix.Words()))
	}
	if err := m.Parse(&ix, manyTopics(3)); err != nil || ix.End() != 10 {
		t.Error("after it:", err)
	}

	shape := shapes(t, 3)
	full, err := shape.AppendFromJSON(nil, []byte(fullShape))
	if err != nil {
		t.Fatal(err)
	}
	ix.SetLimit(0)
	if err := shape.Parse(&ix, full); err != nil {
		t.Fatal(err)
	}
	need = len(ix.Words())
	for limit := 2; limit < need; limit++ {
		var ix Index
		ix.SetLimit(limit)
		if err := shape.Parse(&ix, full); !errors.Is(err, fastcodec.ErrIndexLimit) {
			t.Errorf("limit %d of %d: %v", limit, need, err)
		}
	}
}

// TestIndexIsGivenBack: one huge body does not pin memory for good.
func TestIndexIsGivenBack(t *testing.T) {
	m, err := For(fastcodec.Metadata, false, 1)
	if err != nil {
		t.Fatal(err)
	}
	var ix Index
	if err := m.Parse(&ix, manyTopics(keepWords)); err != nil {
		t.Fatal(err)
	}
	if err := m.Parse(&ix, manyTopics(1)); err != nil {
		t.Fatal(err)
	}
	if len(ix.words) > keepWords {
		t.Errorf("%d words kept", len(ix.words))
	}
}

// TestIndexIsTheSameAfterGrowth: a parse that had to start again leaves what one
// with room leaves.
func TestIndexIsTheSameAfterGrowth(t *testing.T) {
	list := vectors(t, "vectors")
	for i := range list {
		v := &list[i]
		m, body := v.message(t), v.body(t)
		var small, large Index
		small.words = make([]uint32, 2)
		large.words = make([]uint32, 1<<16)
		if err := errors.Join(m.Parse(&small, body), m.Parse(&large, body)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(indexJSON(m, &small, body), indexJSON(m, &large, body)) || len(small.Words()) != len(large.Words()) {
			t.Fatalf("%v: indexes differ", v)
		}
	}
}
