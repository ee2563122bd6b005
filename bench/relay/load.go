// What is measured: requests of one kind, and an upstream that replays recorded
// answers to them.

package main

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// work is requests of a size, so many under way on so many connections, and the
// answers to them.
type work struct {
	name        string
	key         fastcodec.APIKey
	version     int16
	request     int // bytes
	deep, conns int
	fetch       int // bytes of answers with records; 0: as recorded
	bar         float64
}

const conns = 4

var works = []work{
	{"200-byte requests 100 deep, their answers pass (Heartbeat v4)", fastcodec.Heartbeat, 4, 200, 100, conns, 0, 0.9},
	{"200-byte requests 100 deep, each answer is read (Produce v13)", fastcodec.Produce, 13, 200, 100, conns, 0, 0}, // none is asked for: a relay reads nothing
	{"100 KB answers that pass (Fetch v12), 8 deep", fastcodec.Fetch, 12, 200, 8, conns, 100 << 10, 0.9},
	{"100 KB answers held for their endpoints (Fetch v18), 8 deep", fastcodec.Fetch, 18, 200, 8, conns, 100 << 10, 0.9},
	{"100 KB requests (Produce v7), 8 deep", fastcodec.Produce, 7, 100 << 10, 8, conns, 0, 0.9},
}

// answers are those that the upstream replays.
func (w work) answers() ([][]byte, error) {
	if w.fetch > 0 {
		return fetched(w.version, w.fetch)
	}
	return recorded(w.key, w.version)
}

// upstream answers each request at once with the next of the answers, which gets its
// correlation id.
func upstream(answers [][]byte) (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go replay(conn, answers)
		}
	}()
	return l, nil
}

func replay(conn net.Conn, answers [][]byte) {
	defer conn.Close()
	in, out := make([]byte, 0, 512<<10), []byte(nil)
	for next := 0; ; {
		n, err := conn.Read(in[len(in):cap(in)])
		if err != nil {
			return
		}
		in = in[:len(in)+n]
		rest := in
		for {
			payload, after, _, err := fastcodec.Split(rest)
			if payload == nil || err != nil {
				break
			}
			at := len(out)
			out = append(out, answers[next%len(answers)]...)
			copy(out[at+4:at+8], payload[4:8])
			rest = after
			next++
		}
		in = in[:copy(in, rest)]
		if _, err := conn.Write(out); err != nil {
			return
		}
		out = out[:0]
	}
}

// run sends for a time and counts the answers.
func (w work) run(address string, span time.Duration) (frames int64, err error) {
	batch := w.requests(w.deep)
	var total atomic.Int64
	var wg sync.WaitGroup
	var once sync.Once
	stop := time.Now().Add(span)
	for range w.conns {
		wg.Go(func() {
			if e := w.connection(address, batch, stop, &total); e != nil {
				once.Do(func() { err = e })
			}
		})
	}
	wg.Wait()
	return total.Load(), err
}

// requests is n of them in a row.
func (w work) requests(n int) (b []byte) {
	for i := range n {
		at := len(b)
		b = append(b, make([]byte, w.request)...)
		binary.BigEndian.PutUint32(b[at:], uint32(w.request-4))
		binary.BigEndian.PutUint16(b[at+4:], uint16(w.key))
		binary.BigEndian.PutUint16(b[at+6:], uint16(w.version))
		binary.BigEndian.PutUint32(b[at+8:], uint32(i))
		// Client id, and where the header has them no tags; of Produce no transaction,
		// and acks -1. The rest is of no concern to a proxy.
		copy(b[at+12:], "\x00\x05relay\x00\x00\xff\xff")
	}
	return b
}

// connection keeps deep requests under way: as many go out as answers come in.
func (w work) connection(address string, batch []byte, stop time.Time, total *atomic.Int64) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	// Both sides of large frames write at once: one goroutine could wait for itself.
	credit := make(chan int, w.deep+1)
	credit <- w.deep
	failed := make(chan error, 1)
	go func() {
		next := 0
		for n := range credit {
			for n > 0 {
				send := min(n, w.deep-next)
				if _, err := conn.Write(batch[next*w.request : (next+send)*w.request]); err != nil {
					failed <- err
					return
				}
				next = (next + send) % w.deep
				n -= send
			}
		}
		failed <- nil
	}()
	in := make([]byte, 256<<10)
	have, skip := 0, 0 // bytes in, and bytes of an answer that are still to come
	for time.Now().Before(stop) {
		n, err := conn.Read(in[have:])
		if err != nil {
			close(credit)
			return err
		}
		have += n
		came, at := 0, 0
		for {
			drop := min(skip, have-at)
			at, skip = at+drop, skip-drop
			if skip > 0 || have-at < fastcodec.SizePrefix {
				break
			}
			skip = fastcodec.SizePrefix + int(binary.BigEndian.Uint32(in[at:]))
			came++
		}
		have = copy(in, in[at:have])
		if total.Add(int64(came)); came > 0 {
			credit <- came
		}
	}
	close(credit)
	conn.Close()
	if err := <-failed; err != nil && !isClosed(err) {
		return err
	}
	return nil
}

func isClosed(err error) bool {
	_, ok := err.(*net.OpError)
	return ok
}

// exchange sends one request and reads its answer.
func (w work) exchange(conn net.Conn, answer int) error {
	if _, err := conn.Write(w.requests(1)); err != nil {
		return err
	}
	_, err := io.ReadFull(conn, make([]byte, answer))
	return err
}
