// Package inputs builds what the benchmarks read: bodies from stated counts and
// name lengths, and the reference vectors. Every codec under test gets the same
// bytes.
package inputs

import (
	"fmt"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
)

// Frame is a message's body, and what it is.
type Frame struct {
	Name     string
	Key      fastcodec.APIKey
	Response bool
	Version  int16
	Payload  []byte // header and body; nil where only a body was built
	Body     []byte
}

// SmallQuorum is a DescribeQuorum v2 response of 193 bytes: one topic, partition,
// voter, observer, node and listener.
func SmallQuorum() Frame { return Quorum("DescribeQuorum small", 1, 1, 1, 1) }

// Quorum3x5x5 is a DescribeQuorum v2 response of 1.7 KB: 3 topics of one partition
// with 5 voters and 5 observers, and 5 nodes of one listener.
func Quorum3x5x5() Frame { return Quorum("DescribeQuorum 3x5x5", 3, 5, 5, 5) }

// Metadata10x12 is a Metadata v12 response of 5.8 KB: 6 brokers, 10 topics of 12
// partitions, 3 replicas, all in sync.
func Metadata10x12() Frame { return Metadata("Metadata 10x12", 6, 10, 12, 3) }

// Metadata100x10 is the same with 100 topics of 10 partitions, 46 KB.
func Metadata100x10() Frame { return Metadata("Metadata 100x10", 6, 100, 10, 3) }

// Quorum builds a DescribeQuorum v2 response. Topic names have 18 bytes, hosts 29,
// listener names 10.
func Quorum(name string, topics, voters, observers, nodes int) Frame {
	replicas := func(n int) (list []kdata.DescribeQuorumResponseReplicaState) {
		for i := range n {
			list = append(list, kdata.DescribeQuorumResponseReplicaState{
				ReplicaID:             int32(i + 1),
				ReplicaDirectoryID:    uuid(i),
				LogEndOffset:          1<<33 - int64(i),
				LastFetchTimestamp:    1_700_000_000_000 + int64(i),
				LastCaughtUpTimestamp: 1_700_000_000_123 + int64(i),
			})
		}
		return list
	}
	var d kdata.DescribeQuorumResponse
	for i := range topics {
		d.Topics = append(d.Topics, kdata.DescribeQuorumResponseTopicData{
			TopicName: text("cluster-topic-", i, 18),
			Partitions: []kdata.DescribeQuorumResponsePartitionData{{
				LeaderID:      1,
				LeaderEpoch:   7,
				HighWatermark: 1 << 33,
				CurrentVoters: replicas(voters),
				Observers:     replicas(observers),
			}},
		})
	}
	for i := range nodes {
		d.Nodes = append(d.Nodes, kdata.DescribeQuorumResponseNode{
			NodeID: int32(i + 1),
			Listeners: []kdata.DescribeQuorumResponseListener{{
				Name: text("INTERNAL-", 1, 10),
				Host: text("controller.example.internal-", i, 29),
				Port: 9093,
			}},
		})
	}
	return response(name, fastcodec.DescribeQuorum, 2, &d)
}

// Metadata builds a Metadata v12 response. Topic names have 14 bytes, hosts 25,
// racks 10, the cluster's id 22.
func Metadata(name string, brokers, topics, partitions, replicas int) Frame {
	d := kdata.NewMetadataResponse()
	d.ClusterID = text("cluster-", 1, 22)
	d.ControllerID = 1
	for i := range brokers {
		d.Brokers = append(d.Brokers, kdata.MetadataResponseBroker{
			NodeID: int32(i + 1),
			Host:   text("broker.example.internal-", i, 25),
			Port:   9092,
			Rack:   text("eu-west-", i, 10),
		})
	}
	for i := range topics {
		t := kdata.NewMetadataResponseTopic()
		t.Name = text("orders.v1-", i, 14)
		t.TopicID = uuid(i)
		for j := range partitions {
			var nodes []int32
			for k := range replicas {
				nodes = append(nodes, int32((j+k)%brokers+1))
			}
			t.Partitions = append(t.Partitions, kdata.MetadataResponsePartition{
				PartitionIndex: int32(j),
				LeaderID:       nodes[0],
				LeaderEpoch:    7,
				ReplicaNodes:   nodes,
				IsrNodes:       nodes,
			})
		}
		d.Topics = append(d.Topics, t)
	}
	return response(name, fastcodec.Metadata, 12, &d)
}

// response writes a response. What is built here can be written: an error is a
// mistake of this package.
func response(name string, key fastcodec.APIKey, version int16, d interface {
	AppendTo([]byte, int16) ([]byte, error)
}) Frame {
	body, err := d.AppendTo(nil, version)
	if err != nil {
		panic(err)
	}
	return Frame{Name: name, Key: key, Response: true, Version: version, Body: body}
}

func uuid(i int) fastcodec.UUID { return fastcodec.UUID{Hi: 0x1122334455667788, Lo: uint64(i)} }

// text is prefix and i, with zeros between them up to n bytes.
func text(prefix string, i, n int) []byte {
	return fmt.Appendf(nil, "%s%0*d", prefix, n-len(prefix), i)
}
