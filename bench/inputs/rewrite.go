package inputs

// Frames to rewrite, and the edits.

import (
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

// Rewriting is a frame and what is to be edited in it.
type Rewriting struct {
	Name     string
	Key      fastcodec.APIKey
	Response bool
	Version  int16
	Frame    []byte // with size and header
	BodyAt   int
	Edits    rewrite.Edits
	Bar, Aim float64 // against decoding, setting and encoding with kmsg; of Copy, against a copy
	Copy     bool
}

// What the edits do.
const (
	NewHost = "proxy.example.internal"
	Prefix  = "tenant-a."
	Shift   = 100
)

// NewPort is the port of a broker's new address.
func NewPort(node int32) int32 { return 20000 + node }

var newHost = []byte(NewHost)

func prefix(old, scratch []byte) ([]byte, rewrite.Action) {
	return append(append(scratch, Prefix...), old...), rewrite.Replace
}

func shift(id int64) int64 { return id + Shift }

// Rewritings are all of them: large and small frames, edits of few fields and of many.
func Rewritings() []Rewriting {
	endpoints := rewrite.Edits{Endpoints: rewrite.Endpoints{Response: func(e rewrite.Endpoint) ([]byte, int32) {
		return newHost, NewPort(e.NodeID)
	}}}
	names := rewrite.Names{Request: prefix, Response: prefix}
	topics, groups := rewrite.Edits{Topics: names}, rewrite.Edits{Groups: names}
	brokers := rewrite.Edits{Brokers: rewrite.IDs{Request: shift, Response: shift}}
	all := endpoints
	all.Topics, all.Brokers = names, brokers.Brokers
	metadata := Metadata100x10()
	group := text("payments-consumer-group-", 1, 26)
	return []Rewriting{
		answer("Metadata 100x10, endpoints", fastcodec.Metadata, 12, (*fastcodec.Raw)(&metadata.Body), endpoints, 60, 100),
		answer("Metadata 100x10, topics", fastcodec.Metadata, 12, (*fastcodec.Raw)(&metadata.Body), topics, 12, 25),
		answer("Metadata 100x10, broker ids", fastcodec.Metadata, 12, (*fastcodec.Raw)(&metadata.Body), brokers, 3, 5),
		answer("Metadata 100x10, all three", fastcodec.Metadata, 12, (*fastcodec.Raw)(&metadata.Body), all, 0, 0),
		request("FindCoordinator request, group", fastcodec.FindCoordinator, 4, &kdata.FindCoordinatorRequest{CoordinatorKeys: [][]byte{group}}, groups),
		answer("FindCoordinator response, endpoint", fastcodec.FindCoordinator, 4, &kdata.FindCoordinatorResponse{Coordinators: []kdata.FindCoordinatorResponseCoordinator{
			{Key: group, NodeID: 3, Host: text("broker.example.internal-", 3, 25), Port: 9092},
		}}, endpoints, 1.7, 3),
		answer("DescribeCluster response, endpoints", fastcodec.DescribeCluster, 1, cluster(3), endpoints, 1.7, 3),
		request("Heartbeat request, group", fastcodec.Heartbeat, 4, &kdata.HeartbeatRequest{GroupID: group, GenerationID: 17, MemberID: text("consumer-payments-consumer-group-1-", 1, 72)}, groups),
		fetch(endpoints),
	}
}

// request and answer write frames. What is built here can be written: an error is a
// mistake of this package.
func request(name string, key fastcodec.APIKey, version int16, body fastcodec.Appender, e rewrite.Edits) Rewriting {
	frame, err := fastcodec.AppendRequest(nil, &fastcodec.RequestHeaderData{Key: key, Version: version, CorrelationID: 7, ClientID: []byte("client-01")}, body)
	r := Rewriting{Name: name, Key: key, Version: version, Frame: frame, Edits: e, Bar: 1.7, Aim: 3}
	if err == nil {
		_, rest, err2 := fastcodec.ParseRequest(frame[4:])
		r.BodyAt, err = len(frame)-len(rest), err2
	}
	if err != nil {
		panic(err)
	}
	return r
}

func answer(name string, key fastcodec.APIKey, version int16, body fastcodec.Appender, e rewrite.Edits, bar, aim float64) Rewriting {
	frame, err := fastcodec.AppendResponse(nil, &fastcodec.ResponseHeaderData{Key: key, Version: version, CorrelationID: 7}, body)
	r := Rewriting{Name: name, Key: key, Response: true, Version: version, Frame: frame, Edits: e, Bar: bar, Aim: aim}
	if err == nil {
		_, rest, err2 := fastcodec.ParseResponse(frame[4:], key, version)
		r.BodyAt, err = len(frame)-len(rest), err2
	}
	if err != nil {
		panic(err)
	}
	return r
}

func cluster(brokers int) *kdata.DescribeClusterResponse {
	d := kdata.NewDescribeClusterResponse()
	d.ClusterID, d.ControllerID = text("cluster-", 1, 22), 1
	for i := range brokers {
		d.Brokers = append(d.Brokers, kdata.DescribeClusterResponseBroker{BrokerID: int32(i + 1), Host: text("broker.example.internal-", i, 25), Port: 9092, Rack: text("eu-west-", i, 10)})
	}
	return &d
}

// fetch is a Fetch v16 response of 1 MB: 4 topics of 4 partitions with 64 KB of
// records, and behind those two tagged addresses.
func fetch(e rewrite.Edits) Rewriting {
	d := kdata.NewFetchResponse()
	records := make([]byte, 64<<10)
	for i := range 4 {
		t := kdata.FetchResponseFetchableTopicResponse{TopicID: uuid(i)}
		for j := range 4 {
			p := kdata.NewFetchResponsePartitionData()
			p.PartitionIndex, p.Records = int32(j), records
			t.Partitions = append(t.Partitions, p)
		}
		d.Responses = append(d.Responses, t)
	}
	for i := range 2 {
		d.NodeEndpoints = append(d.NodeEndpoints, kdata.FetchResponseNodeEndpoint{NodeID: int32(i + 1), Host: text("broker.example.internal-", i, 25), Port: 9092})
	}
	r := answer("Fetch 1 MB, tagged endpoints", fastcodec.Fetch, 16, &d, e, 1/1.15, 1)
	r.Copy = true
	return r
}
