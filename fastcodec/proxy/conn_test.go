// Conn between scripted peers.

package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// rig is a Conn with a script at both ends.
type rig struct {
	t      *testing.T
	conn   *Conn
	client net.Conn
	broker net.Conn
	result chan error
}

// kinds of connections to run a Conn over.
var kinds = map[string]func(t *testing.T) (near, far net.Conn){
	"pipe":     func(*testing.T) (net.Conn, net.Conn) { return net.Pipe() },
	"loopback": loopback,
}

// loopback is both ends of a TCP connection.
func loopback(t *testing.T) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan net.Conn)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	near, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return near, <-accepted
}

func newRig(t *testing.T, kind string, o Options) *rig {
	client, near := kinds[kind](t)
	broker, far := kinds[kind](t)
	r := &rig{t: t, conn: NewConn(near, far, Compile(o)), client: client, broker: broker, result: make(chan error, 1)}
	go func() { r.result <- r.conn.Run() }()
	return r
}

// over runs a test over every kind of connection, and finds what is left of it.
func over(t *testing.T, f func(t *testing.T, kind string)) {
	for kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			goroutines, buffers := runtime.NumGoroutine(), held.Load()
			f(t, kind)
			for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > goroutines || held.Load() > buffers; {
				if time.Now().After(end) {
					stacks := make([]byte, 1<<16)
					t.Fatalf("%d goroutines more, %d buffers more\n%s", runtime.NumGoroutine()-goroutines, held.Load()-buffers, stacks[:runtime.Stack(stacks, true)])
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
}

// say writes in the background: a pipe has no room.
func say(c net.Conn, parts ...[]byte) { go c.Write(join(parts...)) }

// read wants exactly these bytes next.
func (r *rig) read(c net.Conn, parts ...[]byte) {
	r.t.Helper()
	want := join(parts...)
	got := make([]byte, len(want))
	c.SetReadDeadline(time.Now().Add(20 * time.Second))
	n, err := io.ReadFull(c, got)
	if err != nil {
		r.t.Fatalf("%d of %d bytes: %v", n, len(want), err)
	}
	equal(r.t, "read", got, want)
}

// end wants the connection to end, with an error that wraps want.
func (r *rig) end(want error) {
	r.t.Helper()
	select {
	case err := <-r.result:
		if !errors.Is(err, want) || want == nil && err != nil {
			r.t.Errorf("ended with %v, want %v", err, want)
		}
	case <-time.After(20 * time.Second):
		r.t.Fatal("does not end")
	}
	for _, c := range []net.Conn{r.client, r.broker} {
		c.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			r.t.Error("not closed")
		}
		c.Close()
	}
}

// TestConnPasses: a conversation in both directions, then the client closes.
func TestConnPasses(t *testing.T) {
	over(t, func(t *testing.T, kind string) {
		r := newRig(t, kind, Options{})
		for i := range int32(20) {
			q, a := request(fastcodec.Fetch, 4, i, "me", make([]byte, 1<<(i%20))...), response(i, bytes.Repeat([]byte{byte(i)}, 1<<(19-i%20))...)
			say(r.client, q)
			r.read(r.broker, q)
			say(r.broker, a)
			r.read(r.client, a)
		}
		r.client.Close()
		r.end(nil)
	})
}

// TestConnPipelined: both sides write at the same time, in every size.
func TestConnPipelined(t *testing.T) {
	over(t, func(t *testing.T, kind string) {
		same := &testHandler{rule: only(fastcodec.Metadata, WholeRequest|WholeResponse),
			request: func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
				return append(dst, r.Frame...), Replace, nil
			},
			response: func(s *Session, r *Response, dst []byte) ([]byte, Verdict, error) {
				return append(dst, r.Frame...), Replace, nil
			}}
		r := newRig(t, kind, Options{Handler: same})
		var q, a []byte
		for i := range int32(2000) {
			key := fastcodec.Heartbeat
			if i%3 == 0 {
				key = fastcodec.Metadata
			}
			size := int(i*i) % 3000
			if i%500 == 0 {
				size = 700000
			}
			q = append(q, request(key, 5, i, "me", make([]byte, size)...)...)
			a = append(a, response(i, make([]byte, 3000-size%3000)...)...)
		}
		var wg sync.WaitGroup
		wg.Go(func() { r.client.Write(q) })
		wg.Go(func() { r.read(r.client, a) })
		r.read(r.broker, q)
		say(r.broker, a)
		wg.Wait()
		r.client.Close()
		r.end(nil)
	})
}

