// Edits of names.

package rewrite

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/kafkawire/kafkawire/internal/schema"
)

// name edits a string. It returns where it ends in src, or hidden.
func (s *state) name(b []byte, o *op, at int) int {
	var content, end int
	if at < len(b) && uint(b[at])-1 < 127 && !o.wide {
		if content, end = at+1, at+int(b[at]); end > len(b) {
			return refused
		}
	} else if content, end = span(b, at, o); content <= 0 {
		return end
	}
	e := o.edit
	r := &e.rules[0]
	if !e.plain {
		if r = s.match(b, e, at); r == nil {
			return end
		}
		if r == &noRule {
			return refused
		}
	}
	return s.apply(b, o, r, at, content, end)
}

// names edits the strings of an array.
func (s *state) names(b []byte, o *op, at int) int {
	off, n := count(b, at, o)
	if off < 0 {
		return refused
	}
	if n <= 0 {
		return off
	}
	e := o.edit
	r := &e.rules[0]
	if !e.plain {
		if r = s.match(b, e, at); r == nil {
			return texts(b, off, n, o.wide)
		}
		if r == &noRule {
			return refused
		}
	}
	place, size, left := s.place(at), off-at, n
	for range n {
		var content, end int
		if off < len(b) && uint(b[off])-1 < 127 && !o.wide {
			if content, end = off+1, off+int(b[off]); end > len(b) {
				return refused
			}
		} else if content, end = text(b, off, o.wide); content < 0 {
			return refused
		}
		switch next := s.apply(b, o, r, off, content, end); {
		case next >= 0:
		case next == hidden && !e.indexed:
			s.copyTo(off)
			s.mark = end
			left--
		case next == hidden:
			return s.fail(off, ErrRefused, wantIndexed)
		default:
			return refused
		}
		off = end
	}
	if left < n {
		s.patchLength(o.wide, place, size, left)
	}
	return off
}

// noRule stands for a rule that can't be told, or must not be applied: s.failure
// says why.
var noRule rule

// match is the rule that holds for the field at at, or nil. It is &noRule where that can't be said.
func (s *state) match(b []byte, e *edit, at int) *rule {
	for i := range e.rules {
		switch s.holds(b, &e.rules[i].test) {
		case yes:
			return &e.rules[i]
		case unknown:
			// Of names only a condition on the request can be unknown.
			s.fail(at, ErrContext, "the response with the Context of its request")
			return &noRule
		}
	}
	if e.anyType != nil && s.holds(b, e.anyType) == yes {
		s.fail(at, ErrRefused, "a filter of one resource type, or without a name")
		return &noRule
	}
	return nil
}

// answer says whether a condition holds.
type answer uint8

const (
	no answer = iota
	yes
	unknown
)

func answerOf(ok bool) answer {
	if ok {
		return yes
	}
	return no
}

func (s *state) holds(b []byte, t *test) answer {
	switch t.how {
	case always:
		return yes
	case byNumber:
		if t.field.typ == schema.Int8 {
			return answerOf(int64(int8(b[s.regs[t.field.reg]])) == t.number)
		}
		return answerOf(s.read(b, &t.field) == t.number)
	case byText:
		if value := s.text(b, &t.field); value != nil {
			return answerOf(bytes.Equal(value, t.text))
		}
		return s.ctx.Protocol.isConsumer()
	case byProtocol:
		return s.ctx.Protocol.isConsumer()
	}
	if !s.ctx.known {
		return unknown
	}
	return answerOf(int64(s.ctx.field) == t.number)
}

// read is the number that a register points to.
func (s *state) read(b []byte, f *source) int64 {
	d := b[s.regs[f.reg]:]
	switch f.typ {
	case schema.Bool, schema.Int8:
		return int64(int8(d[0]))
	case schema.Int16:
		return int64(int16(binary.BigEndian.Uint16(d)))
	case schema.Uint16:
		return int64(binary.BigEndian.Uint16(d))
	case schema.Int64:
		return int64(binary.BigEndian.Uint64(d))
	}
	return int64(int32(binary.BigEndian.Uint32(d)))
}

// text is the string that a register points to, or nil where it is null.
func (s *state) text(b []byte, f *source) []byte {
	content, end := span(b, int(s.regs[f.reg]), &op{null: true, wide: f.wide, limit: maxString})
	if content <= 0 {
		return nil
	}
	return b[content:end:end]
}

// apply has a rule's function edit the string src[content:end], whose length stands
// from at on. It returns end, or hidden.
//
// What nearly every name takes is written out here: scratch, and splice.
func (s *state) apply(b []byte, o *op, r *rule, at, content, end int) int {
	if r.form != schema.Plain {
		return s.applyForm(b, o, r, at, content, end)
	}
	old := s.src[content:end:end]
	d := s.dst
	from := max(len(d), len(d)+at-s.mark) + maxLength
	if cap(d)-from < len(old)+minScratch {
		s.scratch(at, len(old))
		d = s.dst
	}
	value, action := r.name(old, d[from:from:cap(d)])
	n := len(value)
	switch {
	case action != Replace || n > maxString:
		return s.settle(r, at, end, action)
	case bytes.Equal(value, old) && !s.force:
		return end
	case n == len(old) || n >= 127 || o.wide || s.mark > at:
		s.splice(o, at, content, end, value)
		return end
	}
	s.changed = true
	d = append(d, s.src[s.mark:at]...)
	s.dst = append(append(d, byte(n+1)), value...)
	s.mark = end
	return end
}

// settle does what is left to do where a name isn't replaced.
func (s *state) settle(r *rule, at, end int, action Action) int {
	switch {
	case action == Keep:
		return end
	case action == Hide && r.element:
		return hidden
	case action == Hide:
		return s.fail(at, ErrRefused, wantElement)
	case action == Replace:
		return s.fail(at, errTooLong, "a new name of at most 32767 bytes")
	}
	return s.fail(at, ErrRefused, "a name that the edit function accepts")
}

const wantElement = "a name that can be hidden: an array's element"

// applyForm is apply for names that don't stand there as they are.
func (s *state) applyForm(b []byte, o *op, r *rule, at, content, end int) int {
	old, rest := s.src[content:end:end], []byte(nil)
	switch r.form {
	case schema.Decimal:
		return s.decimal(o, r, at, content, end)
	case schema.ACLName:
		switch {
		case len(old) == 1 && old[0] == '*':
			return end
		case r.pattern == nil || r.prefixes || s.read(b, r.pattern) == patternLiteral:
		case r.response && r.element:
			return hidden
		default:
			return s.fail(at, ErrRefused, "a literal resource name")
		}
	case schema.ShareKey:
		if old, rest = cutShareKey(old); old == nil {
			return end
		}
	}
	scratch := s.scratch(at, end-content)
	value, action := r.name(old, scratch)
	if action != Replace || len(value)+len(rest) > maxString {
		return s.settle(r, at, end, action)
	}
	if s.force || !bytes.Equal(value, old) {
		s.splice(o, at, content, end, append(append(scratch, value...), rest...))
	}
	return end
}

// Kafka's numbers of ACL resource types and pattern types.
const (
	aclTypeAny     = 1
	patternLiteral = 3
)

// cutShareKey splits the key of a share coordinator, GROUP:TOPICID:PARTITION, behind
// its group; nil where it isn't one.
func cutShareKey(key []byte) (group, rest []byte) {
	i := bytes.LastIndexByte(key, ':')
	if i > 0 {
		i = bytes.LastIndexByte(key[:i], ':')
	}
	if i < 0 {
		return nil, nil
	}
	return key[:i:i], key[i:]
}

// decimal edits an id that is written as decimal text. What is no such text names
// nothing, and stays.
func (s *state) decimal(o *op, r *rule, at, content, end int) int {
	old := s.src[content:end]
	v := int64(0)
	for i, c := range old {
		if c < '0' || c > '9' || i == 10 || i == 0 && c == '0' && len(old) > 1 {
			return end
		}
		v = 10*v + int64(c-'0')
	}
	if len(old) == 0 || v > math.MaxInt32 {
		return end
	}
	id := r.id(v)
	switch {
	case id < 0 || id > math.MaxInt32:
		return s.fail(at, ErrResult, wantID)
	case id != v || s.force:
		s.splice(o, at, content, end, strconv.AppendInt(s.scratch(at, len(old)), id, 10))
	}
	return end
}
