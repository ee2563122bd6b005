//go:build linux

// The clusters: Kafka nodes, each broker and controller, as processes of this one.

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	nodes = 3
	// brokerHost is where the brokers listen and what they tell clients. Nothing else
	// has this address, so that it is a leak wherever a client sees it.
	brokerHost  = "127.0.0.2"
	brokerPort  = 39092 // of node 1; the others follow
	quorumPort  = 39192
	betweenPort = 39292
)

// cluster is the nodes, by their ids less one.
type cluster struct {
	dir       string
	classpath string
	id        string
	procs     []*process
}

// classpath asks Maven once, and remembers.
func classpath(here, cache string) (string, error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	file := filepath.Join(cache, "classpath")
	pom := filepath.Join(here, "pom.xml")
	have, err := os.Stat(file)
	made, err2 := os.Stat(pom)
	if err != nil || err2 != nil || have.ModTime().Before(made.ModTime()) {
		cmd := exec.Command("mvn", "-q", "-B", "-f", pom, "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath", "-Dmdep.outputFile="+file)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("mvn: %w\n%s", err, out)
		}
	}
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}

// kafkaID is a random id in Kafka's form.
func kafkaID() string {
	for {
		b := make([]byte, 16)
		rand.Read(b)
		if id := base64.RawURLEncoding.EncodeToString(b); id[0] != '-' {
			return id
		}
	}
}

// startCluster formats and starts some nodes, and waits until all know of each other.
func startCluster(ctx context.Context, here, dir, classpath string, nodes int) (*cluster, error) {
	c := &cluster{dir: dir, classpath: classpath, id: kafkaID(), procs: make([]*process, nodes)}
	var voters, quorum []string
	for n := range nodes {
		at := fmt.Sprintf("%s:%d", brokerHost, quorumPort+n)
		quorum = append(quorum, at)
		voters = append(voters, fmt.Sprintf("%d@%s:%s", n+1, at, kafkaID()))
	}
	formats := make([]*exec.Cmd, nodes)
	for n := range nodes {
		home := c.home(n)
		if err := os.MkdirAll(home, 0o755); err != nil {
			return nil, err
		}
		settings := []string{
			"process.roles=broker,controller",
			fmt.Sprintf("node.id=%d", n+1),
			fmt.Sprintf("broker.rack=rack-%d", n+1),
			fmt.Sprintf("listeners=CLIENT://%s:%d,BETWEEN://%s:%d,QUORUM://%s:%d", brokerHost, brokerPort+n, brokerHost, betweenPort+n, brokerHost, quorumPort+n),
			"listener.security.protocol.map=CLIENT:PLAINTEXT,BETWEEN:PLAINTEXT,QUORUM:PLAINTEXT",
			"inter.broker.listener.name=BETWEEN",
			"controller.listener.names=QUORUM",
			"controller.quorum.bootstrap.servers=" + strings.Join(quorum, ","),
			"log.dirs=" + filepath.Join(home, "data"),
			"num.partitions=3",
			fmt.Sprintf("default.replication.factor=%d", nodes),
			"min.insync.replicas=1",
			"offsets.topic.num.partitions=3",
			fmt.Sprintf("offsets.topic.replication.factor=%d", nodes),
			"transaction.state.log.num.partitions=3",
			fmt.Sprintf("transaction.state.log.replication.factor=%d", nodes),
			"transaction.state.log.min.isr=1",
			"share.coordinator.state.topic.num.partitions=3",
			fmt.Sprintf("share.coordinator.state.topic.replication.factor=%d", nodes),
			"share.coordinator.state.topic.min.isr=1",
			"group.initial.rebalance.delay.ms=0",
			"log.cleaner.dedupe.buffer.size=4194304",
			"num.network.threads=2",
			"num.io.threads=4",
			"replica.selector.class=org.apache.kafka.common.replica.RackAwareReplicaSelector",
		}
		if err := os.WriteFile(c.config(n), []byte(strings.Join(settings, "\n")+"\n"), 0o644); err != nil {
			return nil, err
		}
		formats[n] = java(ctx, here, classpath, "-Xmx128m", "kafka.tools.StorageTool", "format", "--cluster-id", c.id, "--config", c.config(n), "--initial-controllers", strings.Join(voters, ","))
	}
	errs := make(chan error)
	for n, format := range formats {
		go func() {
			out, err := format.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("format node %d: %w\n%s", n+1, err, out)
			}
			errs <- err
		}()
	}
	var failed error
	for range nodes {
		failed = errors.Join(failed, <-errs)
	}
	if failed != nil {
		return nil, failed
	}
	for n := range nodes {
		if err := c.start(here, n); err != nil {
			return c, err
		}
	}
	return c, c.await(ctx, nodes)
}

