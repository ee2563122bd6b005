package kview_test

// Rows T: tagged fields.

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/fuzz/check"
	"github.com/kafkawire/kafkawire/internal/naive"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// sections calls each for every struct with a tag section inside of a full instance
// of every message, and puts the struct's tagged fields back afterwards. path ends
// in a dot, or is empty.
func sections(t *testing.T, each func(c *check.Checker, root *naive.Value, s *naive.Struct, v *naive.Value)) {
	t.Helper()
	n := 0
	for _, m := range everyVersion(t) {
		c, root := m.Checker(), m.Naive.Full()
		m.Naive.Each(&root, func(_ *naive.Field, s *naive.Struct, v *naive.Value) {
			if s == nil || !s.Flexible || t.Failed() {
				return
			}
			n++
			tags, known := v.Tags, slices.Clone(v.Known)
			v.Tags = slices.Clone(tags)
			each(c, &root, s, v)
			v.Tags, v.Known = tags, known
		})
	}
	if n == 0 {
		t.Error("no struct has a tag section")
	}
	t.Logf("%d sections", n)
}

func unknown(number uint32, data string) naive.Tag {
	return naive.Tag{Number: number, Data: []byte(data)}
}

func unknownTags(t *testing.T) {
	sections(t, func(c *check.Checker, root *naive.Value, s *naive.Struct, v *naive.Value) {
		for _, more := range [][]naive.Tag{
			{unknown(99, "")},
			{unknown(32, "\x00"), unknown(63, "x"), unknown(64, "y")}, // as bits of a mask they would be tags 0 and 31
			{unknown(99, "one"), unknown(99, "two"), unknown(99, "one"), unknown(math.MaxUint32, "last")},
			{unknown(1000, string(bytes.Repeat([]byte{'x'}, 127))), unknown(1001, string(bytes.Repeat([]byte{'x'}, 128)))},
		} {
			v.Tags = append(v.Tags[:len(v.Tags):len(v.Tags)], more...)
			if got := wantAccepted(t, c, c.Naive.Write(root, nil), nil); got.Odd != 0 {
				t.Errorf("%v: odd %v", c.Message, got.Odd.Names())
			}
			v.Tags = v.Tags[:len(v.Tags)-len(more)]
		}
	})
}

