// queue: bytes that a Session made or copied itself, and that wait to be sent.

package proxy

// copyMost is the largest piece that is copied behind bytes of the session's own
// rather than sent in place: a copy of that size costs less than another write.
const copyMost = 16 << 10

// enough is where a queue is sent before more is added.
const enough = 128 << 10

// slack is what an edited frame may be longer than the frame was, so that nearly none
// has to be moved to a larger buffer.
const slack = 1 << 10

// queue is for one side. Its bytes are lent to whoever sends them, and are gone at
// the next call for that side. The zero value is ready.
type queue struct {
	buf   *buffer
	start int // bytes before it were sent
	end   int
	lent  int // bytes from start that are being sent
	peak  int // the most bytes that buf had to hold
	want  int // the same of the buffer before
}

// empty reports whether nothing waits, and nothing is lent.
func (q *queue) empty() bool { return q.start == q.end }

// waits reports whether something waits that isn't lent.
func (q *queue) waits() bool { return q.start+q.lent < q.end }

// size is the number of bytes that wait, or are lent.
func (q *queue) size() int { return q.end - q.start }

// settle drops what was lent. It is the first thing that a call for the side does.
func (q *queue) settle() {
	q.start += q.lent
	q.lent = 0
	if q.start == q.end {
		q.start, q.end = 0, 0
	}
}

// lend gives all that waits. It aliases the queue until settle.
func (q *queue) lend() []byte {
	if q.empty() {
		return nil
	}
	q.lent = q.end - q.start
	return q.buf.b[q.start:q.end:q.end]
}

// tail gives the queue's bytes with room for n more, to append to. It may move them:
// only what is lent stays where it was.
func (q *queue) tail(n int) []byte {
	switch size := q.size(); {
	case q.buf == nil:
		q.buf = takeBuffer(max(n, q.want))
	case len(q.buf.b)-q.end >= n:
	case q.lent == 0 && size+n <= len(q.buf.b)/2:
		copy(q.buf.b, q.buf.b[q.start:q.end])
		q.start, q.end = 0, size
	default:
		bigger := takeBuffer(max(size+n, 2*size))
		copy(bigger.b, q.buf.b[q.start:q.end])
		q.swap(bigger)
		q.start, q.end = 0, size
	}
	return q.buf.b[:q.end]
}

// keep takes over b, which is tail with something appended.
func (q *queue) keep(b []byte) {
	if len(b) > 0 && &b[0] != &q.buf.b[0] {
		held.Add(1)
		q.swap(&buffer{b[:cap(b)]})
	}
	q.end = len(b)
	q.peak = max(q.peak, q.end)
}

// swap puts a buffer with the same bytes in the place of the queue's. The old one is
// left to the garbage collector where it may still be lent.
func (q *queue) swap(b *buffer) {
	if q.lent == 0 {
		q.buf.release()
	} else {
		held.Add(-1)
	}
	q.buf = b
}

// add copies p into the queue.
func (q *queue) add(p []byte) { q.keep(append(q.tail(len(p)), p...)) }

// pop takes the oldest n bytes, valid until the next add. It is for a queue that isn't
// lent.
func (q *queue) pop(n int) []byte {
	p := q.buf.b[q.start : q.start+n]
	q.start += n
	return p
}

// trim gives back the memory of an empty queue.
func (q *queue) trim() {
	if q.buf != nil && q.empty() {
		want := q.peak
		q.free()
		q.want = want
	}
}

// free gives back the memory, whatever is in it. Nothing is lent any more.
func (q *queue) free() {
	if q.buf != nil {
		q.buf.release()
	}
	*q = queue{}
}
