// A Session between two ends in memory: what the tests of the session run on.

package proxy

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// wire holds what each end sent and got.
type wire struct {
	t          *testing.T
	s          *Session
	piece      func(left int) int // how many bytes arrive at once
	client     []byte             // sent by the client, not taken
	broker     []byte
	toClient   []byte
	toBroker   []byte
	waits      bool
	err        error
	sendsToB   int
	trusts     bool
	failedFrom Side
}

func newWire(t *testing.T, o Options, piece func(int) int) *wire {
	return wireOf(t, Compile(o), piece)
}

func wireOf(t *testing.T, c *Config, piece func(int) int) *wire {
	if piece == nil {
		piece = whole
	}
	return &wire{t: t, s: c.NewSession(), piece: piece, trusts: piece(1000) == 1}
}

func whole(left int) int { return left }
func bytewise(int) int   { return 1 }
func randomly(seed uint64) func(int) int {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(left int) int {
		if r.IntN(4) == 0 {
			return min(left, 1+r.IntN(3))
		}
		return 1 + r.IntN(left)
	}
}

// pieces are the ways in which bytes arrive.
var pieces = map[string]func() func(int) int{
	"whole":    func() func(int) int { return whole },
	"bytewise": func() func(int) int { return bytewise },
	"random 1": func() func(int) int { return randomly(1) },
	"random 2": func() func(int) int { return randomly(2) },
}

func (w *wire) fromClient(p []byte) {
	w.t.Helper()
	for len(p) > 0 && w.err == nil {
		n := w.piece(len(p))
		w.client = append(w.client, p[:n]...)
		p = p[n:]
		w.pump()
	}
}

func (w *wire) fromBroker(p []byte) {
	w.t.Helper()
	for len(p) > 0 && w.err == nil {
		n := w.piece(len(p))
		w.broker = append(w.broker, p[:n]...)
		p = p[n:]
		w.pump()
	}
}

// given is what a session is shown, taken is the end of that: nothing of it may be
// needed any more. A byte at a time that would be too slow.
func (w *wire) given(p []byte) []byte {
	if w.trusts {
		return p[:len(p):len(p)]
	}
	return slices.Clone(p)
}

func (w *wire) taken(in []byte) {
	if !w.trusts {
		clear(in)
	}
}

// pump calls the session until it wants more bytes of both sides.
func (w *wire) pump() {
	w.t.Helper()
	for again := true; again; {
		again = false
		if !w.waits {
			for w.err == nil {
				in := w.given(w.client)
				step, err := w.s.FromClient(in)
				if w.failed(Client, step, err) {
					return
				}
				w.toBroker = append(w.toBroker, step.Send...)
				if len(step.Send) > 0 {
					w.sendsToB++
				}
				w.client = w.client[step.Taken:]
				w.taken(in)
				if step.Other {
					w.toClient = append(w.toClient, w.s.ToClient()...)
				}
				if step.Wait {
					w.waits = true
					break
				}
				if step.Need > 0 {
					break
				}
			}
		}
		for w.err == nil {
			in := w.given(w.broker)
			step, err := w.s.FromBroker(in)
			if w.failed(Broker, step, err) {
				return
			}
			w.toClient = append(w.toClient, step.Send...)
			w.broker = w.broker[step.Taken:]
			w.taken(in)
			if step.Other {
				w.toBroker = append(w.toBroker, w.s.ToBroker()...)
			}
			if step.Resumed {
				w.waits, again = false, true
			}
			if step.Need > 0 {
				break
			}
		}
	}
}

func (w *wire) failed(from Side, step Step, err error) bool {
	w.t.Helper()
	if err == nil {
		return false
	}
	if len(step.Send) > 0 || step.Taken > 0 {
		w.t.Fatalf("an error with a step: %+v, %v", step, err)
	}
	w.err, w.failedFrom = err, from
	return true
}

// frame is a frame of a payload.
func frame(payload ...[]byte) []byte {
	b := []byte{0, 0, 0, 0}
	for _, p := range payload {
		b = append(b, p...)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// request is a frame with a header up to the client id, and rest behind it.
func request(key fastcodec.APIKey, version int16, correlation int32, client string, rest ...byte) []byte {
	p := binary.BigEndian.AppendUint16(nil, uint16(key))
	p = binary.BigEndian.AppendUint16(p, uint16(version))
	p = binary.BigEndian.AppendUint32(p, uint32(correlation))
	if client == "null" {
		p = append(p, 0xff, 0xff)
	} else {
		p = fastcodec.AppendString(p, []byte(client))
	}
	return frame(p, rest)
}

// response is a frame with a correlation id and rest behind it.
func response(correlation int32, rest ...byte) []byte {
	return frame(binary.BigEndian.AppendUint32(nil, uint32(correlation)), rest)
}

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }
