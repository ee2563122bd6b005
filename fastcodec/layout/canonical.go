// The canonical form of a body: what an encoder would write that was given the
// same values.

package layout

import (
	"cmp"
	"slices"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// AppendCanonical appends body as an encoder writes it that was given its values:
// varints at their shortest, bools 0 or 1, null -1 (compact 0), the marker of a
// nullable struct -1 or 1, tagged fields in ascending order with repeated unknown
// ones in the order in which they came, known ones at their default left out.
// Trailing bytes are kept. Bytes that are canonical come out as they are. On an
// error dst comes back at its old length.
func (m *Message) AppendCanonical(dst, body []byte) ([]byte, error) {
	c := canonical{m: m, dst: dst}
	end, err := m.Walk(body, &c)
	if err != nil {
		return dst, err
	}
	return append(c.dst, body[end:]...), nil
}

// canonical is the visitor that writes.
type canonical struct {
	m       *Message
	dst     []byte
	fields  []payload // tagged fields of the open sections that are to be written
	open    []int     // for each open section: where it starts in dst, then in fields
	scratch []byte
}

// payload is a tagged field, written to dst without number and size.
type payload struct {
	number     uint32
	start, end int
}

func (c *canonical) Leaf(n *Node) {
	switch n.Kind {
	case Length:
		// The array has written it.
	case TagNumber, TagSize:
		// The section writes them when it has all fields.
	case Marker:
		// The struct has written it.
	case UnknownTag:
		c.dst = append(c.dst, n.Content...)
	case Bool:
		c.dst = append(c.dst, boolByte(n.Value != 0))
	case String, Bytes, Records:
		k := n.field.kind
		if n.field.array {
			k = n.field.element
		}
		if n.Null {
			c.dst = appendLength(c.dst, k, -1)
			return
		}
		c.dst = append(appendLength(c.dst, k, len(n.Content)), n.Content...)
	default:
		c.dst = append(c.dst, n.Content...)
	}
}

func boolByte(v bool) byte {
	if v {
		return 1
	}
	return 0
}

func (c *canonical) Open(n *Node) {
	switch n.Kind {
	case Array:
		count := int(n.Value)
		if n.Null {
			count = -1
		}
		c.dst = appendLength(c.dst, n.field.kind, count)
	case Struct:
		if n.Index < 0 && n.field.nullable {
			c.dst = appendMarker(c.dst, n.field, n.Null)
		}
	case TagSection:
		c.open = append(c.open, len(c.dst), len(c.fields))
	case TagField:
		c.fields = append(c.fields, payload{number: uint32(n.Value), start: len(c.dst)})
	}
}

func (c *canonical) Close(n *Node) {
	switch n.Kind {
	case TagField:
		p := &c.fields[len(c.fields)-1]
		p.end = len(c.dst)
		if n.field != nil && n.field.isDefault(c.dst[p.start:]) {
			c.dst = c.dst[:p.start]
			c.fields = c.fields[:len(c.fields)-1]
		}
	case TagSection:
		start, first := c.open[len(c.open)-2], c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-2]
		c.section(start, c.fields[first:])
		c.fields = c.fields[:first]
	}
}

// section writes a tag section over the payloads that stand in dst from start on.
func (c *canonical) section(start int, fields []payload) {
	slices.SortStableFunc(fields, func(a, b payload) int { return cmp.Compare(a.number, b.number) })
	c.scratch = append(c.scratch[:0], c.dst[start:]...)
	c.dst = fastcodec.AppendUvarint(c.dst[:start], uint32(len(fields)))
	for _, p := range fields {
		c.dst = fastcodec.AppendUvarint(c.dst, p.number)
		c.dst = fastcodec.AppendUvarint(c.dst, uint32(p.end-p.start))
		c.dst = append(c.dst, c.scratch[p.start-start:p.end-start]...)
	}
}
