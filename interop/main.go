// Command interop runs real clients through kafkawire proxy to a real Kafka cluster of
// three nodes, and prints a table of clients and scenarios. It needs Java 17, Maven and,
// for kafka-python, Python 3, on Linux.
//
// First, a cluster of one node tests the batches that fastcodec/records writes. Then
// two rounds: a plain proxy, then one that shows other broker ids and another cluster
// id. In each, streams run while a leader moves and a broker is restarted. An inspector
// between clients and proxy looks at every answer for addresses that aren't the proxy's.
//
//	go run . [-clients java,franz,sarama,python] [-keep]
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// scenarios are the columns of the table.
var scenarios = []string{"admin", "compress", "classic", "consumer", "share", "commit", "describe", "txn", "stream"}

const legend = `admin: topics created, cluster, quorum and brokers described; compress: produced with none, gzip,
snappy, lz4, zstd; classic, consumer, share: read in a group of that protocol; commit, describe: of
the groups; txn: one aborted, one committed; stream: a leader moved and a broker was restarted.`

// run is all that a run needs.
type interop struct {
	ctx       context.Context
	here, dir string
	classpath string
	clients   []string
	commands  map[string][]string // of clients that are programs of their own
	cluster   *cluster
	failed    bool
}

func main() {
	clients := flag.String("clients", "tools,java,franz,sarama,python", "`NAMES` of the clients to run")
	keep := flag.Bool("keep", false, "keep the folder with logs and data")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	x := &interop{ctx: ctx, clients: strings.Split(*clients, ","), commands: map[string][]string{}}
	err := x.run()
	if !*keep && x.dir != "" && err == nil && !x.failed {
		os.RemoveAll(x.dir)
	} else if x.dir != "" {
		fmt.Println("logs and data are in", x.dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
	}
	if err != nil || x.failed {
		os.Exit(1)
	}
	fmt.Println("interop: all passed")
}

func (x *interop) run() (err error) {
	if x.here, err = os.Getwd(); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(x.here, "pom.xml")); err != nil {
		return errors.New("run it in the folder interop")
	}
	if x.dir, err = os.MkdirTemp("", "kafkawire-interop-"); err != nil {
		return err
	}
	if err := x.prepare(); err != nil {
		return err
	}
	if err := x.records(); err != nil {
		return fmt.Errorf("records: %w", err)
	}
	begun := time.Now()
	x.cluster, err = startCluster(x.ctx, x.here, filepath.Join(x.dir, "kafka"), x.classpath, nodes)
	if x.cluster != nil {
		defer x.cluster.stopAll()
	}
	if err != nil {
		return err
	}
	fmt.Printf("cluster %s of %d nodes in %.0f s\n", x.cluster.id, nodes, time.Since(begun).Seconds())
	for _, r := range []round{
		{name: "plain", hidden: []string{brokerHost}},
		{name: "shifted", cluster: "interop-shows-this-id", offset: 100, hidden: []string{brokerHost, x.cluster.id}},
	} {
		if err := x.round(r); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return nil
}

// records runs the tests of fastcodec/records that need a broker, and Kafka's console
// consumer.
func (x *interop) records() error {
	begun := time.Now()
	c, err := startCluster(x.ctx, x.here, filepath.Join(x.dir, "one"), x.classpath, 1)
	if c != nil {
		defer c.stopAll()
	}
	if err != nil {
		return err
	}
	consumer := java(x.ctx, x.here, x.classpath, "org.apache.kafka.tools.consumer.ConsoleConsumer").Args
	test := exec.CommandContext(x.ctx, "go", "test", "-count=1", "-v", "-run", "Broker", "./fastcodec/records")
	test.Dir = filepath.Dir(x.here)
	test.Env = append(os.Environ(), "KAFKAWIRE_BROKER="+c.addresses()[0], "KAFKAWIRE_CONSUMER="+strings.Join(consumer, " "))
	out, err := test.CombinedOutput()
	if err != nil || strings.Contains(string(out), "--- SKIP") {
		return fmt.Errorf("go test: %v\n%s", err, out)
	}
	fmt.Printf("records: a broker took what the builder wrote, its consumer read it back, %.0f s\n", time.Since(begun).Seconds())
	return nil
}

// prepare builds the proxy and the clients.
func (x *interop) prepare() (err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	cache = filepath.Join(cache, "kafkawire-interop")
	if x.classpath, err = classpath(x.here, cache); err != nil {
		return err
	}
	build := func(dir, name, pkg string) error {
		cmd := exec.CommandContext(x.ctx, "go", "build", "-o", filepath.Join(x.dir, name), pkg)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
		}
		return nil
	}
	if err := build(filepath.Dir(x.here), "kafkawire", "./cmd/kafkawire"); err != nil {
		return err
	}
	classes := filepath.Join(x.dir, "classes")
	javac := exec.CommandContext(x.ctx, "javac", "-nowarn", "-cp", x.classpath, "-d", classes, filepath.Join(x.here, "java", "Client.java"), filepath.Join(x.here, "java", "Tools.java"))
	if out, err := javac.CombinedOutput(); err != nil {
		return fmt.Errorf("javac: %w\n%s", err, out)
	}
	x.classpath = classes + ":" + x.classpath
	for _, c := range x.clients {
		switch c {
		case "tools":
		case "franz", "sarama":
			if err := build(x.here, c, "./"+c); err != nil {
				return err
			}
			x.commands[c] = []string{filepath.Join(x.dir, c)}
		case "java":
			x.commands[c] = java(x.ctx, x.here, x.classpath, "-Xmx192m", "Client").Args
		case "python":
			python, err := venv(x.ctx, cache)
			if err != nil {
				return err
			}
			x.commands[c] = []string{python, filepath.Join(x.here, "python", "client.py")}
		default:
			return fmt.Errorf("there is no client %q", c)
		}
	}
	return nil
}

