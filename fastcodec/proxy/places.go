// Places: the brokers and controllers of a cluster, each with a listener of its own.

package proxy

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

// role is what a place is to clients. One node may be broker and controller, at two
// addresses.
type role uint8

const (
	unknownRole role = iota // DescribeCluster names brokers or controllers
	brokerRole
	controllerRole
)

// roleIn is the role of those whose addresses answers to an API name.
func roleIn(key fastcodec.APIKey) role {
	switch key {
	case fastcodec.DescribeCluster:
		return unknownRole
	case fastcodec.DescribeQuorum:
		return controllerRole
	}
	return brokerRole
}

// address is where a broker or controller is.
type address struct {
	host string
	port int32
}

// String is the address in the form that net.Dial takes.
func (a *address) String() string { return net.JoinHostPort(a.host, strconv.Itoa(int(a.port))) }

// place is a broker or controller and the listener in front of it.
type place struct {
	node     int32
	role     atomic.Uint32           // a role
	upstream atomic.Pointer[address] // where it is now
	listener net.Listener
	host     []byte // what clients are told
	port     int32
}

// places are those of a cluster. Lookups take no lock.
type places struct {
	listen func(node int32) (net.Listener, []byte, error) // a listener for a node, and the host to tell clients
	added  func(*place)
	moved  func(p *place, from *address)

	byNode atomic.Pointer[map[int32][]*place] // replaced, never changed
	mu     sync.Mutex                         // held by who replaces it
	closed bool
}

var errPlacesClosed = errors.New("the proxy is closing")

// find gives the place at an address; one more if there is none. The node's address
// may have changed: then its place has a new address.
func (d *places) find(e rewrite.Endpoint) (*place, error) {
	role := roleIn(e.Key)
	if p := d.at(e.NodeID, e.Host, e.Port); p != nil && (role == unknownRole || p.role.Load() != uint32(unknownRole)) {
		return p, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errPlacesClosed
	}
	if p := d.at(e.NodeID, e.Host, e.Port); p != nil {
		p.role.CompareAndSwap(uint32(unknownRole), uint32(role))
		return p, nil
	}
	at := &address{string(e.Host), e.Port}
	if role != unknownRole {
		for _, p := range d.all()[e.NodeID] {
			if p.role.Load() == uint32(role) {
				d.moved(p, p.upstream.Swap(at))
				return p, nil
			}
		}
	}
	l, host, err := d.listen(e.NodeID)
	if err != nil {
		return nil, fmt.Errorf("no listener for node %d at %v: %w", e.NodeID, at, err)
	}
	p := &place{node: e.NodeID, listener: l, host: host, port: int32(l.Addr().(*net.TCPAddr).Port)}
	p.role.Store(uint32(role))
	p.upstream.Store(at)
	next := make(map[int32][]*place)
	for node, list := range d.all() {
		next[node] = list
	}
	next[e.NodeID] = append(next[e.NodeID][:len(next[e.NodeID]):len(next[e.NodeID])], p)
	d.byNode.Store(&next)
	d.added(p)
	return p, nil
}

// at is the place at an address, nil if there is none. It doesn't allocate.
func (d *places) at(node int32, host []byte, port int32) *place {
	for _, p := range d.all()[node] {
		if a := p.upstream.Load(); a.port == port && a.host == string(host) {
			return p
		}
	}
	return nil
}

func (d *places) all() map[int32][]*place {
	if m := d.byNode.Load(); m != nil {
		return *m
	}
	return nil
}

// close ends the listeners; there will be no more.
func (d *places) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, list := range d.all() {
		for _, p := range list {
			p.listener.Close()
		}
	}
}
