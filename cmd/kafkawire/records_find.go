// Records fields in frames, and the topic and partition that they belong to.

package main

import (
	"errors"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// recordsFinder is a visitor of any message. It learns the names of topics that are
// called by their ids from whatever has both (Metadata, CreateTopics).
type recordsFinder struct {
	topics map[fastcodec.UUID]string
	found  func(topic string, partition int, n *layout.Node, at int)

	base      int // of offsets in the frame
	topic     string
	depth     int // at which topic stands
	partition int
}

// find calls found for each records field of a frame that isn't empty, with the field's
// place in the frame.
func (f *recordsFinder) find(p *parts, found func(topic string, partition int, n *layout.Node, at int)) error {
	if p.opaque {
		switch p.key {
		case fastcodec.Produce, fastcodec.Fetch, fastcodec.ShareFetch, fastcodec.FetchSnapshot:
			return errors.New("a version that isn't known")
		}
		return nil
	}
	m, err := p.layout()
	if err != nil {
		return err
	}
	f.found, f.base, f.topic, f.depth, f.partition = found, p.bodyAt(), "", 0, 0
	_, err = m.Walk(p.body, f)
	return err
}

func (f *recordsFinder) Open(n *layout.Node) {
	if n.Kind == layout.Struct && n.Depth < f.depth {
		f.topic, f.depth = "", 0 // the next topic
	}
}

func (f *recordsFinder) Close(*layout.Node) {}

func (f *recordsFinder) Leaf(n *layout.Node) {
	switch n.Kind {
	case layout.String:
		if n.Name == "Name" || n.Name == "Topic" {
			f.topic, f.depth = string(n.Content), n.Depth
		}
	case layout.UUID:
		if n.Name != "TopicId" {
			return
		}
		id, _ := fastcodec.ConsumeUUID(n.Content)
		if f.topic != "" && f.depth == n.Depth {
			f.topics[id] = f.topic
			return
		}
		f.topic, f.depth = f.topics[id], n.Depth
		if f.topic == "" {
			f.topic = id.String()
		}
	case layout.Int32:
		if n.Name == "Index" || n.Name == "PartitionIndex" {
			f.partition = int(n.Value)
		}
	case layout.Records:
		if len(n.Content) > 0 {
			f.found(f.topic, f.partition, n, f.base+n.Offset+n.Size-len(n.Content))
		}
	}
}

// beginsWithin reports whether a field that may do so begins within a batch.
func beginsWithin(n *layout.Node) bool {
	if n.Name != unaligned {
		return false
	}
	b, err := records.ParseBatch(n.Content)
	return err != nil || b.CheckCRC() != nil
}

// unaligned is the field whose bytes may begin and end within a batch: they are a
// piece of a snapshot.
const unaligned = "UnalignedRecords"
