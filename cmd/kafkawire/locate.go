// From offsets to fields and back, for messages about differences.

package main

import (
	"encoding/hex"
	"fmt"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// finder is a visitor that looks for a node.
type finder struct {
	match  func(n *layout.Node) bool
	path   string
	offset int
	found  bool
}

func (f *finder) Open(n *layout.Node)  { f.visit(n) }
func (f *finder) Leaf(n *layout.Node)  { f.visit(n) }
func (f *finder) Close(n *layout.Node) {}

func (f *finder) visit(n *layout.Node) {
	if !f.found && f.match(n) {
		f.found, f.path, f.offset = true, pathText(n.Path), n.Offset
	}
}

// fieldAt names the field that has the byte at an offset of a body; "" for what is
// behind all fields.
func fieldAt(m *layout.Message, body []byte, offset int) string {
	f := finder{match: func(n *layout.Node) bool {
		size := n.Size // -1 of what opens
		if n.Kind == layout.TagSection {
			_, size = fastcodec.ConsumeUvarint(body[n.Offset:]) // its count is no node of its own
		}
		return n.Offset <= offset && offset < n.Offset+size
	}}
	// A body that is broken has its fields up to there.
	_, _ = m.Walk(body, &f)
	return f.path
}

// offsetOf is the offset of the field that a path of JSON names leads to, or of
// the nearest one around it.
func offsetOf(m *layout.Message, body []byte, path []fastcodec.PathStep) int {
	for ; len(path) > 0; path = path[:len(path)-1] {
		f := finder{match: func(n *layout.Node) bool {
			if len(n.Path) != len(path) {
				return false
			}
			for i, step := range n.Path {
				if schema.JSONName(step.Name) != path[i].Name || step.Index != path[i].Index {
					return false
				}
			}
			return true
		}}
		_, _ = m.Walk(body, &f)
		if f.found {
			return f.offset
		}
	}
	return 0
}

// bodyPlace says which field the byte at an offset of a body belongs to.
func bodyPlace(m *layout.Message, body []byte, at int) string {
	field := fieldAt(m, body, at)
	if field == "" {
		field = "behind the fields"
	}
	return fmt.Sprintf("%s: body offset %d", field, at)
}

// describeAt says which field the byte at an offset of the frame belongs to.
func (p *parts) describeAt(at int) string {
	name, field := "body", ""
	switch {
	case at < fastcodec.SizePrefix:
		name, field = "size", ""
	case at < p.bodyAt():
		name = "header"
		if m, err := p.headerLayout(); err == nil {
			field = fieldAt(m, p.header, at-fastcodec.SizePrefix)
		}
	default:
		if m, err := p.layout(); err == nil && !p.opaque {
			field = fieldAt(m, p.body, at-p.bodyAt())
		}
	}
	if field == "" {
		field = name
	} else if name == "header" {
		field = "header " + field
	}
	return fmt.Sprintf("%s: frame offset %d", field, at)
}

// firstDifference is the offset of the first byte that differs.
func firstDifference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// shownBytes is a few bytes from an offset on.
func shownBytes(b []byte, at int) string {
	const most = 8
	switch {
	case at >= len(b):
		return "the end"
	case len(b)-at > most:
		return hex.EncodeToString(b[at:at+most]) + "..."
	}
	return hex.EncodeToString(b[at:])
}
