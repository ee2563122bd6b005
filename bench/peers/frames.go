package main

// What is measured: frames that both sides read and write alike.

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/kafkawire/kafkawire/bench/inputs"
	"github.com/kafkawire/kafkawire/bench/result"
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
)

// frame is an input with our reusable view of it.
type frame struct {
	inputs.Frame
	textBytes int // in strings and bytes fields
}

// views has a reusable view of each message, as a program would.
var views = func() (v [128][2]kview.Message) {
	for key := range fastcodec.APIKey(len(v)) {
		if key.Known() {
			v[key] = [2]kview.Message{kview.NewRequest(key), kview.NewResponse(key)}
		}
	}
	return v
}()

// parse finds the view of a frame's message and parses with it.
func (f *frame) parse() {
	m := views[f.Key&127][0]
	if f.Response {
		m = views[f.Key&127][1]
	}
	must(m.Parse(f.Body, f.Version))
}

// data copies a frame into a struct of our own.
func (f *frame) data() kdata.Message {
	c := kview.NewRequestCodec(f.Key)
	if f.Response {
		c = kview.NewResponseCodec(f.Key)
	}
	must(c.View.Parse(f.Body, f.Version))
	c.Copy()
	return c.Data
}

// load gives the stated inputs and the random vectors that both sides have, in
// random order.
func load() (stated, common []frame, about result.Run, err error) {
	about = result.Run{CPU: cpu(), CPUs: runtime.NumCPU(), Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH, Peer: peer()}
	for _, in := range []inputs.Frame{inputs.SmallQuorum(), inputs.Quorum3x5x5(), inputs.Metadata10x12(), inputs.Metadata100x10()} {
		f := frame{Frame: in}
		if why := compare(&f, newKmsg(&f)); why != "" {
			return nil, nil, about, fmt.Errorf("%s: kmsg: %s", f.Name, why)
		}
		stated = append(stated, f)
	}
	random, err := inputs.Vectors("random")
	if err != nil {
		return nil, nil, about, err
	}
	type message struct {
		key      fastcodec.APIKey
		response bool
		version  int16
	}
	seen := map[message]bool{}
	for _, in := range random {
		f := frame{Frame: in}
		k := newKmsg(&f)
		if k == nil || k.MaxVersion() < f.Version {
			about.Lacking++
			continue
		}
		if why := compare(&f, k); why != "" {
			about.LeftOut = append(about.LeftOut, f.Name+": "+why)
			continue
		}
		f.textBytes = textBytes(reflect.ValueOf(k))
		seen[message{f.Key, f.Response, f.Version}] = true
		common = append(common, f)
	}
	about.Frames, about.Pairs = len(common), len(seen)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(common), func(i, j int) { common[i], common[j] = common[j], common[i] })
	return stated, common, about, nil
}

// compare reads and writes a frame on both sides: each must give its bytes again.
// It says how kmsg doesn't, and panics if we don't. It leaves the frame in k.
func compare(f *frame, k kmsgMessage) (why string) {
	again, err := f.data().AppendTo(nil, f.Version)
	must(err)
	if !bytes.Equal(again, f.Body) {
		panic("kafkawire: " + f.Name + ": written again, it differs")
	}
	if err := k.ReadFrom(f.Body); err != nil {
		return err.Error()
	}
	if !bytes.Equal(k.AppendTo(nil), f.Body) {
		return "written again, it differs"
	}
	return ""
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func cpu() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, ok := strings.Cut(string(info), "model name\t: ")
	name, _, _ := strings.Cut(rest, "\n")
	if !ok {
		return "unknown"
	}
	return name
}

// peer is the name and version of the module that we compare with.
func peer() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return "kmsg"
	}
	for _, m := range info.Deps {
		if strings.HasSuffix(m.Path, "/kmsg") {
			return m.Path + " " + m.Version
		}
	}
	return "kmsg"
}

// byRatio sorts timings: where we are slowest comes first.
func byRatio(t []timing) []int {
	order := make([]int, len(t))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t[a].ratio(), t[b].ratio()) })
	return order
}
