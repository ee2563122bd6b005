package rewrite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/internal/naive"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// everything are edits that change every entity and every address.
func everything() Edits {
	e := readdressed
	e.Topics, e.Groups, e.Transactions, e.Clusters = renamed, renamed, renamed, renamed
	e.Brokers, e.Producers = IDs{shifted, shifted}, IDs{turned, turned}
	return e
}

// leaf is a part of a message as it stands there.
type leaf struct {
	kind layout.Kind
	name string
	raw  string
}

type leaves struct {
	body []byte
	list []leaf
}

func (l *leaves) Open(n *layout.Node)  {}
func (l *leaves) Close(n *layout.Node) {}
func (l *leaves) Leaf(n *layout.Node) {
	l.list = append(l.list, leaf{n.Kind, n.Name, string(l.body[n.Offset : n.Offset+n.Size])})
}

// leavesOf are the parts of a body, and what is behind them.
func leavesOf(t testing.TB, m *layout.Message, body []byte) []leaf {
	t.Helper()
	l := leaves{body: body}
	end, err := m.Walk(body, &l)
	if err != nil {
		t.Fatalf("%s v%d: %v\n%x", m.Name(), m.Version(), err, body)
	}
	return append(l.list, leaf{name: "trailing", raw: string(body[end:])})
}

// editable are the fields of each message that hold an entity or an address.
func editable(t testing.TB) map[string]bool {
	fields := map[string]bool{}
	for _, row := range rows(t, "entities.tsv.gz") {
		steps := strings.Split(strings.TrimSuffix(row["path"], "[]"), ".")
		fields[row["message"]+"."+steps[len(steps)-1]] = true
	}
	for _, row := range rows(t, "endpoints.tsv.gz") {
		fields[row["message"]+"."+row["host_field"]] = true
		fields[row["message"]+"."+row["port_field"]] = true
	}
	return fields
}

// sameElsewhere holds that every part of the message is as it was, but for fields
// that may be edited and the sizes of tagged fields around them.
func sameElsewhere(t testing.TB, m *layout.Message, was, is []byte, fields map[string]bool) {
	t.Helper()
	a, b := leavesOf(t, m, was), leavesOf(t, m, is)
	if len(a) != len(b) {
		t.Fatalf("%s v%d: %d parts, were %d", m.Name(), m.Version(), len(b), len(a))
	}
	for i := range a {
		switch {
		case a[i] == b[i]:
		case a[i].kind != b[i].kind || a[i].name != b[i].name:
			t.Fatalf("%s v%d: part %d is %v, was %v", m.Name(), m.Version(), i, b[i], a[i])
		case a[i].kind != layout.TagSize && a[i].name != "ClusterId" && !fields[m.Name()+"."+a[i].name]:
			t.Fatalf("%s v%d: %s is %x, was %x", m.Name(), m.Version(), a[i].name, b[i].raw, a[i].raw)
		}
	}
}

// odd writes a value in legal ways that no writer uses: varints longer than need be,
// tagged fields in any order, bytes behind the last field.
func odd(s *naive.Struct, v *naive.Value, r *rand.Rand) []byte {
	r.Shuffle(len(v.Tags), func(i, j int) { v.Tags[i], v.Tags[j] = v.Tags[j], v.Tags[i] })
	body := s.Write(v, func(_ int, site *naive.Site) ([]byte, bool) {
		if !site.Varint() || r.IntN(2) == 0 {
			return nil, false
		}
		n := uint64(uint32(site.N)) // a tag number may be negative as an int of 32 bits
		if site.Kind == naive.Length || site.Kind == naive.Count {
			n = uint64(site.N + 1)
		}
		return naive.Padded(n, min(len(naive.Uvarint(n))+1+r.IntN(2), 5)), false
	})
	return append(body, "tail"[:r.IntN(5)]...)
}

// Legal input that no writer would write keeps its bytes outside of what is edited.
func TestOddInput(t *testing.T) {
	oneGoroutine(t)
	fields := editable(t)
	edit, identity, forced := compiled(t, everything(), false), compiled(t, same(), false), compiled(t, same(), true)
	random := rand.New(rand.NewPCG(1, 2))
	apis, err := schema.Load()
	if err != nil {
		t.Fatal(err)
	}
	edited := 0
	for _, a := range apis {
		for _, m := range a.Messages {
			for version := m.Valid.Min; a.Key >= 0 && version <= m.Valid.Max; version++ {
				v := &vector{API: fastcodec.APIKey(a.Key), Name: a.Name, Kind: strings.ToLower(strings.TrimPrefix(m.Name, a.Name)), Version: version}
				if v.API == fastcodec.APIVersions && v.response() {
					continue
				}
				s, err := naive.Parse(m.Layout(version, true))
				if err != nil {
					t.Fatal(err)
				}
				l := messageAt(t, v.API, v.response(), version)
				head := headOf(v, l.HeaderVersion())
				for range 4 {
					value := s.Random(random, false)
					frame := frameOf(append(bytes.Clone(head), 0), len(head), odd(s, &value, random))
					for _, r := range []*Rewriter{identity, forced} {
						out, changed, err := r.run(frame, v.response(), contextOf(v, 0))
						if errors.Is(err, ErrRefused) {
							continue
						}
						if err != nil || changed && !bytes.Equal(out, frame) || changed && !r.force {
							t.Fatalf("%v: %v, changed %v\n got %x\nwant %x", v, err, changed, out, frame)
						}
					}
					out, changed, err := edit.run(frame, v.response(), contextOf(v, 1))
					if err != nil && !errors.Is(err, ErrRefused) {
						t.Fatalf("%v: %v", v, err)
					}
					if changed {
						edited++
						sameElsewhere(t, l, frame[len(head):], out[len(head):], fields)
					}
				}
			}
		}
	}
	if edited < 1500 {
		t.Errorf("%d frames were edited", edited)
	}
}

