package check

// One input, all readers.

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/internal/naive"
)

// Verdict is what the readers say of an input, where they agree.
type Verdict struct {
	Accepted bool
	End      int              // where the fields end
	Odd      naive.Oddity     // how the input differs from what a writer writes
	Err      *fastcodec.Error // why it was refused
	Value    naive.Value      // what was accepted
}

// Checker checks inputs as one message. It is for one goroutine; its view, index
// and struct are used again for each input.
type Checker struct {
	*Message
	View      kview.Message
	Index     layout.Index
	codec     *kview.Codec // nil where the message has no struct
	want, got naive.Dump
	walk      walkDump
	rounds    int
	canonical []byte
	written   []byte
}

// Canonical is what the last body that Check accepted is when it is written again,
// with the bytes behind its fields. It is valid until the next Check.
func (c *Checker) Canonical() []byte { return c.canonical }

// Struct is the view with the struct that the last body that Check accepted was
// copied into, or nil where the message has none. Its view is View.
func (c *Checker) Struct() *kview.Codec { return c.codec }

// Checker makes a Checker.
func (m *Message) Checker() *Checker {
	c := &Checker{Message: m}
	if m.Codec == nil {
		c.View = m.New()
	} else {
		c.codec = m.Codec()
		c.View = c.codec.View
	}
	return c
}

// Check puts body before all readers. An error says how they differ.
//
// Views and engine must give the same verdict, and the same error in every part:
// sentinel, path, offset and what was wanted. The naive reader must give the same
// verdict. Where they accept, they must agree on where the fields end, on all
// values (those of fields that the version lacks are defaults), and views and
// engine on every word of the index. Written again, from a struct and by the
// engine, the input is canonical: the same bytes, unless one of the oddities that
// the naive reader knows is in it.
func (c *Checker) Check(body []byte) (v Verdict, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v: panic: %v\nbody %x", c.Message, p, body)
		}
	}()
	c.rounds++
	viewErr := c.View.Parse(body, c.Version)
	layoutErr := c.Layout.Parse(&c.Index, body)
	value, end, odd, naiveErr := c.Naive.Read(body)
	if (viewErr == nil) != (naiveErr == nil) || (layoutErr == nil) != (naiveErr == nil) {
		return v, fmt.Errorf("%v: verdicts differ: view %v, layout %v, naive %v\nbody %x", c.Message, viewErr, layoutErr, naiveErr, body)
	}
	if naiveErr != nil {
		return c.refused(viewErr, layoutErr, body)
	}
	v = Verdict{Accepted: true, End: end, Odd: odd, Value: value}
	if c.Index.End() != end || !bytes.Equal(c.View.Trailing(), body[end:]) || c.View.Version() != c.Version || !bytes.Equal(c.View.Body(), body) {
		return v, fmt.Errorf("%v: fields end at %d, but layout says %d, and the view has trailing %x\nbody %x", c.Message, end, c.Index.End(), c.View.Trailing(), body)
	}
	if d := c.values(&value); d != "" {
		return v, fmt.Errorf("%v: values of the view differ: %s\nbody %x", c.Message, d, body)
	}
	if d := c.walked(body, &value); d != "" {
		return v, fmt.Errorf("%v: values of the walk differ: %s\nbody %x", c.Message, d, body)
	}
	if d := c.index(body); d != "" {
		return v, fmt.Errorf("%v: %s\nbody %x", c.Message, d, body)
	}
	if d := c.again(body, end, odd); d != "" {
		return v, fmt.Errorf("%v: %s\nbody %x", c.Message, d, body)
	}
	return v, nil
}

// sentinels are what a refused body can be refused for.
var sentinels = []error{
	fastcodec.ErrShort, fastcodec.ErrVarint, fastcodec.ErrNull, fastcodec.ErrTooLong, fastcodec.ErrCount,
	fastcodec.ErrTagRepeated, fastcodec.ErrTagSize,
}

