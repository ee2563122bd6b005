// Real conversations: a Session fed byte by byte, in random pieces and whole gives the
// same output.

package proxy

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
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
