// The rows of the fault table that Kafka's own messages can show; those that need
// the test schema are in shapes_test.go.

package layout

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/jsonform"
)

// row is a body and what must come of it.
type row struct {
	name    string
	message string
	version int16
	body    string
	want    error
	text    string // what the error says, or the JSON where there is none
}

var rows = []row{
	{"L1 compact string past the end", "MetadataRequest", 9, "02" + "0561", fastcodec.ErrShort,
		"MetadataRequest v9: Topics[0].Name: offset 1: short input: want as many bytes as the string's length says"},
	{"L2 count of 2^32-1", "MetadataRequest", 9, "ffffffff0f" + "000000", fastcodec.ErrCount, "Topics: offset 0"},
	{"L3 count of 2^27 with nothing behind", "MetadataRequest", 1, "08000000", fastcodec.ErrCount, "Topics: offset 0"},
	{"L5 count of -1 where null is not legal", "MetadataResponse", 1, "ffffffff" + "00000000" + "00000000", fastcodec.ErrNull, "Brokers: offset 0"},
	{"L5 count of -1 where it is", "MetadataRequest", 1, "ffffffff", nil, `{"topics":null}`},
	{"L6 string of length -2", "MetadataResponse", 1, "00000001" + "00000001" + "0001" + "68" + "00000002" + "fffe" + "00000003" + "00000000", nil,
		`{"brokers":[{"nodeId":1,"host":"h","port":2,"rack":null}],"controllerId":3,"topics":[]}`},
	{"L6 string of length -2, null not legal", "MetadataResponse", 1, "00000001" + "00000001" + "fffe" + "0000000200000000", fastcodec.ErrNull, "Brokers[0].Host: offset 8"},
	{"L6 array of length -2", "MetadataRequest", 1, "fffffffe", nil, `{"topics":null}`},
	{"L7 varint of six bytes", "MetadataRequest", 9, "8080808080" + "01" + "000000", fastcodec.ErrVarint, "Topics: offset 0"},
	{"L7 fifth byte above 0f", "MetadataRequest", 9, "8180808010" + "000000", fastcodec.ErrVarint, "Topics: offset 0"},
	{"L8 overlong varint", "MetadataRequest", 12, "8100" + "01" + "00" + "00", nil,
		`{"topics":[],"allowAutoTopicCreation":true,"includeTopicAuthorizedOperations":false}`},
	{"L11 compact string of 32768 bytes", "MetadataRequest", 9, "02" + "818002" + strings.Repeat("61", 32768) + "00" + "00000000", fastcodec.ErrTooLong,
		"Topics[0].Name: offset 1"},
	{"L11 too long before too short", "MetadataRequest", 9, "02" + "818002", fastcodec.ErrTooLong, "Topics[0].Name: offset 1"},
	{"L14 trailing bytes", "MetadataRequest", 1, "00000000" + "010203", nil, `{"topics":[]}`},
	{"N0 null", "MetadataRequest", 12, "00" + "010000", nil, `{"topics":null,"allowAutoTopicCreation":true,"includeTopicAuthorizedOperations":false}`},
	{"N0 overlong null", "MetadataRequest", 12, "8000" + "010000", nil, `{"topics":null,"allowAutoTopicCreation":true,"includeTopicAuthorizedOperations":false}`},
	{"N0 empty", "MetadataRequest", 12, "01" + "010000", nil, `{"topics":[],"allowAutoTopicCreation":true,"includeTopicAuthorizedOperations":false}`},
	{"N0 overlong empty string", "FindCoordinatorRequest", 3, "8100" + "00" + "00", nil, `{"key":"","keyType":0}`},
	{"N1 null where none is legal", "FindCoordinatorRequest", 3, "00" + "00" + "00", fastcodec.ErrNull, "FindCoordinatorRequest v3: Key: offset 0"},
	{"N4 null records", "ProduceRequest", 9, "00" + "0001" + "00000000" + "02" + "0274" + "02" + "00000000" + "00" + "00" + "00" + "00", nil,
		`{"transactionalId":null,"acks":1,"timeoutMs":0,"topicData":[{"name":"t","partitionData":[{"index":0,"records":null}]}]}`},
	{"N4 empty records", "ProduceRequest", 9, "00" + "0001" + "00000000" + "02" + "0274" + "02" + "00000000" + "01" + "00" + "00" + "00", nil,
		`{"transactionalId":null,"acks":1,"timeoutMs":0,"topicData":[{"name":"t","partitionData":[{"index":0,"records":""}]}]}`},
	{"N5 null struct", "DescribeTopicPartitionsRequest", 0, "01" + "00000007" + "ff" + "00", nil, `{"topics":[],"responsePartitionLimit":7,"cursor":null}`},
	{"N5 any marker below 0 is null", "DescribeTopicPartitionsRequest", 0, "01" + "00000007" + "80" + "00", nil, `{"topics":[],"responsePartitionLimit":7,"cursor":null}`},
	{"N5 any other is not", "DescribeTopicPartitionsRequest", 0, "01" + "00000007" + "00" + "0274" + "00000001" + "00" + "00", nil,
		`{"topics":[],"responsePartitionLimit":7,"cursor":{"topicName":"t","partitionIndex":1}}`},
	{"N5 no marker", "DescribeTopicPartitionsRequest", 0, "01" + "00000007", fastcodec.ErrShort, "Cursor: offset 5: short input: want 1 byte"},
	{"N7 null client id", "RequestHeader", 1, "0003" + "0001" + "00000007" + "ffff", nil, `{"requestApiKey":3,"requestApiVersion":1,"correlationId":7,"clientId":null}`},
	{"H4 header v0", "RequestHeader", 0, "0007" + "0000" + "00000007", nil, `{"requestApiKey":7,"requestApiVersion":0,"correlationId":7}`},
	{"H5 client id is never compact", "RequestHeader", 2, "0003" + "0009" + "00000007" + "0001" + "63" + "00", nil,
		`{"requestApiKey":3,"requestApiVersion":9,"correlationId":7,"clientId":"c"}`},
	{"T1 unknown tag in an element", "DescribeQuorumRequest", 2, "02" + "01" + "01" + "01" + "0901" + "aa" + "00", nil,
		`{"topics":[{"topicName":"","partitions":[],"unknownTags":[{"tag":9,"data":"qg=="}]}]}`},
	{"T1 unknown tag in an element of fixed size", "DescribeQuorumRequest", 2, "02" + "01" + "03" + "00000001" + "00" + "00000002" + "010900" + "00" + "00", nil,
		`{"topics":[{"topicName":"","partitions":[{"partitionIndex":1},{"partitionIndex":2,"unknownTags":[{"tag":9,"data":""}]}]}]}`},
	{"T1 unknown tag in a header", "ResponseHeader", 1, "00000007" + "01" + "ffffffff0f" + "01" + "ff", nil,
		`{"correlationId":7,"unknownTags":[{"tag":4294967295,"data":"/w=="}]}`},
	{"T2 tag count", "DescribeQuorumRequest", 2, "01" + "ffffffff0f", fastcodec.ErrCount, "tagged_fields: offset 1"},
	{"T2 tag size past the end", "DescribeQuorumRequest", 2, "01" + "01" + "0902" + "aa", fastcodec.ErrTagSize, "tagged_fields: offset 3"},
	{"T3 out of order", "ApiVersionsResponse", 3, "0000" + "01" + "00000000" + "02" + "030101" + "01080000000000000007", nil,
		`{"errorCode":0,"apiKeys":[],"throttleTimeMs":0,"zkMigrationReady":true,"finalizedFeaturesEpoch":7}`},
	{"T4 known tag twice", "ApiVersionsResponse", 3, "0000" + "01" + "00000000" + "02" + "030101" + "030101", fastcodec.ErrTagRepeated, "tagged_fields: offset 11"},
	{"T4 payload shorter than its size", "ApiVersionsResponse", 3, "0000" + "01" + "00000000" + "01" + "03020100", fastcodec.ErrTagSize, "ZkMigrationReady: offset 10"},
	{"T4 payload longer than its size", "ApiVersionsResponse", 3, "0000" + "01" + "00000000" + "01" + "01070000000000000007", fastcodec.ErrTagSize, "FinalizedFeaturesEpoch: offset 10"},
	{"T5 known tag below its version", "ProduceResponse", 9, "01" + "00000000" + "01" + "0003" + "010203", nil,
		`{"responses":[],"throttleTimeMs":0,"unknownTags":[{"tag":0,"data":"AQID"}]}`},
	{"T6 explicit default", "ApiVersionsResponse", 3, "0000" + "01" + "00000000" + "01" + "0108ffffffffffffffff", nil,
		`{"errorCode":0,"apiKeys":[],"throttleTimeMs":0}`},
	{"T9 the size is plain", "ApiVersionsResponse", 3, "0000" + "01" + "00000000" + "01" + "030201", fastcodec.ErrTagSize, "tagged_fields: offset 9"},
	{"D1 tag count of 2^31", "DescribeQuorumRequest", 2, "01" + "8080808008", fastcodec.ErrCount, ""},
	{"D1 compact length of 2^31", "FindCoordinatorRequest", 3, "8180808008" + "0000", fastcodec.ErrTooLong, ""},
	{"a bool is true for any byte but 0", "MetadataRequest", 12, "01" + "fe" + "00" + "00", nil, `{"topics":[],"allowAutoTopicCreation":true,"includeTopicAuthorizedOperations":false}`},
	{"H10 response header of 3 bytes", "ResponseHeader", 0, "000000", fastcodec.ErrShort, "CorrelationId: offset 0"},
}

