// Package check puts one input before all readers of the module and says where
// they differ: the typed views, the table-driven engine, and the naive reader of
// the tests. It is test code.
package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/fuzz/readall"
	"github.com/kafkawire/kafkawire/internal/naive"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// Message is a message at one version, as each of the readers has it.
type Message struct {
	Schema  *schema.Message
	Version int16
	Layout  *layout.Message
	Naive   *naive.Struct
	New     func() kview.Message             // a view
	Codec   func() *kview.Codec              // a view with a struct; nil for the tests' own messages
	Read    func(*naive.Dump, kview.Message) // reads every field of a view
	// Structs is the schema's structs for those of the naive reader.
	Structs map[*naive.Struct]*schema.Struct
	plan    *plan
}

// String names the message as errors do.
func (m *Message) String() string { return fmt.Sprintf("%s v%d", m.Schema.Name, m.Version) }

// Flexible reports whether the version has compact lengths and tagged fields.
func (m *Message) Flexible() bool { return m.Schema.Flexible.Has(m.Version) }

// Messages is all of Kafka's messages at all versions: requests and responses by
// key, then headers and data messages.
func Messages() ([]*Message, error) {
	layouts, err := layoutTexts()
	if err != nil {
		return nil, err
	}
	apis, err := schema.Load()
	if err != nil {
		return nil, err
	}
	var all []*Message
	for _, a := range apis {
		for _, s := range a.Messages {
			for v := s.Valid.Min; v <= s.Valid.Max; v++ {
				text := layouts[fmt.Sprint(s.Name, v)]
				if text == "" {
					return nil, fmt.Errorf("%s v%d has no layout", s.Name, v)
				}
				delete(layouts, fmt.Sprint(s.Name, v))
				l, err := layout.Named(s.Name, v)
				if err != nil {
					return nil, err
				}
				m, err := newMessage(s, v, l, text, func() kview.Message { return View(s) }, readall.Append)
				if err != nil {
					return nil, err
				}
				m.Codec = func() *kview.Codec { return codec(s) }
				all = append(all, m)
			}
		}
	}
	if len(layouts) > 0 {
		return nil, fmt.Errorf("layouts of unknown messages: %v", layouts)
	}
	return all, nil
}

// View is a new view of a message of Kafka's.
func View(s *schema.Message) kview.Message {
	switch s.Kind {
	case schema.Request:
		return kview.NewRequest(fastcodec.APIKey(s.API.Key))
	case schema.Response:
		return kview.NewResponse(fastcodec.APIKey(s.API.Key))
	}
	return kview.NewNamed(s.Name)
}

func codec(s *schema.Message) *kview.Codec {
	switch s.Kind {
	case schema.Request:
		return kview.NewRequestCodec(fastcodec.APIKey(s.API.Key))
	case schema.Response:
		return kview.NewResponseCodec(fastcodec.APIKey(s.API.Key))
	}
	return kview.NewNamedCodec(s.Name)
}

// Shapes is the messages of the tests' own at all versions. view makes a view of
// one by its name, and read reads it; both live in kview's tests.
func Shapes(view func(string) kview.Message, read func(*naive.Dump, kview.Message)) ([]*Message, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(root, "internal/schema/testapis/*.txt"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no test schemas: %v", err)
	}
	var all []*Message
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		a, err := schema.ParseAPI(filepath.Base(file), text)
		if err != nil {
			return nil, err
		}
		for _, s := range a.Messages {
			for v := s.Valid.Min; v <= s.Valid.Max; v++ {
				l, err := layout.Compile(s, v)
				if err != nil {
					return nil, err
				}
				m, err := newMessage(s, v, l, s.Layout(v, true), func() kview.Message { return view(s.Name) }, read)
				if err != nil {
					return nil, err
				}
				all = append(all, m)
			}
		}
	}
	return all, nil
}

// layoutTexts is testdata/layouts.tsv.gz, by name and version.
func layoutTexts() (map[string]string, error) {
	texts := map[string]string{}
	err := readLines("layouts.tsv.gz", func(line []byte) error {
		columns := strings.Split(string(line), "\t")
		if version, err := strconv.Atoi(columns[3]); err == nil {
			texts[fmt.Sprint(columns[1], version)] = columns[len(columns)-1]
		}
		return nil
	})
	return texts, err
}

func newMessage(s *schema.Message, version int16, l *layout.Message, text string, view func() kview.Message, read func(*naive.Dump, kview.Message)) (*Message, error) {
	m := &Message{Schema: s, Version: version, Layout: l, New: view, Read: read, Structs: map[*naive.Struct]*schema.Struct{}}
	var err error
	if m.Naive, err = naive.Parse(text); err == nil {
		m.plan, err = m.planOf(s.Root, m.Naive)
	}
	if err != nil {
		return nil, fmt.Errorf("%v: %w", m, err)
	}
	return m, nil
}

// plan says where the values of all fields of a struct come from, in the order of
// the schema: those that the version has from what the naive reader read, the
// others from their defaults.
type plan struct {
	fields []planned
	tags   bool // views of the struct have UnknownTags
}

type planned struct {
	schema *schema.Field
	naive  *naive.Field // nil where the version lacks the field
	at     int          // in Value.Fields, or in Value.Known where tagged
	tagged bool
	of     *plan
}

