// run: what one call of a Session has collected to send.

package proxy

// run is the frames at the front of in that go out together: in place, in[from:at],
// or in the queue. One of the two is empty, so that the order is kept.
type run struct {
	in       []byte
	from, at int
	flow     *flow
	queue    *queue
}

// flow is one direction of a Session.
type flow struct {
	begun bool // its first bytes were looked at
	whole bool // the handler wants all of the frame at the front
	drop  bool // left is dropped rather than passed
	left  int  // bytes that are still to come of the frame which passes, or is dropped
}

// between reports whether the other side got whole frames only.
func (f *flow) between() bool { return f.left == 0 || f.drop }

// action is what is next for a frame.
type action uint8

const (
	more action = iota // it takes more bytes
	send               // what was collected has to be sent first
	wait               // nothing, until the other direction changes something
	stop               // the stream has failed
	next               // the frame is done with, or flow.left has its bytes
)

// step ends the call.
func (x *run) step(need int) Step {
	if x.queue.empty() {
		return Step{Send: x.in[x.from:x.at:x.at], Taken: x.at, Need: need}
	}
	return Step{Send: x.queue.lend(), Taken: x.at, Need: need}
}

// front is what wasn't taken.
func (x *run) front() []byte { return x.in[x.at:] }

// finish passes or drops what is there of flow.left. Unless it returns next, the call
// is to end: with need more bytes to ask for.
func (x *run) finish() (a action, need int) {
	f := x.flow
	if f.left == 0 {
		return next, 0
	}
	n := min(f.left, len(x.in)-x.at)
	switch {
	case f.drop:
		if x.at > x.from {
			return send, 0
		}
		x.from += n
	case x.queue.empty():
	case n == f.left && n <= copyMost:
		x.queue.add(x.in[x.at : x.at+n])
		x.from += n
	default:
		return send, 0
	}
	x.at += n
	f.left -= n
	if f.left > 0 {
		return more, 1
	}
	f.drop = false
	return next, 0
}

// gather puts what passes in place into the queue, so that something else can follow
// it there. false: it is too much, and is to be sent.
func (x *run) gather() bool {
	if x.at-x.from > copyMost {
		return false
	}
	if x.at > x.from {
		x.queue.add(x.in[x.from:x.at])
		x.from = x.at
	}
	return true
}

// skip takes the n bytes of a frame that something else is sent for.
func (x *run) skip(n int) {
	x.at += n
	x.from = x.at
}
