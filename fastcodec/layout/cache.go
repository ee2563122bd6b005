// Compiled messages are kept for good: there are few (736 bodies, some headers
// and data messages), and each is small. Look-ups take no lock and allocate
// nothing.

package layout

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/schema"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// id names a body.
type id struct {
	key      fastcodec.APIKey
	response bool
}

var (
	byKey  cache[id]
	byName cache[string]
)

// cache finds families. The map is replaced, never written to.
type cache[K comparable] struct {
	families atomic.Pointer[map[K]*family]
	mu       sync.Mutex
}

// get is the message of key k at a version; load finds its schema, once.
func (c *cache[K]) get(k K, version int16, load func() (*schema.Message, error)) (*Message, error) {
	if all := c.families.Load(); all != nil {
		if f := (*all)[k]; f != nil {
			return f.at(version)
		}
	}
	f, err := c.add(k, load)
	if err != nil {
		return nil, err
	}
	return f.at(version)
}

func (c *cache[K]) add(k K, load func() (*schema.Message, error)) (*family, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := map[K]*family{}
	if all := c.families.Load(); all != nil {
		if f := (*all)[k]; f != nil {
			return f, nil
		}
		next = maps.Clone(*all)
	}
	s, err := load()
	if err != nil {
		return nil, err
	}
	f := newFamily(s)
	next[k] = f
	c.families.Store(&next)
	return f, nil
}

// family is a message at all its versions.
type family struct {
	schema   *schema.Message
	slots    *slots.Message
	versions []atomic.Pointer[Message] // from Valid.Min on
}

func newFamily(m *schema.Message) *family {
	n := int(m.Valid.Max) - int(m.Valid.Min) + 1
	return &family{schema: m, slots: slots.Of(m), versions: make([]atomic.Pointer[Message], max(n, 0))}
}

// at is the message at a version. Two goroutines may compile the same one; the
// first to finish wins.
func (f *family) at(version int16) (*Message, error) {
	valid := f.schema.Valid
	if !valid.Has(version) {
		return nil, fastcodec.VersionError(f.schema.Name, version, valid.Min, valid.Max)
	}
	p := &f.versions[version-valid.Min]
	if m := p.Load(); m != nil {
		return m, nil
	}
	m := compile(f.schema, f.slots, version)
	if !p.CompareAndSwap(nil, m) {
		m = p.Load()
	}
	return m, nil
}