func (c *cluster) home(n int) string   { return filepath.Join(c.dir, fmt.Sprintf("node-%d", n+1)) }
func (c *cluster) config(n int) string { return filepath.Join(c.home(n), "server.properties") }

// java is a Java program with a small heap and a quick start.
func java(ctx context.Context, here, classpath string, args ...string) *exec.Cmd {
	common := []string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dlog4j2.configurationFile=" + filepath.Join(here, "log4j2.properties"), "-cp", classpath}
	return exec.CommandContext(ctx, "java", append(common, args...)...)
}

func (c *cluster) start(here string, n int) error {
	cmd := java(context.Background(), here, c.classpath, "-Xms96m", "-Xmx384m", "kafka.Kafka", c.config(n))
	var err error
	c.procs[n], err = launch(cmd, filepath.Join(c.home(n), "out"))
	return err
}

// stop ends one node as an operator would.
func (c *cluster) stop(n int) {
	if c.procs[n] != nil {
		c.procs[n].end(40 * time.Second)
		c.procs[n] = nil
	}
}

// stopAll ends them at the same time: the last ones can't elect anybody any more.
func (c *cluster) stopAll() {
	done := make(chan bool)
	for n := range c.procs {
		go func() { c.stop(n); done <- true }()
	}
	for range c.procs {
		<-done
	}
}

// addresses are those that clients must never see.
func (c *cluster) addresses() (all []string) {
	for n := range c.procs {
		all = append(all, fmt.Sprintf("%s:%d", brokerHost, brokerPort+n))
	}
	return all
}

// admin is a client that goes past the proxy.
func (c *cluster) admin() (*kadm.Client, error) {
	k, err := kgo.NewClient(kgo.SeedBrokers(c.addresses()...), kgo.MetadataMinAge(100*time.Millisecond))
	if err != nil {
		return nil, err
	}
	return kadm.NewClient(k), nil
}

// await waits until want brokers are there.
func (c *cluster) await(ctx context.Context, want int) error {
	a, err := c.admin()
	if err != nil {
		return err
	}
	defer a.Close()
	var last error
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(300 * time.Millisecond) {
		for n, p := range c.procs {
			if p != nil && p.exited() {
				out, _ := os.ReadFile(filepath.Join(c.home(n), "out"))
				return fmt.Errorf("node %d has ended\n%s", n+1, out[max(0, len(out)-3000):])
			}
		}
		short, cancel := context.WithTimeout(ctx, 5*time.Second)
		brokers, err := a.ListBrokers(short)
		cancel()
		if last = err; err == nil && len(brokers) >= want {
			return nil
		}
	}
	return fmt.Errorf("no %d brokers in time: %v", want, last)
}

// process is a program that runs beside this one.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// launch starts a program whose output goes to a file. It is in a process group of its
// own, so that an interrupt from the terminal doesn't reach it before it is asked to
// end.
func launch(cmd *exec.Cmd, output string) (*process, error) {
	f, err := os.OpenFile(output, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	cmd.Stdout, cmd.Stderr = f, f
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd, make(chan struct{})}
	go func() { cmd.Wait(); close(p.done) }()
	return p, nil
}

func (p *process) exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// end asks a program to stop, and stops it if it doesn't. false: it had to.
func (p *process) end(patience time.Duration) bool {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return true
	case <-time.After(patience):
		p.cmd.Process.Kill()
		<-p.done
		return false
	}
}

// tail is the end of a file.
func tail(file string, size int) string {
	b, _ := os.ReadFile(file)
	return string(bytes.TrimSpace(b[max(0, len(b)-size):]))
}
