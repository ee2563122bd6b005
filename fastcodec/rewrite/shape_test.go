package rewrite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/jsonform"
)

// The guess that an element has the shape of the last one is only a guess: whatever
// the order of equal and unequal elements, in every encoding, the result is that of
// reading each; and where one doesn't fit, the error is.
func TestShapes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	edits := Edits{Topics: renamed, Brokers: IDs{shifted, shifted}}
	topics, brokers, both := compiled(t, Edits{Topics: renamed}, false), compiled(t, Edits{Brokers: edits.Brokers}, false), compiled(t, edits, false)
	for _, version := range []int16{5, 8, 12} {
		m := messageAt(t, fastcodec.Metadata, true, version)
		v := &vector{API: fastcodec.Metadata, Name: "Metadata", Kind: "response", Version: version}
		head := headOf(v, m.HeaderVersion())
		for range 60 {
			in := metadata(random, version)
			text, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			body, err := m.AppendFromJSON(nil, text)
			if err != nil {
				t.Fatal(err)
			}
			frame := frameOf(append(bytes.Clone(head), 0), len(head), body)
			for i, r := range []*Rewriter{topics, brokers, both} {
				want := decode(t, text)
				eachMember(want, func(name string, v any) any {
					switch name {
					case "name":
						if i != 1 {
							return renamedValue(v)
						}
					case "nodeId", "controllerId", "leaderId", "replicaNodes", "isrNodes", "offlineReplicas":
						if i != 0 {
							return shiftedValue(v)
						}
					}
					return v
				})
				out, changed, err := r.Response(nil, frame, contextOf(v, 0))
				if err != nil || !changed {
					t.Fatalf("v%d: changed %v, %v", version, changed, err)
				}
				if d := jsonform.Differ(jsonOf(t, m, out[len(head):]), want, ""); d != "" {
					t.Fatalf("v%d: %s", version, d)
				}
				// Damage: the same error as reading each gives.
				cut := bytes.Clone(frame)
				for range 20 {
					at := len(head) + random.IntN(len(body))
					was := cut[at]
					cut[at] = byte(random.Uint32())
					_, want := m.Walk(cut[len(head):], nil)
					_, _, err := r.Response(nil, cut, contextOf(v, 0))
					var a, b *fastcodec.Error
					if err != nil && (!errors.As(err, &a) || !errors.As(want, &b) || *a != *b) {
						t.Fatalf("v%d: %v, want %v", version, err, want)
					}
					cut[at] = was
				}
			}
		}
	}
}

// metadata is a Metadata response whose partitions have few shapes, in long and short
// runs.
func metadata(r *rand.Rand, version int16) any {
	ids := func(n int) (list []any) {
		list = []any{}
		for range n {
			list = append(list, r.IntN(8)-1)
		}
		return list
	}
	var topics []any
	for range 1 + r.IntN(4) {
		var partitions []any
		for range 1 + r.IntN(6) {
			a, b, c := r.IntN(4), r.IntN(4), r.IntN(2)
			for range 1 + r.IntN(8) {
				p := map[string]any{"errorCode": 0, "partitionIndex": r.IntN(100), "leaderId": r.IntN(5), "replicaNodes": ids(a), "isrNodes": ids(b), "offlineReplicas": ids(c)}
				if version >= 7 {
					p["leaderEpoch"] = 7
				}
				if version >= 12 && r.IntN(20) == 0 {
					p["unknownTags"] = []any{map[string]any{"tag": 9, "data": "AAE="}}
				}
				partitions = append(partitions, p)
			}
		}
		topic := map[string]any{"errorCode": 0, "name": strings.Repeat("t", r.IntN(40)), "isInternal": false, "partitions": partitions}
		if version >= 8 {
			topic["topicAuthorizedOperations"] = 0
		}
		if version >= 10 {
			topic["topicId"] = "AAAAAAAAAAAAAAAAAAAAAA"
		}
		topics = append(topics, topic)
	}
	var brokers []any
	for i := range r.IntN(9) {
		brokers = append(brokers, map[string]any{"nodeId": i, "host": fmt.Sprint("broker-", i), "port": 9092, "rack": nil})
	}
	m := map[string]any{"throttleTimeMs": 0, "brokers": append([]any{}, brokers...), "clusterId": "c", "controllerId": 1, "topics": topics}
	if version >= 8 && version <= 10 {
		m["clusterAuthorizedOperations"] = 0
	}
	return m
}

// eachMember gives every member that is no object to f, elements of arrays one by one,
// and puts what it returns in its place.
func eachMember(v any, f func(name string, v any) any) {
	switch v := v.(type) {
	case map[string]any:
		for name, old := range v {
			switch old := old.(type) {
			case map[string]any:
				eachMember(old, f)
			case []any:
				for i, e := range old {
					if object, ok := e.(map[string]any); ok {
						eachMember(object, f)
					} else {
						old[i] = f(name, e)
					}
				}
			default:
				v[name] = f(name, old)
			}
		}
	}
}

// Ids that come again are what they were before, even where the table of those that
// are known is too small for all.
func TestManyIDs(t *testing.T) {
	m := messageAt(t, fastcodec.Metadata, true, 12)
	r := compiled(t, Edits{Brokers: IDs{Response: func(id int64) int64 { return id*7 + 1 }}}, false)
	var partitions []any
	for i := range 400 {
		partitions = append(partitions, map[string]any{"errorCode": 0, "partitionIndex": i, "leaderId": i % 90, "leaderEpoch": 1, "replicaNodes": []any{i % 90, (i + 32) % 90, i % 3}, "isrNodes": []any{i % 7}, "offlineReplicas": []any{}})
	}
	in := map[string]any{"throttleTimeMs": 0, "brokers": []any{}, "clusterId": nil, "controllerId": -1, "topics": []any{map[string]any{"errorCode": 0, "name": "t", "topicId": "AAAAAAAAAAAAAAAAAAAAAA", "isInternal": false, "partitions": partitions, "topicAuthorizedOperations": 0}}}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	want := decode(t, text)
	eachMember(want, func(name string, v any) any {
		switch name {
		case "leaderId", "replicaNodes", "isrNodes":
			return numberValue(v, func(id int64) int64 { return id*7 + 1 })
		}
		return v
	})
	for range 3 { // later frames know the shape from the start
		got, err := exchange(t, r, fastcodec.Metadata, 12, true, &Context{}, string(text))
		if err != nil {
			t.Fatal(err)
		}
		if d := jsonform.Differ(decode(t, []byte(got)), want, m.Name()); d != "" {
			t.Fatal(d)
		}
	}
}
