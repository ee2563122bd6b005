package kview_test

import (
	"fmt"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
)

// How many bytes of records a Produce request carries, by topic.
func Example() {
	payload := produceFrame()[fastcodec.SizePrefix:]
	total, names := map[string]int{}, fastcodec.NewInterner(1024)

	var req kview.ProduceRequest                    // one a goroutine, reused: Parse allocates nothing
	h, body, err := fastcodec.ParseRequest(payload) // a frame without its size prefix
	if err != nil || h.Key() != fastcodec.Produce {
		fmt.Println("not a Produce request:", err)
		return
	}
	if err := req.Parse(body, h.Version()); err != nil { // checks all of it, once
		fmt.Println(err)
		return
	}
	for topic := range req.TopicData().All() {
		for p := range topic.PartitionData().All() {
			total[names.String(topic.Name())] += len(p.Records())
		}
	}
	fmt.Println(total)
	// Output: map[orders:7]
}

// produceFrame is a frame with two partitions of one topic.
func produceFrame() []byte {
	req := kdata.NewProduceRequest()
	req.TopicData = []kdata.ProduceRequestTopicProduceData{{
		Name: []byte("orders"),
		PartitionData: []kdata.ProduceRequestPartitionProduceData{
			{Index: 0, Records: []byte("abc")},
			{Index: 1, Records: []byte("defg")},
		},
	}}
	header := fastcodec.RequestHeaderData{Key: fastcodec.Produce, Version: 9, CorrelationID: 1, ClientID: []byte("example")}
	frame, err := fastcodec.AppendRequest(nil, &header, &req)
	if err != nil {
		panic(err)
	}
	return frame
}
