// Real conversations: a Session fed byte by byte, in random pieces and whole gives the
// same output.

package proxy

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// said is one frame of a conversation.
type said struct {
	response bool
	key      fastcodec.APIKey
	version  int16
	frame    []byte
}

// conversations are those of a captures file, one a connection.
func conversations(t testing.TB, name string) (talks [][]said) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	at := map[[2]int]int{}
	for lines.Scan() {
		var c struct {
			Conn, Tap  int
			Dir, Frame string
			Key        fastcodec.APIKey
			Version    int16
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		b, err := hex.DecodeString(c.Frame)
		if err != nil {
			t.Fatal(err)
		}
		id := [2]int{c.Tap, c.Conn}
		if _, ok := at[id]; !ok {
			at[id] = len(talks)
			talks = append(talks, nil)
		}
		talks[at[id]] = append(talks[at[id]], said{c.Dir == "s2c", c.Key, c.Version, b})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return talks
}

func captures(t testing.TB) []string {
	files, err := filepath.Glob("../../testdata/captures/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("no captures", err)
	}
	return files
}

// handlers are what a Session can be told to do with a conversation.
var handlers = map[string]func() Handler{
	"pass": func() Handler { return nil },
	"whole": func() Handler {
		return &testHandler{rule: func(fastcodec.APIKey, int16) Rule { return WholeRequest | WholeResponse }}
	},
	"heads": func() Handler {
		return &testHandler{rule: func(fastcodec.APIKey, int16) Rule { return AskHead }}
	},
	// Every third frame is replaced by one with a byte more.
	"replace": func() Handler {
		var n int
		longer := func(frame, dst []byte) ([]byte, Verdict, error) {
			n++
			if n%3 != 0 {
				return dst, Pass, nil
			}
			at := len(dst)
			dst = append(append(dst, frame...), 0)
			dst[at+3]++
			if dst[at+3] == 0 {
				dst[at+2]++
			}
			return dst, Replace, nil
		}
		return &testHandler{
			rule:     func(fastcodec.APIKey, int16) Rule { return WholeRequest | WholeResponse },
			request:  func(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) { return longer(r.Frame, dst) },
			response: func(s *Session, r *Response, dst []byte) ([]byte, Verdict, error) { return longer(r.Frame, dst) },
		}
	},
}

func TestCapturesInPieces(t *testing.T) {
	frames := 0
	for _, name := range captures(t) {
		talks := conversations(t, name)
		for kind, handler := range handlers {
			if raceEnabled && kind != "replace" {
				continue // ten times as slow, for one goroutine
			}
			for c, talk := range talks {
				var want *wire
				for _, how := range []string{"whole", "bytewise", "random 1", "random 2"} {
					w := newWire(t, Options{Handler: handler()}, pieces[how]())
					var requests, responses []byte
					for _, f := range talk {
						if f.response {
							responses = append(responses, f.frame...)
							w.fromBroker(f.frame)
						} else {
							requests = append(requests, f.frame...)
							w.fromClient(f.frame)
						}
						frames++
					}
					if w.err != nil {
						t.Fatalf("%s, connection %d, %s, %s: %v", filepath.Base(name), c, kind, how, w.err)
					}
					if len(w.client) > 0 || len(w.broker) > 0 {
						t.Fatalf("%s, connection %d, %s, %s: %d and %d bytes are left", name, c, kind, how, len(w.client), len(w.broker))
					}
					if want == nil {
						want = w
						if kind != "replace" && (!bytes.Equal(w.toBroker, requests) || !bytes.Equal(w.toClient, responses)) {
							t.Fatalf("%s, connection %d, %s: not what was sent", name, c, kind)
						}
					} else if !bytes.Equal(w.toBroker, want.toBroker) || !bytes.Equal(w.toClient, want.toClient) {
						t.Fatalf("%s, connection %d, %s: %s differs from whole", name, c, kind, how)
					}
				}
			}
		}
	}
	t.Log(frames, "frames")
}

// TestCapturesAllAtOnce: all that the client says arrives before the broker says
// anything.
func TestCapturesAllAtOnce(t *testing.T) {
	for _, name := range captures(t) {
		for c, talk := range conversations(t, name) {
			var requests, responses []byte
			for _, f := range talk {
				if f.response {
					responses = append(responses, f.frame...)
				} else {
					requests = append(requests, f.frame...)
				}
			}
			w := newWire(t, Options{}, nil)
			w.fromClient(requests)
			w.fromBroker(responses)
			if w.err != nil || !bytes.Equal(w.toBroker, requests) || !bytes.Equal(w.toClient, responses) {
				t.Fatalf("%s, connection %d: %v", name, c, w.err)
			}
			if w.sendsToB != 1 {
				t.Fatalf("%s, connection %d: %d writes for frames that pass", name, c, w.sendsToB)
			}
		}
	}
}

// TestDamagedInPieces: conversations with bytes changed, lost and added give the same
// output and the same error, whole and in pieces, with every handler and with edits.
func TestDamagedInPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	makers := maps.Clone(handlers)
	editor := newEditor(t, EditorOptions{Edits: endpointEdits})
	makers["edits"] = func() Handler { return editor }
	names := slices.Sorted(maps.Keys(makers))
	ends := map[bool]int{}
	for _, name := range captures(t) {
		for c, talk := range conversations(t, name) {
			var bytesOf int
			for _, f := range talk {
				bytesOf += len(f.frame)
			}
			if bytesOf > 20000 || bytesOf == 0 {
				continue // too long to come bytewise
			}
			for range 3 {
				damaged := slices.Clone(talk)
				for range 1 + random.IntN(3) {
					f := &damaged[random.IntN(len(damaged))]
					f.frame = damage(random, f.frame)
				}
				kind := names[random.IntN(len(names))]
				limits := Limits{Request: 1000 + random.IntN(20000), Response: 1000 + random.IntN(20000)}
				options := Options{Limits: limits, SASL: random.IntN(4) == 0, OnError: Policy(random.IntN(2))}
				var want *wire
				for _, how := range []string{"whole", "bytewise", "random 1"} {
					o := options
					o.Handler = makers[kind]()
					w := newWire(t, o, pieces[how]())
					for _, f := range damaged {
						if f.response {
							w.fromBroker(f.frame)
						} else {
							w.fromClient(f.frame)
						}
					}
					if want == nil {
						want = w
						ends[w.err != nil]++
						continue
					}
					if fmt.Sprint(w.err) != fmt.Sprint(want.err) || !bytes.Equal(w.toBroker, want.toBroker) || !bytes.Equal(w.toClient, want.toClient) {
						t.Fatalf("%s, connection %d, %s, %+v: %s differs from whole: %d and %d bytes, %d and %d; %v and %v", filepath.Base(name), c, kind, options, how,
							len(w.toBroker), len(w.toClient), len(want.toBroker), len(want.toClient), w.err, want.err)
					}
				}
			}
		}
	}
	t.Log(ends[false], "went on,", ends[true], "ended with an error")
	if ends[false] < 20 || ends[true] < 100 {
		t.Error("not what this is for")
	}
}

// damage changes a copy of a frame, mostly where it begins.
func damage(r *rand.Rand, frame []byte) []byte {
	b := slices.Clone(frame)
	at := r.IntN(min(len(b), 40))
	if r.IntN(3) == 0 {
		at = r.IntN(len(b))
	}
	switch r.IntN(5) {
	case 0:
		return slices.Delete(b, at, min(len(b), at+1+r.IntN(8)))
	case 1:
		return slices.Insert(b, at, make([]byte, 1+r.IntN(8))...)
	case 2:
		b[at] ^= 1 << r.IntN(8)
	case 3:
		b[at] = byte(r.Uint32())
	default:
		b[3] = byte(r.Uint32()) // another size, of the same order
	}
	return b
}
