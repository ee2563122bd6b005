// Walk: the slow reader. It takes one field after the other and shows each to a
// visitor; where something doesn't fit it says what and why. It has no part in
// common with Parse but the plan.

package layout

import (
	"math"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/internal/fault"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// Walk shows every node of body to v and returns where the fields end; what
// follows is trailing bytes. It needs no index, and accepts and refuses what Parse
// does, for the same reasons; v has seen all nodes up to the fault then.
func (m *Message) Walk(body []byte, v Visitor) (end int, err error) {
	w := walker{m: m, b: body, full: len(body), v: v, limit: math.MaxInt}
	end = w.message()
	if w.err != nil {
		return 0, w.err
	}
	return end, nil
}

// Cut says where the walk over a body ended that was not there in full.
type Cut struct {
	Path    fastcodec.Path // of the field in which the input ends
	Offset  int            // of that field's first byte
	Have    int            // bytes of it that are there
	Missing int            // bytes of it that are not, as far as is known; at least 1
}

// WalkCut is Walk for a body of size bytes of which only the front is there, as in
// a snapshot of a frame. Every field up to the end of the input is shown, the last
// one perhaps in part (Node.Cut); cut then says where that was. It is nil where
// all fields are there. An error is what would be one in the whole body, too.
func (m *Message) WalkCut(body []byte, size int, v Visitor) (end int, cut *Cut, err error) {
	w := walker{m: m, b: body, full: max(size, len(body)), v: v, limit: math.MaxInt}
	end = w.message()
	switch {
	case w.err != nil:
		return 0, nil, w.err
	case end < 0:
		return len(body), w.cut, nil
	}
	return end, nil, nil
}

// explain says why Parse refused body. Its one allocation is the error.
func (m *Message) explain(ix *Index, body []byte) error {
	w := &ix.fault
	*w = walker{m: m, b: body, full: len(body), limit: ix.most(), path: w.path[:0]}
	w.message()
	err := w.err
	*w = walker{path: w.path}
	if err == nil {
		// The two readers disagree: the tests and the fuzz targets say that they never do.
		return &fastcodec.Error{Message: m.schema.Name, Version: m.version, Offset: -1, Err: fastcodec.ErrShort, Want: "what the check of the whole body wants"}
	}
	return err
}

// walker is one walk. Its methods return the offset behind what they read, or -1
// once err or cut is set.
type walker struct {
	m     *Message
	b     []byte
	full  int     // size of the whole body: above len(b) where it was cut
	v     Visitor // nil: only the fault is asked for
	path  []fastcodec.PathStep
	open  []Node // that are not closed yet
	next  uint64 // index positions that Parse would have handed out
	limit int    // of them
	err   error
	cut   *Cut
}

func (w *walker) message() int {
	w.next = slots.First
	return w.structure(w.m.root, 0)
}

// push and pop keep the path.
func (w *walker) push(name string, index int) {
	w.path = append(w.path, fastcodec.PathStep{Name: name, Index: int32(index)})
}

func (w *walker) pop() { w.path = w.path[:len(w.path)-1] }

// begin opens a node.
func (w *walker) begin(n Node) {
	if w.v == nil {
		return
	}
	n.Size, n.Path, n.Depth = -1, w.path, len(w.open)
	w.open = append(w.open, n)
	w.v.Open(&w.open[len(w.open)-1])
}

// end closes the node that was opened last; off is where it ended, or -1.
func (w *walker) end(off int) int {
	if w.v == nil {
		return off
	}
	n := &w.open[len(w.open)-1]
	n.Path = w.path
	n.Size = off - n.Offset
	if off < 0 {
		n.Size, n.Cut = len(w.b)-n.Offset, true
	}
	w.v.Close(n)
	w.open = w.open[:len(w.open)-1]
	return off
}

// leaf shows a node that ends at off.
func (w *walker) leaf(n Node, off int) int {
	if w.v != nil {
		w.show(n, off)
	}
	return off
}

// show is a function of its own so that a walk without a visitor allocates nothing.
func (w *walker) show(n Node, off int) {
	n.Size, n.Path, n.Depth = off-n.Offset, w.path, len(w.open)
	w.v.Leaf(&n)
}

// fail refuses the field of kind k at off, which the path leads to.
func (w *walker) fail(off int, k fault.Kind, arg int) int {
	err := &fastcodec.Error{Message: w.m.schema.Name, Version: w.m.version, Offset: off}
	err.Err, err.Want = fault.Diagnose(w.b, off, k, arg)
	for i := len(w.path) - 1; i >= 0; i-- {
		err.Path.Prepend(w.path[i].Name, int(w.path[i].Index))
	}
	w.err = err
	return -1
}

// short is for a field at off that would end at end: above len(w.b). It is cut
// where the whole body has that many bytes, and refused where it has not.
func (w *walker) short(off int, end uint64, k fault.Kind, arg int) int {
	if end > uint64(w.full) {
		return w.fail(off, k, arg)
	}
	c := &Cut{Offset: off, Have: len(w.b) - off, Missing: int(end - uint64(len(w.b)))}
	for i := len(w.path) - 1; i >= 0; i-- {
		c.Path.Prepend(w.path[i].Name, int(w.path[i].Index))
	}
	w.cut = c
	return -1
}
