// Topics: the names behind topic ids, shared by the connections of a cluster.

package proxy

import (
	"sync"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
)

// DefaultTopics is how many topics a Topics remembers unless it is told otherwise.
const DefaultTopics = 1 << 17

// Topics knows the names of topics by their ids, as Metadata answers from version 10
// on say them. From version 13 on, Produce and Fetch carry ids alone. The zero value
// is ready; any number of goroutines may use one. It belongs to one cluster.
type Topics struct {
	// Most is how many topics to remember; 0 is DefaultTopics. One more takes the place
	// of any other. Set it before the first use.
	Most int

	mu    sync.RWMutex
	names map[fastcodec.UUID]string
}

// Name is the name of a topic; ok is false where it isn't known.
func (t *Topics) Name(id fastcodec.UUID) (name string, ok bool) {
	t.mu.RLock()
	name, ok = t.names[id]
	t.mu.RUnlock()
	return name, ok
}

// Len is the number of topics that are known.
func (t *Topics) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.names)
}

// Learn remembers a name. What is known already costs no allocation. A zero id or an
// empty name is none.
func (t *Topics) Learn(id fastcodec.UUID, name []byte) {
	if id.IsZero() || len(name) == 0 {
		return
	}
	t.mu.RLock()
	known := t.names[id] == string(name)
	t.mu.RUnlock()
	if known {
		return
	}
	most := t.Most
	if most <= 0 {
		most = DefaultTopics
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.names == nil {
		t.names = make(map[fastcodec.UUID]string)
	}
	if _, known := t.names[id]; !known && len(t.names) >= most {
		for other := range t.names {
			delete(t.names, other)
			break
		}
	}
	t.names[id] = string(name)
}

// metadata are views to read Metadata answers with.
var metadata = sync.Pool{New: func() any { return new(kview.MetadataResponse) }}

// LearnMetadata remembers what the body of a Metadata answer says, as the broker sent
// it. The error is that of kview.MetadataResponse.Parse; nothing is learnt then.
// Versions below 10 have no topic ids.
func (t *Topics) LearnMetadata(body []byte, version int16) error {
	m := metadata.Get().(*kview.MetadataResponse)
	defer metadata.Put(m)
	if err := m.Parse(body, version); err != nil {
		return err
	}
	topics := m.Topics()
	for i := range topics.Len() {
		topic := topics.At(i)
		t.Learn(topic.TopicID(), topic.Name())
	}
	return nil
}