func (m *Message) planOf(s *schema.Struct, n *naive.Struct) (*plan, error) {
	p := &plan{tags: m.hasTags(s)}
	m.Structs[n] = s
	next, tags := 0, 0
	for _, f := range s.Fields {
		q := planned{schema: f}
		switch {
		case !f.Versions.Has(m.Version):
		case f.IsTagged():
			q.tagged = true
			for i, t := range n.Tags {
				if t.Tag == uint32(f.Tag) {
					q.naive, q.at = t, i
					tags++
				}
			}
			if q.naive == nil {
				return nil, fmt.Errorf("the layout lacks tag %d", f.Tag)
			}
		default:
			if next == len(n.Fields) {
				return nil, fmt.Errorf("the layout lacks %s", f.Name)
			}
			q.naive, q.at = n.Fields[next], next
			next++
		}
		if q.naive != nil {
			// Renamed fields have their old names in old layouts.
			q.naive.Name, q.naive.Default = f.Name, f.Default
			if (q.naive.Struct != nil) != (f.Struct != nil) {
				return nil, fmt.Errorf("%s is a struct only in one of schema and layout", f.Name)
			}
			if f.Struct != nil {
				var err error
				if q.of, err = m.planOf(f.Struct, q.naive.Struct); err != nil {
					return nil, fmt.Errorf("%s: %w", f.Name, err)
				}
			}
		}
		p.fields = append(p.fields, q)
	}
	if next != len(n.Fields) || tags != len(n.Tags) {
		return nil, fmt.Errorf("%s has fewer fields than its layout", s.Name)
	}
	return p, nil
}

// hasTags reports whether views of a struct have UnknownTags.
func (m *Message) hasTags(s *schema.Struct) bool {
	return !s.Versions.And(m.Schema.Valid).And(m.Schema.Flexible).Empty()
}

// dump puts a message that the naive reader read into d.
func (m *Message) dump(d *naive.Dump, v *naive.Value) { m.structure(d, m.plan, v) }

func (m *Message) structure(d *naive.Dump, p *plan, v *naive.Value) {
	for i := range p.fields {
		q := &p.fields[i]
		var field *naive.Value
		switch {
		case q.naive == nil:
		case q.tagged:
			field = v.Known[q.at]
		default:
			field = &v.Fields[q.at]
		}
		if field == nil {
			m.absent(d, q.schema)
		} else {
			m.field(d, q, field)
		}
	}
	if p.tags {
		unknown(d, v.Tags)
	}
}

func unknown(d *naive.Dump, tags []naive.Tag) {
	n := 0
	for _, t := range tags {
		if !t.Known {
			n++
		}
	}
	d.UnknownTags(n)
	for _, t := range tags {
		if !t.Known {
			d.UnknownTag(t.Number, t.Data)
		}
	}
}

func (m *Message) field(d *naive.Dump, q *planned, v *naive.Value) {
	f := q.naive
	switch {
	case f.Array:
		d.List(f.Name, len(v.Items), v.Null)
		for i := range v.Items {
			if f.Struct != nil {
				m.structure(d, q.of, &v.Items[i])
			} else {
				d.Value(f.Name, f.Type, &v.Items[i])
			}
		}
	case f.Struct != nil && v.Null:
		m.defaults(d, q.schema, true)
	case f.Struct != nil:
		d.Struct(f.Name, false)
		m.structure(d, q.of, v)
	default:
		d.Value(f.Name, f.Type, v)
	}
}

// absent puts the default of a field that is not there into d.
func (m *Message) absent(d *naive.Dump, f *schema.Field) {
	switch {
	case f.Array:
		d.List(f.Name, 0, f.Default == "null")
	case f.Struct != nil:
		m.defaults(d, f, f.Default == "null")
	default:
		typ := layout.Kind(f.Type).String()
		v := naive.DefaultOf(&naive.Field{Type: typ, Default: f.Default})
		d.Value(f.Name, typ, &v)
	}
}

// defaults puts a struct whose fields are all at their defaults into d.
func (m *Message) defaults(d *naive.Dump, f *schema.Field, null bool) {
	d.Struct(f.Name, null)
	for _, g := range f.Struct.Fields {
		m.absent(d, g)
	}
	if m.hasTags(f.Struct) {
		d.UnknownTags(0)
	}
}

// EarlyTag reports whether a value has an unknown tagged field whose number its
// struct knows at another version (row D4 of the accept rules).
func (m *Message) EarlyTag(v *naive.Value) bool { return early(m.Schema.Root, m.plan, v) }

func early(s *schema.Struct, p *plan, v *naive.Value) bool {
	for _, t := range v.Tags {
		for _, f := range s.Fields {
			if !t.Known && f.IsTagged() && uint32(f.Tag) == t.Number {
				return true
			}
		}
	}
	for i := range p.fields {
		q := &p.fields[i]
		if q.naive == nil || q.of == nil {
			continue
		}
		var field *naive.Value
		if q.tagged {
			field = v.Known[q.at]
		} else {
			field = &v.Fields[q.at]
		}
		switch {
		case field == nil || field.Null:
		case q.naive.Array:
			for j := range field.Items {
				if early(q.schema.Struct, q.of, &field.Items[j]) {
					return true
				}
			}
		case early(q.schema.Struct, q.of, field):
			return true
		}
	}
	return false
}

// Ends is the offsets at which the parts of a body end, elements of arrays of
// numbers left out.
func (m *Message) Ends(body []byte) map[int]bool {
	ends := leafEnds{}
	m.Layout.Walk(body, ends)
	return ends
}

type leafEnds map[int]bool

func (leafEnds) Open(*layout.Node)  {}
func (leafEnds) Close(*layout.Node) {}
func (e leafEnds) Leaf(n *layout.Node) {
	if n.Index < 0 || n.Kind == layout.String {
		e[n.Offset+n.Size] = true
	}
}
