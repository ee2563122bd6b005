// Random instances of every message and of the shapes under
// internal/schema/testapis: bytes in canonical form, made by the plan.

package layout

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/internal/fault"
	"github.com/kafkawire/kafkawire/internal/jsonform"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// allMessages is every message at every version: Kafka's, then the test shapes.
func allMessages(t testing.TB) []*Message {
	apis, err := schema.Load()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../internal/schema/testapis/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no test shapes", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		api, err := schema.ParseAPI(name, text)
		if err != nil {
			t.Fatal(err)
		}
		apis = append(apis, api)
	}
	var all []*Message
	for _, api := range apis {
		for _, s := range api.Messages {
			f := newFamily(s)
			for v := s.Valid.Min; v <= s.Valid.Max; v++ {
				m, err := f.at(v)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, m)
			}
		}
	}
	for v := int16(0); v <= 3; v++ {
		all = append(all, shapes(t, v))
	}
	return all
}

// instances makes random bodies.
type instances struct{ *rand.Rand }

func (r instances) structure(dst []byte, t *structure) []byte {
	for i := range t.fields {
		dst = r.field(dst, &t.fields[i])
	}
	if !t.flexible {
		return dst
	}
	var tags []fastcodec.Tag
	for i := range t.tags {
		f := &t.tags[i]
		if payload := r.field(nil, f); r.IntN(2) == 0 && !f.isDefault(payload) {
			tags = append(tags, fastcodec.Tag{Number: uint32(f.schema.Tag), Data: payload})
		}
	}
	for r.IntN(6) == 0 {
		number := r.Uint32() >> r.IntN(32)
		if t.tag(number) == nil {
			tags = append(tags, fastcodec.Tag{Number: number, Data: r.bytes(5)})
		}
	}
	return fastcodec.AppendTags(dst, tags)
}

// hasNoBytes reports whether f is an array whose elements can have no bytes.
func (f *field) hasNoBytes() bool {
	return f.array && f.of != nil && len(f.of.appendSmallest(nil)) == 0
}

func (r instances) bytes(most int) []byte {
	b := make([]byte, r.IntN(most))
	for i := range b {
		b[i] = byte(' ' + r.IntN(95))
	}
	return b
}

func (r instances) field(dst []byte, f *field) []byte {
	null := f.nullable && r.IntN(3) == 0
	switch {
	case f.array && null:
		return appendLength(dst, f.kind, -1)
	case f.array:
		n := r.IntN(4)
		if f.hasNoBytes() {
			n = 0 // how many are legal depends on what follows
		}
		dst = appendLength(dst, f.kind, n)
		for range n {
			dst = r.value(dst, f, f.element)
		}
		return dst
	case f.of != nil:
		if f.nullable {
			dst = appendMarker(dst, f, null)
		}
		if null {
			return dst
		}
	case null:
		return appendLength(dst, f.kind, -1)
	}
	return r.value(dst, f, f.kind)
}

func (r instances) value(dst []byte, f *field, k fault.Kind) []byte {
	switch {
	case f.of != nil:
		return r.structure(dst, f.of)
	case f.typ == schema.Bool:
		return append(dst, byte(r.IntN(2)))
	case f.typ == schema.Float64:
		return fastcodec.AppendFloat64(dst, r.NormFloat64())
	case f.size > 0:
		b := make([]byte, f.size)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return append(dst, b...)
	}
	most := 6
	if r.IntN(8) == 0 {
		most = 300
	}
	b := r.bytes(most)
	return append(appendLength(dst, k, len(b)), b...)
}

// TestRandomInstances: whatever can be said is read by both readers, found in the
// index, and comes out of JSON and of the canonical form byte for byte; damaged,
// both readers agree on it.
func TestRandomInstances(t *testing.T) {
	r := instances{rand.New(rand.NewPCG(5, 6))}
	rounds := 6
	if testing.Short() {
		rounds = 1
	}
	var refused, accepted int
	for _, m := range allMessages(t) {
		for range rounds {
			body := r.structure(nil, m.root)
			var ix Index
			if err := agree(t, m, &ix, body); err != nil || ix.End() != len(body) {
				t.Fatalf("%s v%d: %v, ends at %d of %d", m.Name(), m.version, err, ix.End(), len(body))
			}
			text, _, err := m.AppendJSON(nil, body)
			if err != nil {
				t.Fatal(err)
			}
			if d := jsonform.Differ(decode(t, indexJSON(m, &ix, body)), decode(t, text), ""); d != "" {
				t.Fatalf("%s v%d: %s", m.Name(), m.version, d)
			}
			again, err := m.AppendFromJSON(nil, text)
			if err != nil || !bytes.Equal(again, body) {
				t.Fatalf("%s v%d: %v\n%x from %s, want\n%x", m.Name(), m.version, err, again, text, body)
			}
			again, err = m.AppendCanonical(nil, body)
			if err != nil || !bytes.Equal(again, body) {
				t.Fatalf("%s v%d: %v\n%x, want\n%x", m.Name(), m.version, err, again, body)
			}
			for range 4 {
				if agree(t, m, &ix, damage(r.Rand, body)) == nil {
					accepted++
				} else {
					refused++
				}
			}
		}
	}
	t.Logf("damaged: %d accepted, %d refused", accepted, refused)
}

// TestSmallestIsWhole: the smallest instance of everything parses whole, and every
// prefix of it is refused.
func TestSmallestIsWhole(t *testing.T) {
	var ix Index
	for _, m := range allMessages(t) {
		body := m.AppendSmallest(nil)
		if err := agree(t, m, &ix, body); err != nil {
			if slices.ContainsFunc(m.root.fields, func(f field) bool { return f.hasNoBytes() }) {
				continue // one element without bytes may be more than the bytes left allow
			}
			t.Fatalf("%s v%d: %v", m.Name(), m.version, err)
		}
		if ix.End() != len(body) {
			t.Fatalf("%s v%d: ends at %d of %d", m.Name(), m.version, ix.End(), len(body))
		}
		for n := range body {
			if agree(t, m, &ix, body[:n:n]) == nil {
				t.Fatalf("%s v%d: prefix of %d accepted", m.Name(), m.version, n)
			}
		}
	}
}
