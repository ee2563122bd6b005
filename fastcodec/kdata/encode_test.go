package kdata

// AppendTo under the rules that its documentation states: what is dropped, what is
// refused and where, tags, lengths at their boundaries. That its bytes are Kafka's is
// shown over the reference vectors, in package kview.

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// TestRefusals: each error has its sentinel and says where; dst comes back as it was.
func TestRefusals(t *testing.T) {
	long := make([]byte, 40_000)
	node := DescribeQuorumResponseNode{Listeners: []DescribeQuorumResponseListener{{}, {Host: long}}}
	tags := []fastcodec.Tag{{Number: 1, Data: []byte("x")}}
	for _, test := range []struct {
		name    string
		message Message
		version int16
		want    error
		text    string
	}{
		{"version above", pointer(NewFetchRequest()), 19, fastcodec.ErrVersion, "unsupported version 19 of Fetch request: 0-18"},
		{"version below", pointer(NewFetchRequest()), -1, fastcodec.ErrVersion, "unsupported version -1 of Fetch request: 0-18"},
		{"N9 field of a later version", &DescribeQuorumResponse{Nodes: []DescribeQuorumResponseNode{{}}}, 1, fastcodec.ErrNotInVersion,
			"DescribeQuorumResponse v1: Nodes: "},
		{"N9 inside of arrays", &DescribeQuorumResponse{Topics: []DescribeQuorumResponseTopicData{{}, {Partitions: []DescribeQuorumResponsePartitionData{{
			Observers: []DescribeQuorumResponseReplicaState{{}, {}, {ReplicaDirectoryID: fastcodec.UUID{Lo: 1}}}}}}}}, 1, fastcodec.ErrNotInVersion,
			"DescribeQuorumResponse v1: Topics[1].Partitions[0].Observers[2].ReplicaDirectoryId: "},
		{"L11 compact", &DescribeQuorumResponse{Nodes: []DescribeQuorumResponseNode{{}, {}, node}}, 2, fastcodec.ErrTooLong,
			"DescribeQuorumResponse v2: Nodes[2].Listeners[1].Host: "},
		{"L11 int16", &MetadataRequest{Topics: []MetadataRequestTopic{{Name: long}}}, 1, fastcodec.ErrTooLong, "MetadataRequest v1: Topics[0].Name: "},
		{"L11 element", &DeleteGroupsRequest{GroupsNames: [][]byte{{}, long}}, 2, fastcodec.ErrTooLong, "DeleteGroupsRequest v2: GroupsNames[1]: "},
		{"L11 tagged", &FetchRequest{ClusterID: long}, 17, fastcodec.ErrTooLong, "FetchRequest v17: ClusterId: "},
		{"tags at a version without", &DescribeGroupsRequest{UnknownTags: tags}, 4, fastcodec.ErrTagsNotSupported, "DescribeGroupsRequest v4: tagged_fields: "},
		{"tags of an element at a version without", &MetadataRequest{Topics: []MetadataRequestTopic{{}, {UnknownTags: tags}}}, 8, fastcodec.ErrTagsNotSupported,
			"MetadataRequest v8: Topics[1].tagged_fields: "},
		{"T8 unknown tag that is known", &APIVersionsResponse{UnknownTags: tags}, 3, fastcodec.ErrTagKnown, "ApiVersionsResponse v3: tagged_fields: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			dst := append(make([]byte, 0, 8), "before"...)
			out, err := test.message.AppendTo(dst, test.version)
			var e *fastcodec.Error
			if !errors.Is(err, test.want) || !errors.As(err, &e) || !bytes.HasPrefix([]byte(err.Error()), []byte(test.text)) {
				t.Errorf("%v, want %v: %s", err, test.want, test.text)
			}
			if string(out) != "before" {
				t.Errorf("dst is %q", out)
			}
		})
	}
}

// TestDropped: what a version lacks is left out where it is ignorable or at its
// default (N9); a tag known to other versions only is written (T5).
func TestDropped(t *testing.T) {
	x := NewDescribeQuorumResponse()
	x.ErrorMessage = []byte("ignorable")
	plain := NewDescribeQuorumResponse()
	same(t, &x, &plain, 1)
	if _, err := x.AppendTo(nil, 2); err != nil {
		t.Error(err)
	}
	produce := ProduceResponse{UnknownTags: []fastcodec.Tag{{Number: 0, Data: []byte("z")}}}
	if out, err := produce.AppendTo(nil, 9); err != nil || !bytes.HasSuffix(out, []byte{1, 0, 1, 'z'}) {
		t.Errorf("%x, %v", out, err)
	}
}

// TestDefaults: New has Kafka's defaults, and tagged fields at theirs are left out (T7).
func TestDefaults(t *testing.T) {
	if !NewMetadataRequest().AllowAutoTopicCreation {
		t.Error("AllowAutoTopicCreation is false")
	}
	if s := NewDescribeQuorumResponseReplicaState(); s.LastFetchTimestamp != -1 || s.LastCaughtUpTimestamp != -1 {
		t.Error("timestamps are not -1")
	}
	for version := int16(12); version <= 18; version++ {
		x := NewFetchRequest()
		out, err := x.AppendTo(nil, version)
		if err != nil || out[len(out)-1] != 0 {
			t.Errorf("v%d: %x, %v", version, out, err)
		}
	}
}

