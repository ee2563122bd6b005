// Report measures and writes BENCHMARKS.md: it runs bench/peers and bench/relay,
// builds small programs to see what a message costs in size, and times a build from a
// cold cache.
//
//	go run ./bench/report [-rounds 9] [-lines FILE] [-o BENCHMARKS.md] [-cold=false]
//
// Run it on a machine that does nothing else. -lines takes the JSON lines of an
// earlier run of both instead of a new one; with -cold=false, no build is timed.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/kafkawire/kafkawire/bench/inputs"
	"github.com/kafkawire/kafkawire/bench/result"
)

func main() {
	rounds := flag.Int("rounds", 9, "interleaved rounds of each measurement")
	lines := flag.String("lines", "", "JSON lines of an earlier run")
	out := flag.String("o", "", "file to write (default BENCHMARKS.md of the checkout)")
	cold := flag.Bool("cold", true, "time a build from a cold cache")
	flag.Parse()
	if err := report(*rounds, *lines, *out, *cold); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func report(rounds int, lines, out string, cold bool) error {
	root, err := inputs.Root()
	if err != nil {
		return err
	}
	if out == "" {
		out = filepath.Join(root, "BENCHMARKS.md")
	}
	temp, err := os.MkdirTemp("", "kafkawire-report")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if lines == "" {
		lines = filepath.Join(temp, "lines.jsonl")
		peers := filepath.Join(root, "bench", "peers")
		if _, err := run(peers, nil, "go", "run", ".", "-rounds", strconv.Itoa(rounds), "-json", lines); err != nil {
			return err
		}
		if _, err := run(root, nil, "go", "run", "./bench/relay", "-json", lines); err != nil {
			return err
		}
	}
	about, figures, err := read(lines)
	if err != nil {
		return err
	}
	size, err := measureSize(root, temp, cold)
	if err != nil {
		return err
	}
	return os.WriteFile(out, markdown(about, figures, size), 0o644)
}

// read reads what bench/peers and bench/relay wrote.
func read(name string) (about result.Run, figures []result.Line, err error) {
	f, err := os.Open(name)
	if err != nil {
		return about, nil, err
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReader(f))
	if err := d.Decode(&about); err != nil {
		return about, nil, err
	}
	for d.More() {
		var l result.Line
		if err := d.Decode(&l); err != nil {
			return about, nil, err
		}
		figures = append(figures, l)
	}
	return about, figures, nil
}

// run runs a command, whose output goes to standard error, and gives its time on
// CPUs.
func run(dir string, env []string, name string, args ...string) (time.Duration, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return 0, err
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), nil
}

// works are the headings, in order, with what is said of each kind of work.
var works = []struct{ name, text string }{
	{"Parse", "A body is checked whole and indexed; the peer reads it into its struct. Shuffled: frames of many messages and versions one after the other, in an order that a branch predictor doesn't know. Each alone: the same frame again and again; ratios frame by frame. With 4 to 10 bytes, of which there are many among the random vectors, both sides do little but a call or an allocation."},
	{"Read", "As above, and then every field is read."},
	{"Encode", "A struct is written into a buffer that is large enough. Ours checks what can't be written; the peer checks nothing (above). The first percentile is of frames less than half of which are strings and bytes: of the others, most of the time is a copy. Where the ratio is least, a body of few fields has a string or bytes of more than 64 bytes, which both sides hand to the same copy, ours after it has looked whether the body is a short one; or it has a handful of bytes, and the call is all there is."},
	{"Layout check", "The generic reader, by key and version, that has no generated code."},
	{"Records", "A batch of records; times and allocations are a record, but for the checksum's."},
	{"Header peek", "Key, version, correlation id and client id of a request, against a loop that is written for just these."},
	{"Rewrite", "A frame is edited by splicing; the peer reads it, sets the fields and writes it. Both make the same bytes."},
	{"Proxy", "`bench/relay`: the proxy as a process of its own on loopback, endpoints edited, against a relay that is nothing but `io.Copy`; clients on 4 connections, and an upstream that replays recorded answers, their records repeated up to 100 KB. The ratio is that of frames a second; the times are CPU a frame, reads and writes of sockets included."},
	{"Memory", "Of the same process, bytes a connection in the place of times. The ratio is that of 16,384 bytes to what it takes."},
}