// Sentinels are all reasons for which a parser refuses a body.
func Sentinels() []error { return slices.Clone(sentinels) }

func (c *Checker) refused(viewErr, layoutErr error, body []byte) (v Verdict, err error) {
	var a, b *fastcodec.Error
	if !errors.As(viewErr, &a) || !errors.As(layoutErr, &b) {
		return v, fmt.Errorf("%v: view %T, layout %T\nbody %x", c.Message, viewErr, layoutErr, body)
	}
	if *a != *b {
		return v, fmt.Errorf("%v: reasons differ: view %q, layout %q\nbody %x", c.Message, a, b, body)
	}
	if !slices.Contains(sentinels, a.Err) || a.Offset < 0 || a.Offset > len(body) || a.Message != c.Schema.Name || a.Version != c.Version || a.Path.Len() == 0 || a.Want == "" {
		return v, fmt.Errorf("%v: error %#v\nbody %x", c.Message, a, body)
	}
	return Verdict{Err: a}, nil
}

// values compares what the view says with what the naive reader read.
func (c *Checker) values(v *naive.Value) string {
	c.want.Reset()
	c.dump(&c.want, v)
	c.got.Reset()
	c.got.Iterate = c.rounds%2 == 0
	c.Read(&c.got, c.View)
	return c.differ(
		func(d *naive.Dump) { c.dump(d, v) },
		func(d *naive.Dump) { c.Read(d, c.View) })
}

// differ says where the two dumps differ, that again and then as text.
func (c *Checker) differ(want, got func(*naive.Dump)) string {
	if bytes.Equal(c.want.Buf, c.got.Buf) {
		return ""
	}
	a, b := naive.Dump{Text: true}, naive.Dump{Text: true, Iterate: c.got.Iterate}
	want(&a)
	got(&b)
	wantLines, gotLines := strings.Split(string(a.Buf), "\n"), strings.Split(string(b.Buf), "\n")
	for i := range min(len(wantLines), len(gotLines)) {
		if wantLines[i] != gotLines[i] {
			return fmt.Sprintf("value %d: %.200q, naive %.200q", i, gotLines[i], wantLines[i])
		}
	}
	return fmt.Sprintf("%d values, naive %d", len(gotLines), len(wantLines))
}

// walked compares what the engine shows to visitors with what the naive reader read.
func (c *Checker) walked(body []byte, v *naive.Value) string {
	c.want.Reset()
	wire(&c.want, c.Naive, v)
	c.got.Reset()
	c.walk.d = &c.got
	if end, err := c.Layout.Walk(body, &c.walk); err != nil || end != c.Index.End() {
		return fmt.Sprintf("walk ends at %d, %v", end, err)
	}
	return c.differ(
		func(d *naive.Dump) { wire(d, c.Naive, v) },
		func(d *naive.Dump) { c.Layout.Walk(body, &walkDump{d}) })
}

// wire puts the values of a struct into d in the order of the wire.
func wire(d *naive.Dump, s *naive.Struct, v *naive.Value) {
	for i, f := range s.Fields {
		wireField(d, f, &v.Fields[i])
	}
	for _, t := range v.Tags {
		if !t.Known {
			d.UnknownTag(t.Number, t.Data)
			continue
		}
		for i, f := range s.Tags {
			if f.Tag == t.Number {
				wireField(d, f, v.Known[i])
			}
		}
	}
}

func wireField(d *naive.Dump, f *naive.Field, v *naive.Value) {
	switch {
	case f.Array:
		d.List(f.Name, len(v.Items), v.Null)
		for i := range v.Items {
			if f.Struct != nil {
				wire(d, f.Struct, &v.Items[i])
			} else {
				d.Value(f.Name, f.Type, &v.Items[i])
			}
		}
	case f.Struct != nil:
		d.Struct(f.Name, v.Null)
		if !v.Null {
			wire(d, f.Struct, v)
		}
	default:
		d.Value(f.Name, f.Type, v)
	}
}

// walkDump is the visitor that does the same.
type walkDump struct{ d *naive.Dump }

