// The object tree: a line for each node, as in
//
//	DescribeQuorumRequest message v2 [0x0000, 25B]
//	+-- Frame [0x0000, 4B]
//	|   +-- size int32 = 21 [0x0000, 4B]
//	+-- RequestHeader v2 [0x0004, 11B]
//	...
//	+-- DescribeQuorumRequest struct [0x000f, 10B]
//	    +-- Topics []TopicData = 1 element [0x000f, 9B]
//	    |   +-- length uvarint = 2 (compact, n+1) [0x000f, 1B]
//	    |   +-- TopicData[0] TopicData = struct [0x0010, 8B]
//	    |       +-- TopicName string = "" (compact, len+1=1) [0x0010, 1B]
//	    ...

package layout

import (
	"encoding/hex"
	"strconv"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// hexBytes is the most bytes that a tree shows of bytes, records and unknown tags.
const hexBytes = 32

// tree collects lines; it is a visitor.
type tree struct {
	lines  []line
	depth  int  // of the nodes of the walk under way
	base   int  // offset of its first byte in the frame
	header bool // headers have names and types as in Kafka's protocol guide
	open   []int
	inside func(n *Node) []Branch // may be nil
}

// Branch is a line that a tree has below that of a leaf: something inside of the
// leaf's content.
type Branch struct {
	Text         string // name, type and value
	Depth        int    // 0 is right below the leaf
	Offset, Size int    // in bytes; the offset counts from the content's start
	// Unpacked says that the offset counts in decompressed bytes, which are no part of
	// the frame: the tree marks it so.
	Unpacked bool
}

// line is a node of a tree.
type line struct {
	text         string // name, type and value
	depth        int
	offset, size int
	cut          bool
	unpacked     bool // the offset is one in decompressed bytes
}

// add adds a line and returns its number.
func (t *tree) add(text string, depth, offset, size int) int {
	t.lines = append(t.lines, line{text: text, depth: depth, offset: offset, size: size})
	return len(t.lines) - 1
}

func (t *tree) Open(n *Node) { t.open = append(t.open, t.node(n)) }

func (t *tree) Leaf(n *Node) {
	t.lines[t.node(n)].cut = n.Cut
	if t.inside == nil {
		return
	}
	content := t.base + n.Offset + n.Size - len(n.Content)
	for _, b := range t.inside(n) {
		l := line{text: b.Text, depth: t.depth + n.Depth + 1 + b.Depth, offset: b.Offset, size: b.Size, unpacked: b.Unpacked}
		if !b.Unpacked {
			l.offset += content
		}
		t.lines = append(t.lines, l)
	}
}

func (t *tree) Close(n *Node) {
	l := &t.lines[t.open[len(t.open)-1]]
	t.open = t.open[:len(t.open)-1]
	l.size, l.cut = n.Size, n.Cut
}

func (t *tree) node(n *Node) int {
	var text []byte
	if t.header {
		text = appendHeaderName(text, n)
	} else {
		text = append(text, n.Name...)
		if n.Index >= 0 {
			text = strconv.AppendInt(append(text, '['), int64(n.Index), 10)
			text = append(text, ']')
		}
		text = append(append(text, ' '), n.Type...)
	}
	text = n.AppendValue(append(text, " = "...))
	if t.header && n.Name == "RequestApiKey" {
		if k := fastcodec.APIKey(n.Value); k.Known() {
			text = append(append(append(text, " ("...), k.String()...), ')')
		}
	}
	return t.add(string(text), t.depth+n.Depth, t.base+n.Offset, n.Size)
}

// appendHeaderName writes name and type of a header's field as Kafka's protocol
// guide has them: "client_id nullable_string".
func appendHeaderName(text []byte, n *Node) []byte {
	for i := range len(n.Name) {
		c := n.Name[i]
		if 'A' <= c && c <= 'Z' {
			if i > 0 {
				text = append(text, '_')
			}
			c += 'a' - 'A'
		}
		text = append(text, c)
	}
	if n.Index >= 0 {
		text = strconv.AppendInt(append(text, '['), int64(n.Index), 10)
		text = append(text, ']')
	}
	text = append(text, ' ')
	if n.field != nil && n.field.nullable {
		text = append(text, "nullable_"...)
	}
	return append(text, n.Type...)
}

// AppendValue appends what a tree says of the node behind the "=".
func (n *Node) AppendValue(dst []byte) []byte {
	switch n.Kind {
	case Bool:
		dst = strconv.AppendBool(dst, n.Value != 0)
		if uint64(n.Value) > 1 {
			dst = append(append(dst, ' '), '(')
			dst = append(appendHex(dst, n.Content), ')')
		}
		return dst
	case Float64:
		return strconv.AppendFloat(dst, float(n.Content), 'g', -1, 64)
	case UUID:
		u, _ := fastcodec.ConsumeUUID(n.Content)
		return append(dst, u.String()...)
	case String:
		if n.Null {
			dst = append(dst, "null"...)
		} else {
			dst = strconv.AppendQuote(dst, string(n.Content))
		}
		return n.appendLength(dst, "int16")
	case Bytes, Records:
		if n.Null {
			dst = append(dst, "null"...)
		} else {
			dst = appendHex(dst, n.Content)
		}
		return n.appendLength(dst, "int32")
	case UnknownTag:
		dst = appendHex(dst, n.Content)
		return appendCount(dst, len(n.Content), " (", "byte)", "bytes)")
	case Struct:
		if n.Null {
			return append(dst, "null"...)
		}
		return append(dst, "struct"...)
	case Array:
		if n.Null {
			return append(dst, "null"...)
		}
		return appendCount(dst, int(n.Value), "", "element", "elements")
	case Length:
		if n.Compact {
			return append(strconv.AppendInt(dst, n.Value+1, 10), " (compact, n+1)"...)
		}
	case TagField:
		dst = strconv.AppendInt(dst, n.Value, 10)
		if n.field == nil {
			return append(dst, " (unknown)"...)
		}
		return append(append(append(dst, " ("...), n.field.name...), ')')
	}
	return strconv.AppendInt(dst, n.Value, 10)
}

// appendLength appends how the length of a string or bytes stands on the wire;
// prefix is its type where it is not compact.
func (n *Node) appendLength(dst []byte, prefix string) []byte {
	length := n.Value
	if n.Compact {
		dst = append(dst, " (compact, len+1="...)
		length++
	} else {
		dst = append(append(append(dst, " ("...), prefix...), " len="...)
	}
	return append(strconv.AppendInt(dst, length, 10), ')')
}

func appendCount(dst []byte, n int, before, one, more string) []byte {
	dst = strconv.AppendInt(append(dst, before...), int64(n), 10)
	if n != 1 {
		one = more
	}
	return append(append(dst, ' '), one...)
}

// appendHex appends the first bytes of b.
func appendHex(dst, b []byte) []byte {
	dst = append(dst, "0x"...)
	if len(b) > hexBytes {
		return append(hex.AppendEncode(dst, b[:hexBytes]), "..."...)
	}
	return hex.AppendEncode(dst, b)
}

// appendTo draws the tree.
func (t *tree) appendTo(dst []byte) []byte {
	// A node is the last of its parent where no other at its depth comes before
	// the next one further out. Looked at from the end.
	last := make([]bool, len(t.lines))
	var seen []bool // by depth: a node comes later
	for i := len(t.lines) - 1; i >= 0; i-- {
		d := t.lines[i].depth
		for len(seen) <= d {
			seen = append(seen, false)
		}
		last[i] = !seen[d]
		seen[d] = true
		clear(seen[d+1:])
	}
	var more []bool // by depth: whether the branch goes on below
	for i, l := range t.lines {
		for len(more) <= l.depth {
			more = append(more, false)
		}
		more[l.depth] = !last[i]
		for d := 1; d < l.depth; d++ {
			if more[d] {
				dst = append(dst, "|   "...)
			} else {
				dst = append(dst, "    "...)
			}
		}
		if l.depth > 0 {
			dst = append(dst, "+-- "...)
		}
		dst = append(append(dst, l.text...), " ["...)
		if l.unpacked {
			dst = append(dst, "unpacked "...)
		}
		dst = append(dst, "0x"...)
		for digits := len(strconv.FormatInt(int64(l.offset), 16)); digits < 4; digits++ {
			dst = append(dst, '0')
		}
		dst = strconv.AppendInt(dst, int64(l.offset), 16)
		dst = strconv.AppendInt(append(dst, ", "...), int64(l.size), 10)
		dst = append(dst, 'B', ']')
		if l.cut {
			dst = append(dst, " cut"...)
		}
		dst = append(dst, '\n')
	}
	return dst
}