// facts are what the peer does not do; bench/peers/facts_test.go holds them to its
// code.
var facts = []string{
	"It allocates: an object a message, its arrays, and strings (with `UnsafeReadFrom`, only nullable ones). An object that is read into again allocates its nested arrays anew.",
	"Bytes behind the last field are accepted and dropped.",
	"Unknown tagged fields are kept in a map: out of order they are sorted, and of one that repeats, only the last is kept.",
	"Of a known tagged field that comes twice, the last wins; bytes of one behind its payload are dropped.",
	"A null array, or a compact count of 2^31 or more, is an empty one, whether null is legal or not.",
	"An error says neither which field it is in, nor where, nor what is wrong with it.",
	"Encoding can't fail: a field that the version lacks is left out whether it may be ignored or not, and a string of more than 32,767 bytes is written with a wrong length.",
	"StopReplica v4 has two fields in another order than Kafka's.",
}

func markdown(about result.Run, figures []result.Line, size sizes) []byte {
	var w bytes.Buffer
	p := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	p("# Benchmarks")
	p("")
	p("Written by `go run ./bench/report`, which runs `bench/peers` and `bench/relay`; not edited by hand.")
	p("")
	p("- Machine: %s, %d CPUs, %s, %s", about.CPU, about.CPUs, about.OS, about.Go)
	p("- Peer: `%s`", about.Peer)
	p("- Method: one process, %d interleaved rounds, medians; the same bytes for both sides. Before anything is timed, both sides read each frame, and what each writes from it must be its bytes again. A ratio is the peer's time over ours. Times are for orientation only.", about.Rounds)
	p("- Inputs: built from stated counts and name lengths (`bench/inputs`), and the random reference vectors: %d frames of %d pairs of message and version. Left out: %d frames whose message or version the peer lacks, and %d that it doesn't write as it read them:", about.Frames, about.Pairs, about.Lacking, len(about.LeftOut))
	for _, f := range about.LeftOut {
		p("  - %s", f)
	}
	p("- Your own: `go test -bench . ./bench` measures this codec alone; `cd bench/peers && go run . -check` compares.")
	p("")
	p("## What kmsg does not do")
	p("")
	p("kmsg is made for a client that reads messages into structs that it keeps, and does that well. The times are of different work, though:")
	p("")
	for _, f := range facts {
		p("- %s", f)
	}
	for _, work := range works {
		section(p, work.name, work.text, figures)
	}
	size.markdown(p)
	return w.Bytes()
}

// section is the figures of one kind of work; those of "Records iterate" are among
// those of "Records".
func section(p func(format string, args ...any), name, text string, figures []result.Line) {
	var slowest []result.Slow
	headed := false
	for _, l := range figures {
		detail, ok := strings.CutPrefix(l.Work, name)
		if !ok {
			continue
		}
		if !headed {
			headed = true
			p("")
			p("## %s", name)
			p("")
			p("%s", text)
			p("")
			p("| input | peer | ratio | bar | aim | ns | peer's ns | allocations | peer's |")
			p("|---|---|--:|--:|--:|--:|--:|--:|--:|")
		}
		if detail != "" {
			l.Input = detail[1:] + ": " + l.Input
		}
		p("| %s | %s | **%s** | %s | %s | %s | %s | %s | %s |", l.Input, l.Against, number(l.Ratio), short(l.Bar), short(l.Aim),
			short(l.Ours), short(l.Theirs), number(l.OursAllocs), number(l.TheirsAllocs))
		slowest = append(slowest, l.Slowest...)
	}
	if len(slowest) == 0 {
		return
	}
	p("")
	p("Least ratios of frames alone:")
	p("")
	p("| frame | ratio | ns | peer's ns |")
	p("|---|--:|--:|--:|")
	for _, s := range slowest {
		p("| %s | %s | %s | %s |", s.Frame, number(s.Theirs/s.Ours), number(s.Ours), number(s.Theirs))
	}
}

// short is a figure to three digits, or nothing for 0.
func short(v float64) string {
	if v == 0 {
		return ""
	}
	return number(v)
}

// number is a figure to three digits, or all digits before the point.
func number(v float64) string {
	digits := 2
	switch {
	case v == math.Trunc(v) || v >= 100:
		digits = 0
	case v >= 10:
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}
