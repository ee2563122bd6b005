package rewrite

import (
	"bytes"
	"runtime"
	"sync"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/internal/life"
	"github.com/kafkawire/kafkawire/internal/unsafeio"
)

// prefixed are edits as a proxy has them, without allocations of their own.
func prefixed() Edits {
	name := func(old, scratch []byte) ([]byte, Action) {
		if len(old) > maxString-10 {
			return nil, Keep
		}
		return append(append(scratch, "tenant-a."...), old...), Replace
	}
	names := Names{Request: name, Response: name, Prefixes: true}
	host := []byte("proxy.example")
	endpoint := func(e Endpoint) ([]byte, int32) { return host, 20000 + e.NodeID%1000 }
	return Edits{Endpoints: Endpoints{endpoint, endpoint}, Topics: names, Groups: names, Transactions: names, Clusters: names,
		Brokers: IDs{shifted, shifted}, Producers: IDs{turned, turned}, Versions: Versions{Clamp: true}}
}

// promised skips a test of allocations in builds that allocate on purpose.
func promised(t *testing.T) {
	if raceEnabled || life.Debug {
		t.Skip("promised without the race detector and kafkawiredebug only: the one drops from pools at random, the other keeps books")
	}
}

// Nothing is allocated once plans and buffers are there, whether a frame is edited,
// or passes because nothing in it is.
func TestNoAllocations(t *testing.T) {
	promised(t)
	keep := func(old, scratch []byte) ([]byte, Action) { return nil, Keep }
	kept := Names{Request: keep, Response: keep, Prefixes: true}
	// The records of the random vectors are no batches: to say why not allocates.
	edits, equal := prefixed(), same()
	edits.Producers, equal.Producers = IDs{}, IDs{}
	for name, r := range map[string]*Rewriter{
		"edited": compiled(t, edits, false), "forced": compiled(t, equal, true), "hidden": compiled(t, Edits{Topics: hiding, Groups: hiding}, false),
		"kept": compiled(t, Edits{Topics: kept, Groups: kept, Brokers: IDs{identity, identity}}, false), "addresses": compiled(t, Edits{Endpoints: prefixed().Endpoints}, false),
	} {
		dst := make([]byte, 0, 4<<20)
		frames := 0
		for i, v := range vectors(t) {
			if i%3 != 0 && v.API != fastcodec.Metadata {
				continue
			}
			frame, ctx := v.frame(), contextOf(&v, 0)
			run := func() (err error) {
				if v.response() {
					_, _, err = r.Response(dst, frame, ctx)
				} else {
					_, _, err = r.Request(dst, frame, ctx)
				}
				return err
			}
			if run() != nil {
				continue // errors may allocate
			}
			frames++
			if n := testing.AllocsPerRun(5, func() { run() }); n != 0 {
				t.Errorf("%s, %v: %v allocations", name, &v, n)
			}
		}
		if frames < 1000 {
			t.Errorf("%s: %d frames", name, frames)
		}
	}
}

func identity(id int64) int64 { return id }

// Nor does the editing of record batches.
func TestNoAllocationsBatches(t *testing.T) {
	promised(t)
	r := compiled(t, Edits{Producers: IDs{turned, turned}}, false)
	dst, edited := make([]byte, 0, 1<<20), 0
	replay(t, r, captures(t), func(c *captured, response bool, frame, out []byte, changed bool, err error) {
		if !changed || err != nil || c.Key != fastcodec.Produce && c.Key != fastcodec.Fetch {
			return
		}
		edited++
		ctx := Context{Key: c.Key, Version: c.Version}
		if n := testing.AllocsPerRun(5, func() {
			if response {
				r.Response(dst, frame, &ctx)
			} else {
				r.Request(dst, frame, &ctx)
			}
		}); n != 0 {
			t.Errorf("%s %d: %v allocations", c.file, c.Seq, n)
		}
	})
	if edited < 50 {
		t.Errorf("%d frames edited", edited)
	}
}

// Nothing in front of or behind a frame is read or written: frames end where a page
// begins that can't be touched, and can't be written to.
func TestGuardPages(t *testing.T) {
	if !unsafeio.Guards {
		t.Skip("this system has no guard pages")
	}
	edits, forced := compiled(t, prefixed(), false), compiled(t, same(), true)
	for i, v := range vectors(t) {
		if i%7 != 0 {
			continue
		}
		frame := v.frame()
		for _, n := range []int{len(frame), len(frame) - 1, len(frame) / 2, v.BodyAt + 1} {
			if n < 4 || n > len(frame) {
				continue
			}
			cut, free := unsafeio.Guarded(frameOf(frame, n, nil))
			was := bytes.Clone(cut)
			edits.run(cut, v.response(), contextOf(&v, 0))
			forced.run(cut, v.response(), contextOf(&v, 0))
			if !bytes.Equal(cut, was) {
				t.Fatalf("%v: the frame was written to", &v)
			}
			free()
		}
	}
}

