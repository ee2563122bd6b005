// verify on verdicts: bodies that Kafka accepted or refused, and the classes of
// differences that are meant.

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// judgement is what a verdicts line says of a body.
type judgement struct {
	accepted bool
	left     int             // bytes that Kafka didn't read
	values   json.RawMessage // what it read
	again    []byte          // how it writes that; nil where it couldn't
}

func (l *line) judgement() (j judgement) {
	if j.accepted = l.flag("accepted"); !j.accepted {
		l.text("error")
		return j
	}
	j.left, j.values = l.int("left"), l.object("body")
	if l.has("againError") && !l.has("again") {
		l.text("againError")
	} else {
		j.again = l.hex("again")
	}
	return j
}

// judged checks a body that Kafka's reader has judged.
func (v *verifier) judged(l *line) error {
	response, key, version := l.isResponse(), l.api(), l.int16("version")
	body, want := l.hex("bytes"), l.judgement()
	l.text("name")
	l.text("change")
	if l.err != nil {
		return l.err
	}
	f := frame{response: response, key: key, version: version}
	v.title = f.title()
	c := v.codecs.get(key, response)
	if !key.HasVersion(version) || c == nil {
		v.opaque++
		return nil
	}
	m, err := layout.For(key, response, version)
	if err != nil {
		return err
	}
	typed, generic := c.View.Parse(body, version), m.Parse(&v.index, body)
	err = v.agree(typed, generic)
	switch {
	case (typed == nil) != (generic == nil):
		v.problem("verdict", err)
	case err != nil && !want.accepted:
		v.verdict++
	case err != nil:
		v.refused(m, body, err, &want)
	case !want.accepted:
		v.kept(m, body)
	default:
		v.verdict++
		v.accepted(m, c, body, &want)
	}
	return nil
}

// refused checks that a body which Kafka accepts was refused for a reason that is
// meant.
func (v *verifier) refused(m *layout.Message, body []byte, err error, want *judgement) {
	class := refusalClass(m, body, fault(err))
	if class == noClass {
		v.problem("verdict", fmt.Errorf("Kafka accepts it: %w", err))
		return
	}
	v.verdict++
	v.class[class]++
	v.sameAgain(m, want)
}

// kept checks that a body which Kafka refuses has a tag of another version.
func (v *verifier) kept(m *layout.Message, body []byte) {
	s, err := schemaOf(m)
	if err != nil {
		v.problem("verdict", err)
		return
	}
	d := keptTag{root: s.Root}
	if _, err := m.Walk(body, &d); err != nil || !d.found {
		v.problem("verdict", errors.New("Kafka refuses it, and it has no tag of another version"))
		return
	}
	v.verdict++
	v.class[classD4]++
}

// accepted checks what was read of a body that both accept.
func (v *verifier) accepted(m *layout.Message, c *kview.Codec, body []byte, want *judgement) {
	left := len(c.View.Trailing())
	if left > 0 {
		v.trailing++
	}
	if left != want.left {
		v.problem("trailing", fmt.Errorf("%s after the last field, body offset %d, not %d as in the reference", count(left, "byte"), len(body)-left, want.left))
	}
	if v.values(m, body, want.values) {
		v.json++
	}
	text := checkText(m, body)
	if text != nil {
		v.class[classD5]++
	}
	c.Copy()
	out, err := c.Data.AppendTo(v.out[:0], m.Version())
	v.out = out
	if err == nil {
		err = v.canonical(m, body, out, left)
	}
	if again := want.again; err == nil && again != nil && text == nil { // else Kafka has replaced what isn't UTF-8
		if at := firstDifference(out, again); !bytes.Equal(out, again) {
			err = fmt.Errorf("%s: %s, Kafka writes %s", bodyPlace(m, out, at), shownBytes(out, at), shownBytes(again, at))
		} else {
			v.fromStruct++
		}
	}
	if err != nil {
		v.problem("from-struct", err)
	}
	v.sameAgain(m, want)
}

// canonical holds what the structs wrote to what the layout makes of the body, which
// has left bytes behind its fields.
func (v *verifier) canonical(m *layout.Message, body, out []byte, left int) error {
	generic, err := m.AppendCanonical(v.text[:0], body)
	v.text = generic
	if err != nil {
		return err
	}
	generic = generic[:len(generic)-left]
	if at := firstDifference(out, generic); !bytes.Equal(out, generic) {
		return fmt.Errorf("%s: %s, the layout writes %s", bodyPlace(m, out, at), shownBytes(out, at), shownBytes(generic, at))
	}
	return nil
}

// sameAgain checks that what Kafka wrote has the values that it read.
func (v *verifier) sameAgain(m *layout.Message, want *judgement) {
	if want.again == nil {
		return
	}
	end, err := m.Walk(want.again, nil)
	if err == nil && end != len(want.again) {
		err = fastcodec.ErrTrailing
	}
	if err == nil {
		err = v.compare(m, want.again, want.values)
	}
	if err != nil {
		v.problem("again", err)
	}
}

