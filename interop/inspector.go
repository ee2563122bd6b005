// The inspector stands between clients and the proxy, and looks at every answer that a
// client sees: in its raw bytes for the brokers' host and cluster id, and, read with
// the generic reader, for addresses that aren't the proxy's.

package main

import (
	"bytes"
	"fmt"
	"net"
	"regexp"
	"sort"
	"strconv"
	"sync"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/fastcodec/proxy"
)

const (
	// Clients are told clientHost, where the inspector is; the proxy listens at the same
	// ports of proxyHost.
	clientHost = "127.0.0.1"
	proxyHost  = "127.0.0.3"
	firstPort  = 39500 // for clients to begin with; the ports for brokers follow
	lastPort   = 39519
)

// inspector forwards all ports of the proxy, and keeps what it sees.
type inspector struct {
	hidden    [][]byte // what no answer may contain
	listeners []net.Listener
	config    *proxy.Config

	mu        sync.Mutex
	answers   int
	seen      map[string]int // addresses in answers
	leaks     map[string]int // by API, version and what
	conns     map[*proxy.Conn]bool
	closed    bool
	unchecked map[string]int
}

func startInspector(hidden ...string) (*inspector, error) {
	x := &inspector{seen: map[string]int{}, leaks: map[string]int{}, conns: map[*proxy.Conn]bool{}, unchecked: map[string]int{}}
	for _, h := range hidden {
		x.hidden = append(x.hidden, []byte(h))
	}
	x.config = proxy.Compile(proxy.Options{Handler: x})
	for port := firstPort; port <= lastPort; port++ {
		l, err := net.Listen("tcp", fmt.Sprintf("%s:%d", clientHost, port))
		if err != nil {
			x.close()
			return nil, err
		}
		x.listeners = append(x.listeners, l)
		go x.accept(l, fmt.Sprintf("%s:%d", proxyHost, port))
	}
	return x, nil
}

func (x *inspector) accept(l net.Listener, to string) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			upstream, err := net.Dial("tcp", to)
			if err != nil {
				client.Close()
				return
			}
			c := proxy.NewConn(client, upstream, x.config)
			x.mu.Lock()
			x.conns[c] = true
			x.mu.Unlock()
			if err := c.Run(); err != nil {
				x.note(x.unchecked, "connection: "+err.Error())
			}
			x.mu.Lock()
			delete(x.conns, c)
			x.mu.Unlock()
		}()
	}
}

func (x *inspector) note(where map[string]int, what string) {
	x.mu.Lock()
	where[what]++
	x.mu.Unlock()
}

func (x *inspector) close() {
	for _, l := range x.listeners {
		l.Close()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for c := range x.conns {
		go c.Close()
	}
}

// Rule: all answers.
func (x *inspector) Rule(fastcodec.APIKey, int16) proxy.Rule { return proxy.WholeResponse }

// Request lets all pass.
func (x *inspector) Request(_ *proxy.Session, _ *proxy.Request, dst []byte) ([]byte, proxy.Verdict, error) {
	return dst, proxy.Pass, nil
}

var addressInJSON = regexp.MustCompile(`"host":"([^"]*)","port":(-?[0-9]+)`)

// Response looks at an answer.
func (x *inspector) Response(_ *proxy.Session, r *proxy.Response, dst []byte) ([]byte, proxy.Verdict, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.answers++
	api := fmt.Sprintf("%v v%d", r.Key, r.Version)
	for _, h := range x.hidden {
		// Configs hold what the operator wrote, addresses too.
		if r.Key != fastcodec.DescribeConfigs && bytes.Contains(r.Frame, h) {
			x.leaks[fmt.Sprintf("%s: %s in its bytes", api, h)]++
		}
	}
	_, body, err := fastcodec.ParseResponse(r.Payload(), r.Key, r.Version)
	if err != nil {
		x.unchecked[api+": "+err.Error()]++
		return dst, proxy.Pass, nil
	}
	version := fastcodec.ResponseBodyVersion(r.Key, r.Version, body, func(b []byte, v int16) bool {
		m, err := layout.For(r.Key, true, v)
		if err != nil {
			return false
		}
		end, err := m.Walk(b, nil)
		return err == nil && end == len(b)
	})
	m, err := layout.For(r.Key, true, version)
	if err != nil {
		x.unchecked[api+": "+err.Error()]++
		return dst, proxy.Pass, nil
	}
	text, _, err := m.AppendJSON(nil, body)
	if err != nil {
		x.unchecked[api+": "+err.Error()]++
		return dst, proxy.Pass, nil
	}
	for _, a := range addressInJSON.FindAllSubmatch(text, -1) {
		host := string(a[1])
		port, _ := strconv.Atoi(string(a[2]))
		if host == "" {
			continue
		}
		x.seen[net.JoinHostPort(host, string(a[2]))]++
		if host != clientHost || port < firstPort || port > lastPort {
			x.leaks[fmt.Sprintf("%s: address %s:%d", api, host, port)]++
		}
	}
	return dst, proxy.Pass, nil
}

// verdict says what was seen.
func (x *inspector) verdict() (text string, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	text = fmt.Sprintf("%d answers, %d addresses: %v", x.answers, len(x.seen), keys(x.seen))
	for _, what := range keys(x.leaks) {
		text += fmt.Sprintf("\n  LEAK %s (%d times)", what, x.leaks[what])
	}
	for _, what := range keys(x.unchecked) {
		text += fmt.Sprintf("\n  note: %s (%d times)", what, x.unchecked[what])
	}
	return text, len(x.leaks) == 0 && len(x.seen) >= nodes
}

func keys(m map[string]int) []string {
	all := make([]string, 0, len(m))
	for k := range m {
		all = append(all, k)
	}
	sort.Strings(all)
	return all
}
