// Server in front of scripted brokers.

package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
)

// fakeCluster is brokers that answer ApiVersions and Metadata, and Heartbeat with
// their node id.
type fakeCluster struct {
	t       testing.TB
	mu      sync.Mutex
	brokers map[int32]net.Listener
	answers func(node int32, h *fastcodec.RequestHeader, body []byte) []byte // nil: as above
}

func newCluster(t testing.TB, nodes ...int32) *fakeCluster {
	c := &fakeCluster{t: t, brokers: map[int32]net.Listener{}}
	for _, n := range nodes {
		c.start(n, "127.0.0.1:0")
	}
	t.Cleanup(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, l := range c.brokers {
			l.Close()
		}
	})
	return c
}

func (c *fakeCluster) start(node int32, address string) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		c.t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.brokers[node] = l
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go c.serve(node, conn)
		}
	}()
}

func (c *fakeCluster) stop(node int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.brokers[node].Close()
	delete(c.brokers, node)
}

func (c *fakeCluster) addresses() (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.brokers {
		all = append(all, l.Addr().String())
	}
	return all
}

func (c *fakeCluster) serve(node int32, conn net.Conn) {
	defer conn.Close()
	r := fastcodec.NewReader(conn, fastcodec.Limits{})
	for {
		f, err := r.Next()
		if err != nil {
			return
		}
		h, body, err := fastcodec.ParseRequest(f.Payload())
		if err != nil {
			c.t.Error(err)
			return
		}
		var out []byte
		if c.answers != nil {
			out = c.answers(node, &h, body)
		}
		if out == nil {
			out = c.answer(node, &h)
		}
		f.Release()
		if _, err := conn.Write(out); err != nil {
			return
		}
	}
}

func (c *fakeCluster) answer(node int32, h *fastcodec.RequestHeader) []byte {
	reply := h.Reply()
	var body fastcodec.Appender
	switch h.Key() {
	case fastcodec.APIVersions:
		b := kdata.NewAPIVersionsResponse()
		for key := range fastcodec.APIKeys() {
			lowest, highest, _ := key.Versions()
			b.APIKeys = append(b.APIKeys, kdata.APIVersionsResponseAPIVersion{APIKey: key, MinVersion: lowest, MaxVersion: highest})
		}
		body = &b
	case fastcodec.Metadata:
		b := kdata.NewMetadataResponse()
		b.ClusterID = []byte("the-cluster")
		c.mu.Lock()
		for n, l := range c.brokers {
			a := l.Addr().(*net.TCPAddr)
			b.Brokers = append(b.Brokers, kdata.MetadataResponseBroker{NodeID: n, Host: []byte("127.0.0.1"), Port: int32(a.Port)})
		}
		c.mu.Unlock()
		slices.SortFunc(b.Brokers, func(x, y kdata.MetadataResponseBroker) int { return int(x.NodeID - y.NodeID) })
		body = &b
	default:
		raw := fastcodec.Raw{0, 0, 0, 0, 0, byte(node)}
		body = &raw
	}
	out, err := fastcodec.AppendResponse(nil, &reply, body)
	if err != nil {
		c.t.Error(err)
	}
	return out
}

