// Command measure says what the proxy costs as a process of its own: frames a second
// and CPU a frame against a relay that is nothing but io.Copy, on loopback, with an
// upstream that answers at once; and the memory of idle connections.
//
//	go run ./fastcodec/proxy/internal/measure [-rounds 7] [-time 2s] [-idle 2000]
//
// Rounds of proxy and relay alternate, each with a new process; medians are printed.
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/proxy"
)

// profile is where a CPU profile of the proxy goes.
var profile string

func main() {
	role := flag.String("role", "", "what a process of its own is: proxy or relay")
	upstream := flag.String("upstream", "", "the address behind it")
	rounds := flag.Int("rounds", 7, "rounds of each")
	span := flag.Duration("time", 2*time.Second, "length of a round")
	idle := flag.Int("idle", 2000, "idle connections")
	flag.StringVar(&profile, "profile", "", "write a CPU profile of the last proxy to `FILE`")
	only := flag.String("only", "", "measure only what has `TEXT` in its name")
	flag.Parse()
	var err error
	switch *role {
	case "proxy":
		err = runProxy(*upstream)
	case "relay":
		err = runRelay(*upstream)
	default:
		err = measure(*rounds, *span, *idle, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// runProxy is the proxy of kafkawire proxy, endpoints edited and versions clamped.
func runProxy(upstream string) error {
	s, err := proxy.NewServer(proxy.ServerOptions{Listen: "127.0.0.1:0", Bootstrap: []string{upstream}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return err
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return serve(s.Addr())
}

// runRelay copies.
func runRelay(upstream string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				broker, err := net.Dial("tcp", upstream)
				if err != nil {
					client.Close()
					return
				}
				copyTo := func(dst, src net.Conn) {
					io.Copy(dst, src)
					dst.Close()
					src.Close()
				}
				go copyTo(client, broker)
				copyTo(broker, client)
			}()
		}
	}()
	return serve(l.Addr())
}

// serve says where it is, and answers what its parent asks until that goes.
func serve(at net.Addr) error {
	fmt.Println(at)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() == "collect" {
			debug.FreeOSMemory()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println(m.HeapInuse+m.StackInuse, resident())
	}
	return nil
}

// resident is the memory of this process that the system holds, in bytes; 0 where it
// doesn't say.
func resident() (size int64) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if n, err := fmt.Sscanf(line, "VmRSS: %d kB", &size); n == 1 && err == nil {
			return size << 10
		}
	}
	return 0
}

// child is a process in a role.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	at  string
}

func start(role, upstream string) (*child, error) {
	cmd := exec.Command(os.Args[0], "-role", role, "-upstream", upstream, "-profile", profile)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, in: in, out: bufio.NewScanner(out)}
	c.out.Scan()
	c.at = c.out.Text()
	return c, nil
}

// memory asks for heap and stacks in use, and for what is resident.
func (c *child) memory(how string) (inUse, resident int64) {
	fmt.Fprintln(c.in, how)
	c.out.Scan()
	fmt.Sscan(c.out.Text(), &inUse, &resident)
	return inUse, resident
}

// end stops the process and says what CPU time it used.
func (c *child) end() time.Duration {
	c.in.Close()
	c.cmd.Wait()
	return c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()
}

// broker answers each request at once with the same answer, but for its correlation
// id.
func broker(answer []byte) (net.Listener, error) {
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
			go func() {
				defer conn.Close()
				in, out := make([]byte, 0, 256<<10), []byte(nil)
				for {
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
						out = append(out, answer...)
						copy(out[at+4:], payload[4:8])
						rest = after
					}
					in = in[:copy(in, rest)]
					if _, err := conn.Write(out); err != nil {
						return
					}
					out = out[:0]
				}
			}()
		}
	}()
	return l, nil
}

// blank is an answer of which nobody reads more than the correlation id.
func blank(size int) []byte {
	b := make([]byte, size)
	binary.BigEndian.PutUint32(b, uint32(size-4))
	return b
}

// fetched is an answer to Fetch v16 with records, and endpoints behind them.
func fetched(size int) []byte {
	build := func(records int) []byte {
		body := kdata.NewFetchResponse()
		part := kdata.NewFetchResponsePartitionData()
		part.Records = make([]byte, records)
		body.Responses = []kdata.FetchResponseFetchableTopicResponse{{Partitions: []kdata.FetchResponsePartitionData{part}}}
		body.NodeEndpoints = []kdata.FetchResponseNodeEndpoint{{NodeID: 1, Host: []byte("broker-1.example"), Port: 9092}}
		b, err := fastcodec.AppendResponse(nil, &fastcodec.ResponseHeaderData{Key: fastcodec.Fetch, Version: 16}, &body)
		if err != nil {
			panic(err)
		}
		return b
	}
	return build(size - len(build(size)) + size)
}

