// Why a frame was refused. The interpreter only notices that something doesn't fit;
// package layout says then what and where.

package rewrite

import (
	"encoding/binary"
	"errors"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
)

// Sentinels. Those for frames that are malformed are package fastcodec's.
var (
	// ErrRefused: the frame holds what can't be edited as it would have to be, or what
	// an edit function refused. Forwarding it could leak a name.
	ErrRefused = errors.New("can't be rewritten")
	// ErrResult: an edit function returned an id or port that the field can't hold.
	ErrResult = errors.New("edit function returned an illegal value")
	// ErrContext: what the response holds depends on its request, and the Context
	// doesn't say it.
	ErrContext = errors.New("response without its request")

	errTooLong = fastcodec.ErrTooLong
)

const (
	wantID      = "an id from 0 up to what the field holds"
	wantIndexed = "no element hidden from an array whose positions are used"
)

// failure is what stopped an edit. There is none where the frame is malformed.
type failure struct {
	err  error // nil: the message inside is malformed
	at   int   // of the field, in src
	want string
	// Of a field inside a message that stands in bytes:
	inside   *embedded
	version  int16
	blob     int // of the bytes field, in src
	from, to int // of the message
}

func (s *state) fail(at int, err error, want string) int {
	if s.failure == nil {
		s.failure = &failure{err: err, at: at, want: want}
	}
	return refused
}

// failInside says that what went wrong was in the message in src[from:to], which
// the bytes at blob hold.
func (s *state) failInside(e *embedded, version int16, blob, from, to int) int {
	if s.failure == nil {
		s.failure = &failure{}
	}
	f := s.failure
	f.inside, f.version, f.blob, f.from, f.to = e, version, blob, from, to
	return refused
}

// allow reports whether the field at off is null or empty.
func (s *state) allow(b []byte, off int, o *op) bool {
	empty := false
	switch {
	case !o.wide:
		v, next := uvarint(b, off)
		if next < 0 {
			return false
		}
		empty = v <= 1
	case off+int(o.size) > len(b):
		return false
	case o.size == 2:
		empty = int16(binary.BigEndian.Uint16(b[off:])) <= 0
	default:
		empty = int32(binary.BigEndian.Uint32(b[off:])) <= 0
	}
	if !empty {
		s.fail(off, ErrRefused, o.edit.want)
	}
	return empty
}

// error explains why body, which begins at bodyAt of the frame, was refused.
func (s *state) error(bodyAt int) error {
	p, body := s.plan, s.src[bodyAt:]
	m, err := layout.Compile(p.message, p.version)
	if err != nil {
		return err
	}
	f := s.failure
	switch {
	case f == nil:
		return malformed(m, body)
	case f.inside == nil:
		return failed(m, body, f, f.at-bodyAt)
	}
	inner, err := layout.Compile(f.inside.message, f.version)
	if err != nil {
		return err
	}
	// The inner error, with the way to it through the outer message.
	text := s.src[f.from:f.to]
	if f.err == nil {
		err = malformed(inner, text)
	} else {
		err = failed(inner, text, f, f.at-f.from)
	}
	var e *fastcodec.Error
	if errors.As(err, &e) {
		prepend(e, m, body, f.blob-bodyAt)
		e.Message, e.Version, e.Offset = m.Name(), m.Version(), f.from-bodyAt+max(e.Offset, 0)
	}
	return err
}

// malformed is the error of a body that the interpreter refused.
func malformed(m *layout.Message, body []byte) error {
	if _, err := m.Walk(body, nil); err != nil {
		return err
	}
	// The readers disagree: tests and the fuzz target say that they never do.
	return &fastcodec.Error{Message: m.Name(), Version: m.Version(), Offset: -1, Err: fastcodec.ErrShort, Want: "what the rewriting of the body wants"}
}

// failed is the error of an edit of the field at an offset of body.
func failed(m *layout.Message, body []byte, f *failure, at int) error {
	e := &fastcodec.Error{Message: m.Name(), Version: m.Version(), Offset: at, Want: f.want, Err: f.err}
	prepend(e, m, body, at)
	return e
}

// prepend puts the way to the field at an offset of body in front of e's path.
func prepend(e *fastcodec.Error, m *layout.Message, body []byte, at int) {
	w := &finder{at: at}
	m.Walk(body, w)
	for i := len(w.path) - 1; i >= 0; i-- {
		e.Path.Prepend(w.path[i].Name, int(w.path[i].Index))
	}
}

// finder looks for the field at an offset.
type finder struct {
	at   int
	path []fastcodec.PathStep
}

func (f *finder) Open(n *layout.Node)  { f.look(n) }
func (f *finder) Close(n *layout.Node) {}
func (f *finder) Leaf(n *layout.Node)  { f.look(n) }

// look takes the innermost field that begins at the offset.
func (f *finder) look(n *layout.Node) {
	if n.Offset == f.at && n.Kind <= layout.Array {
		f.path = append(f.path[:0], n.Path...)
	}
}