// TestTags: ascending, unknown among known, stable (T3, T8), sizes plain (T9), and
// right where their varints grow (L13).
func TestTags(t *testing.T) {
	x := APIVersionsResponse{FinalizedFeaturesEpoch: 5, ZkMigrationReady: true, UnknownTags: []fastcodec.Tag{{Number: 9, Data: []byte("b")}, {Number: 4}, {Number: 9, Data: []byte("a")}}}
	out, err := x.AppendTo(nil, 3)
	want := []byte{0, 0, 1, 0, 0, 0, 0, 5, 1, 8, 0, 0, 0, 0, 0, 0, 0, 5, 3, 1, 1, 4, 0, 9, 1, 'b', 9, 1, 'a'}
	if err != nil || !bytes.Equal(out, want) {
		t.Errorf("%x, %v, want %x", out, err, want)
	}
	if x.UnknownTags[0].Number != 9 {
		t.Error("the caller's tags were moved")
	}
	for _, n := range []int{0, 1, 7, 8, 31, 32, 33, 125, 126, 127, 128, 16381, 16382, 16383, 32767} {
		f := NewFetchRequest()
		f.ClusterID = bytes.Repeat([]byte("c"), n)
		out, err := f.AppendTo(nil, 12)
		inner := fastcodec.AppendCompactString(nil, f.ClusterID)
		want := append(fastcodec.AppendUvarint([]byte{1, 0}, uint32(len(inner))), inner...)
		if err != nil || !bytes.HasSuffix(out, want) {
			t.Errorf("%d bytes: wrong, %v", n, err)
		}
	}
}

// TestRoom: bytes don't depend on the room that dst has, whatever the lengths.
func TestRoom(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 126, 127, 128, 300} {
		name := bytes.Repeat([]byte("n"), n)
		x, topic := NewMetadataResponse(), NewMetadataResponseTopic()
		x.Brokers = []MetadataResponseBroker{{Host: name, Rack: name}, {Host: name}}
		topic.Name = name
		topic.Partitions = []MetadataResponsePartition{{ReplicaNodes: make([]int32, n), IsrNodes: make([]int32, n/2)}, {}}
		x.Topics = []MetadataResponseTopic{topic}
		for _, version := range []int16{0, 5, 8, 9, 12, 13} {
			want, err := x.AppendTo(make([]byte, 0, 1<<16), version)
			if err != nil {
				t.Fatal(err)
			}
			for room := 0; room <= min(len(want)+1, 400); room++ {
				if out, err := x.AppendTo(make([]byte, 0, room), version); err != nil || !bytes.Equal(out, want) {
					t.Fatalf("%d bytes, v%d, room for %d: %v", n, version, room, err)
				}
			}
			exact := make([]byte, 0, len(want))
			if n := testing.AllocsPerRun(5, func() { exact, _ = x.AppendTo(exact[:0], version) }); n != 0 {
				t.Errorf("v%d: %v allocations into a buffer that is just large enough", version, n)
			}
		}
	}
}

// TestMemory: what turns null and back, or grows and shrinks, keeps its memory.
func TestMemory(t *testing.T) {
	var x DescribeTopicPartitionsRequest
	first := x.PresentCursor(true)
	if x.PresentCursor(false) != nil || x.Cursor != nil || x.PresentCursor(true) != first {
		t.Error("the cursor's memory is lost")
	}
	var m MetadataRequest
	m.ResizeTopics(3)
	m.Topics[2].Name = []byte("kept")
	m.ResizeTopics(-1)
	if m.Topics != nil {
		t.Error("not null")
	}
	m.ResizeTopics(0)
	if m.Topics == nil {
		t.Error("null")
	}
	if m.ResizeTopics(3); string(m.Topics[2].Name) != "kept" {
		t.Error("an element's memory is lost")
	}
}

// same fails unless two messages have the same bytes.
func same(t *testing.T, a, b Message, version int16) {
	t.Helper()
	x, errA := a.AppendTo(nil, version)
	y, errB := b.AppendTo(nil, version)
	if errA != nil || errB != nil || !bytes.Equal(x, y) {
		t.Errorf("%s and %s differ, or %v, %v", fmt.Sprintf("%x", x), fmt.Sprintf("%x", y), errA, errB)
	}
}

// TestDroppedWhateverItIs: an ignorable field that the version lacks can't be wrong.
func TestDroppedWhateverItIs(t *testing.T) {
	long := make([]byte, fastcodec.MaxString+1)
	x := SyncGroupResponse{ProtocolType: long, Assignment: []byte("a")}
	if out, err := x.AppendTo(nil, 4); err != nil || string(out) != "\x00\x00\x00\x00\x00\x00\x02a\x00" {
		t.Errorf("v4, which lacks the field: %x, %v", out, err)
	}
	if out, err := x.AppendTo(nil, 5); !errors.Is(err, fastcodec.ErrTooLong) || len(out) > 0 {
		t.Errorf("v5, which has it: %d bytes, %v", len(out), err)
	}
}
