// Server: a proxy in front of a cluster, with a listener for each broker.

package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

// ServerOptions say what a Server does. Listen and Bootstrap are needed.
type ServerOptions struct {
	// Listen is the address that clients begin with.
	Listen string
	// Bootstrap are addresses of brokers, any of which may be down.
	Bootstrap []string
	// Advertise is the host that clients are told for all listeners. Default: that of
	// the listener's address; of one that is for all hosts, the name of this one.
	Advertise string
	// Map has the addresses to listen at for brokers by their node ids.
	Map map[int32]string
	// Ports are the ports for brokers that aren't in Map, and for controllers. A broker
	// gets the same one again where it can: Low + its node id, modulo their number. 0, 0
	// is any free port. They are opened on the host of Listen.
	Ports PortRange
	// Edits are changes beyond those that a proxy makes anyway: Endpoints.Response and
	// Versions.Clamp are the Server's.
	Edits rewrite.Edits
	// BrokerOffset is added to the node ids of brokers as clients see them.
	BrokerOffset int32
	// ClusterID, if not empty, is what clients see in place of the cluster's id.
	ClusterID string
	// Limits, SASL and OnError are those of the sessions.
	Limits  Limits
	SASL    bool
	OnError Policy
	// MaxConnections is how many clients may be connected at once; 0 is no limit. One
	// more is closed at once.
	MaxConnections int
	// DialTimeout is how long a connection to a broker may take. Default 10 seconds.
	DialTimeout time.Duration
	// Logger is told of what happens; nil is slog.Default.
	Logger *slog.Logger
}

// PortRange is a range of ports, both ends included.
type PortRange struct{ Low, High int }

// Server is a proxy in front of one cluster. It listens at one address for clients
// that begin, and at one for each broker and controller that an answer names, whose
// addresses it puts into the answers. Listeners stay when a broker goes, and lead to
// its new address when it comes back elsewhere.
type Server struct {
	options ServerOptions
	log     *slog.Logger
	config  *Config
	places  places
	cluster clusterID
	first   net.Listener

	ctx    context.Context // ends with the Server
	cancel context.CancelFunc

	mu     sync.Mutex
	conns  map[*Conn]struct{}
	count  int            // of clients, those included whose broker isn't there yet
	ending func(*Conn)    // what new connections are to do; nil: live
	work   sync.WaitGroup // accept loops, discovery, connections
}