// TestS9: an end in mid-frame, or with requests open, ends both sides; nothing is
// invented.
func TestS9(t *testing.T) {
	q, a := request(fastcodec.Heartbeat, 0, 1, "me", 1, 2, 3), response(1, 1, 2, 3, 4, 5, 6)
	for name, f := range map[string]func(r *rig){
		"broker closes in mid-frame": func(r *rig) {
			say(r.client, q)
			r.read(r.broker, q)
			go func() { r.broker.Write(a[:12]); r.broker.Close() }()
			r.read(r.client, a[:12])
			if n, err := r.client.Read(make([]byte, 1)); n != 0 || err == nil {
				r.t.Error("more than the broker sent", n, err)
			}
			r.end(io.ErrUnexpectedEOF)
		},
		"broker closes inside the size": func(r *rig) {
			say(r.client, q)
			r.read(r.broker, q)
			go func() { r.broker.Write(a[:3]); r.broker.Close() }()
			if n, err := r.client.Read(make([]byte, 1)); n != 0 || err == nil {
				r.t.Error("more than the broker sent", n, err)
			}
			r.end(io.ErrUnexpectedEOF)
		},
		"broker closes with requests open": func(r *rig) {
			say(r.client, q, q)
			r.read(r.broker, q, q)
			r.broker.Close()
			r.end(io.ErrUnexpectedEOF)
		},
		"broker closes in peace": func(r *rig) {
			say(r.client, q)
			r.read(r.broker, q)
			say(r.broker, a)
			r.read(r.client, a)
			r.broker.Close()
			r.end(nil)
		},
		"client closes with requests open": func(r *rig) {
			say(r.client, q, q)
			r.read(r.broker, q, q)
			r.client.Close()
			if half, ok := r.broker.(halfCloser); ok {
				// The broker hears of it, and closes.
				if n, err := r.broker.Read(make([]byte, 1)); n != 0 || err != io.EOF {
					r.t.Error(n, err)
				}
				half.CloseWrite()
				r.end(nil)
				return
			}
			say(r.broker, a) // as a pipe can't be half closed
			r.endAny()
		},
		"client closes in mid-frame": func(r *rig) {
			go func() { r.client.Write(q[:len(q)-1]); r.client.Close() }()
			r.read(r.broker, q[:len(q)-1])
			if _, ok := r.broker.(halfCloser); ok {
				if n, err := r.broker.Read(make([]byte, 1)); n != 0 || err != io.EOF {
					r.t.Error("more than the client sent", n, err)
				}
				r.broker.Close()
				r.end(nil)
				return
			}
			r.broker.Close()
			r.endAny()
		},
		"client closes inside the size": func(r *rig) {
			go func() { r.client.Write(q[:2]); r.client.Close() }()
			if n, err := r.broker.Read(make([]byte, 1)); n != 0 || err == nil {
				r.t.Error("more than the client sent", n, err)
			}
			r.end(nil)
		},
		"nothing at all": func(r *rig) {
			r.client.Close()
			r.end(nil)
		},
		"Close": func(r *rig) {
			say(r.client, q)
			r.read(r.broker, q)
			r.conn.Close()
			r.end(nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			over(t, func(t *testing.T, kind string) { f(newRig(t, kind, Options{})) })
		})
	}
}

// endAny wants the connection to end.
func (r *rig) endAny() {
	r.t.Helper()
	select {
	case <-r.result:
	case <-time.After(20 * time.Second):
		r.t.Fatal("does not end")
	}
	r.client.Close()
	r.broker.Close()
}

