// Topic ids in requests: which name topics by id, and by which.

package proxy

import (
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
)

// idField is what Kafka calls a topic's id, in every message.
const idField = "TopicId"

// hasTopicIDs reports whether requests of an API and version may have topic ids.
func hasTopicIDs(key fastcodec.APIKey, version int16) bool {
	m, err := layout.For(key, false, version)
	if err != nil {
		return false
	}
	found := false
	m.Walk(m.AppendSmallest(nil), idVisitor{func([]byte) { found = true }})
	return found
}

// appendTopicIDs appends the topic ids of a request's body to ids, each once and none
// that is zero. The error is that of a body that can't be read.
func appendTopicIDs(ids []fastcodec.UUID, key fastcodec.APIKey, version int16, body []byte) ([]fastcodec.UUID, error) {
	m, err := layout.For(key, false, version)
	if err != nil {
		return ids, err
	}
	seen := make(map[fastcodec.UUID]bool)
	_, err = m.Walk(body, idVisitor{func(b []byte) {
		if id, n := fastcodec.ConsumeUUID(b); n > 0 && !id.IsZero() && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}})
	return ids, err
}

// idVisitor finds topic ids in a walk.
type idVisitor struct{ found func(id []byte) }

func (v idVisitor) Open(*layout.Node)  {}
func (v idVisitor) Close(*layout.Node) {}
func (v idVisitor) Leaf(n *layout.Node) {
	if n.Kind == layout.UUID && n.Name == idField {
		v.found(n.Content)
	}
}
