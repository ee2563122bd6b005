// proxy: stand between Kafka clients and a cluster.

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec/proxy"
)

var proxyCommand = command{
	name:     "proxy",
	synopsis: "-listen ADDR -bootstrap HOST:PORT[,...] [FLAGS]",
	short:    "stand between Kafka clients and a cluster",
	help: `Clients connect to -listen as to any broker. For each broker and controller that the
cluster names there is a listener of its own, and clients see these addresses only,
in every API that has addresses. API versions that this build doesn't know aren't
offered. Everything else passes byte for byte, SASL too. Both sides are plaintext.

Listeners are opened as brokers become known: those of -map at their addresses, the
others on ports of -ports, on the host of -listen. A broker that comes back at another
address is reached through the same listener.

A frame that has to be edited and can't be read ends its connection, since it could
leak an address; with -on-error forward it passes. Either is logged. SIGTERM or an
interrupt ends the proxy: no new connections and requests, those under way are
answered, for -drain at most; a second one ends it at once.`,
	define: func(fs *flag.FlagSet) func(*env, []string) error {
		var p proxyFlags
		p.define(fs)
		return p.run
	},
}

// proxyFlags is what the flags say.
type proxyFlags struct {
	proxy.ServerOptions
	bootstrap, onError, logLevel string
	brokerOffset                 int
	logJSON                      bool
	drain                        time.Duration
}

func (p *proxyFlags) define(fs *flag.FlagSet) {
	fs.StringVar(&p.Listen, "listen", "", "the `ADDR` for clients to begin with, as HOST:PORT or :PORT")
	fs.StringVar(&p.bootstrap, "bootstrap", "", "`HOST:PORT[,...]` of brokers, any of which may be down")
	fs.StringVar(&p.Advertise, "advertise", "", "the `HOST` that clients are told; that of -listen, or this host's name")
	fs.Func("map", "listen for a broker at `BROKER=ADDR`, BROKER being the id that the cluster has for it; may be repeated", p.addMap)
	fs.Func("ports", "listen for other brokers on these ports, `LOW-HIGH`; any free ones if not given", p.setPorts)
	fs.StringVar(&p.onError, "on-error", "close", "`close|forward`: what becomes of a frame that can't be edited")
	fs.IntVar(&p.brokerOffset, "broker-offset", 0, "add `N` to the ids of brokers as clients see them")
	fs.StringVar(&p.ClusterID, "cluster-id", "", "the cluster `ID` that clients see; the cluster's own")
	fs.BoolVar(&p.SASL, "sasl", false, "clients have to authenticate: until then their frames are limited")
	fs.IntVar(&p.Limits.Request, "max-request", proxy.DefaultLimits.Request, "hold requests of at most `N` bytes whole")
	fs.IntVar(&p.Limits.Response, "max-response", proxy.DefaultLimits.Response, "hold responses of at most `N` bytes whole")
	fs.IntVar(&p.Limits.Unauthenticated, "max-unauthenticated", proxy.DefaultLimits.Unauthenticated, "take frames of at most `N` bytes before a client has authenticated")
	fs.IntVar(&p.Limits.InFlight, "max-in-flight", proxy.DefaultLimits.InFlight, "let at most `N` requests of a connection wait for their answers")
	fs.IntVar(&p.MaxConnections, "max-connections", 0, "serve at most `N` clients at once; 0 is no limit")
	fs.DurationVar(&p.drain, "drain", 30*time.Second, "wait for requests under way for at most `TIME` at the end")
	fs.StringVar(&p.logLevel, "log-level", "info", "log from `LEVEL` on: debug, info, warn, error")
	fs.BoolVar(&p.logJSON, "log-json", false, "log as JSON lines")
}

func (p *proxyFlags) addMap(text string) error {
	id, address, ok := strings.Cut(text, "=")
	node, err := strconv.ParseInt(id, 10, 32)
	if !ok || err != nil || node < 0 || address == "" {
		return errors.New("want BROKER=ADDR, as in 1=:19093")
	}
	if _, ok := p.Map[int32(node)]; ok {
		return fmt.Errorf("broker %d has an address already", node)
	}
	if p.Map == nil {
		p.Map = map[int32]string{}
	}
	p.Map[int32(node)] = address
	return nil
}

func (p *proxyFlags) setPorts(text string) error {
	low, high, ok := strings.Cut(text, "-")
	l, err := strconv.ParseUint(low, 10, 16)
	h, err2 := strconv.ParseUint(high, 10, 16)
	if !ok || err != nil || err2 != nil || l == 0 || l > h {
		return errors.New("want LOW-HIGH, as in 19100-19199")
	}
	p.Ports = proxy.PortRange{Low: int(l), High: int(h)}
	return nil
}

// options checks the flags.
func (p *proxyFlags) options(log io.Writer) (o proxy.ServerOptions, err error) {
	o = p.ServerOptions
	if o.Listen == "" || p.bootstrap == "" {
		return o, errors.New("proxy needs -listen and -bootstrap; see kafkawire proxy -h")
	}
	o.Bootstrap = strings.Split(p.bootstrap, ",")
	switch p.onError {
	case proxy.Close.String():
		o.OnError = proxy.Close
	case proxy.Forward.String():
		o.OnError = proxy.Forward
	default:
		return o, fmt.Errorf("-on-error %q: want close or forward", p.onError)
	}
	for name, n := range map[string]int{"-max-request": o.Limits.Request, "-max-response": o.Limits.Response,
		"-max-unauthenticated": o.Limits.Unauthenticated, "-max-in-flight": o.Limits.InFlight} {
		if n <= 0 {
			return o, fmt.Errorf("%s %d: want a number above 0", name, n)
		}
	}
	if o.BrokerOffset = int32(p.brokerOffset); p.brokerOffset < 0 || int(o.BrokerOffset) != p.brokerOffset {
		return o, fmt.Errorf("-broker-offset %d: want 0 to 2147483647", p.brokerOffset)
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(p.logLevel)); err != nil {
		return o, fmt.Errorf("-log-level %q: want debug, info, warn or error", p.logLevel)
	}
	how := &slog.HandlerOptions{Level: level}
	if p.logJSON {
		o.Logger = slog.New(slog.NewJSONHandler(log, how))
	} else {
		o.Logger = slog.New(slog.NewTextHandler(log, how))
	}
	return o, nil
}

func (p *proxyFlags) run(e *env, args []string) error {
	if len(args) > 0 {
		return errors.New("proxy takes no arguments besides flags; see kafkawire proxy -h")
	}
	o, err := p.options(e.err)
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(stop)
	return serveProxy(o, p.drain, stop)
}

// serveProxy runs a proxy until it is told to stop.
func serveProxy(o proxy.ServerOptions, drain time.Duration, stop <-chan os.Signal) error {
	s, err := proxy.NewServer(o)
	if err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return err
	}
	why := <-stop
	o.Logger.Info("stopping", "signal", why.String(), "connections", s.Connections())
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- s.Shutdown(ctx) }()
	select {
	case err = <-done:
	case <-stop:
		cancel()
		err = <-done
	}
	if err != nil {
		o.Logger.Warn("connections closed with requests under way", "error", err)
		return errFailed
	}
	o.Logger.Info("stopped")
	return nil
}