// TestHalfClose: a client that has closed its half still gets its answers.
func TestHalfClose(t *testing.T) {
	over(t, func(t *testing.T, kind string) {
		if kind == "pipe" {
			t.Skip("has no halves")
		}
		r := newRig(t, kind, Options{})
		q, a := request(fastcodec.Heartbeat, 0, 1, "me"), response(1, make([]byte, 1<<20)...)
		say(r.client, q, q)
		r.read(r.broker, q, q)
		r.client.(halfCloser).CloseWrite()
		if n, err := r.broker.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Fatal(n, err)
		}
		say(r.broker, a, a)
		r.read(r.client, a, a)
		r.end(nil) // the broker needn't close for it
	})
}

// TestS10: a peer that doesn't read stops the one that sends, and memory stays
// bounded.
func TestS10(t *testing.T) {
	for _, slow := range []Side{Client, Broker} {
		over(t, func(t *testing.T, kind string) {
			r := newRig(t, kind, Options{})
			const size, count = 1 << 20, 200
			from := r.client
			f := request(fastcodec.Produce, 3, 1, "me", append(produceBody(3, 0, "null"), make([]byte, size)...)...)
			if slow == Client {
				q := bytes.Repeat(request(fastcodec.Heartbeat, 0, 1, "me"), count)
				say(r.client, q)
				r.read(r.broker, q)
				from, f = r.broker, response(1, make([]byte, size)...)
			}
			before := heapInUse()
			sent := 0
			for range count {
				from.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
				n, err := from.Write(f)
				if sent += n; err != nil {
					break
				}
			}
			if sent > 100<<20 {
				t.Errorf("%d bytes sent to a %v that doesn't read", sent, slow)
			}
			if grown := heapInUse() - before; grown > 4<<20 {
				t.Errorf("%d bytes of memory for a slow %v", grown, slow)
			}
			r.conn.Close()
			r.endAny()
		})
	}
}

func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

// TestDrain: no more requests, but answers to all that the broker got; the rest of
// one that has begun still goes there.
func TestDrain(t *testing.T) {
	over(t, func(t *testing.T, kind string) {
		q := func(i int32) []byte { return request(fastcodec.Heartbeat, 0, i, "me", make([]byte, 1000)...) }
		a := func(i int32) []byte { return response(i, make([]byte, 100000)...) }

		r := newRig(t, kind, Options{})
		say(r.client, q(1), q(2), q(3)[:500])
		r.read(r.broker, q(1), q(2), q(3)[:500])
		r.conn.Drain()
		time.Sleep(10 * time.Millisecond)
		say(r.client, q(3)[500:])
		r.read(r.broker, q(3)[500:])
		say(r.client, q(4)) // not any more
		say(r.broker, a(1), a(2))
		r.read(r.client, a(1), a(2))
		say(r.broker, a(3))
		r.read(r.client, a(3))
		go r.client.Read(make([]byte, 1)) // the end
		go r.client.Close()
		if n, err := r.broker.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Error("a request after the end", n, err)
		}
		r.endAny()

		r = newRig(t, kind, Options{})
		say(r.client, q(1))
		r.read(r.broker, q(1))
		say(r.broker, a(1))
		r.read(r.client, a(1))
		r.conn.Drain() // an idle one ends by itself
		r.end(nil)
	})
}

