// clusterID: another name for the cluster, in both directions.

package proxy

import (
	"os"
	"sync/atomic"

	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

// clusterID shows clients a cluster id of the proxy's, and gives the brokers theirs
// back: since ApiVersions v5 they refuse a client that has another.
type clusterID struct {
	shown []byte
	real  atomic.Pointer[[]byte] // nil until an answer told it
}

// learn remembers the id that the cluster has.
func (c *clusterID) learn(id []byte) {
	if known := c.real.Load(); known != nil && string(*known) == string(id) {
		return
	}
	id = append([]byte(nil), id...)
	c.real.Store(&id)
}

func (c *clusterID) response(old, scratch []byte) ([]byte, rewrite.Action) {
	if len(old) == 0 {
		return nil, rewrite.Keep
	}
	c.learn(old)
	return c.shown, rewrite.Replace
}

func (c *clusterID) request(old, scratch []byte) ([]byte, rewrite.Action) {
	known := c.real.Load()
	switch {
	case string(old) != string(c.shown):
		return nil, rewrite.Keep // the broker will say what it thinks of it
	case known == nil:
		return nil, rewrite.Refuse // the client tries again
	}
	return *known, rewrite.Replace
}

// hostname is the name of this host, as clients may know it.
func hostname() []byte {
	if name, err := os.Hostname(); err == nil {
		return []byte(name)
	}
	return []byte("localhost")
}
