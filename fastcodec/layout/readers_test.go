// The two readers, Parse and Walk, against each other: prefixes of every vector,
// damaged bodies, fuzzing.

package layout

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// agree parses with both readers and returns what Parse said.
func agree(t testing.TB, m *Message, ix *Index, body []byte) error {
	err := m.Parse(ix, body)
	end, werr := m.Walk(body, nil)
	if (err == nil) != (werr == nil) || err == nil && end != ix.End() || err != nil && err.Error() != werr.Error() {
		t.Fatalf("%s v%d: Parse %v, ends at %d; Walk %v, ends at %d; body %x", m.Name(), m.version, err, ix.End(), werr, end, body)
	}
	return err
}

// TestEveryPrefixIsRefused: no strict prefix of a body that ends where its fields
// do is accepted. Both readers say why for prefixes of up to 256 bytes and, in
// bodies of up to 2 KB, around the ends of fields.
func TestEveryPrefixIsRefused(t *testing.T) {
	var ix Index
	for _, name := range []string{"vectors", "data"} {
		list := vectors(t, name)
		for i := range list {
			v := &list[i]
			m, body := v.message(t), v.body(t)
			ends := fieldEnds{at: map[int]bool{}}
			if _, err := m.Walk(body, &ends); err != nil {
				t.Fatal(err)
			}
			for n := range body {
				// Nothing is there behind the prefix, not even as capacity.
				prefix := body[:n:n]
				if n > 256 && (len(body) > 2048 || !ends.near(n)) {
					if m.check(&ix, prefix) {
						t.Fatalf("%v: prefix of %d accepted", v, n)
					}
					continue
				}
				err := agree(t, m, &ix, prefix)
				var e *fastcodec.Error
				if !errors.As(err, &e) || e.Offset > n {
					t.Fatalf("%v: prefix of %d: %v", v, n, err)
				}
			}
		}
	}
}

// fieldEnds notes where fields end.
type fieldEnds struct{ at map[int]bool }

func (f *fieldEnds) Open(*Node)    {}
func (f *fieldEnds) Close(n *Node) {}
func (f *fieldEnds) Leaf(n *Node)  { f.at[n.Offset+n.Size] = true }

func (f *fieldEnds) near(n int) bool {
	for d := -2; d <= 2; d++ {
		if f.at[n+d] {
			return true
		}
	}
	return false
}

// TestDamagedBodies: bodies changed at random have the same verdict from both
// readers, the same reason, and an index that holds what the walk shows.
func TestDamagedBodies(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 2
	}
	r := rand.New(rand.NewPCG(1, 2))
	list := vectors(t, "vectors")
	var ix Index
	var accepted, refused int
	for range rounds {
		for i := range list {
			v := &list[i]
			m := v.message(t)
			body := damage(r, v.body(t))
			if agree(t, m, &ix, body) != nil {
				refused++
				continue
			}
			accepted++
			canonical, err := m.AppendCanonical(nil, body)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(canonical, body) {
				continue
			}
			// What comes out canonical stays so.
			again, err := m.AppendCanonical(nil, canonical)
			if err != nil || !bytes.Equal(again, canonical) {
				t.Fatalf("%v: %v\n%x, then\n%x", v, err, canonical, again)
			}
		}
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
}

// damage changes a body in one of some ways.
func damage(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	if len(b) == 0 {
		return []byte{byte(r.Uint32())}
	}
	i := r.IntN(len(b))
	switch r.IntN(8) {
	case 0:
		b[i] ^= 1 << r.IntN(8)
	case 1:
		b[i] = byte(r.Uint32())
	case 2:
		b[i] = 0xff
	case 3:
		b = append(b[:i], b[min(len(b), i+1+r.IntN(4)):]...)
	case 4:
		b = append(b[:i], append([]byte{byte(r.Uint32())}, b[i:]...)...)
	case 5:
		copy(b[i:], b[r.IntN(len(b)):])
	case 6:
		b = append(b, byte(r.Uint32()))
	default:
		for range 4 {
			b[r.IntN(len(b))] = byte(r.Uint32() & 7)
		}
	}
	return b
}

// FuzzReaders: both readers say the same of any bytes as any message, and so do
// JSON and the canonical form.
func FuzzReaders(f *testing.F) {
	list := vectors(f, "vectors")
	for i := range list {
		// Small ones: executions count, not bytes.
		if v := &list[i]; (v.Flavor == "smallest" || i%8 == 0) && len(v.body(f)) <= 256 {
			f.Add(int16(v.API), v.Kind == "response", v.Version, v.body(f))
		}
	}
	var ix Index
	f.Fuzz(func(t *testing.T, key int16, response bool, version int16, body []byte) {
		m, err := For(fastcodec.APIKey(key), response, version)
		if err != nil {
			m = shapes(t, version&3)
		}
		if agree(t, m, &ix, body) != nil {
			return
		}
		// Of the whole body: how many elements without bytes are legal depends on
		// the trailing ones.
		canonical, err := m.AppendCanonical(nil, body)
		if err != nil {
			t.Fatal(err)
		}
		canonical = canonical[:len(canonical)-(len(body)-ix.End())]
		text, _, err := m.AppendJSON(nil, body)
		if err != nil {
			t.Fatal(err)
		}
		if utf8Only(m, body) && !hasOddNaN(m, body) {
			back, err := m.AppendFromJSON(nil, text)
			if err != nil || !bytes.Equal(back, canonical) {
				t.Fatalf("%v: %x from %s, canonical %x", err, back, text, canonical)
			}
		}
	})
}

// FuzzFromJSON: no text makes the reader of JSON panic, and what it accepts is
// read whole.
func FuzzFromJSON(f *testing.F) {
	list := vectors(f, "vectors")
	for i := range list {
		if v := &list[i]; v.Flavor == "smallest" || i%16 == 0 {
			text, _, err := v.message(f).AppendJSON(nil, v.body(f))
			if err != nil {
				f.Fatal(err)
			}
			if len(text) <= 1024 {
				f.Add(int16(v.API), v.Kind == "response", v.Version, text)
			}
		}
	}
	var ix Index
	f.Fuzz(func(t *testing.T, key int16, response bool, version int16, text []byte) {
		m, err := For(fastcodec.APIKey(key), response, version)
		if err != nil {
			return
		}
		body, err := m.AppendFromJSON(nil, text)
		if err != nil {
			return
		}
		if err := m.Parse(&ix, body); err != nil || ix.End() != len(body) {
			t.Fatalf("%x from %s: %v, ends at %d", body, text, err, ix.End())
		}
	})
}