// work is what is measured: requests of a size, so many under way on so many
// connections, and answers of a size.
type work struct {
	name        string
	key         fastcodec.APIKey
	version     int16
	request     int
	answer      []byte
	deep, conns int
}

var works = []work{
	{"200-byte requests and answers, 100 deep", fastcodec.Heartbeat, 3, 200, blank(200), 100, 4},
	{"100 KB answers that pass (Fetch v12), 8 deep", fastcodec.Fetch, 12, 200, blank(100 << 10), 8, 4},
	{"100 KB answers held for their endpoints (Fetch v16), 8 deep", fastcodec.Fetch, 16, 200, fetched(100 << 10), 8, 4},
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
		copy(b[at+12:], "\x00\x08measure1")
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
	if _, err := conn.Write(batch); err != nil {
		return err
	}
	in := make([]byte, 256<<10)
	next, partial := 0, 0
	for time.Now().Before(stop) {
		n, err := conn.Read(in)
		if err != nil {
			return err
		}
		partial += n
		came := partial / len(w.answer)
		partial -= came * len(w.answer)
		total.Add(int64(came))
		for came > 0 {
			send := min(came, w.deep-next)
			if _, err := conn.Write(batch[next*w.request : (next+send)*w.request]); err != nil {
				return err
			}
			next = (next + send) % w.deep
			came -= send
		}
	}
	return nil
}

func measure(rounds int, span time.Duration, idle int, only string) error {
	fmt.Printf("%d CPUs, %d rounds of %v each, medians\n\n", runtime.NumCPU(), rounds, span)
	for _, w := range works {
		if !strings.Contains(w.name, only) {
			continue
		}
		if err := compare(w, rounds, span); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	if !strings.Contains("idle memory", only) {
		return nil
	}
	return memory(idle)
}

func compare(w work, rounds int, span time.Duration) error {
	l, err := broker(w.answer)
	if err != nil {
		return err
	}
	defer l.Close()
	rate, cpu := map[string][]float64{}, map[string][]float64{}
	for range rounds {
		for _, role := range []string{"relay", "proxy"} {
			c, err := start(role, l.Addr().String())
			if err != nil {
				return err
			}
			begun := time.Now()
			n, err := w.run(c.at, span)
			took := time.Since(begun)
			used := c.end()
			if err != nil {
				return fmt.Errorf("%s: %w", role, err)
			}
			rate[role] = append(rate[role], float64(n)/took.Seconds())
			cpu[role] = append(cpu[role], float64(used.Nanoseconds())/float64(max(n, 1)))
		}
	}
	fmt.Printf("%s, %d connections\n", w.name, w.conns)
	for _, role := range []string{"relay", "proxy"} {
		fmt.Printf("  %-6s %12.0f frames/s %10.0f ns CPU a frame\n", role, median(rate[role]), median(cpu[role]))
	}
	fmt.Printf("  proxy/relay: %.2f of the frames, %.2f of the CPU\n\n", median(rate["proxy"])/median(rate["relay"]), median(cpu["proxy"])/median(cpu["relay"]))
	return nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// memory is what idle connections cost: each has asked something and got an answer.
func memory(n int) error {
	const size = 2000
	w := work{key: fastcodec.Heartbeat, version: 3, request: 30}
	l, err := broker(blank(size))
	if err != nil {
		return err
	}
	defer l.Close()
	for _, role := range []string{"relay", "proxy"} {
		c, err := start(role, l.Addr().String())
		if err != nil {
			return err
		}
		inUse, resident := c.memory("collect")
		conns := make([]net.Conn, 0, n)
		for range n {
			conn, err := net.Dial("tcp", c.at)
			if err != nil {
				return err
			}
			conns = append(conns, conn)
			if _, err := conn.Write(w.requests(1)); err != nil {
				return err
			}
			if _, err := io.ReadFull(conn, make([]byte, size)); err != nil {
				return err
			}
		}
		inUse1, resident1 := c.memory("now")
		inUse2, resident2 := c.memory("collect")
		fmt.Printf("%s, %d idle connections: %d bytes resident each, %d of heap and stacks; %d and %d after a collection\n",
			role, n, (resident1-resident)/int64(n), (inUse1-inUse)/int64(n), (resident2-resident)/int64(n), (inUse2-inUse)/int64(n))
		for _, conn := range conns {
			conn.Close()
		}
		c.end()
	}
	return nil
}