// NewServer checks the options and makes a Server. Nothing is opened yet.
func NewServer(o ServerOptions) (*Server, error) {
	if o.Listen == "" || len(o.Bootstrap) == 0 {
		return nil, errors.New("proxy: a Server needs Listen and Bootstrap")
	}
	for _, address := range o.Bootstrap {
		if _, _, err := net.SplitHostPort(address); err != nil {
			return nil, fmt.Errorf("proxy: bootstrap: %w", err)
		}
	}
	if o.Ports.Low < 0 || o.Ports.High > 65535 || o.Ports.Low > o.Ports.High {
		return nil, fmt.Errorf("proxy: ports %d-%d", o.Ports.Low, o.Ports.High)
	}
	if o.DialTimeout == 0 {
		o.DialTimeout = 10 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	s := &Server{options: o, log: o.Logger, conns: make(map[*Conn]struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.places = places{listen: s.listenFor, added: s.added, moved: s.moved}
	editor, err := NewEditor(EditorOptions{Edits: s.edits()})
	if err != nil {
		return nil, err
	}
	s.config = Compile(Options{Handler: editor, Limits: o.Limits, SASL: o.SASL, OnError: o.OnError, Report: func(e *FrameError) {
		s.logError(slog.LevelWarn, "forwarded unedited", e)
	}})
	return s, nil
}

// edits are the options' and the Server's own.
func (s *Server) edits() rewrite.Edits {
	e := s.options.Edits
	e.Endpoints.Response = s.endpoint
	e.Versions.Clamp = true
	if by := int64(s.options.BrokerOffset); by != 0 {
		e.Brokers = rewrite.IDs{
			Response: func(id int64) int64 { return id + by },
			Request:  func(id int64) int64 { return id - by },
		}
	}
	if s.options.ClusterID != "" {
		s.cluster.shown = []byte(s.options.ClusterID)
		e.Clusters = rewrite.Names{Response: s.cluster.response, Request: s.cluster.request}
	}
	return e
}

// endpoint is the address of the listener in front of a broker. It has no legal port
// where there is none, so that the answer is refused.
func (s *Server) endpoint(e rewrite.Endpoint) (host []byte, port int32) {
	p, err := s.places.find(e)
	if err != nil {
		s.log.Error("broker not reachable through the proxy", "broker", e.NodeID, "error", err)
		return nil, -1
	}
	return p.host, p.port
}

// Start opens the listeners and returns; the Server then runs until Shutdown or Close.
// The brokers are found out from the cluster in the background, if it lets the proxy
// ask, and from what it answers to clients. Call it once.
func (s *Server) Start() error {
	l, err := net.Listen("tcp", s.options.Listen)
	if err != nil {
		return err
	}
	s.first = l
	s.log.Info("listening", "address", l.Addr().String(), "bootstrap", s.options.Bootstrap)
	s.work.Go(func() { s.accept(l, s.dialBootstrap) })
	if !s.options.SASL {
		s.work.Go(s.discover)
	}
	return nil
}

// Addr is the address that clients begin with. It is for after Start.
func (s *Server) Addr() net.Addr { return s.first.Addr() }

// Listeners gives what there is a listener for: node ids as the cluster has them, the
// address to connect to, and the broker's or controller's own.
func (s *Server) Listeners() (all []ServerListener) {
	for _, list := range s.places.all() {
		for _, p := range list {
			all = append(all, ServerListener{p.node, net.JoinHostPort(string(p.host), strconv.Itoa(int(p.port))), p.upstream.Load().String()})
		}
	}
	return all
}

// ServerListener is a listener in front of a broker or controller.
type ServerListener struct {
	Node             int32
	Address, Brokers string
}

// Connections is the number of clients that are connected.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Shutdown ends the Server: no new connections, no new requests; those under way are
// answered first. It returns when all is over, or closes what is left when ctx ends,
// whose error it returns then.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop((*Conn).Drain)
	done := make(chan struct{})
	go func() { s.work.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.stop(func(c *Conn) { c.Close() })
		<-done
		return ctx.Err()
	}
}

// Close ends the Server at once.
func (s *Server) Close() error {
	s.stop(func(c *Conn) { c.Close() })
	s.work.Wait()
	return nil
}

// stop closes the listeners and ends the connections.
func (s *Server) stop(end func(*Conn)) {
	s.mu.Lock()
	s.ending = end
	conns := make([]*Conn, 0, len(s.conns))
	for c := range s.conns {
		conns = append(conns, c)
	}
	s.mu.Unlock()
	s.cancel()
	if s.first != nil {
		s.first.Close()
	}
	s.places.close()
	for _, c := range conns {
		end(c)
	}
}

// accept takes the clients of a listener.
func (s *Server) accept(l net.Listener, dial func() (net.Conn, error)) {
	defer l.Close()
	for pause := time.Duration(0); ; {
		client, err := l.Accept()
		switch {
		case err == nil:
			pause = 0
			s.work.Go(func() { s.serve(client, dial) })
			continue
		case errors.Is(err, net.ErrClosed):
			return
		}
		// No more file descriptors, or the like: it passes.
		pause = min(max(2*pause, 5*time.Millisecond), time.Second)
		s.log.Error("accept", "address", l.Addr().String(), "error", err)
		select {
		case <-time.After(pause):
		case <-s.ctx.Done():
			return
		}
	}
}

// serve connects a client to a broker.
func (s *Server) serve(client net.Conn, dial func() (net.Conn, error)) {
	log := s.log.With("client", client.RemoteAddr().String(), "listener", client.LocalAddr().String())
	s.mu.Lock()
	refused := s.ending != nil || s.options.MaxConnections > 0 && s.count >= s.options.MaxConnections
	if !refused {
		s.count++
	}
	s.mu.Unlock()
	if refused {
		log.Warn("connection refused", "limit", s.options.MaxConnections)
		client.Close()
		return
	}
	broker, err := dial()
	if err != nil {
		log.Warn("broker not reachable", "error", err)
		client.Close()
		s.left(nil)
		return
	}
	log = log.With("broker", broker.RemoteAddr().String())
	c := NewConn(client, broker, s.config)
	s.mu.Lock()
	s.conns[c] = struct{}{}
	ending := s.ending
	s.mu.Unlock()
	log.Debug("connected")
	s.work.Add(1)
	c.Start(func(err error) {
		s.left(c)
		if err != nil {
			s.logErrorTo(log, slog.LevelWarn, "connection failed", err)
		} else {
			log.Debug("closed")
		}
		s.work.Done()
	})
	if ending != nil {
		ending(c)
	}
}

// left is the end of a client.
func (s *Server) left(c *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count--
	delete(s.conns, c)
}

// dialBootstrap connects to any of the brokers to begin with.
func (s *Server) dialBootstrap() (net.Conn, error) {
	var errs []error
	first := rand.IntN(len(s.options.Bootstrap))
	for i := range s.options.Bootstrap {
		conn, err := s.dial(s.options.Bootstrap[(first+i)%len(s.options.Bootstrap)])
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func (s *Server) dial(address string) (net.Conn, error) {
	d := net.Dialer{Timeout: s.options.DialTimeout}
	return d.DialContext(s.ctx, "tcp", address)
}

// listenFor opens the listener for a node.
func (s *Server) listenFor(node int32) (net.Listener, []byte, error) {
	if address, ok := s.options.Map[node]; ok && len(s.places.all()[node]) == 0 {
		l, err := net.Listen("tcp", address)
		return l, s.advertised(address), err
	}
	host, _, err := net.SplitHostPort(s.options.Listen)
	if err != nil {
		return nil, nil, err
	}
	ports := s.options.Ports
	n := ports.High - ports.Low + 1
	for i := range n {
		port := ports.Low + (int(uint32(node)%uint32(n))+i)%n
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port))); err == nil {
			return l, s.advertised(s.options.Listen), nil
		}
	}
	return nil, nil, err
}

// advertised is the host that clients are told for a listener at an address.
func (s *Server) advertised(address string) []byte {
	if s.options.Advertise != "" {
		return []byte(s.options.Advertise)
	}
	host, _, _ := net.SplitHostPort(address)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return hostname()
	}
	return []byte(host)
}

