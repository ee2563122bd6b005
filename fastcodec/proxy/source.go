// source: what one side of a connection sends, read into a large buffer that is held
// only while there is something in it.

package proxy

import (
	"io"
	"net"
	"syscall"
)

const (
	// readBuffer is the size of the buffers that sockets are read into.
	readBuffer = 256 << 10
	// idleBuffer is what a connection that can't be asked whether it has bytes is read
	// into while it seems to have none.
	idleBuffer = 4 << 10
	// readLeast is the room below which bytes are moved to the front.
	readLeast = 16 << 10
)

// source reads a connection. It is for one goroutine.
type source struct {
	conn net.Conn
	dry  func() // called where there is nothing to read, before it waits

	raw   syscall.RawConn // nil where readiness can't be asked for
	ready func(fd uintptr) bool
	n     int // what ready read
	err   error

	buf      *buffer
	from, to int // what was read and not taken
	full     bool
}

func newSource(conn net.Conn, dry func()) *source {
	x := &source{conn: conn, dry: dry}
	if sc, ok := conn.(syscall.Conn); ok && readsReady {
		if raw, err := sc.SyscallConn(); err == nil {
			x.raw = raw
			x.ready = x.readReady
		}
	}
	return x
}

// bytes is what was read and not taken. It is valid until the next fill.
func (x *source) bytes() []byte {
	if x.buf == nil {
		return nil
	}
	return x.buf.b[x.from:x.to:x.to]
}

// take drops n bytes from the front.
func (x *source) take(n int) {
	if x.from += n; x.from == x.to {
		x.from, x.to = 0, 0
	}
}

// fill waits for more bytes, of which need are wanted, and reads what is there.
func (x *source) fill(need int) (err error) {
	if x.raw == nil {
		return x.fillBlocking(need)
	}
	x.n = need
	if err = x.raw.Read(x.ready); err == nil {
		err = x.err
	}
	if err == nil && x.n == 0 {
		err = io.EOF
	}
	if err != nil {
		return err
	}
	x.to += x.n
	return nil
}

// readReady is called by RawConn.Read: first at once, then whenever the socket has
// something. false: it has nothing.
func (x *source) readReady(fd uintptr) bool {
	n, err := readSocket(fd, x.room(x.n))
	if err == errDry {
		x.dry()
		x.park()
		return false
	}
	x.n, x.err = n, err
	return true
}

// fillBlocking is fill where all that can be done is to read. What filled its buffer
// has probably more behind it.
func (x *source) fillBlocking(need int) error {
	if !x.full && x.from == x.to {
		x.dry()
		x.free()
		x.buf = takeBuffer(idleBuffer)
	}
	p := x.buf.b[x.to:]
	if x.full || len(p) < need {
		p = x.room(need)
	}
	n, err := x.conn.Read(p)
	x.full = n == len(p)
	x.to += n
	if n > 0 {
		return nil
	}
	return err
}

// room gives the space to read into; need bytes are wanted. A buffer is replaced only
// when it is full, by one of twice its size, whatever is wanted.
func (x *source) room(need int) []byte {
	have := x.to - x.from
	switch {
	case x.buf == nil:
		x.buf = takeBuffer(readBuffer)
	case len(x.buf.b) < readBuffer || have == len(x.buf.b):
		bigger := takeBuffer(max(readBuffer, 2*have))
		copy(bigger.b, x.buf.b[x.from:x.to])
		x.buf.release()
		x.buf, x.from, x.to = bigger, 0, have
	case x.from > 0 && len(x.buf.b)-x.to < max(need, readLeast):
		copy(x.buf.b, x.buf.b[x.from:x.to])
		x.from, x.to = 0, have
	}
	return x.buf.b[x.to:]
}

// park gives the large buffer back. What is left in it, if little, moves to a small
// one.
func (x *source) park() {
	have := x.to - x.from
	switch {
	case have == 0:
		x.free()
	case have <= len(x.buf.b)/4:
		small := takeBuffer(have)
		copy(small.b, x.buf.b[x.from:x.to])
		x.buf.release()
		x.buf, x.from, x.to = small, 0, have
	}
}

// free gives back the memory.
func (x *source) free() {
	if x.buf != nil {
		x.buf.release()
	}
	x.buf, x.from, x.to = nil, 0, 0
}
