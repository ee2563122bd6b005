package main

// What BENCHMARKS.md says that kmsg does not do, held to its code.

import (
	"bytes"
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestFactsAboutKmsg(t *testing.T) {
	// ApiVersionsResponse v3: error code, no keys, throttle time, then tags.
	versions := func(t *testing.T, body ...byte) (k kmsg.ApiVersionsResponse, err error) {
		k.SetVersion(3)
		return k, k.ReadFrom(body)
	}
	empty := []byte{0, 0, 1, 0, 0, 0, 0}
	tests := []struct {
		name string
		test func(t *testing.T)
	}{
		{"trailing bytes are accepted and not kept", func(t *testing.T) {
			k, err := versions(t, append(empty, 0, 'x', 'y')...)
			if again := k.AppendTo(nil); err != nil || !bytes.Equal(again, append(empty, 0)) {
				t.Errorf("%x, %v", again, err)
			}
		}},
		{"of an unknown tag that repeats, the last is kept", func(t *testing.T) {
			k, err := versions(t, append(empty, 2, 9, 1, 'a', 9, 1, 'b')...)
			if again := k.AppendTo(nil); err != nil || !bytes.Equal(again, append(empty, 1, 9, 1, 'b')) {
				t.Errorf("%x, %v", again, err)
			}
		}},
		{"unknown tags out of order are sorted", func(t *testing.T) {
			k, err := versions(t, append(empty, 2, 9, 0, 8, 0)...)
			if again := k.AppendTo(nil); err != nil || !bytes.Equal(again, append(empty, 2, 8, 0, 9, 0)) {
				t.Errorf("%x, %v", again, err)
			}
		}},
		{"of a known tag that repeats, the last is kept", func(t *testing.T) {
			k, err := versions(t, append(empty, 2, 1, 8, 0, 0, 0, 0, 0, 0, 0, 5, 1, 8, 0, 0, 0, 0, 0, 0, 0, 6)...)
			if err != nil || k.FinalizedFeaturesEpoch != 6 {
				t.Error(k.FinalizedFeaturesEpoch, err)
			}
		}},
		{"bytes of a known tag behind its payload are dropped", func(t *testing.T) {
			k, err := versions(t, append(empty, 1, 1, 9, 0, 0, 0, 0, 0, 0, 0, 5, 'x')...)
			if again := k.AppendTo(nil); err != nil || bytes.Contains(again, []byte("x")) {
				t.Errorf("%x, %v", again, err)
			}
		}},
		{"a null array is empty where null isn't legal", func(t *testing.T) {
			if _, err := versions(t, 0, 0, 0, 0, 0, 0, 0, 0); err != nil {
				t.Error(err)
			}
		}},
		{"a compact count of 2^31 or more is null", func(t *testing.T) {
			if _, err := versions(t, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0, 0, 0); err != nil {
				t.Error(err)
			}
		}},
		{"an error doesn't say where or why", func(t *testing.T) {
			_, short := versions(t, empty...)
			_, varint := versions(t, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0)
			if short == nil || !errors.Is(short, varint) || errors.Unwrap(short) != nil {
				t.Error(short, varint)
			}
		}},
		{"a field that the version lacks is dropped silently, ignorable or not", func(t *testing.T) {
			k := kmsg.DescribeQuorumResponse{Version: 1, Nodes: []kmsg.DescribeQuorumResponseNode{{}}}
			if b := k.AppendTo(nil); !bytes.Equal(b, []byte{0, 0, 1, 0}) {
				t.Errorf("%x", b)
			}
		}},
		{"a string of 40,000 bytes is written with a wrong length", func(t *testing.T) {
			k := kmsg.DeleteGroupsRequest{Groups: []string{string(make([]byte, 40_000))}}
			if err := k.ReadFrom(k.AppendTo(nil)); err == nil {
				t.Error("read again")
			}
		}},
		{"StopReplica v4 has ControllerEpoch before IsKRaftController", func(t *testing.T) {
			k := kmsg.StopReplicaRequest{Version: 4, ControllerEpoch: 1}
			if b := k.AppendTo(nil); !bytes.Equal(b[4:9], []byte{0, 0, 0, 1, 0}) { // Kafka: 00 00000001
				t.Errorf("%x", b)
			}
		}},
		{"an object read into again allocates its nested arrays and strings anew", func(t *testing.T) {
			stated, _, _, err := load()
			if err != nil {
				t.Fatal(err)
			}
			f := &stated[1]
			k := newKmsg(f)
			again := allocations(func() { must(k.UnsafeReadFrom(f.Body)) })
			if fresh := allocations(func() { must(newKmsg(f).UnsafeReadFrom(f.Body)) }); again < 10 || again >= fresh {
				t.Errorf("%v allocations, %v in a new object", again, fresh)
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, test.test)
	}
}