func tagsPastTheEnd(t *testing.T) {
	places(t, kindIs(naive.TagCount), func(p *place) {
		p.refused(p.with([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, false), fastcodec.ErrCount)
		// Each has at least two bytes.
		body := p.with(naive.Padded(0, 4), false)
		left := len(body) - p.Offset - 4
		p.refused(p.with(naive.Padded(uint64(left/2+1), 4), false), fastcodec.ErrCount)
	})
	places(t, kindIs(naive.TagSize), func(p *place) {
		p.refused(p.with([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, false), fastcodec.ErrTagSize)
		body := p.with(naive.Padded(0, 4), false)
		left := len(body) - p.Offset - 4
		path := p.Path
		p.refusedAt(p.with(naive.Padded(uint64(left+1), 4), false), fastcodec.ErrTagSize, path, p.Offset)
	})
}

func tagsOutOfOrder(t *testing.T) {
	n := 0
	sections(t, func(c *check.Checker, root *naive.Value, s *naive.Struct, v *naive.Value) {
		v.Tags = append(v.Tags, unknown(70, "a"), unknown(80, "b"), unknown(80, "c"))
		sorted := c.Naive.Write(root, nil)
		in := slices.Clone(v.Tags)
		for range 3 {
			// The two of equal number keep their order.
			v.Tags = append(slices.Clone(in[1:]), in[0])
			in = slices.Clone(v.Tags)
			if i, j := slices.IndexFunc(in, is("b")), slices.IndexFunc(in, is("c")); i > j {
				v.Tags[i], v.Tags[j] = v.Tags[j], v.Tags[i]
			}
			if slices.IsSortedFunc(v.Tags, func(a, b naive.Tag) int { return int(int64(a.Number) - int64(b.Number)) }) {
				continue
			}
			n++
			if got := wantAccepted(t, c, c.Naive.Write(root, nil), sorted); got.Odd != naive.OddOrder {
				t.Errorf("%v: odd %v", c.Message, got.Odd.Names())
			}
		}
	})
	if n == 0 {
		t.Error("none was out of order")
	}
}

func is(data string) func(naive.Tag) bool {
	return func(t naive.Tag) bool { return string(t.Data) == data && !t.Known }
}

func tagTwice(t *testing.T) {
	n := 0
	sections(t, func(c *check.Checker, root *naive.Value, s *naive.Struct, v *naive.Value) {
		for i, first := range v.Tags {
			if !first.Known {
				continue
			}
			old := v.Tags
			for _, at := range []int{i + 1, len(v.Tags)} {
				v.Tags = slices.Insert(slices.Clone(old), at, first)
				n++
				body, sites := c.Naive.Sites(root, nil)
				second := repeated(sites)
				wantRefused(t, c, body, fastcodec.ErrTagRepeated, second.Path, second.Offset)
			}
			v.Tags = old
		}
	})
	if n == 0 {
		t.Error("no known tags")
	}
}

// repeated is the second of two places with the number of one tag in one struct;
// what is inside of the tag stands twice as well, behind its number.
func repeated(sites []naive.Site) naive.Site {
	type tag struct {
		path   string
		number int
	}
	seen := map[tag]bool{}
	second := naive.Site{Offset: math.MaxInt}
	for _, s := range sites {
		if s.Kind != naive.TagNumber {
			continue
		}
		if seen[tag{s.Path, s.N}] && s.Offset < second.Offset {
			second = s
		}
		seen[tag{s.Path, s.N}] = true
	}
	return second
}

func wrongTagSize(t *testing.T) {
	places(t, func(s *naive.Site) bool { return s.Kind == naive.TagSize && s.Field != nil }, func(p *place) {
		path := strings.TrimSuffix(p.Path, "tagged_fields") + p.Field.Name
		for _, size := range []int{p.N - 1, p.N + 1, p.N + 2, 0} {
			number := naive.Padded(uint64(size), 4)
			// What the size says is there, though no field of the message.
			body := append(p.with(number, false), 0, 0)
			p.refusedAt(body, fastcodec.ErrTagSize, path, p.Offset+len(number))
		}
	})
}

func earlyTags(t *testing.T) {
	n := 0
	sections(t, func(c *check.Checker, root *naive.Value, s *naive.Struct, v *naive.Value) {
		for _, f := range c.Structs[s].Fields {
			if !f.IsTagged() || f.Tagged.Has(c.Version) {
				continue
			}
			n++
			old := v.Tags
			v.Tags = append(slices.Clone(old), unknown(uint32(f.Tag), "anything"))
			v.SortTags()
			if got := wantAccepted(t, c, c.Naive.Write(root, nil), nil); got.Odd != 0 || !c.EarlyTag(&got.Value) {
				t.Errorf("%v: %s: odd %v", c.Message, f.Name, got.Odd.Names())
			}
			v.Tags = old
		}
	})
	if n == 0 {
		t.Error("no tag has a version below its first")
	}
	m := byName(t)("ProduceResponse", 9)
	body := append(bytes.TrimSuffix(m.Layout.AppendSmallest(nil), []byte{0}), 1, 0, 2, 0xab, 0xcd)
	var view kview.ProduceResponse
	if err := view.Parse(body, 9); err != nil {
		t.Fatal(err)
	}
	if tags := view.UnknownTags().AppendTo(nil); len(tags) != 1 || tags[0].Number != 0 || string(tags[0].Data) != "\xab\xcd" || view.NodeEndpoints().Len() != 0 {
		t.Errorf("Produce v9: %v, %d endpoints", tags, view.NodeEndpoints().Len())
	}
}

func explicitDefaults(t *testing.T) {
	n := 0
	sections(t, func(c *check.Checker, root *naive.Value, s *naive.Struct, v *naive.Value) {
		tags := v.Tags
		for i, f := range s.Tags {
			v.Tags = slices.DeleteFunc(slices.Clone(tags), func(t naive.Tag) bool { return t.Known && t.Number == f.Tag })
			without := c.Naive.Write(root, nil)
			d := naive.DefaultOf(f)
			old := v.Known[i]
			v.Known[i] = &d
			v.Tags = append(v.Tags, naive.Tag{Number: f.Tag, Known: true})
			v.SortTags()
			n++
			if got := wantAccepted(t, c, c.Naive.Write(root, nil), without); got.Odd != naive.OddDefault {
				t.Errorf("%v: %s: odd %v", c.Message, f.Name, got.Odd.Names())
			}
			v.Known[i] = old
		}
	})
	if n == 0 {
		t.Error("no known tags")
	}
}

// defaultsLeftOut: what Kafka's defaults make has no tagged field, and none that is
// set to its default is written.
func defaultsLeftOut(t *testing.T) {
	for _, m := range everyVersion(t) {
		if m.Codec == nil {
			continue
		}
		body, err := newStruct(m.Schema).AppendTo(nil, m.Version)
		if err != nil {
			t.Errorf("%v: %v", m, err)
			continue
		}
		got := wantAccepted(t, m.Checker(), body, nil)
		m.Naive.Each(&got.Value, func(_ *naive.Field, s *naive.Struct, v *naive.Value) {
			if len(v.Tags) > 0 {
				t.Errorf("%v: %x has tags", m, body)
			}
		})
	}
	n := 0
	structFields(t, func(f *field) {
		if !f.there || !f.schema.IsTagged() {
			return
		}
		n++
		setDefault(f.schema, f.value)
		if got := wantAccepted(t, f.Checker(), f.encode(), nil); got.Odd != 0 {
			t.Errorf("%v: %s: odd %v", f.Message, f.path, got.Odd.Names())
		}
	})
	if n == 0 {
		t.Error("no tagged fields")
	}
}

// newStruct is a struct with Kafka's defaults.
func newStruct(s *schema.Message) kdata.Message {
	switch s.Kind {
	case schema.Request:
		return kdata.NewRequest(fastcodec.APIKey(s.API.Key))
	case schema.Response:
		return kdata.NewResponse(fastcodec.APIKey(s.API.Key))
	}
	return kdata.NewNamed(s.Name)
}

func tagsAmongKnown(t *testing.T) {
	between := 0
	sections(t, func(c *check.Checker, root *naive.Value, s *naive.Struct, v *naive.Value) {
		known := map[uint32]bool{}
		highest := uint32(0)
		for _, f := range s.Tags {
			known[f.Tag] = true
			highest = max(highest, f.Tag)
		}
		for number := range highest + 2 {
			if !known[number] {
				v.Tags = append(v.Tags, unknown(number, "first"), unknown(number, ""), unknown(number, "last"))
				if number < highest {
					between++
				}
			}
		}
		v.SortTags()
		if got := wantAccepted(t, c, c.Naive.Write(root, nil), nil); got.Odd != 0 {
			t.Errorf("%v: odd %v", c.Message, got.Odd.Names())
		}
	})
	if between == 0 {
		t.Error("none between known ones")
	}
}

func unknownTagKnown(t *testing.T) {
	refused, written, unsupported := 0, 0, 0
	walkStructs(t, func(m *check.Message, data kdata.Message, s *schema.Struct, v reflect.Value, path string) {
		tags := v.FieldByName("UnknownTags")
		if !tags.IsValid() {
			return
		}
		old := tags.Interface().([]fastcodec.Tag)
		defer func() { tags.Set(reflect.ValueOf(old)) }()
		set := func(list ...fastcodec.Tag) { tags.Set(reflect.ValueOf(list)) }
		if !m.Flexible() {
			unsupported++
			set(fastcodec.Tag{Number: 99})
			wantEncodeError(t, m, data, fastcodec.ErrTagsNotSupported, path+"tagged_fields")
			return
		}
		for _, f := range s.Fields {
			if !f.IsTagged() {
				continue
			}
			set(fastcodec.Tag{Number: 99}, fastcodec.Tag{Number: uint32(f.Tag), Data: []byte("x")}, fastcodec.Tag{Number: 98})
			if f.Tagged.Has(m.Version) {
				refused++
				wantEncodeError(t, m, data, fastcodec.ErrTagKnown, path+"tagged_fields")
				continue
			}
			written++
			body, err := data.AppendTo(nil, m.Version)
			if err != nil {
				t.Errorf("%v: %s: %v", m, path, err)
			}
			if got := wantAccepted(t, m.Checker(), body, nil); got.Odd != 0 || !m.EarlyTag(&got.Value) {
				t.Errorf("%v: %s: odd %v", m, path, got.Odd.Names())
			}
		}
	})
	if refused == 0 || written == 0 || unsupported == 0 {
		t.Errorf("%d refused, %d written, %d at versions without tags", refused, written, unsupported)
	}
	t.Logf("%d refused, %d written, %d at versions without tags", refused, written, unsupported)
}

func plainTagSize(t *testing.T) {
	m := byName(t)("FetchRequest", 12)
	front := bytes.TrimSuffix(m.Layout.AppendSmallest(nil), []byte{0})
	body := append(bytes.Clone(front), check.Hex("01"+"00"+"04"+"04616263")...)
	var view kview.FetchRequest
	if err := view.Parse(body, 12); err != nil || string(view.ClusterID()) != "abc" {
		t.Errorf("%v, %q", err, view.ClusterID())
	}
	wantAccepted(t, m.Checker(), body, nil)
	body = append(bytes.Clone(front), check.Hex("01"+"00"+"05"+"04616263"+"00")...)
	wantRefused(t, m.Checker(), body, fastcodec.ErrTagSize, "ClusterId", len(front)+3)
}

// manyTags: 1 MB of them in some messages, 32 KB in all.
func manyTags(t *testing.T) {
	const mega = 1 << 19
	messages := everyVersion(t)
	for i, m := range messages {
		if !m.Flexible() || i+1 < len(messages) && messages[i+1].Schema == m.Schema {
			continue // the highest version only
		}
		n := 1 << 14
		if i%16 == 0 {
			n = mega
		}
		front := bytes.TrimSuffix(m.Layout.AppendSmallest(nil), []byte{0})
		front = append(front, naive.Uvarint(uint64(n))...)
		view := m.New()
		var ix layout.Index
		for _, ascending := range []bool{true, false} {
			body := bytes.Clone(front)
			for j := range n {
				number := byte(40 + j%80)
				if ascending {
					number = byte(40 + j/(n/80+1))
				}
				body = append(body, number, 0)
			}
			start := time.Now()
			if err := view.Parse(body, m.Version); err != nil || len(view.Trailing()) > 0 {
				t.Errorf("%v: %v, %d bytes left", m, err, len(view.Trailing()))
			}
			if err := m.Layout.Parse(&ix, body); err != nil || ix.End() != len(body) {
				t.Errorf("%v: engine: %v, ends at %d of %d", m, err, ix.End(), len(body))
			}
			tags := reflect.ValueOf(view).MethodByName("UnknownTags").Call(nil)[0].Interface().(fastcodec.Tags)
			if tags.Len() != n {
				t.Errorf("%v: %d tags", m, tags.Len())
			}
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("%v: took %v", m, d)
			}
			if reduced {
				continue
			}
			if a := testing.AllocsPerRun(1, func() { view.Parse(body, m.Version) }); a != 0 {
				t.Errorf("%v: %v allocations", m, a)
			}
			if a := testing.AllocsPerRun(1, func() { m.Layout.Parse(&ix, body) }); a != 0 {
				t.Errorf("%v: engine: %v allocations", m, a)
			}
		}
	}
	// Written again they are in order.
	m := byName(t)("HeartbeatRequest", 4)
	body := append(bytes.TrimSuffix(m.Layout.AppendSmallest(nil), []byte{0}), naive.Uvarint(mega)...)
	sorted := bytes.Clone(body)
	for j := range mega {
		body = append(body, byte(40+j%2), 0)
		sorted = append(sorted, byte(40+j/(mega/2)), 0)
	}
	start := time.Now()
	wantAccepted(t, m.Checker(), body, sorted)
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
}