// TestConnHold: a held request goes on when the proxy's own is answered, or when
// somebody says so.
func TestConnHold(t *testing.T) {
	body := fastcodec.Raw{0, 0, 0, 0}
	header := fastcodec.RequestHeaderData{Key: fastcodec.Metadata, Version: 1}
	over(t, func(t *testing.T, kind string) {
		known := false
		h := &testHandler{rule: only(fastcodec.Fetch, WholeRequest)}
		h.request = func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
			if known {
				return dst, Pass, nil
			}
			return dst, Hold, s.Ask(header, &body, func(s *Session, payload []byte, err error) {
				known = err == nil
				s.Resume()
			})
		}
		r := newRig(t, kind, Options{Handler: h})
		fetch, beat := request(fastcodec.Fetch, 13, 5, "me", 1), request(fastcodec.Heartbeat, 0, 6, "me")
		own := request(fastcodec.Metadata, 1, 1, "null", body...)
		say(r.client, fetch, beat)
		r.read(r.broker, own)
		say(r.broker, response(1, 7))
		r.read(r.broker, fetch, beat)
		say(r.broker, response(5, 1), response(6, 2))
		r.read(r.client, response(5, 1), response(6, 2))

		// One that the proxy asks out of the blue.
		answered := make(chan string, 1)
		go r.conn.Do(func(s *Session) {
			s.Ask(header, &body, func(s *Session, payload []byte, err error) { answered <- fmt.Sprint(payload, err) })
		})
		r.read(r.broker, request(fastcodec.Metadata, 1, 2, "null", body...))
		say(r.broker, response(2, 9))
		if got := <-answered; got != "[0 0 0 2 9] <nil>" {
			t.Error(got)
		}
		r.client.Close()
		r.end(nil)

		// Resume from outside.
		release := false
		h.request = func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
			if release {
				return dst, Pass, nil
			}
			return dst, Hold, nil
		}
		r = newRig(t, kind, Options{Handler: h})
		say(r.client, fetch)
		for held := false; !held; time.Sleep(time.Millisecond) {
			r.conn.Do(func(s *Session) { held = s.holding })
		}
		r.conn.Do(func(s *Session) { release = true; s.Resume() })
		r.read(r.broker, fetch)
		// One that is held at the end is gone.
		r.conn.Do(func(s *Session) { release = false })
		say(r.client, fetch)
		for held := false; !held; time.Sleep(time.Millisecond) {
			r.conn.Do(func(s *Session) { held = s.holding })
		}
		r.broker.Close()
		r.end(io.ErrUnexpectedEOF)
	})
}

// TestConnAnswers: answers that are made here, alone and between others.
func TestConnAnswers(t *testing.T) {
	over(t, func(t *testing.T, kind string) {
		h := &testHandler{rule: only(fastcodec.Metadata, AskHead),
			request: func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
				return append(dst, response(r.CorrelationID, 'h')...), Answer, nil
			}}
		r := newRig(t, kind, Options{Handler: h})
		m, b := request(fastcodec.Metadata, 5, 1, "me", 1), request(fastcodec.Heartbeat, 0, 2, "me")
		say(r.client, m, m)
		r.read(r.client, response(1, 'h'), response(1, 'h'))
		say(r.client, b, m)
		r.read(r.broker, b)
		say(r.broker, response(2, 't'))
		r.read(r.client, response(2, 't'), response(1, 'h'))
		r.client.Close()
		r.end(nil)
	})
}

// TestConnErrors: an error of either side ends both, and says whose it was.
func TestConnErrors(t *testing.T) {
	over(t, func(t *testing.T, kind string) {
		r := newRig(t, kind, Options{})
		say(r.client, []byte("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"))
		r.end(fastcodec.ErrTLS)
		r = newRig(t, kind, Options{})
		say(r.broker, response(1))
		r.end(ErrUnexpected)
	})
}

// TestSourceParks: what waits for the rest of a frame is held in a small buffer.
func TestSourceParks(t *testing.T) {
	over(t, func(t *testing.T, kind string) {
		near, far := kinds[kind](t)
		dry := 0
		x := newSource(near, func() { dry++ })
		for i := range 10 {
			go func() { time.Sleep(time.Millisecond); far.Write([]byte{byte(i)}) }()
			if err := x.fill(10 - i); err != nil {
				t.Fatal(err)
			}
			if b := x.bytes(); len(b) != i+1 || b[i] != byte(i) {
				t.Fatal(b)
			}
			if kind == "loopback" {
				if x.park(); len(x.buf.b) > 64 {
					t.Fatalf("%d bytes held for %d", len(x.buf.b), i+1)
				}
			}
		}
		x.take(4)
		x.take(6)
		far.Close()
		if err := x.fill(1); err != io.EOF || dry == 0 {
			t.Error(err, dry)
		}
		x.free()
		near.Close()
	})
}

// TestSourceGrows: to twice of what has arrived, whatever is wanted.
func TestSourceGrows(t *testing.T) {
	x := newSource(nil, func() {})
	for have := range 10 {
		n := copy(x.room(100<<20), make([]byte, 1<<30>>10))
		x.to += n
		if len(x.buf.b) > max(readBuffer, 2*x.to) {
			t.Fatalf("%d bytes for %d, step %d", len(x.buf.b), x.to, have)
		}
	}
	x.free()
}