// venv is a Python with kafka-python and what it compresses with, made once.
func venv(ctx context.Context, cache string) (python string, err error) {
	dir := filepath.Join(cache, "venv")
	python = filepath.Join(dir, "bin", "python")
	if exec.CommandContext(ctx, python, "-c", "import kafka, snappy, lz4, zstandard").Run() == nil {
		return python, nil
	}
	for _, args := range [][]string{
		{"python3", "-m", "venv", "--clear", dir},
		{python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "kafka-python==3.0.12", "python-snappy", "lz4", "zstandard"},
	} {
		if out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%v: %w\n%s", args, err, out)
		}
	}
	return python, nil
}

// round is one run of all clients through one proxy.
type round struct {
	name    string
	cluster string // that clients see; "" is the cluster's own
	offset  int    // of broker ids
	hidden  []string
}

func (x *interop) round(r round) error {
	begun := time.Now()
	log := filepath.Join(x.dir, r.name+"-proxy.log")
	first := net.JoinHostPort(proxyHost, fmt.Sprint(firstPort))
	args := []string{"proxy", "-listen", first, "-advertise", clientHost, "-bootstrap", strings.Join(x.cluster.addresses(), ","),
		"-ports", fmt.Sprintf("%d-%d", firstPort+1, lastPort), "-log-level", "debug", "-drain", "20s"}
	if r.offset > 0 {
		args = append(args, "-broker-offset", fmt.Sprint(r.offset), "-cluster-id", r.cluster)
	}
	p, err := launch(exec.Command(filepath.Join(x.dir, "kafkawire"), args...), log)
	if err != nil {
		return err
	}
	defer p.end(30 * time.Second)
	look, err := startInspector(r.hidden...)
	if err != nil {
		return err
	}
	defer look.close()
	if err := until(x.ctx, "the proxy listens", func(context.Context) (bool, error) {
		c, err := net.Dial("tcp", first)
		if err == nil {
			c.Close()
		}
		return err == nil, err
	}); err != nil {
		return err
	}

	t := newTable(x.clients)
	// Java programs spend their time on the CPU, others wait: both at once.
	var all sync.WaitGroup
	for _, java := range []bool{true, false} {
		all.Go(func() {
			for _, c := range x.clients {
				switch {
				case (c == "tools" || c == "java") != java:
				case c == "tools":
					x.tools(t, r)
				default:
					x.client(t, c, "basic", r, nil)
				}
			}
		})
	}
	all.Wait()
	if err := x.streams(t, r); err != nil {
		return err
	}

	text, clean := look.verdict()
	stopped := !p.exited() && p.end(30*time.Second)
	fmt.Printf("\nround %q, %.0f s\n%s\naddresses that clients saw: %s\n", r.name, time.Since(begun).Seconds(), t, text)
	if !stopped {
		fmt.Println("the proxy didn't end when it was asked to, or before")
	}
	if !t.passed() || !clean || !stopped {
		x.failed = true
		fmt.Printf("end of the proxy's log:\n%s\n", warnings(log))
	}
	return nil
}

// warnings are the last lines of a log that matter.
func warnings(file string) string {
	var lines []string
	for line := range strings.Lines(tail(file, 1<<20)) {
		if !strings.Contains(line, "level=DEBUG") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-40):], "")
}

// client runs a program and takes what it says into the table. stdin, if not nil, is
// its standard input.
func (x *interop) client(t *table, name, mode string, r round, stdin io.Reader) {
	ctx, cancel := context.WithTimeout(x.ctx, 5*time.Minute)
	defer cancel()
	args := append(x.commands[name][1:len(x.commands[name]):len(x.commands[name])], mode, fmt.Sprintf("%s:%d", clientHost, firstPort), r.name, r.cluster, fmt.Sprint(r.offset))
	cmd := exec.CommandContext(ctx, x.commands[name][0], args...)
	cmd.Stdin = stdin
	errs, err := os.Create(filepath.Join(x.dir, fmt.Sprintf("%s-%s-%s.err", r.name, name, mode)))
	if err != nil {
		t.set(name, "admin", false, err.Error())
		return
	}
	defer errs.Close()
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.set(name, "admin", false, err.Error())
		return
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		verdict, rest, _ := strings.Cut(lines.Text(), " ")
		scenario, detail, _ := strings.Cut(rest, " ")
		if verdict == "ok" || verdict == "FAIL" {
			t.set(name, scenario, verdict == "ok", detail)
		} else {
			fmt.Fprintln(errs, lines.Text())
		}
	}
	if err := cmd.Wait(); err != nil {
		t.set(name, mode, false, err.Error())
	}
}

