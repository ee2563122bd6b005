// Conn: a Session between two connections.

package proxy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Conn forwards between a client and a broker. Two goroutines run it, one for each
// direction: each reads what its socket has into a large buffer, shows it to the
// Session, and writes what may go. A side that doesn't read isn't read for, either, so
// that memory stays bounded. A buffer is held only while there are bytes in it.
type Conn struct {
	client, broker net.Conn

	mu      sync.Mutex // guards session and ending
	session *Session
	ending  bool // the client sends nothing any more

	// Held by whoever sends to a side, from before it asks the session what to send.
	// Taken before mu, never both.
	clientOut, brokerOut sync.Mutex

	resumed  chan struct{}
	draining atomic.Bool
	once     sync.Once
	ended    chan struct{} // both connections are closed
	err      error

	running atomic.Int32  // goroutines
	gone    chan struct{} // there are none
	onGone  func(err error)
}

// NewConn gives a Conn of two connections, which it takes over.
func NewConn(client, broker net.Conn, c *Config) *Conn {
	return &Conn{client: client, broker: broker, session: c.NewSession(), resumed: make(chan struct{}, 1), ended: make(chan struct{}), gone: make(chan struct{})}
}

// Run forwards until one side is done or Close or Drain is called, closes both
// connections, and returns when nothing of it is left. The error is nil where nothing
// was under way at the end; else it says who is to blame: a *FrameError, or an error
// of a connection. Call it once.
func (c *Conn) Run() error {
	c.Start(func(error) {})
	<-c.gone
	return c.err
}

// Start is Run for who has no goroutine to spare: it returns at once, and onEnd is
// called, by one of the Conn's, when nothing else of it is left.
func (c *Conn) Start(onEnd func(err error)) {
	c.onGone = onEnd
	c.running.Store(1)
	c.run(c.fromClient)
	c.run(c.fromBroker)
	c.leave()
}

// run starts a goroutine of the connection's.
func (c *Conn) run(f func()) {
	c.running.Add(1)
	go func() {
		defer c.leave()
		f()
	}()
}

// leave is the end of one; the last one puts out the light.
func (c *Conn) leave() {
	if c.running.Add(-1) > 0 {
		return
	}
	c.mu.Lock()
	c.session.Close(c.err)
	c.mu.Unlock()
	close(c.gone)
	c.onGone(c.err)
}

// Close ends the connection at once. Anybody may call it, at any time.
func (c *Conn) Close() error {
	c.end(nil)
	return nil
}

// Drain ends the connection when the requests that the broker got are answered. No
// others are read. Anybody may call it, at any time; it doesn't wait.
func (c *Conn) Drain() {
	c.draining.Store(true)
	c.client.SetReadDeadline(past)
}

var past = time.Unix(1, 0)

// Do calls f with the Session, between the calls that forwarding makes, and sends what
// came of it: Ask, Resume. Anybody may call it while Run runs, except from inside a
// Handler, which has the Session. It returns when all is sent.
func (c *Conn) Do(f func(*Session)) {
	c.mu.Lock()
	f(c.session)
	resumed, broker, client := c.session.resumed, c.session.toBroker.waits(), c.session.toClient.waits()
	c.session.resumed = false
	c.mu.Unlock()
	if resumed {
		c.resume()
	}
	if broker {
		c.flush(&c.brokerOut, c.broker, (*Session).ToBroker)
	}
	if client {
		c.flush(&c.clientOut, c.client, (*Session).ToClient)
	}
}

// end closes both connections; the first error is the one that Run returns.
func (c *Conn) end(err error) {
	c.once.Do(func() {
		c.err = err
		close(c.ended)
		c.client.Close()
		c.broker.Close()
	})
}

func (c *Conn) resume() {
	select {
	case c.resumed <- struct{}{}:
	default:
	}
}

// flush sends what the session has for a side besides what its calls return.
func (c *Conn) flush(out *sync.Mutex, to net.Conn, waiting func(*Session) []byte) {
	out.Lock()
	defer out.Unlock()
	c.mu.Lock()
	p := waiting(c.session)
	c.mu.Unlock()
	if len(p) == 0 {
		return
	}
	if _, err := to.Write(p); err != nil {
		c.end(c.sideError(to, err))
	}
}

// sideError says whose connection failed; nil where that is no news.
func (c *Conn) sideError(of net.Conn, err error) error {
	select {
	case <-c.ended:
		return nil
	default:
	}
	side := Client
	if of == c.broker {
		side = Broker
	}
	return fmt.Errorf("%v: %w", side, err)
}