func (w *walkDump) Open(n *layout.Node) {
	switch {
	case n.Kind == layout.Array:
		w.d.List(n.Name, int(n.Value), n.Null)
	case n.Kind == layout.Struct && n.Index < 0:
		w.d.Struct(n.Name, n.Null)
	}
}

func (w *walkDump) Close(*layout.Node) {}

func (w *walkDump) Leaf(n *layout.Node) {
	switch {
	case n.Kind == layout.UnknownTag:
		w.d.UnknownTag(uint32(n.Value), n.Content)
	case n.Kind == layout.Float64:
		w.d.Float(n.Name, math.Float64frombits(be64(n.Content)))
	case n.Kind <= layout.Records:
		w.d.Value(n.Name, n.Kind.String(), &naive.Value{Null: n.Null, Number: n.Value, Bytes: n.Content})
	}
}

func be64(b []byte) (v uint64) {
	for _, c := range b[:8] {
		v = v<<8 | uint64(c)
	}
	return v
}

// index compares the words that view and engine leave, both new, so that no word
// is left from another input.
func (c *Checker) index(body []byte) string {
	view := c.New()
	var ix layout.Index
	if err := view.Parse(body, c.Version); err != nil {
		return fmt.Sprintf("a new view: %v", err)
	}
	if err := c.Layout.Parse(&ix, body); err != nil {
		return fmt.Sprintf("a new index: %v", err)
	}
	v := reflect.ValueOf(view).Elem()
	message := v.FieldByName("message")
	if d := differWords("of the message", v.FieldByName("s"), ix.Root()); d != "" {
		return d
	}
	words := message.FieldByName("words")
	return differWords("inside", words.Slice(0, min(words.Len(), int(message.FieldByName("next").Int()))), firstWords(ix.Words()))
}

// firstWords leaves words out that nothing stands in: a view has none of them
// before it needs the first entry.
func firstWords(words []uint32) []uint32 {
	if len(words) <= 2 {
		return nil
	}
	return words
}

func differWords(where string, got reflect.Value, want []uint32) string {
	n := got.Len()
	if n != len(want) {
		return fmt.Sprintf("%d index words %s, engine %d", n, where, len(want))
	}
	for i := range n {
		if w := uint32(got.Index(i).Uint()); w != want[i] {
			return fmt.Sprintf("index word %d %s is %#x, engine %#x", i, where, w, want[i])
		}
	}
	return ""
}

// again writes an accepted body by the engine and from a struct. The engine keeps
// what is behind the fields: elements without bytes are counted against it.
func (c *Checker) again(body []byte, end int, odd naive.Oddity) string {
	var err error
	if c.canonical, err = c.Layout.AppendCanonical(c.canonical[:0], body); err != nil {
		return fmt.Sprintf("not written again: %v", err)
	}
	if same := bytes.Equal(c.canonical, body); same != (odd == 0) {
		return fmt.Sprintf("odd %v, but canonical is %x", odd.Names(), c.canonical)
	}
	fields, ok := bytes.CutSuffix(c.canonical, body[end:])
	if odd != 0 {
		_, end, left, err := c.Naive.Read(c.canonical)
		if ok = ok && err == nil && end == len(fields) && left == 0; !ok {
			return fmt.Sprintf("canonical isn't: ends at %d, odd %v, %v: %x", end, left.Names(), err, c.canonical)
		}
	}
	if c.codec == nil {
		return ""
	}
	c.codec.Copy()
	// With room to spare, and without: appenders have another way for either.
	spare := slices.Grow(c.written[:0], len(fields)+1024)
	for _, dst := range [][]byte{spare, spare[:0:len(fields)], nil} {
		if c.written, err = c.codec.Data.AppendTo(dst, c.Version); err != nil || !bytes.Equal(c.written, fields) {
			return fmt.Sprintf("the struct writes %x, %v\ncanonical %x", c.written, err, c.canonical)
		}
	}
	c.written = spare
	return ""
}
