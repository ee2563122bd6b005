// Visitors that tests look at messages with.

package layout

import (
	"math"
	"unicode/utf8"
)

// stringsSeen notes whether a string isn't UTF-8.
type stringsSeen struct{ bad bool }

func (s *stringsSeen) Open(*Node)  {}
func (s *stringsSeen) Close(*Node) {}
func (s *stringsSeen) Leaf(n *Node) {
	s.bad = s.bad || n.Kind == String && !utf8.Valid(n.Content)
}

// earlyTags notes whether an unknown tag has the number of one that the struct
// has at another version.
type earlyTags struct {
	m     *Message
	found bool
}

func (s *earlyTags) Open(*Node)  {}
func (s *earlyTags) Close(*Node) {}
func (s *earlyTags) Leaf(n *Node) {
	if n.Kind != UnknownTag {
		return
	}
	for _, t := range s.m.slots.Structs {
		for _, f := range t.Schema.Fields {
			s.found = s.found || f.IsTagged() && int64(f.Tag) == n.Value
		}
	}
}

// oddNaNs notes whether a float64 is a NaN other than the one that JSON can say.
type oddNaNs struct{ stringsSeen }

func (s *oddNaNs) Leaf(n *Node) {
	if n.Kind == Float64 {
		v := float(n.Content)
		s.bad = s.bad || v != v && math.Float64bits(v) != javaNaN
	}
}

func hasOddNaN(m *Message, body []byte) bool {
	var s oddNaNs
	m.Walk(body, &s)
	return s.bad
}