// fromClient is the direction from the client to the broker.
func (c *Conn) fromClient() {
	in := newSource(c.client, func() { c.trim(&c.brokerOut, (*Session).trimToBroker) })
	defer in.free()
	for {
		step, ok := c.step(&c.brokerOut, c.broker, in, (*Session).FromClient)
		if !ok {
			return
		}
		if step.Other {
			c.flush(&c.clientOut, c.client, (*Session).ToClient)
		}
		if step.Wait {
			in.park()
			select {
			case <-c.resumed:
			case <-c.ended:
				return
			}
			continue
		}
		if step.Need == 0 {
			continue
		}
		if c.draining.Load() && c.atBoundary() {
			c.clientDone(false)
			return
		}
		switch err := in.fill(step.Need); {
		case err == nil:
		case c.draining.Load() && errors.Is(err, os.ErrDeadlineExceeded):
			c.client.SetReadDeadline(time.Time{}) // the rest of a request that has begun
		case err == io.EOF:
			c.clientDone(true)
			return
		default:
			c.end(c.sideError(c.client, err))
			return
		}
	}
}

func (c *Conn) atBoundary() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.AtBoundary()
}

// clientDone is the end of the requests. The answers to those under way still come. A
// client that closed may have closed its half only; the broker hears of it.
func (c *Conn) clientDone(closed bool) {
	if half, ok := c.broker.(halfCloser); ok && closed {
		half.CloseWrite()
	}
	c.clientOut.Lock() // what was popped is sent
	c.mu.Lock()
	c.ending = true
	done := c.session.answered()
	c.mu.Unlock()
	c.clientOut.Unlock()
	if done {
		c.finish()
	}
}

// halfCloser is a connection that can say that nothing more will be sent, and still
// be read: TCP and TLS.
type halfCloser interface{ CloseWrite() error }

// finish ends a connection on which all is answered. A client that isn't done itself
// may be sending: to close before that was read would reset the connection, and what
// was sent last might never arrive.
func (c *Conn) finish() {
	if half, ok := c.client.(halfCloser); ok && c.draining.Load() {
		half.CloseWrite()
		c.client.SetReadDeadline(time.Now().Add(linger))
		io.Copy(io.Discard, readerOnly{c.client})
	}
	c.end(nil)
}

// linger is how long finish reads what a client sends behind the end.
const linger = time.Second

// readerOnly hides the methods by which io.Copy would take large buffers.
type readerOnly struct{ io.Reader }

// fromBroker is the direction from the broker to the client.
func (c *Conn) fromBroker() {
	in := newSource(c.broker, func() { c.trim(&c.clientOut, (*Session).trimToClient) })
	defer in.free()
	for {
		step, ok := c.step(&c.clientOut, c.client, in, (*Session).FromBroker)
		if !ok {
			return
		}
		if step.Resumed {
			c.resume()
		}
		if step.Other {
			// Not here: a broker that doesn't read because its answers aren't read must
			// not stop those who read them.
			c.run(func() { c.flush(&c.brokerOut, c.broker, (*Session).ToBroker) })
		}
		if step.Need == 0 {
			continue
		}
		c.mu.Lock()
		done := c.ending && c.session.answered()
		c.mu.Unlock()
		if done {
			c.finish()
			return
		}
		switch err := in.fill(step.Need); {
		case err == nil:
		case err == io.EOF:
			c.end(c.brokerDone(len(in.bytes())))
			return
		default:
			c.end(c.sideError(c.broker, err))
			return
		}
	}
}

// brokerDone says whether the broker's end comes too soon; left is what of an answer
// is there.
func (c *Conn) brokerDone(left int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending || left == 0 && c.session.answered() {
		return nil
	}
	return c.sideError(c.broker, fmt.Errorf("%w with %d requests under way", io.ErrUnexpectedEOF, c.session.InFlight()))
}

// step shows the session what one side sent, and sends what comes of it to the other.
// false: the connection has ended.
func (c *Conn) step(out *sync.Mutex, to net.Conn, in *source, call func(*Session, []byte) (Step, error)) (Step, bool) {
	out.Lock()
	defer out.Unlock()
	c.mu.Lock()
	step, err := call(c.session, in.bytes())
	c.mu.Unlock()
	if err != nil {
		c.end(err)
		return step, false
	}
	if len(step.Send) > 0 {
		if _, err = to.Write(step.Send); err != nil {
			c.end(c.sideError(to, err))
			return step, false
		}
	}
	in.take(step.Taken)
	return step, true
}

// trim gives back what the session holds for a side that has nothing to send.
func (c *Conn) trim(out *sync.Mutex, trim func(*Session)) {
	if !out.TryLock() {
		return // somebody has something to send
	}
	c.mu.Lock()
	trim(c.session)
	c.mu.Unlock()
	out.Unlock()
}
