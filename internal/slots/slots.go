// Package slots decides which word of a message's offset index holds what.
// It is the only place that does: the generator of the typed views and the
// table-driven engine (fastcodec/layout) both ask it, so that their indexes can
// be compared word for word.
//
// # The index
//
// A struct leaves a fixed number of words (its entry), the same at every
// version, so that accessors read constant positions:
//
//   - fields of fixed size share the base of their run: the struct's start, or
//     the end of the field before the run. Their distance from it depends on
//     the version only where the schema makes it so (see Distance);
//   - a string, bytes, records or array of numbers has (start, end) of its
//     content; start 0 is null; the end is the base of the next run;
//   - an array of structs or strings has (count, base), and the end of the array
//     where a run follows. Base 0 is null, 1 empty; else the index position of
//     count entries one after the other;
//   - an array of structs that have only fields of fixed size at every version
//     (Struct.Fixed) has no entries: base is the offset of the first element,
//     and the others follow at a constant distance. Where an element carries
//     unknown tags, base is EntriesBit plus the position of one word an element,
//     its offset;
//   - a struct that is not in an array has one word, the position of its entry
//     (where Fixed: its offset), and its end where a run follows. A null or absent
//     one is 0, a tagged one that is there and null ExplicitNull;
//   - the known tagged fields have one word: 0, or the position of a side block
//     with their words, so that a struct without tags pays for one word only;
//   - the section of tagged fields is found as if it were one more field behind
//     the last run.
//
// Words of fields that a version lacks are not written and never read. The end of
// a field is written, at versions that lack the field too, where a run of the same
// encoding stands on it (StoodOn); the word of the known tags in every flexible
// version.
package slots

import "github.com/kafkawire/kafkawire/internal/schema"

// First is the first index position that is handed out: 0 and 1 are the bases
// of null and empty arrays.
const First = 2

// Bases of arrays without elements.
const (
	NullBase  = 0
	EmptyBase = 1
)

// EntriesBit marks the base of an array of Fixed structs that has one word an element.
const EntriesBit = 1 << 31

// ExplicitNull is the word of a tagged struct that is there and null.
const ExplicitNull = 1

// FromStart is a Base: the run stands at the start of a message or of a Fixed
// struct, for which no word is kept.
const FromStart = -1

// None says that there is no such word.
const None = -1

// Shape is how a field lies in the index.
type Shape uint8

const (
	InRun       Shape = iota // fixed size: no word of its own
	Span                     // string, bytes, records: start, end
	Numbers                  // array of numbers or UUIDs: start, end
	Strings                  // array of strings: count, base
	Entries                  // array of structs: count, base
	Strided                  // array of Fixed structs: count, base
	Inline                   // one struct: the position of its entry
	InlineFixed              // one Fixed struct: its offset
)

// StringWords is the size of an entry of an array of strings: start, end.
const StringWords = 2

// Message is the index layout of a message.
type Message struct {
	Schema  *schema.Message
	Root    *Struct
	Structs map[*schema.Struct]*Struct
}

// Struct is the index layout of a struct type.
type Struct struct {
	Schema *schema.Struct
	Fixed  bool     // no words at all: views hold an offset
	Words  int      // words of an entry
	Start  int      // word of the struct's start, or None
	Fields []*Field // in the order of Schema.Fields

	Tags     int // word of the known tags, or None where no version has any
	TagWords int // words of their side block
	Section  int // Base of the run that the tag section closes
	// Maybe says that a view of the struct can be null or absent.
	Maybe bool

	laid bool
}

// Field is the index layout of a field.
type Field struct {
	Schema *schema.Field
	Parent *Struct
	Struct *Struct // of a struct or an array of structs
	Shape  Shape
	Base   int // word that holds the base of the field's run: InRun only
	Word   int // the field's first own word; in the side block where it is tagged
	End    int // word that holds the end of the field, or None
}

// Of lays out a message.
func Of(m *schema.Message) *Message {
	l := &Message{Schema: m, Structs: map[*schema.Struct]*Struct{}}
	for _, s := range append([]*schema.Struct{m.Root}, m.Structs...) {
		l.Structs[s] = &Struct{Schema: s}
	}
	for _, s := range l.Structs {
		s.Fixed = s.Schema != m.Root && isFixed(s.Schema)
	}
	for changed := true; changed; {
		changed = false
		for _, s := range l.Structs {
			for _, f := range s.Schema.Fields {
				if f.Type != schema.StructType || f.Array {
					continue
				}
				c := l.Structs[f.Struct]
				maybe := s.Maybe || f.IsTagged() || !f.Nullable.Empty() || !f.Versions.Covers(s.Schema.Versions)
				changed = changed || maybe && !c.Maybe
				c.Maybe = c.Maybe || maybe
			}
		}
	}
	l.Root = l.lay(m.Root)
	for _, s := range m.Structs {
		l.lay(s)
	}
	return l
}

// isFixed reports whether every field has a fixed size and none is tagged.
func isFixed(s *schema.Struct) bool {
	for _, f := range s.Fields {
		if f.Array || f.Type.FixedSize() == 0 || f.IsTagged() {
			return false
		}
	}
	return true
}