// streams runs the clients that have a stream, and disturbs them.
func (x *interop) streams(t *table, r round) error {
	var all sync.WaitGroup
	var inputs []io.Closer
	for _, c := range x.clients {
		if c == "tools" {
			continue
		}
		in, out := io.Pipe()
		inputs = append(inputs, out)
		all.Go(func() { x.client(t, c, "stream", r, in) })
	}
	if len(inputs) == 0 {
		return nil
	}
	defer func() {
		for _, in := range inputs {
			in.Close()
		}
		all.Wait()
	}()
	a, err := x.cluster.admin()
	if err != nil {
		return err
	}
	defer a.Close()
	var topics []string
	for _, c := range x.clients {
		if c != "tools" {
			topics = append(topics, r.name+"-"+c+"-stream")
		}
	}
	grow := func() error { return grown(x.ctx, a, topics) }
	defer fmt.Println()
	fmt.Print("streams:")
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"run", grow},
		{"leaders moved", func() error { return moveLeaders(x.ctx, a) }},
		{"go on", grow},
		{"broker stopped", func() error { x.cluster.stop(1); return nil }},
		{"go on", grow},
		{"broker started", func() error {
			if err := x.cluster.start(x.here, 1); err != nil {
				return err
			}
			return x.cluster.await(x.ctx, nodes)
		}},
		{"go on", grow},
	} {
		begun := time.Now()
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		fmt.Printf(" %s %.0f s", step.name, time.Since(begun).Seconds())
	}
	return nil
}

// until asks again and again, for a minute and a half.
func until(ctx context.Context, what string, f func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	for {
		ok, err := f(ctx)
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("%s: %w", what, ctx.Err()), err)
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// grown waits until every topic has at least 20 records more than now.
func grown(ctx context.Context, a *kadm.Client, topics []string) error {
	count := func(ctx context.Context) (map[string]int64, error) {
		all, err := a.ListEndOffsets(ctx, topics...)
		sizes := map[string]int64{}
		all.Each(func(o kadm.ListedOffset) { sizes[o.Topic] += max(o.Offset, 0) })
		return sizes, err
	}
	begun, _ := count(ctx) // the topics may not be there yet
	return until(ctx, "records are written on", func(ctx context.Context) (bool, error) {
		now, err := count(ctx)
		for _, t := range topics {
			if now[t] < begun[t]+20 {
				return false, errors.Join(err, fmt.Errorf("%s: %d, were %d", t, now[t], begun[t]))
			}
		}
		return true, nil
	})
}

// moveLeaders makes another replica the leader of every partition of the streams, and
// of those of the coordinators, and waits until they are.
func moveLeaders(ctx context.Context, a *kadm.Client) error {
	topics, err := a.ListTopicsWithInternal(ctx)
	if err != nil {
		return err
	}
	var move kadm.AlterPartitionAssignmentsReq
	elect, leaders := kadm.TopicsSet{}, map[string]int32{}
	place := func(topic string, partition int32) string { return fmt.Sprintf("%s %d", topic, partition) }
	for _, t := range topics {
		if !strings.HasSuffix(t.Topic, "-stream") && !t.IsInternal {
			continue
		}
		for _, p := range t.Partitions {
			// The first of the replicas that isn't the leader is the next one.
			next := append([]int32(nil), p.Replicas...)
			for len(next) > 1 && next[0] == p.Leader {
				next = append(next[1:], next[0])
			}
			move.Assign(t.Topic, p.Partition, next)
			elect.Add(t.Topic, p.Partition)
			leaders[place(t.Topic, p.Partition)] = next[0]
		}
	}
	if r, err := a.AlterPartitionAssignments(ctx, move); err != nil || r.Error() != nil {
		return errors.Join(err, r.Error())
	}
	return until(ctx, "leaders move", func(ctx context.Context) (bool, error) {
		if _, err := a.ElectLeaders(ctx, kadm.ElectPreferredReplica, elect); err != nil {
			return false, err
		}
		topics, err := a.ListTopicsWithInternal(ctx)
		for _, t := range topics {
			for _, p := range t.Partitions {
				if want, ok := leaders[place(t.Topic, p.Partition)]; ok && p.Leader != want {
					return false, fmt.Errorf("%s: leader %d, want %d", place(t.Topic, p.Partition), p.Leader, want)
				}
			}
		}
		return err == nil, err
	})
}
