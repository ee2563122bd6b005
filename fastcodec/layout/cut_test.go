// Frames that were cut: a snapshot of the first bytes.

package layout

import (
	"slices"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// collector keeps the nodes without others inside.
type collector struct {
	leaves []Node
	paths  []string
}

func (c *collector) Open(*Node)  {}
func (c *collector) Close(*Node) {}
func (c *collector) Leaf(n *Node) {
	var p fastcodec.Path
	for _, s := range slices.Backward(n.Path) {
		p.Prepend(s.Name, int(s.Index))
	}
	c.leaves = append(c.leaves, *n)
	c.paths = append(c.paths, p.String())
}

// TestCutBodies: of a body cut anywhere, every field before the cut is shown as in
// the whole one, and Cut names the field that the cut is in.
func TestCutBodies(t *testing.T) {
	list := vectors(t, "vectors")
	for i := range list {
		v := &list[i]
		if i%16 != 0 && v.Name != "DescribeQuorum" {
			continue
		}
		m, body := v.message(t), v.body(t)
		var whole collector
		end, cut, err := m.WalkCut(body, len(body), &whole)
		if err != nil || cut != nil || end != len(body) {
			t.Fatalf("%v: %v %v, ends at %d", v, cut, err, end)
		}
		for n := range min(len(body), 512) {
			var part collector
			end, cut, err := m.WalkCut(body[:n:n], len(body), &part)
			if err != nil || cut == nil || end != n {
				t.Fatalf("%v cut at %d: %v %v, ends at %d", v, n, cut, err, end)
			}
			if cut.Offset+cut.Have != n || cut.Missing < 1 || cut.Offset > n {
				t.Fatalf("%v cut at %d: %+v", v, n, cut)
			}
			for i, got := range part.leaves {
				want := &whole.leaves[i]
				if part.paths[i] != whole.paths[i] || got.Offset != want.Offset || got.Kind != want.Kind || got.Value != want.Value {
					t.Fatalf("%v cut at %d: node %d is %+v, want %+v", v, n, i, got, want)
				}
				last := i == len(part.leaves)-1
				if got.Cut && !last || !got.Cut && (got.Size != want.Size || string(got.Content) != string(want.Content)) {
					t.Fatalf("%v cut at %d: node %d is %+v, want %+v", v, n, i, got, want)
				}
			}
			// Nothing that is there in full is missing.
			shown := len(part.leaves)
			for i := range whole.leaves {
				if w := &whole.leaves[i]; w.Offset+w.Size <= n && i >= shown && w.Size > 0 && w.Kind != TagNumber && w.Kind != TagSize && w.Kind != Length && w.Kind != Marker {
					t.Fatalf("%v cut at %d: %s at %d not shown", v, n, whole.paths[i], w.Offset)
				}
			}
		}
	}
}

// TestCutSnapshot: counts and sizes are held against the whole body, not against
// what is there of it; what would be wrong in the whole is an error.
func TestCutSnapshot(t *testing.T) {
	m, err := For(fastcodec.Metadata, false, 1)
	if err != nil {
		t.Fatal(err)
	}
	front := unhex(t, "00000100"+"0003"+"6162")
	_, cut, err := m.WalkCut(front, 4+256*5, nil)
	if err != nil || cut == nil || cut.Path.String() != "Topics[0].Name" || cut.Offset != 4 || cut.Have != 4 || cut.Missing != 1 {
		t.Errorf("%+v, %v", cut, err)
	}
	if _, cut, err = m.WalkCut(front, 100, nil); err == nil || cut != nil {
		t.Errorf("%+v, %v: a count above what the whole body can hold", cut, err)
	}
}

// TestCutTrees: a frame cut anywhere has a tree, whose lines are those of the
// whole one but for what the cut is in.
func TestCutTrees(t *testing.T) {
	for _, kind := range []string{"request", "response"} {
		frame := sample(t, "DescribeQuorum", kind, 2)
		for n := range frame {
			text, cut, err := AppendTree(nil, frame[:n:n], 55, 2, kind == "response")
			if err != nil || cut == nil || cut.Offset+cut.Have != n || cut.Missing < 1 || len(text) == 0 {
				t.Errorf("%s cut at %d: %+v, %v", kind, n, cut, err)
			}
		}
	}
}