// headOf is a frame's size and header.
func headOf(v *vector, headerVersion int16) []byte {
	if v.response() {
		return append([]byte{0, 0, 0, 0, 0, 0, 0, 7}, make([]byte, headerVersion)...)
	}
	head := []byte{0, 0, 0, 0, byte(v.API >> 8), byte(v.API), byte(v.Version >> 8), byte(v.Version), 0, 0, 0, 7}
	if headerVersion > 0 {
		head = append(head, "\x00\x06client"...)
	}
	if headerVersion > 1 {
		head = append(head, "\x01\x63\x02\xaa\xbb"...) // an unknown tagged field
	}
	return head
}

// Damaged bodies: those that the codec accepts are edited, and keep their bytes
// elsewhere; those that it refuses are refused with the same error, unless what is
// wrong stands behind the last field that could be edited.
func TestDamagedInput(t *testing.T) {
	oneGoroutine(t)
	fields := editable(t)
	edit, identity, forced := compiled(t, everything(), false), compiled(t, same(), false), compiled(t, same(), true)
	edited, refused, unread := 0, 0, 0
	lines(t, "vectors/verdicts.jsonl.gz", func(line []byte) {
		var d struct {
			vector
			Bytes string
		}
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		v, body := &d.vector, unhex(d.Bytes)
		if v.API == fastcodec.APIVersions && v.response() {
			return // the version of the body depends on it: see TestVersions
		}
		l := messageAt(t, v.API, v.response(), v.Version)
		head := headOf(v, l.HeaderVersion())
		frame := frameOf(append(bytes.Clone(head), 0), len(head), body)
		_, want := l.Walk(body, nil)
		dst := append(make([]byte, 0, 16), "kept"...)
		out, changed, err := edit.run(frame, v.response(), contextOf(v, 1))
		var e, w *fastcodec.Error
		switch {
		case errors.Is(err, ErrRefused):
		case err != nil && !errors.As(err, &e):
			t.Fatalf("%v: %v", v, err)
		case want == nil && err != nil:
			t.Fatalf("%v: %v\n%x", v, err, body)
		case want == nil && changed:
			edited++
			sameElsewhere(t, l, body, out[len(head):], fields)
		case want == nil:
		case err != nil:
			refused++
			if errors.As(want, &w); *e != *w {
				t.Fatalf("%v: %v, want %v", v, err, want)
			}
		default:
			unread++
			errors.As(want, &w)
			if stop := stopOf(t, edit, frame, len(head), v); stop > len(head)+w.Offset+maxTagged(w) {
				t.Fatalf("%v: read up to %d of %d without noticing: %v\n%x", v, stop-len(head), len(body), want, body)
			}
		}
		for _, r := range []*Rewriter{identity, forced} {
			out, changed, err := r.run(frame, v.response(), contextOf(v, 1))
			if err == nil && changed && !bytes.Equal(out, frame) || changed && !r.force {
				t.Fatalf("%v: changed %v, %v\n got %x\nwant %x", v, changed, err, out, frame)
			}
		}
		if err != nil {
			if out, _, _ := edit.Request(dst, frame, nil); !v.response() && !bytes.Equal(out, []byte("kept")) {
				t.Fatalf("%v: dst is %q after an error", v, out)
			}
		}
	})
	t.Logf("%d edited, %d refused, %d where the damage is not read", edited, refused, unread)
	if edited < 2000 || refused < 2000 {
		t.Errorf("%d edited, %d refused", edited, refused)
	}
}

// stopOf is how far into the frame the rewriting reads.
func stopOf(t testing.TB, r *Rewriter, frame []byte, at int, v *vector) int {
	t.Helper()
	p, err := r.find(v.API, v.Version, v.response())
	if err != nil {
		t.Fatal(err)
	}
	if !p.touched {
		return 0
	}
	s := state{src: frame, ctx: contextOf(v, 1), plan: p}
	return s.run(frame, p.program, at, 1)
}

// maxTagged is how far behind the offset of an error something may have been read:
// that of a length or count comes before what it is about.
func maxTagged(e *fastcodec.Error) int {
	if e.Path.Len() > 0 {
		return 8
	}
	return 0
}

func (l leaf) String() string { return fmt.Sprintf("%v %s %x", l.kind, l.name, l.raw) }