// newServer starts a Server on free ports. What it logs is in the buffer.
func newServer(t testing.TB, c *fakeCluster, change func(*ServerOptions)) (*Server, *logBuffer) {
	t.Helper()
	log := &logBuffer{}
	o := ServerOptions{Listen: "127.0.0.1:0", Bootstrap: c.addresses(), Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	if change != nil {
		change(&o)
	}
	s, err := NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, log
}

type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// caller is a client with one connection.
type caller struct {
	t    testing.TB
	conn net.Conn
	r    *fastcodec.Reader
}

func dialTo(t testing.TB, address string) *caller {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	return &caller{t, conn, fastcodec.NewReader(conn, fastcodec.Limits{})}
}

// call sends a request and gives the body of the answer.
func (c *caller) call(key fastcodec.APIKey, version int16, body fastcodec.Appender) ([]byte, error) {
	c.t.Helper()
	q, err := fastcodec.AppendRequest(nil, &fastcodec.RequestHeaderData{Key: key, Version: version, CorrelationID: 7, ClientID: []byte("me")}, body)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.conn.Write(q); err != nil {
		return nil, err
	}
	return c.read(key, version)
}

func (c *caller) read(key fastcodec.APIKey, version int16) ([]byte, error) {
	f, err := c.r.Next()
	if err != nil {
		return nil, err
	}
	_, b, err := fastcodec.ParseResponse(f.Payload(), key, version)
	return b, err
}

// metadata asks for the brokers: "1=127.0.0.1:9092 2=..." and the cluster's id.
func (c *caller) metadata() (brokers map[int32]string, cluster string) {
	c.t.Helper()
	q := kdata.NewMetadataRequest()
	q.Topics = []kdata.MetadataRequestTopic{}
	b, err := c.call(fastcodec.Metadata, 12, &q)
	if err != nil {
		c.t.Fatal(err)
	}
	var m kview.MetadataResponse
	if err := m.Parse(b, 12); err != nil {
		c.t.Fatal(err)
	}
	brokers = map[int32]string{}
	for b := range m.Brokers().All() {
		brokers[b.NodeID()] = net.JoinHostPort(string(b.Host()), strconv.Itoa(int(b.Port())))
	}
	return brokers, string(m.ClusterID())
}

var noBody = fastcodec.Raw{0, 2, 'g', 0, 0, 0, 0, 1, 0}

// node asks who it is talking to.
func (c *caller) node() int {
	c.t.Helper()
	b, err := c.call(fastcodec.Heartbeat, 3, &noBody)
	if err != nil || len(b) < 6 {
		c.t.Fatal(b, err)
	}
	return int(b[5])
}

// TestServer: each broker has a listener of its own, and clients see no other address.
func TestServer(t *testing.T) {
	cluster := newCluster(t, 1, 2, 3)
	s, _ := newServer(t, cluster, nil)
	brokers, id := dialTo(t, s.Addr().String()).metadata()
	if len(brokers) != 3 || id != "the-cluster" {
		t.Fatal(brokers, id)
	}
	for node, address := range brokers {
		if slices.Contains(cluster.addresses(), address) {
			t.Errorf("broker %d at its own address %s", node, address)
		}
		if got := dialTo(t, address).node(); got != int(node) {
			t.Errorf("%s leads to %d, not %d", address, got, node)
		}
	}
	again, _ := dialTo(t, brokers[2]).metadata()
	if fmt.Sprint(again) != fmt.Sprint(brokers) {
		t.Errorf("%v, then %v", brokers, again)
	}
	if len(s.Listeners()) != 3 {
		t.Error(s.Listeners())
	}
}

// TestServerIDs: other broker ids and another cluster id, in both directions.
func TestServerIDs(t *testing.T) {
	cluster := newCluster(t, 1, 2)
	var mu sync.Mutex
	var seen []string
	cluster.answers = func(node int32, h *fastcodec.RequestHeader, body []byte) []byte {
		if h.Key() == fastcodec.APIVersions && h.Version() == 5 {
			var q kview.APIVersionsRequest
			if err := q.Parse(body, 5); err != nil {
				t.Error(err)
			}
			mu.Lock()
			seen = append(seen, fmt.Sprintf("%s %d", q.ClusterID(), q.NodeID()))
			mu.Unlock()
		}
		return nil
	}
	s, _ := newServer(t, cluster, func(o *ServerOptions) { o.BrokerOffset, o.ClusterID = 100, "another" })
	c := dialTo(t, s.Addr().String())
	brokers, id := c.metadata()
	if id != "another" || brokers[101] == "" || brokers[102] == "" || len(brokers) != 2 {
		t.Fatal(id, brokers)
	}
	q := kdata.NewAPIVersionsRequest()
	q.ClientSoftwareName, q.ClientSoftwareVersion, q.ClusterID, q.NodeID = []byte("test"), []byte("1"), []byte("another"), 102
	if _, err := dialTo(t, brokers[102]).call(fastcodec.APIVersions, 5, &q); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if fmt.Sprint(seen) != "[the-cluster 2]" {
		t.Error(seen)
	}
}

// eventually waits for something to become true.
func eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !f(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not in time: " + what)
		}
	}
}

// TestServerDiscovers: listeners are there before any client asks; and a port range is
// used in a way that gives a broker the same port again.
func TestServerDiscovers(t *testing.T) {
	low := freePorts(t, 20)
	cluster := newCluster(t, 1, 2, 7)
	for range 2 {
		s, _ := newServer(t, cluster, func(o *ServerOptions) {
			o.Ports = PortRange{low, low + 9}
			o.Map = map[int32]string{7: fmt.Sprint("127.0.0.1:", low+15)}
		})
		eventually(t, "listeners", func() bool { return len(s.Listeners()) == 3 })
		want := map[int32]int{1: low + (1 % 10), 2: low + 2, 7: low + 15}
		for _, l := range s.Listeners() {
			if l.Address != fmt.Sprint("127.0.0.1:", want[l.Node]) {
				t.Errorf("%d at %s, want %d", l.Node, l.Address, want[l.Node])
			}
		}
		s.Close()
	}
}

