// Programs: what Parse interprets. A struct at one version becomes a flat list of
// operations, one for each field that is not of fixed size; the fields of fixed
// size before it are part of the operation, as a number of bytes to step over.

package layout

import (
	"math/bits"

	"github.com/kafkawire/kafkawire/internal/schema"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// program parses a struct type, one instance after the other.
type program struct {
	ops   []op
	words int // words of an entry
	start int // word that takes the offset at which an instance starts, or slots.None
	head  int // bytes up to the first check
}

// op is one operation.
//
// Its check covers what follows it: run and first bytes (the length, the count,
// the tag count) of the next operation, so that one comparison a field is enough.
// The operation itself can read its first bytes unasked.
type op struct {
	code   opcode
	null   bool  // null is legal
	wide   bool  // arrays: the count is an int32, not a uvarint
	shift  uint8 // numbers: log2 of the size of an element
	run    int32 // fixed bytes before the operation
	follow int32 // bytes that have to be there behind it
	word   int32 // first word of the field
	end    int32 // arrays and structs: word that takes the offset behind the field, or slots.None
	least  int32 // arrays: bytes of the smallest element; at a constant distance: that. Markers: follow of the next operation
	limit  int32 // spans: the most bytes
	sub    *program
	tags   *tagTable
}

type opcode uint8

const (
	opRun          opcode = iota // only the run
	opMark                       // a word takes the offset
	opSpan                       // string, bytes or records, compact
	opSpan16                     // ... behind an int16
	opSpan32                     // ... behind an int32
	opNumbers                    // array of numbers
	opStrings                    // array of strings
	opEntries                    // array of structs with entries
	opStrided                    // array of structs at a constant distance
	opStruct                     // one struct with an entry
	opFixedStruct                // one struct without
	opMarker                     // null marker of the struct that the next operation parses
	opTagMarker                  // ... in a tagged field
	opSection                    // tag section in which nothing is known
	opKnownSection               // tag section
)

// first is the number of bytes that an operation reads unasked.
func (o *op) first() int32 {
	switch o.code {
	case opSpan, opMarker, opTagMarker, opSection, opKnownSection:
		return 1
	case opSpan16:
		return 2
	case opSpan32:
		return 4
	case opNumbers, opStrings, opEntries, opStrided:
		if o.wide {
			return 4
		}
		return 1
	}
	return 0
}

// tagTable is what a tag section needs to know of the known tags.
type tagTable struct {
	known    uint32       // bit n: tag n is known
	programs [32]*program // by tag number: the payload, its words in the side block
	initial  []uint32     // the side block when nothing is there
}

// assembler makes the programs of one message.
type assembler struct {
	m    *Message
	done map[*structure]*program
}

// assemble makes the program of the message.
func (m *Message) assemble() *program {
	a := &assembler{m: m, done: map[*structure]*program{}}
	return a.program(m.root)
}

// program is the program of a struct type; of a Fixed one, its offset is the only word.
func (a *assembler) program(t *structure) *program {
	if p := a.done[t]; p != nil {
		return p
	}
	p := &program{words: t.slots.Words, start: t.slots.Start}
	a.done[t] = p
	if t.slots.Fixed {
		p.words, p.start = 1, 0
	}
	b := &builder{assembler: a}
	next := 0
	for _, lf := range t.slots.Fields {
		switch {
		case lf.Schema.IsTagged():
		case next < len(t.fields) && t.fields[next].slots == lf:
			b.field(&t.fields[next], a.end(t.slots, lf))
			next++
		case a.end(t.slots, lf) != slots.None:
			b.add(op{code: opMark, word: int32(lf.End)})
		}
	}
	if t.flexible {
		b.section(t)
	}
	p.ops, p.head = b.finish()
	return p
}

// end is the word of f that takes the offset behind it, where that is written.
func (a *assembler) end(s *slots.Struct, f *slots.Field) int {
	if f.End != slots.None && a.m.slots.StoodOn(s, f.End, a.m.flexible) {
		return f.End
	}
	return slots.None
}

// builder collects the operations of one program.
type builder struct {
	*assembler
	ops []op
	run int32
}

func (b *builder) add(o op) {
	o.run = b.run
	b.run = 0
	b.ops = append(b.ops, o)
}

// field adds a field that stands outside of the tag section, or a known tagged
// one; end is the word that takes the offset behind it.
func (b *builder) field(f *field, end int) {
	o := op{null: f.nullable, wide: !f.compact, word: int32(f.slots.Word), end: int32(end), least: int32(f.least)}
	switch f.slots.Shape {
	case slots.InRun:
		if f.tagged {
			b.add(op{code: opMark, word: o.word})
		}
		b.run += int32(f.size)
		return
	case slots.Span:
		o.code, o.limit = opSpan, 1<<31-1
		if !f.compact {
			o.code = opSpan32
		}
		if f.typ == schema.String {
			o.limit = maxString
			if !f.compact {
				o.code = opSpan16
			}
		}
	case slots.Numbers:
		o.code, o.shift = opNumbers, uint8(bits.TrailingZeros(uint(f.size)))
	case slots.Strings:
		o.code = opStrings
	case slots.Entries:
		o.code, o.sub = opEntries, b.program(f.of)
	case slots.Strided:
		o.code, o.sub = opStrided, b.program(f.of)
		o.least = int32(f.of.distance())
	case slots.Inline, slots.InlineFixed:
		if f.nullable {
			marker := op{code: opMarker, word: o.word, end: o.end}
			if f.tagged {
				marker.code = opTagMarker
			}
			b.add(marker)
		}
		o.code, o.sub = opStruct, b.program(f.of)
		if f.slots.Shape == slots.InlineFixed {
			o.code = opFixedStruct
		}
	}
	b.add(o)
}

// distance is that between two elements without unknown tags, of a Fixed struct.
// It is 0 where the elements have no bytes.
func (t *structure) distance() int {
	n := 0
	for i := range t.fields {
		n += t.fields[i].size
	}
	if t.flexible {
		n++
	}
	return n
}

// section adds the tag section of a struct.
func (b *builder) section(t *structure) {
	if t.slots.TagWords == 0 {
		b.add(op{code: opSection})
		return
	}
	table := &tagTable{initial: make([]uint32, t.slots.TagWords)}
	for _, lf := range t.slots.Fields {
		switch lf.Shape {
		case slots.Strings, slots.Entries, slots.Strided:
			if lf.Schema.IsTagged() && lf.Schema.Default != "null" {
				table.initial[lf.Word+1] = slots.EmptyBase
			}
		}
	}
	for i := range t.tags {
		f := &t.tags[i]
		payload := &builder{assembler: b.assembler}
		payload.field(f, slots.None)
		p := &program{words: t.slots.TagWords, start: slots.None}
		p.ops, p.head = payload.finish()
		table.known |= 1 << f.schema.Tag
		table.programs[f.schema.Tag] = p
	}
	b.add(op{code: opKnownSection, word: int32(t.slots.Tags), tags: table})
}

// finish closes the program: the bytes that each operation has to check for are
// known from the last one back.
func (b *builder) finish() (ops []op, head int) {
	if b.run > 0 {
		b.add(op{code: opRun})
	}
	need := int32(0) // bytes up to the next check, from where the operation ends
	for i := len(b.ops) - 1; i >= 0; i-- {
		o := &b.ops[i]
		o.follow = need
		if o.code == opMarker || o.code == opTagMarker {
			// Where the struct is null, the operation behind is passed over.
			o.least = b.ops[i+1].follow
		}
		need = o.run + o.first()
	}
	return b.ops, int(need)
}