// added begins to serve a place.
func (s *Server) added(p *place) {
	s.log.Info("listening", "address", p.listener.Addr().String(), "broker", p.node, "at", p.upstream.Load().String())
	s.work.Go(func() {
		s.accept(p.listener, func() (net.Conn, error) { return s.dial(p.upstream.Load().String()) })
	})
}

// moved tells of a place with a new address.
func (s *Server) moved(p *place, from *address) {
	s.log.Info("broker moved", "broker", p.node, "from", from.String(), "to", p.upstream.Load().String())
}

func (s *Server) logError(level slog.Level, text string, err error) {
	s.logErrorTo(s.log, level, text, err)
}

// logErrorTo logs an error with what it says of the frame and the field.
func (s *Server) logErrorTo(log *slog.Logger, level slog.Level, text string, err error) {
	attrs := []slog.Attr{slog.Any("error", err)}
	var frame *FrameError
	if errors.As(err, &frame) {
		attrs = append(attrs, slog.String("from", frame.From.String()))
		if frame.Known {
			attrs = append(attrs, slog.Int("key", int(frame.Key)), slog.String("api", frame.Key.String()), slog.Int("version", int(frame.Version)))
		}
	}
	var field *fastcodec.Error
	if errors.As(err, &field) {
		attrs = append(attrs, slog.String("field", field.Path.String()), slog.Int("offset", field.Offset))
	}
	log.LogAttrs(context.Background(), level, text, attrs...)
}