// refusalClass is the class of an error that Kafka's reader doesn't have: D1, D2, D3
// or none.
func refusalClass(m *layout.Message, body []byte, e *fastcodec.Error) int {
	if e == nil || e.Offset < 0 || e.Offset > len(body) {
		return noClass
	}
	switch {
	case errors.Is(e, fastcodec.ErrVarint):
		// Kafka refuses a sixth byte too, and drops what doesn't fit of the fifth.
		if b := body[e.Offset:]; len(b) >= 5 && 0x0f < b[4] && b[4] < 0x80 {
			return classD1
		}
	case errors.Is(e, fastcodec.ErrTagRepeated):
		return classD3
	case errors.Is(e, fastcodec.ErrTagSize):
		if knownTagAt(m, body, e) {
			return classD2
		}
	case compactLength(m, e):
		if n, size := fastcodec.ConsumeUvarint(body[e.Offset:]); size > 0 && n > math.MaxInt32 {
			return classD1
		}
	}
	return noClass
}

// tagSection is what errors and paths call the tagged fields of a struct.
const tagSection = "tagged_fields"

// compactLength reports whether an error is of a compact length or count, or of a
// tag count.
func compactLength(m *layout.Message, e *fastcodec.Error) bool {
	s, err := schemaOf(m)
	n := e.Path.Len()
	if err != nil || !m.Flexible() || n == 0 {
		return false
	}
	last := e.Path.At(n - 1)
	if last.Name == tagSection {
		return errors.Is(e, fastcodec.ErrCount)
	}
	in := structAt(s.Root, steps(e.Path)[:n-1])
	if in == nil {
		return false
	}
	for _, f := range in.Fields {
		if f.Name == last.Name && f.Versions.Has(m.Version()) {
			return f.Array && last.Index < 0 || f.Type == schema.String || f.Type == schema.Bytes || f.Type == schema.Records
		}
	}
	return false
}

// knownTagAt reports whether an error about a tag's size is of a known tag. Where
// the payload ends before or after its size, the path names the field.
func knownTagAt(m *layout.Message, body []byte, e *fastcodec.Error) bool {
	n := e.Path.Len()
	if n == 0 || e.Path.At(n-1).Name != tagSection {
		return n > 0
	}
	s, err := schemaOf(m)
	if err != nil {
		return false
	}
	in := structAt(s.Root, steps(e.Path)[:n-1])
	// The number stands before the size, behind the last node that was read.
	d := front{body: body}
	_, _ = m.Walk(body, &d)
	number, size := fastcodec.ConsumeUvarint(body[d.end:])
	return in != nil && size > 0 && knownTag(in, number, m.Version(), true)
}

// front is a visitor that finds how far a walk came.
type front struct {
	body []byte
	end  int
}

func (d *front) Open(n *layout.Node) {
	if n.Kind == layout.TagSection {
		_, size := fastcodec.ConsumeUvarint(d.body[n.Offset:])
		d.end = n.Offset + size
	}
}

func (d *front) Leaf(n *layout.Node) { d.end = n.Offset + n.Size }

func (d *front) Close(*layout.Node) {}

// keptTag is a visitor that looks for an unknown tag that other versions know.
type keptTag struct {
	root  *schema.Struct
	found bool
}

func (d *keptTag) Open(*layout.Node)  {}
func (d *keptTag) Close(*layout.Node) {}

func (d *keptTag) Leaf(n *layout.Node) {
	if n.Kind == layout.UnknownTag && len(n.Path) > 0 {
		in := structAt(d.root, n.Path[:len(n.Path)-1])
		d.found = d.found || in != nil && knownTag(in, uint32(n.Value), 0, false)
	}
}

// knownTag reports whether a struct has a tag: at one version, or at any.
func knownTag(s *schema.Struct, number uint32, version int16, here bool) bool {
	for _, f := range s.Fields {
		if f.IsTagged() && uint32(f.Tag) == number && (!here || f.Tagged.Has(version)) {
			return true
		}
	}
	return false
}

// structAt is the struct that a path leads to; nil if it leads to none.
func structAt(s *schema.Struct, path []fastcodec.PathStep) *schema.Struct {
	for _, step := range path {
		var inner *schema.Struct
		for _, f := range s.Fields {
			if f.Name == step.Name {
				inner = f.Struct
			}
		}
		if s = inner; s == nil {
			return nil
		}
	}
	return s
}

func steps(p fastcodec.Path) []fastcodec.PathStep {
	all := make([]fastcodec.PathStep, p.Len())
	for i := range all {
		all[i] = p.At(i)
	}
	return all
}

func schemaOf(m *layout.Message) (*schema.Message, error) { return schema.ByName(m.Name()) }
