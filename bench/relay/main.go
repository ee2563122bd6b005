// Relay says what the proxy costs as a process of its own: frames a second and CPU a
// frame against a relay that is nothing but io.Copy, on loopback, with an upstream that
// replays recorded answers; and the memory of idle connections.
//
//	go run ./bench/relay [-rounds 7] [-time 2s] [-idle 2000] [-check] [-json FILE]
//
// Rounds of proxy and relay alternate, each with a new process; medians are printed.
// -json adds them to a file, as JSON lines for bench/report. With -check a missed bar
// is exit status 1.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/kafkawire/kafkawire/bench/result"
)

func main() {
	var o options
	role := flag.String("role", "", "what a process of its own is: proxy or relay")
	upstream := flag.String("upstream", "", "the address behind it")
	flag.IntVar(&o.rounds, "rounds", 7, "rounds of each")
	flag.DurationVar(&o.span, "time", 2*time.Second, "length of a round")
	flag.IntVar(&o.idle, "idle", 2000, "idle connections")
	flag.BoolVar(&o.check, "check", false, "fail if a bar is missed")
	flag.StringVar(&o.json, "json", "", "add JSON lines to this `FILE`")
	flag.StringVar(&o.profile, "profile", "", "write a CPU profile of the last proxy to `FILE`")
	flag.StringVar(&o.only, "only", "", "measure only what has `TEXT` in its name")
	flag.Parse()
	var err error
	switch *role {
	case "proxy":
		err = runProxy(*upstream, o.profile)
	case "relay":
		err = runRelay(*upstream)
	default:
		err = o.measure()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		os.Exit(1)
	}
}

type options struct {
	rounds, idle        int
	span                time.Duration
	check               bool
	json, profile, only string
}

func (o *options) measure() error {
	fmt.Printf("%d CPUs, %d rounds of %v each, medians\n\n", runtime.NumCPU(), o.rounds, o.span)
	var lines []result.Line
	for _, w := range works {
		if !strings.Contains(w.name, o.only) {
			continue
		}
		l, err := o.compare(w)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		lines = append(lines, l)
	}
	if strings.Contains("idle connections", o.only) {
		l, err := o.memory()
		if err != nil {
			return err
		}
		lines = append(lines, l)
	}
	missed := 0
	for _, l := range lines {
		if l.Missed() {
			missed++
			fmt.Printf("MISSED: %s: %.2f, bar %.2f\n", l.Input, l.Ratio, l.Bar)
		}
	}
	if err := o.write(lines); err != nil {
		return err
	}
	if o.check && missed > 0 {
		return fmt.Errorf("%d bars missed", missed)
	}
	return nil
}

// compare runs proxy and relay in turn.
func (o *options) compare(w work) (l result.Line, err error) {
	answers, err := w.answers()
	if err != nil {
		return l, err
	}
	to, err := upstream(answers)
	if err != nil {
		return l, err
	}
	defer to.Close()
	rate, cpu := map[string][]float64{}, map[string][]float64{}
	for range o.rounds {
		for _, role := range []string{"relay", "proxy"} {
			c, err := start(role, to.Addr().String(), o.profile)
			if err != nil {
				return l, err
			}
			begun := time.Now()
			n, err := w.run(c.at, o.span)
			took := time.Since(begun)
			used := c.end()
			if err == nil && n == 0 {
				err = errors.New("no answers")
			}
			if err != nil {
				return l, fmt.Errorf("%s: %w", role, err)
			}
			rate[role] = append(rate[role], float64(n)/took.Seconds())
			cpu[role] = append(cpu[role], float64(used.Nanoseconds())/float64(n))
		}
	}
	fmt.Printf("%s, %d connections, %d different answers\n", w.name, w.conns, len(answers))
	for _, role := range []string{"relay", "proxy"} {
		fmt.Printf("  %-6s %12.0f frames/s %10.0f ns CPU a frame\n", role, median(rate[role]), median(cpu[role]))
	}
	l = result.Line{Work: "Proxy", Input: w.name, Against: "io.Copy", Bar: w.bar, Aim: 1,
		Ratio: median(rate["proxy"]) / median(rate["relay"]), Ours: median(cpu["proxy"]), Theirs: median(cpu["relay"])}
	fmt.Printf("  proxy/relay: %.2f of the frames, %.2f of the CPU\n\n", l.Ratio, l.Ours/l.Theirs)
	return l, nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// idleBar is what an idle connection may cost, in bytes.
const idleBar = 16 << 10

// memory is what idle connections cost: each has asked something and got an answer.
func (o *options) memory() (l result.Line, err error) {
	w := works[0]
	answers, err := w.answers()
	if err != nil {
		return l, err
	}
	to, err := upstream(answers[:1])
	if err != nil {
		return l, err
	}
	defer to.Close()
	each := map[string]float64{}
	for _, role := range []string{"relay", "proxy"} {
		c, err := start(role, to.Addr().String(), "")
		if err != nil {
			return l, err
		}
		inUse, resident := c.memory("collect")
		all := make([]net.Conn, 0, o.idle)
		for range o.idle {
			conn, err := net.Dial("tcp", c.at)
			if err == nil {
				all = append(all, conn)
				err = w.exchange(conn, len(answers[0]))
			}
			if err != nil {
				return l, err
			}
		}
		n := int64(o.idle)
		inUse1, resident1 := c.memory("now")
		inUse2, resident2 := c.memory("collect")
		fmt.Printf("%s, %d idle connections: %d bytes resident each, %d of heap and stacks; %d and %d after a collection\n",
			role, n, (resident1-resident)/n, (inUse1-inUse)/n, (resident2-resident)/n, (inUse2-inUse)/n)
		each[role] = float64((resident1 - resident) / n)
		if resident1 == 0 { // this system doesn't say
			each[role] = float64((inUse1 - inUse) / n)
		}
		for _, conn := range all {
			conn.Close()
		}
		c.end()
	}
	return result.Line{Work: "Memory", Input: fmt.Sprintf("%d idle connections, resident", o.idle), Against: "io.Copy", Bar: 1,
		Ratio: idleBar / each["proxy"], Ours: each["proxy"], Theirs: each["relay"]}, nil
}

// write adds lines to the file for them.
func (o *options) write(lines []result.Line) error {
	if o.json == "" {
		return nil
	}
	f, err := os.OpenFile(o.json, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, l := range lines {
		if err := json.NewEncoder(f).Encode(l); err != nil {
			return err
		}
	}
	return f.Close()
}