// lay gives a struct and those inside it their words.
func (l *Message) lay(ss *schema.Struct) *Struct {
	s := l.Structs[ss]
	if s.laid {
		return s
	}
	s.laid = true
	flexible := !l.Schema.Flexible.Empty()
	root := ss == l.Schema.Root
	s.Start, s.Tags = None, None
	base := FromStart
	if !s.Fixed && !root && runFollows(ss.Fields, 0, flexible) {
		s.Start = s.take(1)
		base = s.Start
	}
	for i, f := range ss.Fields {
		lf := &Field{Schema: f, Parent: s, Shape: l.shape(f), Base: None, Word: None, End: None}
		if f.Struct != nil {
			lf.Struct = l.lay(f.Struct)
		}
		s.Fields = append(s.Fields, lf)
		if f.IsTagged() {
			lf.Word = s.TagWords
			s.TagWords += max(lf.words(), 1)
			continue
		}
		if lf.Shape == InRun {
			lf.Base = base
			continue
		}
		lf.Word = s.take(lf.words())
		switch {
		case lf.Shape == Span || lf.Shape == Numbers:
			lf.End = lf.Word + 1
		case runFollows(ss.Fields, i+1, flexible):
			lf.End = s.take(1)
		}
		if lf.End != None {
			base = lf.End
		}
	}
	if s.TagWords > 0 {
		s.Tags = s.take(1)
	}
	s.Section = base
	return s
}

// runFollows reports whether a run stands between field i and the next field
// that has an end of its own: a field of fixed size, or the tag section.
func runFollows(fields []*schema.Field, i int, flexible bool) bool {
	for _, f := range fields[i:] {
		switch {
		case f.IsTagged():
		case f.Type.FixedSize() > 0 && !f.Array:
			return true
		default:
			return false
		}
	}
	return flexible
}

func (s *Struct) take(n int) int {
	s.Words += n
	return s.Words - n
}

func (l *Message) shape(f *schema.Field) Shape {
	switch {
	case f.Array && f.Type == schema.String:
		return Strings
	case f.Array && f.Type != schema.StructType:
		return Numbers
	case f.Array && l.Structs[f.Struct].Fixed:
		return Strided
	case f.Array:
		return Entries
	case f.Type.FixedSize() > 0:
		return InRun
	case f.Type != schema.StructType:
		return Span
	case l.Structs[f.Struct].Fixed:
		return InlineFixed
	}
	return Inline
}

// words is the number of words that the field itself takes, its end excepted
// where that is optional.
func (f *Field) words() int {
	switch f.Shape {
	case InRun:
		return 0
	case Inline, InlineFixed:
		return 1
	}
	return 2
}

// StoodOn reports whether a run of s, or its tag section, has its base in the word
// at any version of the encoding.
func (m *Message) StoodOn(s *Struct, word int, flexible bool) bool {
	if flexible && s.Section == word {
		return true
	}
	for _, f := range s.Fields {
		if f.Shape != InRun || f.Schema.IsTagged() || f.Base != word {
			continue
		}
		for v := m.Schema.Valid.Min; v <= m.Schema.Valid.Max; v++ {
			if f.Schema.Versions.Has(v) && m.Schema.Flexible.Has(v) == flexible {
				return true
			}
		}
	}
	return false
}

// Distance is the number of bytes at a version between the base of f's run and f.
func (f *Field) Distance(version int16) int {
	n := 0
	for _, g := range f.Parent.Fields {
		if g == f {
			break
		}
		if g.Shape == InRun && !g.Schema.IsTagged() && g.Base == f.Base && g.Schema.Versions.Has(version) {
			n += g.Schema.Type.FixedSize()
		}
	}
	return n
}

// SectionDistance is the number of bytes at a version between the Section base
// and the tag section.
func (s *Struct) SectionDistance(version int16) int {
	n := 0
	for _, g := range s.Fields {
		if g.Shape == InRun && !g.Schema.IsTagged() && g.Base == s.Section && g.Schema.Versions.Has(version) {
			n += g.Schema.Type.FixedSize()
		}
	}
	return n
}

// FixedSize is the number of bytes of a Fixed struct at a version, its tag
// section left out.
func (s *Struct) FixedSize(version int16) int {
	n := 0
	for _, f := range s.Schema.Fields {
		if f.Versions.Has(version) {
			n += f.Type.FixedSize()
		}
	}
	return n
}

// MinSize is the fewest bytes that an element of an array of s takes: exact for
// a Fixed struct, else the least over all versions of the same encoding, and
// never below 1, so that a count is always bounded by the bytes left.
func (l *Message) MinSize(s *Struct, version int16) int {
	flexible := l.Schema.Flexible.Has(version)
	if s.Fixed {
		n := s.FixedSize(version)
		if flexible {
			n++
		}
		return max(n, 1)
	}
	least := 1 << 30
	for v := l.Schema.Valid.Min; v <= l.Schema.Valid.Max; v++ {
		if s.Schema.Versions.Has(v) && l.Schema.Flexible.Has(v) == flexible {
			least = min(least, l.minAt(s, v))
		}
	}
	return max(least, 1)
}

func (l *Message) minAt(s *Struct, version int16) int {
	flexible := l.Schema.Flexible.Has(version)
	n := 0
	if flexible {
		n = 1
	}
	for _, f := range s.Fields {
		g := f.Schema
		if g.IsTagged() || !g.Versions.Has(version) {
			continue
		}
		switch {
		case !g.Array && g.Type == schema.StructType && g.Nullable.Has(version):
			n++
		case !g.Array && g.Type == schema.StructType:
			n += l.minAt(f.Struct, version)
		case f.Shape == InRun:
			n += g.Type.FixedSize()
		case flexible && !g.LegacyText:
			n++
		case g.Type == schema.String && !g.Array:
			n += 2
		default:
			n += 4
		}
	}
	return n
}

// KnownTags is the bit mask of the tag numbers that the struct knows at a version.
func (s *Struct) KnownTags(version int16) uint32 {
	var mask uint32
	for _, f := range s.Schema.Fields {
		if f.IsTagged() && f.Tagged.Has(version) {
			mask |= 1 << f.Tag
		}
	}
	return mask
}