// Many goroutines may use a Rewriter that has no plans yet.
func TestConcurrent(t *testing.T) {
	list := vectors(t)
	r, want := compiled(t, prefixed(), false), compiled(t, prefixed(), false)
	var wg sync.WaitGroup
	errs := make(chan string, 8)
	for g := range 4 {
		wg.Go(func() {
			for i := g; i < len(list); i += 37 {
				v := &list[i]
				frame := v.frame()
				a, _, err1 := r.run(frame, v.response(), contextOf(v, 0))
				b, _, err2 := want.run(frame, v.response(), contextOf(v, 0))
				if !bytes.Equal(a, b) || (err1 == nil) != (err2 == nil) {
					select {
					case errs <- v.String():
					default:
					}
				}
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
	select {
	case e := <-errs:
		t.Error(e)
	default:
	}
}

// The buffer that is appended to may be of any size, and what stands in it stays.
func TestBuffers(t *testing.T) {
	r := compiled(t, prefixed(), false)
	for i, v := range vectors(t) {
		if i%11 != 0 {
			continue
		}
		frame := v.frame()
		want, changed, err := r.run(frame, v.response(), contextOf(&v, 0))
		if err != nil || !changed {
			continue
		}
		for _, room := range []int{0, 1, 10, 100, len(frame), len(want), len(want) + 600, 4 * len(want)} {
			dst := append(make([]byte, 0, 3+room), "abc"...)
			var out []byte
			if v.response() {
				out, _, err = r.Response(dst, frame, contextOf(&v, 0))
			} else {
				out, _, err = r.Request(dst, frame, contextOf(&v, 0))
			}
			if err != nil || string(out[:3]) != "abc" || !bytes.Equal(out[3:], want) {
				t.Fatalf("%v with room for %d: %v", &v, room, err)
			}
		}
	}
}

// Results may alias the old name, the scratch, or neither.
func TestAliases(t *testing.T) {
	in := `{"groupId":"consumer-group","generationId":1,"memberId":"m"}`
	for name, f := range map[string]NameFunc{
		"a part of the old": func(old, scratch []byte) ([]byte, Action) { return old[3:], Replace },
		"all of the old":    func(old, scratch []byte) ([]byte, Action) { return old, Replace },
		"a part of scratch": func(old, scratch []byte) ([]byte, Action) {
			return append(append(scratch, "xyz"...), old...)[1:], Replace
		},
		"the end of scratch": func(old, scratch []byte) ([]byte, Action) {
			s := scratch[:cap(scratch)]
			copy(s[len(s)-4:], "last")
			return s[len(s)-4:], Replace
		},
		"scratch filled": func(old, scratch []byte) ([]byte, Action) {
			s := scratch[:len(old)+minScratch]
			for i := range s {
				s[i] = 'x'
			}
			return s, Replace
		},
		"more than it holds": func(old, scratch []byte) ([]byte, Action) {
			return append(scratch[:cap(scratch)], old...)[cap(scratch):], Replace
		},
		"neither, and longer":  func(old, scratch []byte) ([]byte, Action) { return bytes.Repeat([]byte("ab"), 5000), Replace },
		"neither, and nothing": func(old, scratch []byte) ([]byte, Action) { clear(scratch[:cap(scratch)]); return nil, Replace },
		"scribbles, and keeps": func(old, scratch []byte) ([]byte, Action) { clear(scratch[:cap(scratch)]); return nil, Keep },
	} {
		for _, version := range []int16{0, 4} {
			in := in
			if version == 4 {
				in = `{"groupId":"consumer-group","generationId":1,"memberId":"m","groupInstanceId":null}`
			}
			want, action := f([]byte("consumer-group"), make([]byte, 0, 4096))
			if action == Keep {
				want = []byte("consumer-group")
			}
			got, err := exchange(t, compiled(t, Edits{Groups: Names{Request: f}}, false), fastcodec.Heartbeat, version, false, &Context{}, in)
			if err != nil {
				t.Fatal(err)
			}
			if group := decode(t, []byte(got)).(map[string]any)["groupId"]; group != string(want) && name != "scratch filled" && name != "the end of scratch" {
				t.Errorf("%s: %.40q, want %.40q", name, group, want)
			}
		}
	}
}