func TestFaultRows(t *testing.T) {
	var ix Index
	for _, c := range rows {
		m, err := Named(c.message, c.version)
		if err != nil {
			t.Fatal(err)
		}
		body := unhex(t, c.body)
		err = agree(t, m, &ix, body)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
			continue
		}
		if err != nil {
			if !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s: %v, want %s in it", c.name, err, c.text)
			}
			continue
		}
		text, _, err := m.AppendJSON(nil, body)
		if err != nil || string(text) != c.text {
			t.Errorf("%s: %v, %s, want %s", c.name, err, text, c.text)
		}
	}
}

// TestL13VarintBoundaries: strings at every boundary of a length's size, in plain
// fields and in tagged ones.
func TestL13VarintBoundaries(t *testing.T) {
	m := shapes(t, 1)
	for _, n := range []int{0, 125, 126, 127, 128, 16381, 16382, 16383, 16384, 32767} {
		s := strings.Repeat("x", n)
		text := `{"empties":[],"rows":[{"cells":["` + s + `"]}],"text":"` + s + `","null":{"n":1,"s":"` + s + `"},"strings":["` + s + `"]}`
		body, err := m.AppendFromJSON(nil, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		back, end, err := m.AppendJSON(nil, body)
		if err != nil || end != len(body) || jsonform.Differ(decode(t, back), decode(t, []byte(text)), "") != "" {
			t.Errorf("%d: %v", n, err)
		}
		if c, err := m.AppendCanonical(nil, body); err != nil || !bytes.Equal(c, body) {
			t.Errorf("%d: %v, canonical differs", n, err)
		}
	}
}

// TestT10ManyTags: a megabyte of two-byte unknown tags, ascending or not, takes
// linear time, and no allocation to check.
func TestT10ManyTags(t *testing.T) {
	t.Run("body", func(t *testing.T) { manyTags(t, "DescribeQuorumRequest", []byte{1}) })
	t.Run("header", func(t *testing.T) { manyTags(t, "ResponseHeader", make([]byte, 4)) })
}

// manyTags tests a message at version 1 whose fields are given.
func manyTags(t *testing.T, name string, fields []byte) {
	m, err := Named(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	const n = 1 << 19
	body := fastcodec.AppendUvarint(fields, n)
	for i := range n {
		body = append(body, byte(127-i%128), 0)
	}
	var ix Index
	if allocs := testing.AllocsPerRun(2, func() { err = m.Parse(&ix, body) }); err != nil || allocs != 0 {
		t.Errorf("%v, %v allocations", err, allocs)
	}
	start := time.Now()
	c, err := m.AppendCanonical(nil, body)
	if err != nil || len(c) != len(body) {
		t.Error(err)
	}
	text, _, err := m.AppendJSON(nil, body)
	if err != nil {
		t.Error(err)
	}
	if back, err := m.AppendFromJSON(nil, text); err != nil || !bytes.Equal(back, c) {
		t.Error("from JSON:", err)
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestErrorsKeepNothing: the error of a body does not alias it, and the Index is
// good for the next one.
func TestErrorsKeepNothing(t *testing.T) {
	m, err := For(fastcodec.Metadata, false, 9)
	if err != nil {
		t.Fatal(err)
	}
	var ix Index
	body := unhex(t, "02"+"0561")
	err = m.Parse(&ix, body)
	before := err.Error()
	clear(body)
	if err.Error() != before || ix.End() != 0 {
		t.Error(err, ix.End())
	}
	if err := m.Parse(&ix, unhex(t, "01"+"000000"+"00")); err != nil || ix.End() != 5 {
		t.Error(err, ix.End())
	}
}

// TestL4ManyElements: arrays are bound by bytes, never by a constant.
func TestL4ManyElements(t *testing.T) {
	m, err := For(fastcodec.Metadata, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	const n = 140000
	body := append(make([]byte, 8), binary.BigEndian.AppendUint32(nil, n)...)
	for range n {
		body = append(body, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	var ix Index
	if err := m.Parse(&ix, body); err != nil || ix.End() != len(body) {
		t.Error(err, ix.End())
	}
}
