// Package readall reads every field of the messages that the benchmarks name, a
// function a struct, and sums them up: numbers as they are, a string as its length
// and last byte, a uuid as two numbers. bench/peers has the same for kmsg, and the
// sums must be equal.
package readall

import (
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
)

// Quorum reads a DescribeQuorum response.
func Quorum(m *kview.DescribeQuorumResponse) uint64 {
	sum := uint64(m.ErrorCode()) + text(m.ErrorMessage())
	for t := range m.Topics().All() {
		sum += quorumTopic(t)
	}
	for n := range m.Nodes().All() {
		sum += quorumNode(n)
	}
	return sum
}

func quorumTopic(t kview.DescribeQuorumResponseTopicData) uint64 {
	sum := text(t.TopicName())
	for p := range t.Partitions().All() {
		sum += quorumPartition(p)
	}
	return sum
}

func quorumPartition(p kview.DescribeQuorumResponsePartitionData) uint64 {
	sum := uint64(p.PartitionIndex()) + uint64(p.ErrorCode()) + text(p.ErrorMessage()) +
		uint64(p.LeaderID()) + uint64(p.LeaderEpoch()) + uint64(p.HighWatermark())
	for v := range p.CurrentVoters().All() {
		sum += quorumReplica(v)
	}
	for o := range p.Observers().All() {
		sum += quorumReplica(o)
	}
	return sum
}

func quorumReplica(r kview.DescribeQuorumResponseReplicaState) uint64 {
	return uint64(r.ReplicaID()) + uuid(r.ReplicaDirectoryID()) + uint64(r.LogEndOffset()) +
		uint64(r.LastFetchTimestamp()) + uint64(r.LastCaughtUpTimestamp())
}

func quorumNode(n kview.DescribeQuorumResponseNode) uint64 {
	sum := uint64(n.NodeID())
	for l := range n.Listeners().All() {
		sum += text(l.Name()) + text(l.Host()) + uint64(l.Port())
	}
	return sum
}

// Metadata reads a Metadata response.
func Metadata(m *kview.MetadataResponse) uint64 {
	sum := uint64(m.ThrottleTimeMs()) + text(m.ClusterID()) + uint64(m.ControllerID()) +
		uint64(m.ClusterAuthorizedOperations()) + uint64(m.ErrorCode())
	for b := range m.Brokers().All() {
		sum += uint64(b.NodeID()) + text(b.Host()) + uint64(b.Port()) + text(b.Rack())
	}
	for t := range m.Topics().All() {
		sum += metadataTopic(t)
	}
	return sum
}

func metadataTopic(t kview.MetadataResponseTopic) uint64 {
	sum := uint64(t.ErrorCode()) + text(t.Name()) + uuid(t.TopicID()) + uint64(t.TopicAuthorizedOperations())
	if t.IsInternal() {
		sum++
	}
	for p := range t.Partitions().All() {
		sum += metadataPartition(p)
	}
	return sum
}

func metadataPartition(p kview.MetadataResponsePartition) uint64 {
	sum := uint64(p.ErrorCode()) + uint64(p.PartitionIndex()) + uint64(p.LeaderID()) + uint64(p.LeaderEpoch())
	for n := range p.ReplicaNodes().All() {
		sum += uint64(n)
	}
	for n := range p.IsrNodes().All() {
		sum += uint64(n)
	}
	for n := range p.OfflineReplicas().All() {
		sum += uint64(n)
	}
	return sum
}

func text(s []byte) uint64 {
	if len(s) == 0 {
		return 0
	}
	return uint64(len(s)) + uint64(s[len(s)-1])
}

func uuid(u fastcodec.UUID) uint64 { return u.Hi + u.Lo }
