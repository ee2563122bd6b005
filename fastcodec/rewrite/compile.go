// The compiler: from the tree of a message to its program.

package rewrite

import (
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/schema"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// plan is what a Rewriter does with a message at one version. It never changes.
type plan struct {
	rewriter *Rewriter
	message  *schema.Message
	version  int16
	key      fastcodec.APIKey
	header   int16 // version of the header in front of the message
	program  *program
	touched  bool  // the body has to be read; else it passes as it is
	fixed    bool  // every edit keeps the size of what it edits
	known    bool  // the request field that the response depends on is not in this version,
	field    int32 // and counts with this value
	err      error // the notation asks for what this build can't do
}

// compiler makes the plan of one message.
type compiler struct {
	r         *Rewriter
	m         *schema.Message
	slots     *slots.Message
	version   int16
	response  bool
	flexible  bool
	registers int
	arrays    int    // programs so far
	field     string // of the request that the response depends on
	plan      *plan
}

// compile makes the plan of a message at a version. response says which direction's
// functions edit it.
func (r *Rewriter) compile(m *schema.Message, version int16, response bool) *plan {
	p := &plan{rewriter: r, message: m, version: version, key: fastcodec.APIKey(m.API.Key)}
	if m.Kind == schema.Request || m.Kind == schema.Response {
		p.header = m.HeaderVersion(version)
	}
	c := &compiler{r: r, m: m, slots: slots.Of(m), version: version, response: response, flexible: m.Flexible.Has(version), plan: p}
	root := c.grow(m.Root, nil, 0, nil)
	c.mark(root)
	p.touched = root.touched
	b := &builder{c: c, fixed: true}
	b.structure(root, true)
	p.program, p.fixed = b.finish(), b.fixed
	if m.Kind != schema.Data {
		// Behind the last edit nothing needs reading.
		p.program = &program{ops: p.program.ops[:b.last]}
	}
	return p
}

// builder collects the operations of one program.
type builder struct {
	c     *compiler
	ops   []op
	run   int32
	last  int  // operations up to the last one that has an effect
	fixed bool // those that edit keep sizes as they are
}

func (b *builder) add(o op) {
	o.run = b.run
	b.run = 0
	b.ops = append(b.ops, o)
}

// effect adds an operation that edits or remembers something.
func (b *builder) effect(o op) {
	switch o.code {
	case opID, opIDs, opNote, opContext, opProtocol:
	case opArray:
		b.fixed = b.fixed && !o.edit.hides
	default:
		b.fixed = false
	}
	b.add(o)
	b.last = len(b.ops)
}

func (b *builder) finish() *program { return &program{ops: b.ops, tail: b.run} }

// program is that of the elements of an array, or of a tagged struct.
func (b *builder) program(p *place, edit bool) *program {
	inner := &builder{c: b.c, fixed: true}
	inner.structure(p, edit)
	b.fixed = b.fixed && inner.fixed
	program := inner.finish()
	program.slot = uint8(b.c.arrays % len(memory{}.shapes))
	b.c.arrays++
	return program
}

// structure adds the fields of a struct and its tag section.
func (b *builder) structure(p *place, edits bool) {
	for i := 0; i < len(p.items); i++ {
		it := &p.items[i]
		if edits {
			b.before(p, it, i)
		}
		if edits && it.endpoint != nil && it.endpoint.joined {
			i++
			port := p.items[i].f.Type.FixedSize()
			b.effect(op{code: opAddress, wide: !it.compact, size: uint8(port), limit: maxString, edit: &edit{endpoint: it.endpoint}})
			continue
		}
		b.field(it, edits)
	}
	if b.c.flexible {
		b.section(p, edits)
	}
}

// before adds what is done before an item is read.
func (b *builder) before(p *place, it *item, i int) {
	if it.ahead >= 0 {
		look := &builder{c: b.c}
		for j := i; j <= it.ahead; j++ {
			if p.items[j].reg != noRegister {
				look.add(op{code: opNote, reg: uint8(p.items[j].reg)})
			}
			look.field(&p.items[j], false)
		}
		b.add(op{code: opPeek, sub: look.finish()})
	}
	if it.endpoint != nil && !it.endpoint.joined {
		b.effect(op{code: opEndpoint, edit: &edit{endpoint: it.endpoint}})
	}
	if it.passing {
		b.add(op{code: opNote, reg: uint8(it.reg)})
	}
	switch {
	case it.refuse != "":
		b.effect(op{code: opRefuse, wide: !it.compact, size: lengthSize(it.f), edit: &edit{want: it.refuse}})
	case it.context:
		b.effect(op{code: opContext, size: uint8(it.f.Type.FixedSize())})
	case it.protocol:
		b.effect(op{code: opProtocol, wide: !it.compact})
	case it.version:
		b.effect(op{code: opVersion})
	}
}

// lengthSize is the size of the length or count of a field where it isn't compact.
func lengthSize(f *schema.Field) uint8 {
	if f.Type == schema.String && !f.Array {
		return fastcodec.SizeInt16Length
	}
	return fastcodec.SizeInt32Length
}

// field adds a field that stands outside of a tag section, or the payload of a
// tagged one.
func (b *builder) field(it *item, edits bool) {
	f := it.f
	o := op{null: it.null, wide: !it.compact, size: uint8(f.Type.FixedSize()), limit: 1<<31 - 1}
	if edits {
		o.edit = b.edit(it)
	}
	switch {
	case f.Array:
		b.array(it, o, edits)
	case f.Type == schema.StructType:
		b.single(it, edits)
	case f.Type == schema.String:
		o.code, o.limit = opSpan, fastcodec.MaxString
		if o.wide {
			o.code = opSpan16
		}
		switch {
		case edits && len(it.rules) > 0:
			o.code = opName
		case edits && it.host:
			o.code = opHost
		}
		b.put(o)
	case o.size == 0:
		o.code = opSpan
		if o.wide {
			o.code = opSpan32
		}
		switch {
		case edits && it.embedded != "":
			o.code = opEmbedded
		case edits && it.batches != nil:
			o.code = opBatches
		}
		b.put(o)
	case edits && len(it.rules) > 0:
		o.code = opID
		b.put(o)
	case edits && it.port:
		o.code = opPort
		b.put(o)
	default:
		b.run += int32(o.size)
	}
}

// put adds an operation that reads a field, and may edit it.
func (b *builder) put(o op) {
	if o.code < opNote {
		b.add(o)
	} else {
		b.effect(o)
	}
}

// edit is what the edits of an item need, or nil.
func (b *builder) edit(it *item) *edit {
	e := &edit{rules: it.rules, anyType: it.anyType, indexed: it.indexed}
	switch {
	case it.embedded != "":
		e.embedded = b.c.embed(it.embedded, it.rules)
	case it.batches != nil:
		e.rules = []rule{*it.batches}
	case len(it.rules) == 0:
		return nil
	}
	e.plain = len(e.rules) == 1 && e.rules[0].test.how == always && (e.rules[0].form == schema.Plain || it.batches != nil)
	return e
}

// array adds an array.
func (b *builder) array(it *item, o op, edits bool) {
	f := it.f
	o.least = int32(o.size)
	switch {
	case f.Type == schema.String:
		o.code, o.least = opTexts, 1
		if o.wide {
			o.least = fastcodec.SizeInt16Length
		}
		if edits && len(it.rules) > 0 {
			o.code = opNames
		}
	case f.Type != schema.StructType:
		o.code = opNumbers
		if edits && len(it.rules) > 0 {
			o.code = opIDs
		}
	default:
		o.least = int32(b.c.slots.MinSize(b.c.slots.Structs[f.Struct], b.c.version))
		o.sub = b.program(it.sub, edits && it.sub.touched)
		o.code = opElements
		if size := strideOf(it.sub); size > 0 {
			o.code, o.least = opStrided, size
			if b.c.flexible {
				o.least++
			}
		}
		if edits && it.sub.touched {
			o.code = opArray
			o.edit = &edit{hides: it.sub.hides, indexed: it.indexed}
			if o.edit.hides {
				o.edit.skip = b.program(it.sub, false)
			}
		}
	}
	b.put(o)
}

// strideOf is the size of a struct that has only fields of fixed size and no known
// tags, or 0.
func strideOf(p *place) (size int32) {
	for i := range p.items {
		f := p.items[i].f
		if f.Array || f.Type.FixedSize() == 0 {
			return 0
		}
		size += int32(f.Type.FixedSize())
	}
	if len(p.tags) > 0 {
		return 0
	}
	return size
}

// single adds a struct that is no element.
func (b *builder) single(it *item, edits bool) {
	if !it.null {
		b.structure(it.sub, edits)
		return
	}
	code := opMarker
	if it.f.Tagged.Has(b.c.version) {
		code = opTagMarker
	}
	b.add(op{code: code})
	marker := len(b.ops)
	b.structure(it.sub, edits)
	if b.run > 0 {
		b.add(op{code: opRun})
	}
	b.ops[marker-1].jump = int32(len(b.ops) - marker)
}

// section adds the tag section of a struct.
func (b *builder) section(p *place, edits bool) {
	t := &tagTable{}
	for i := range p.tags {
		it := &p.tags[i]
		inner := &builder{c: b.c, fixed: true}
		if edits {
			inner.before(p, it, len(p.items)+i)
		}
		inner.field(it, edits)
		t.known |= 1 << it.f.Tag
		if inner.last > 0 {
			t.edited |= 1 << it.f.Tag
		}
		b.fixed = b.fixed && inner.fixed
		t.programs[it.f.Tag] = inner.finish()
	}
	o := op{code: opSection, tags: t}
	if t.edited == 0 {
		b.add(o)
		return
	}
	fixed := b.fixed
	b.effect(o)
	b.fixed = fixed
}
