package main

// The peer: github.com/twmb/franz-go/pkg/kmsg.

import (
	"encoding/binary"
	"reflect"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// kmsgMessage is what kmsg's requests and responses have in common.
type kmsgMessage interface {
	MaxVersion() int16
	SetVersion(int16)
	AppendTo([]byte) []byte
	ReadFrom([]byte) error
	UnsafeReadFrom([]byte) error
}

// newKmsg is a new object for a frame; nil where kmsg lacks the API. An object that
// is read into again keeps its outermost arrays at most, and whoever still uses what
// it held would see it change: its users take a new one for each frame.
func newKmsg(f *frame) kmsgMessage {
	var m any
	if f.Response {
		m = kmsg.ResponseForKey(int16(f.Key))
	} else {
		m = kmsg.RequestForKey(int16(f.Key))
	}
	if m == nil {
		return nil
	}
	k := m.(kmsgMessage)
	k.SetVersion(f.Version)
	return k
}

// textBytes is the number of bytes in strings and bytes fields.
func textBytes(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Pointer:
		if !v.IsNil() {
			return textBytes(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Len()
		}
		for i := range v.Len() {
			n += textBytes(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += textBytes(v.Field(i))
		}
	}
	return n
}

// The functions below read every field, as package readall does on our side.

func kmsgQuorum(m *kmsg.DescribeQuorumResponse) uint64 {
	sum := uint64(m.ErrorCode) + optional(m.ErrorMessage)
	for i := range m.Topics {
		sum += kmsgQuorumTopic(&m.Topics[i])
	}
	for i := range m.Nodes {
		sum += kmsgQuorumNode(&m.Nodes[i])
	}
	return sum
}

func kmsgQuorumTopic(t *kmsg.DescribeQuorumResponseTopic) uint64 {
	sum := text(t.Topic)
	for i := range t.Partitions {
		sum += kmsgQuorumPartition(&t.Partitions[i])
	}
	return sum
}

func kmsgQuorumPartition(p *kmsg.DescribeQuorumResponseTopicPartition) uint64 {
	sum := uint64(p.Partition) + uint64(p.ErrorCode) + optional(p.ErrorMessage) +
		uint64(p.LeaderID) + uint64(p.LeaderEpoch) + uint64(p.HighWatermark)
	for i := range p.CurrentVoters {
		sum += kmsgQuorumReplica(&p.CurrentVoters[i])
	}
	for i := range p.Observers {
		sum += kmsgQuorumReplica(&p.Observers[i])
	}
	return sum
}

func kmsgQuorumReplica(r *kmsg.DescribeQuorumResponseTopicPartitionReplicaState) uint64 {
	return uint64(r.ReplicaID) + uuid(&r.ReplicaDirectoryID) + uint64(r.LogEndOffset) +
		uint64(r.LastFetchTimestamp) + uint64(r.LastCaughtUpTimestamp)
}

func kmsgQuorumNode(n *kmsg.DescribeQuorumResponseNode) uint64 {
	sum := uint64(n.NodeID)
	for i := range n.Listeners {
		l := &n.Listeners[i]
		sum += text(l.Name) + text(l.Host) + uint64(l.Port)
	}
	return sum
}

func kmsgMetadata(m *kmsg.MetadataResponse) uint64 {
	sum := uint64(m.ThrottleMillis) + optional(m.ClusterID) + uint64(m.ControllerID) +
		uint64(m.AuthorizedOperations) + uint64(m.ErrorCode)
	for i := range m.Brokers {
		b := &m.Brokers[i]
		sum += uint64(b.NodeID) + text(b.Host) + uint64(b.Port) + optional(b.Rack)
	}
	for i := range m.Topics {
		sum += kmsgMetadataTopic(&m.Topics[i])
	}
	return sum
}

func kmsgMetadataTopic(t *kmsg.MetadataResponseTopic) uint64 {
	sum := uint64(t.ErrorCode) + optional(t.Topic) + uuid(&t.TopicID) + uint64(t.AuthorizedOperations)
	if t.IsInternal {
		sum++
	}
	for i := range t.Partitions {
		sum += kmsgMetadataPartition(&t.Partitions[i])
	}
	return sum
}

func kmsgMetadataPartition(p *kmsg.MetadataResponseTopicPartition) uint64 {
	sum := uint64(p.ErrorCode) + uint64(p.Partition) + uint64(p.Leader) + uint64(p.LeaderEpoch)
	for _, n := range p.Replicas {
		sum += uint64(n)
	}
	for _, n := range p.ISR {
		sum += uint64(n)
	}
	for _, n := range p.OfflineReplicas {
		sum += uint64(n)
	}
	return sum
}

func optional(s *string) uint64 {
	if s == nil {
		return 0
	}
	return text(*s)
}

func text(s string) uint64 {
	if len(s) == 0 {
		return 0
	}
	return uint64(len(s)) + uint64(s[len(s)-1])
}

func uuid(u *[16]byte) uint64 {
	return binary.BigEndian.Uint64(u[:8]) + binary.BigEndian.Uint64(u[8:])
}
