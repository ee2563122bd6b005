package proxy

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// TestTopicsFromCaptures: whatever a client names by id in a real conversation, a
// Metadata answer of that cluster has told.
func TestTopicsFromCaptures(t *testing.T) {
	learnt, asked := 0, 0
	for _, name := range captures(t) {
		var topics Topics
		var unknown []string
		for _, talk := range conversations(t, name) {
			for _, f := range talk {
				if f.response && f.key == fastcodec.Metadata {
					_, body, err := fastcodec.ParseResponse(f.frame[4:], f.key, f.version)
					if err == nil {
						err = topics.LearnMetadata(body, f.version)
					}
					if err != nil {
						t.Fatal(name, err)
					}
				}
			}
		}
		for _, talk := range conversations(t, name) {
			for _, f := range talk {
				if f.response || !hasTopicIDs(f.key, f.version) {
					continue
				}
				_, body, err := fastcodec.ParseRequest(f.frame[4:])
				if err != nil {
					t.Fatal(name, err)
				}
				ids, err := appendTopicIDs(nil, f.key, f.version, body)
				if err != nil {
					t.Fatal(name, err)
				}
				for _, id := range ids {
					if asked++; f.key != fastcodec.Metadata {
						if _, ok := topics.Name(id); !ok {
							unknown = append(unknown, fmt.Sprint(f.key, " ", id.Base64()))
						}
					}
				}
			}
		}
		learnt += topics.Len()
		if len(unknown) > 0 {
			t.Errorf("%s: %d ids that no Metadata answer told: %v", name, len(unknown), unknown)
		}
	}
	if learnt == 0 || asked == 0 {
		t.Errorf("%d topics learnt, %d ids in requests", learnt, asked)
	}
	t.Log(learnt, "topics,", asked, "ids")
}

// TestHasTopicIDs: the rows that the schemas of Kafka have.
func TestHasTopicIDs(t *testing.T) {
	var got []string
	for key := range fastcodec.APIKeys() {
		lowest, highest, _ := key.Versions()
		for v := lowest; v <= highest; v++ {
			if key.OnBroker() && hasTopicIDs(key, v) {
				got = append(got, fmt.Sprintf("%v %d+", key, v))
				break
			}
		}
	}
	want := strings.Split("Produce 13+,Fetch 13+,Metadata 10+,OffsetCommit 10+,OffsetFetch 10+,DeleteTopics 6+,TxnOffsetCommit 6+,ConsumerGroupHeartbeat 0+,ShareFetch 0+,ShareAcknowledge 0+,"+
		"InitializeShareGroupState 0+,ReadShareGroupState 0+,WriteShareGroupState 0+,DeleteShareGroupState 0+,ReadShareGroupStateSummary 0+", ",")
	for _, w := range want {
		if !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, strings.Fields(w)[0]) }) {
			t.Errorf("%s is missing", w)
		}
	}
	t.Log(strings.Join(got, ", "))
}

// TestTopicsBounded: no more topics than asked for, however many come.
func TestTopicsBounded(t *testing.T) {
	topics := Topics{Most: 10}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range uint64(1000) {
				topics.Learn(fastcodec.UUID{Hi: uint64(g), Lo: i + 1}, fmt.Append(nil, "t", i))
				topics.Name(fastcodec.UUID{Lo: i})
			}
		})
	}
	wg.Wait()
	if topics.Len() != 10 {
		t.Error(topics.Len())
	}
	topics.Learn(fastcodec.UUID{}, []byte("none"))
	topics.Learn(fastcodec.UUID{Hi: 1, Lo: 5}, nil)
	id := fastcodec.UUID{Hi: 9, Lo: 9}
	topics.Learn(id, []byte("old"))
	topics.Learn(id, []byte("new"))
	if name, ok := topics.Name(id); !ok || name != "new" || topics.Len() != 10 {
		t.Error(name, ok, topics.Len())
	}
	if n := testing.AllocsPerRun(100, func() { topics.Learn(id, []byte("new")) }); n > 0 {
		t.Error(n, "allocations for what is known")
	}
}
