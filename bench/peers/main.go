// Peers compares kafkawire with github.com/twmb/franz-go/pkg/kmsg, in one process
// and one run: the same bytes for both, values compared before anything is timed,
// interleaved rounds, medians.
//
//	go run . [-rounds 9] [-check] [-json FILE] [-only WORK] [-slowest 5] [-least]
//
// It prints a table; -json writes the same as JSON lines, for bench/report. With
// -check a missed bar is exit status 1. On a busy machine -least compares the
// least times instead of the medians: for work on the code, not for figures.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kafkawire/kafkawire/bench/result"
)

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 9, "interleaved rounds of each measurement")
	flag.BoolVar(&o.check, "check", false, "fail if a bar is missed")
	flag.StringVar(&o.json, "json", "", "write JSON lines to this file")
	flag.StringVar(&o.only, "only", "", "only work whose name starts so: Parse, Read, Encode, Layout, Header, Records, Rewrite")
	flag.IntVar(&o.slowest, "slowest", 5, "frames to name, of those with the least ratios")
	flag.BoolVar(&o.least, "least", false, "compare least times instead of medians")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

type options struct {
	rounds, slowest int
	check, least    bool
	json, only      string
}

func run(o options) error {
	stated, common, about, err := load()
	if err != nil {
		return err
	}
	about.Rounds = o.rounds
	fmt.Printf("%s, %d CPUs, %s, %s; %s; %d rounds\n", about.CPU, about.CPUs, about.Go, about.OS, about.Peer, about.Rounds)
	fmt.Printf("random vectors: %d frames of %d (message, version) pairs; the peer lacks the message or version of %d more\n", about.Frames, about.Pairs, about.Lacking)
	for _, f := range about.LeftOut {
		fmt.Println("left out:", f)
	}
	r := runner{options: o, lines: []any{about}}
	r.big = sampler{rounds: o.rounds, least: o.least, sample: 20 * time.Millisecond, collect: true}
	r.small = sampler{rounds: o.rounds, least: o.least, sample: 50 * time.Microsecond}
	r.stated(stated)
	r.shuffled(common)
	r.header(common)
	r.parseEach(common)
	r.encodeEach(common)
	if !r.skips("Records") {
		r.records()
	}
	if !r.skips("Rewrite") {
		r.rewrites()
	}
	if o.json != "" {
		if err := r.write(o.json); err != nil {
			return err
		}
	}
	if o.check && r.missed > 0 {
		return fmt.Errorf("%d bars missed", r.missed)
	}
	return nil
}

// runner measures, prints and collects.
type runner struct {
	options
	big, small sampler // for work of its own, and for frame after frame
	lines      []any
	missed     int
}

// workload is something to measure, and what is said of it.
type workload struct {
	result.Line
	pair
	frames int // that one operation handles: times and allocations are a frame
}

// measure runs workloads, in rounds over all of them.
func (r *runner) measure(work []workload) {
	work = slices.DeleteFunc(work, func(w workload) bool { return r.skips(w.Work) })
	pairs := make([]pair, len(work))
	for i := range work {
		pairs[i] = work[i].pair
	}
	for i, t := range r.big.run(pairs) {
		w, n := &work[i], float64(max(work[i].frames, 1))
		w.Ratio, w.Ours, w.Theirs = t.ratio(), t.Ours/n, t.Theirs/n
		w.OursAllocs, w.TheirsAllocs = allocations(w.ours)/n, allocations(w.theirs)/n
		r.add(w.Line)
	}
}

func (r *runner) skips(work string) bool { return !strings.HasPrefix(work, r.only) }

// add takes a figure and prints it.
func (r *runner) add(l result.Line) {
	r.lines = append(r.lines, l)
	note := ""
	if l.Missed() {
		r.missed++
		note = "MISSED"
	}
	fmt.Printf("%-12s %-52s %7.2f x", l.Work, l.Input, l.Ratio)
	bars := ""
	if l.Bar > 0 {
		bars = fmt.Sprintf("bar %5.2f", l.Bar)
	}
	if l.Aim > 0 {
		bars += fmt.Sprintf("  aim %5.2f", l.Aim)
	}
	fmt.Printf("  %-20s", bars)
	if l.Ours > 0 {
		fmt.Printf("  %9.1f against %10.1f ns", l.Ours, l.Theirs)
	}
	fmt.Printf("  allocations %.4g against %.4g  %s\n", l.OursAllocs, l.TheirsAllocs, note)
	for _, s := range l.Slowest {
		fmt.Printf("%-12s   %-50s %7.2f x %22s  %9.1f against %10.1f ns\n", "", s.Frame, s.Theirs/s.Ours, "", s.Ours, s.Theirs)
	}
}

func (r *runner) write(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	e := json.NewEncoder(f)
	for _, l := range r.lines {
		if err := e.Encode(l); err != nil {
			return err
		}
	}
	return f.Close()
}
