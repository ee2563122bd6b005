// A reader of the index, as accessors of typed views would read it: from it alone
// come the values, in the JSON form, to be compared with those of the walk.

package layout

import (
	"encoding/base64"
	"strconv"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/jsonform"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// indexJSON is the message that ix holds, with known tagged fields that are there.
func indexJSON(m *Message, ix *Index, body []byte) []byte {
	r := indexReader{m: m, ix: ix, b: body}
	r.structure(m.root, ix.Root(), 0)
	return r.dst
}

type indexReader struct {
	m   *Message
	ix  *Index
	b   []byte
	dst []byte
}

// structure reads a struct with the entry e; start is where it begins, for those
// that have no word for it.
func (r *indexReader) structure(t *structure, e []uint32, start uint32) {
	base := func(word int) uint32 {
		if word == slots.FromStart {
			return start
		}
		return e[word]
	}
	r.dst = append(r.dst, '{')
	for i := range t.fields {
		f := &t.fields[i]
		r.name(f.json)
		if f.slots.Shape == slots.InRun {
			r.number(f, base(f.slots.Base)+uint32(f.slots.Distance(r.m.version)))
		} else {
			r.field(f, e[f.slots.Word:])
		}
	}
	if t.flexible {
		if t.slots.TagWords > 0 && e[t.slots.Tags] != 0 {
			r.tagged(t, r.ix.Words()[e[t.slots.Tags]:])
		}
		section := base(t.slots.Section) + uint32(t.slots.SectionDistance(r.m.version))
		r.unknown(fastcodec.NewTags(r.b[section:], t.slots.KnownTags(r.m.version)))
	}
	r.dst = append(r.dst, '}')
}

func (r *indexReader) name(name string) {
	if c := r.dst[len(r.dst)-1]; c != '{' && c != '[' {
		r.dst = append(r.dst, ',')
	}
	if name != "" {
		r.dst = append(strconv.AppendQuote(r.dst, name), ':')
	}
}

// tagged reads the known tagged fields in the side block t.
func (r *indexReader) tagged(s *structure, t []uint32) {
	for i := range s.tags {
		f := &s.tags[i]
		w := t[f.slots.Word:]
		there := w[0] != 0
		switch f.slots.Shape {
		case slots.Span, slots.Numbers:
			there = w[1] != 0
		case slots.Strings, slots.Entries, slots.Strided:
			null := w[1] == slots.NullBase
			there = w[0] != 0 || null != (f.schema.Default == "null")
		}
		if !there {
			continue
		}
		r.name(f.json)
		if f.slots.Shape == slots.InRun {
			r.number(f, w[0])
		} else {
			r.field(f, w)
		}
	}
}

func (r *indexReader) unknown(tags fastcodec.Tags) {
	first := true
	for number, data := range tags.All() {
		if first {
			r.name(unknownMember)
			r.dst = append(r.dst, '[')
		}
		first = false
		r.name("")
		r.dst = append(strconv.AppendUint(append(r.dst, `{"tag":`...), uint64(number), 10), `,"data":"`...)
		r.dst = append(base64.StdEncoding.AppendEncode(r.dst, data), `"}`...)
	}
	if !first {
		r.dst = append(r.dst, ']')
	}
}

// number reads a value of fixed size.
func (r *indexReader) number(f *field, off uint32) {
	j := jsonWriter{dst: r.dst, comma: []bool{false}}
	b := r.b[off:][:f.size]
	j.Leaf(&Node{Kind: Kind(f.typ), Index: 0, Content: b, Value: integer(Kind(f.typ), b)})
	r.dst = j.dst
}

// span reads a string, bytes or records.
func (r *indexReader) span(f *field, w []uint32) {
	j := jsonWriter{dst: r.dst, comma: []bool{false}}
	n := Node{Kind: Kind(f.typ), Index: 0, Null: w[0] == 0}
	if !n.Null {
		n.Content = r.b[w[0]:w[1]]
	}
	j.Leaf(&n)
	r.dst = j.dst
}

// field reads a field with the words w.
func (r *indexReader) field(f *field, w []uint32) {
	words := r.ix.Words()
	null := false
	switch f.slots.Shape {
	case slots.Numbers:
		null = w[0] == 0
	case slots.Strings, slots.Entries, slots.Strided:
		null = w[1] == slots.NullBase
	case slots.Inline, slots.InlineFixed:
		// A struct at the front of a body has offset 0.
		null = f.nullable && (w[0] == 0 || f.tagged && w[0] == slots.ExplicitNull)
	}
	if null {
		r.dst = append(r.dst, "null"...)
		return
	}
	switch f.slots.Shape {
	case slots.Span:
		r.span(f, w)
		return
	case slots.Inline:
		r.structure(f.of, words[w[0]:], 0)
		return
	case slots.InlineFixed:
		r.structure(f.of, nil, w[0])
		return
	}
	r.dst = append(r.dst, '[')
	switch f.slots.Shape {
	case slots.Numbers:
		for off := w[0]; off < w[1]; off += uint32(f.size) {
			r.name("")
			r.number(f, off)
		}
	default:
		for i := range w[0] {
			r.name("")
			switch {
			case f.slots.Shape == slots.Strings:
				r.span(f, words[w[1]+i*slots.StringWords:])
			case f.slots.Shape == slots.Entries:
				r.structure(f.of, words[w[1]+i*uint32(f.of.slots.Words):], 0)
			case w[1]&slots.EntriesBit != 0:
				r.structure(f.of, nil, words[w[1]&^slots.EntriesBit+i])
			default:
				r.structure(f.of, nil, w[1]+i*uint32(f.of.distance()))
			}
		}
	}
	r.dst = append(r.dst, ']')
}

// TestIndexHoldsAll: the index of every vector holds every value.
func TestIndexHoldsAll(t *testing.T) {
	for _, name := range []string{"vectors", "data"} {
		list := vectors(t, name)
		for i := range list {
			v := &list[i]
			m, body := v.message(t), v.body(t)
			// A new index each time: nothing may be left from another body.
			var ix Index
			if err := m.Parse(&ix, body); err != nil {
				t.Fatalf("%v: %v", v, err)
			}
			want, _, err := m.AppendJSON(nil, body)
			if err != nil {
				t.Fatal(err)
			}
			if got := indexJSON(m, &ix, body); string(got) != string(want) {
				if d := jsonform.Differ(decode(t, got), decode(t, want), ""); d != "" {
					t.Fatalf("%v: %s\n%s, want\n%s", v, d, got, want)
				}
			}
		}
	}
}