// freePorts finds n ports in a row that nobody listens at.
func freePorts(t *testing.T, n int) int {
	for low := 21000; low < 60000; low += n {
		ok := true
		for p := low; p < low+n && ok; p++ {
			l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", p))
			if ok = err == nil; ok {
				l.Close()
			}
		}
		if ok {
			return low
		}
	}
	t.Skip("no free ports")
	return 0
}

// TestServerBrokersComeAndGo: a broker that goes is not reached, one that comes back
// elsewhere is, at the address that clients know, and a new one gets its own.
func TestServerBrokersComeAndGo(t *testing.T) {
	cluster := newCluster(t, 1, 2)
	s, log := newServer(t, cluster, nil)
	first := dialTo(t, s.Addr().String())
	brokers, _ := first.metadata()
	cluster.stop(2)
	gone := dialTo(t, brokers[2])
	if _, err := gone.call(fastcodec.Heartbeat, 3, &noBody); err == nil {
		t.Error("a broker that isn't there answers")
	}
	cluster.start(2, "127.0.0.1:0")
	cluster.start(3, "127.0.0.1:0")
	c := dialTo(t, brokers[1])
	again, _ := c.metadata()
	if again[1] != brokers[1] || again[2] != brokers[2] || len(again) != 3 {
		t.Fatalf("%v, then %v", brokers, again)
	}
	for node, address := range again {
		if got := dialTo(t, address).node(); got != int(node) {
			t.Errorf("%s leads to %d, not %d", address, got, node)
		}
	}
	if text := log.String(); !strings.Contains(text, "broker moved") || !strings.Contains(text, "broker not reachable") {
		t.Error(text)
	}
}

// TestServerNoBroker: a client is turned away where no broker can be reached, and
// served as soon as one can.
func TestServerNoBroker(t *testing.T) {
	cluster := newCluster(t, 1)
	address := cluster.addresses()[0]
	cluster.stop(1)
	s, _ := newServer(t, cluster, func(o *ServerOptions) { o.Bootstrap = []string{address, "127.0.0.1:1"} })
	c := dialTo(t, s.Addr().String())
	if _, err := c.r.Next(); err == nil {
		t.Error("answered")
	}
	cluster.start(1, address)
	eventually(t, "discovery", func() bool { return len(s.Listeners()) == 1 })
	if dialTo(t, s.Addr().String()).node() != 1 {
		t.Error("not served")
	}
}

// TestServerLimit: one client too many is closed, and another may come when one goes.
func TestServerLimit(t *testing.T) {
	cluster := newCluster(t, 1)
	s, _ := newServer(t, cluster, func(o *ServerOptions) { o.MaxConnections = 2 })
	a, b := dialTo(t, s.Addr().String()), dialTo(t, s.Addr().String())
	a.node()
	b.node()
	if _, err := dialTo(t, s.Addr().String()).r.Next(); err == nil {
		t.Error("one too many")
	}
	a.conn.Close()
	eventually(t, "one left", func() bool { return s.Connections() == 1 })
	dialTo(t, s.Addr().String()).node()
}

// TestServerShutdown: requests under way are answered, others aren't taken, and
// nothing is left.
func TestServerShutdown(t *testing.T) {
	goroutines, buffers := runtime.NumGoroutine(), held.Load()
	t.Run("", func(t *testing.T) {
		cluster := newCluster(t, 1)
		arrived, release := make(chan bool, 1), make(chan bool)
		cluster.answers = func(node int32, h *fastcodec.RequestHeader, body []byte) []byte {
			if h.Key() == fastcodec.Fetch {
				arrived <- true
				<-release
				reply := h.Reply()
				raw := fastcodec.Raw(make([]byte, 1<<20))
				out, _ := fastcodec.AppendResponse(nil, &reply, &raw)
				return out
			}
			return nil
		}
		s, _ := newServer(t, cluster, nil)
		idle, busy := dialTo(t, s.Addr().String()), dialTo(t, s.Addr().String())
		idle.node()
		go busy.call(fastcodec.Fetch, 4, &noBody)
		<-arrived
		done := make(chan error)
		go func() { done <- s.Shutdown(context.Background()) }()
		if _, err := idle.r.Next(); err == nil {
			t.Error("an idle connection stays")
		}
		if conn, err := net.Dial("tcp", s.Addr().String()); err == nil {
			conn.Close()
			t.Error("connected after the end")
		}
		select {
		case err := <-done:
			t.Error("ended before the answer", err)
		case <-time.After(20 * time.Millisecond):
		}
		// Another request, too late.
		busy.conn.Write(request(fastcodec.Heartbeat, 3, 8, "me", noBody...))
		close(release)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	eventually(t, "nothing left", func() bool { return runtime.NumGoroutine() <= goroutines && held.Load() == buffers })
}

// TestServerShutdownTimeout: who isn't answered in time is closed.
func TestServerShutdownTimeout(t *testing.T) {
	cluster := newCluster(t, 1)
	release := make(chan bool)
	defer close(release)
	arrived := make(chan bool, 1)
	cluster.answers = func(node int32, h *fastcodec.RequestHeader, body []byte) []byte {
		if h.Key() == fastcodec.Fetch {
			arrived <- true
			<-release
		}
		return nil
	}
	s, _ := newServer(t, cluster, nil)
	c := dialTo(t, s.Addr().String())
	q := request(fastcodec.Fetch, 4, 8, "me", 0)
	c.conn.Write(q)
	<-arrived
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := c.r.Next(); err != io.EOF && err == nil {
		t.Error(err)
	}
}

// TestServerLogs: an error of a frame is logged with key, version, offset and field.
func TestServerLogs(t *testing.T) {
	for _, policy := range []Policy{Close, Forward} {
		cluster := newCluster(t, 1)
		cluster.answers = func(node int32, h *fastcodec.RequestHeader, body []byte) []byte {
			if h.Key() == fastcodec.Metadata && string(h.ClientID()) == "me" {
				return response(h.CorrelationID(), 0, 0, 0, 0, 0, 5)
			}
			return nil
		}
		s, log := newServer(t, cluster, func(o *ServerOptions) { o.OnError = policy })
		c := dialTo(t, s.Addr().String())
		q := kdata.NewMetadataRequest()
		_, err := c.call(fastcodec.Metadata, 12, &q)
		if (err == nil) != (policy == Forward) {
			t.Error(policy, err)
		}
		eventually(t, "logged", func() bool { return strings.Contains(log.String(), "level=WARN") })
		for _, want := range []string{"key=3", "api=Metadata", "version=12", "offset=", "field=Brokers", "from=broker"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("no %s in %s", want, log)
			}
		}
		s.Close()
	}
}

// TestServerPlaces: a node that is broker and controller has two listeners; DescribeCluster
// may name either.
func TestServerPlaces(t *testing.T) {
	s, _ := newServer(t, newCluster(t, 1), func(o *ServerOptions) { o.SASL = true })
	at := func(key fastcodec.APIKey, node int32, port int32) int32 {
		_, p := s.endpoint(endpointOf(key, node, "10.0.0.1", port))
		return p
	}
	broker := at(fastcodec.Metadata, 5, 9092)
	controller := at(fastcodec.DescribeQuorum, 5, 9093)
	if broker == controller || broker < 1 || controller < 1 {
		t.Fatal(broker, controller)
	}
	for _, c := range []struct {
		key  fastcodec.APIKey
		port int32
		want int32
	}{
		{fastcodec.Metadata, 9092, broker}, {fastcodec.DescribeCluster, 9092, broker}, {fastcodec.DescribeCluster, 9093, controller},
		{fastcodec.FindCoordinator, 9092, broker},
		{fastcodec.Produce, 9999, broker}, // it moved
		{fastcodec.DescribeCluster, 9999, broker},
		{fastcodec.DescribeQuorum, 9093, controller},
	} {
		if got := at(c.key, 5, c.port); got != c.want {
			t.Errorf("%v names port %d: %d, want %d", c.key, c.port, got, c.want)
		}
	}
	other := at(fastcodec.DescribeCluster, 6, 9093)
	if at(fastcodec.DescribeQuorum, 6, 9093) != other {
		t.Error("named by DescribeCluster first")
	}
	if n := testing.AllocsPerRun(100, func() { s.endpoint(endpointOf(fastcodec.Metadata, 5, "10.0.0.1", 9999)) }); n > 0 && !raceEnabled {
		t.Error(n, "allocations for a known address")
	}
}

// TestServerOptions: what can't be is told before anything is opened.
func TestServerOptions(t *testing.T) {
	for name, o := range map[string]ServerOptions{
		"nothing":      {},
		"no bootstrap": {Listen: ":0"},
		"bad address":  {Listen: ":0", Bootstrap: []string{"nowhere"}},
		"bad ports":    {Listen: ":0", Bootstrap: []string{"a:1"}, Ports: PortRange{9, 8}},
	} {
		if _, err := NewServer(o); err == nil {
			t.Error(name)
		}
	}
	s, err := NewServer(ServerOptions{Listen: "127.0.0.1:99999", Bootstrap: []string{"a:1"}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Start() == nil {
		t.Error("listens nowhere")
	}
	s.Close()
}
