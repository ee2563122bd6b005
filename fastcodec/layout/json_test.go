// JSON: what comes in has to fit, and says where it does not; text that isn't
// UTF-8; numbers that JSON has no form for.

package layout

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// TestFromJSONErrors: each kind of text that is not that of the message.
func TestFromJSONErrors(t *testing.T) {
	const good = `{"errorCode":0,"errorMessage":null,"topics":[{"topicName":"t","partitions":[{"partitionIndex":0,"errorCode":0,"errorMessage":"",
		"leaderId":1,"leaderEpoch":2,"highWatermark":3,"currentVoters":[{"replicaId":1,"replicaDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA",
		"logEndOffset":1,"lastFetchTimestamp":-1,"lastCaughtUpTimestamp":-1}],"observers":[]}]}],"nodes":[{"nodeId":1,"listeners":[{"name":"n","host":"h","port":1}]}]}`
	m, err := For(fastcodec.DescribeQuorum, true, 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.AppendFromJSON(nil, []byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, old, new string
		want           error
		text           string
	}{
		{"missing field", `"errorCode":0,"errorMessage":null,`, `"errorMessage":null,`, ErrJSON, "DescribeQuorumResponse v2: ErrorCode: JSON does not fit the message: want a value: only tagged fields may be missing"},
		{"missing in an element", `"leaderEpoch":2,`, ``, ErrJSON, "Topics[0].Partitions[0].LeaderEpoch: "},
		{"unknown member", `"observers":[]`, `"observers":[],"extra":1`, ErrJSON, "Topics[0].Partitions[0].extra: JSON does not fit the message: want no member that version 2 doesn't have"},
		{"unknown member with an odd name", `"observers":[]`, `"observers":[],"a\u001bb":1`, ErrJSON, `Topics[0].Partitions[0]."a\x1bb": `},
		{"Kafka's name, not the JSON one", `"nodes"`, `"Nodes"`, ErrJSON, "Nodes: JSON does not fit the message: want no member"},
		{"member twice", `"observers":[]`, `"observers":[],"observers":[]`, ErrJSON, "Partitions[0].observers: JSON does not fit the message: want each member once"},
		{"not UTF-8", `"h"`, "\"\xff\"", ErrJSON, "Nodes[0].Listeners[0].Host: JSON does not fit the message: want a string in UTF-8"},
		{"half a surrogate pair", `"h"`, `"\ud800"`, ErrJSON, "Host"},
		{"low surrogate first", `"h"`, `"\udc00\ud800"`, ErrJSON, "Host"},
		{"two high surrogates", `"h"`, `"\ud800\ud800"`, ErrJSON, "Host"},
		{"high surrogate, then a character", `"h"`, `"\ud800\u0041"`, ErrJSON, "Host"},
		{"uint16 too large", `"port":1`, `"port":65536`, ErrJSON, "Port: JSON does not fit the message: want an integer from 0 to 65535, not 65536"},
		{"uint16 negative", `"port":1`, `"port":-1`, ErrJSON, "Port"},
		{"int32 too large", `"leaderId":1`, `"leaderId":2147483648`, ErrJSON, "Topics[0].Partitions[0].LeaderId"},
		{"int64 too large", `"highWatermark":3`, `"highWatermark":9223372036854775808`, ErrJSON, "from -9223372036854775808 to 9223372036854775807"},
		{"fraction", `"port":1`, `"port":1.5`, ErrJSON, "not 1.5"},
		{"exponent", `"port":1`, `"port":1e2`, ErrJSON, "not 1e2"},
		{"number as string", `"port":1`, `"port":"1"`, ErrJSON, "not a string"},
		{"number for a string", `"h"`, `7`, ErrJSON, "want a string, not a number"},
		{"null for a number", `"port":1`, `"port":null`, ErrJSON, "not null"},
		{"null for a string", `"h"`, `null`, fastcodec.ErrNull, "Host"},
		{"null for an array", `"observers":[]`, `"observers":null`, fastcodec.ErrNull, "Observers"},
		{"object for an array", `"observers":[]`, `"observers":{}`, ErrJSON, "want an array, not an object"},
		{"array for an object", `{"replicaId":1,"replicaDirectoryId"`, `[],{"replicaId":1,"replicaDirectoryId"`, ErrJSON, "CurrentVoters[0]: JSON does not fit the message: want an object, not an array"},
		{"null for an object", `{"replicaId":1,"replicaDirectoryId"`, `null,{"replicaId":1,"replicaDirectoryId"`, ErrJSON, "CurrentVoters[0]"},
		{"uuid too short", `AAAAAAAAAAAAAAAAAAAAAA`, `AAAA`, ErrJSON, "CurrentVoters[0].ReplicaDirectoryId"},
		{"uuid with other last bits", `AAAAAAAAAAAAAAAAAAAAAA`, `AAAAAAAAAAAAAAAAAAAAAB`, ErrJSON, "ReplicaDirectoryId"},
		{"string too long", `"h"`, `"` + strings.Repeat("x", 32768) + `"`, fastcodec.ErrTooLong, "Host"},
		{"unknownTags no array", `"observers":[]`, `"observers":[],"unknownTags":{}`, ErrJSON, "unknownTags"},
		{"unknown tag without data", `"observers":[]`, `"observers":[],"unknownTags":[{"tag":1}]`, ErrJSON, "Partitions[0].unknownTags[0]"},
		{"unknown tag with more", `"observers":[]`, `"observers":[],"unknownTags":[{"tag":1,"data":"","x":1}]`, ErrJSON, "unknownTags[0]"},
		{"unknown tag number", `"observers":[]`, `"observers":[],"unknownTags":[{"tag":4294967296,"data":""}]`, ErrJSON, "unknownTags[0]"},
		{"unknown tag not base64", `"observers":[]`, `"observers":[],"unknownTags":[{"tag":1,"data":"A"}]`, ErrJSON, "want padded base64"},
		{"base64 with a line end", `"observers":[]`, `"observers":[],"unknownTags":[{"tag":1,"data":"AA\n=="}]`, ErrJSON, "want padded base64"},
		{"not JSON", `"port":1}]}]}`, `"port":1]]}`, ErrJSON, "want valid JSON"},
		{"more than JSON", `"port":1}]}]}`, `"port":1}]}]} 1`, ErrJSON, "want valid JSON"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Errorf("%s: nothing replaced", c.name)
		}
		dst, err := m.AppendFromJSON([]byte("dst"), []byte(text))
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %v, %s", c.name, err, c.want, c.text)
		}
		if string(dst) != "dst" {
			t.Errorf("%s: dst is %q", c.name, dst)
		}
	}
}

// TestFromJSONKnownTag is T8: an unknown tag with the number of one that this
// version knows; with that of one that other versions know it is written.
func TestFromJSONKnownTag(t *testing.T) {
	text := []byte(`{"responses":[],"throttleTimeMs":0,"unknownTags":[{"tag":0,"data":""}]}`)
	for version, want := range map[int16]error{8: fastcodec.ErrTagsNotSupported, 9: nil, 10: fastcodec.ErrTagKnown} {
		m, err := For(fastcodec.Produce, true, version)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.AppendFromJSON(nil, text); !errors.Is(err, want) {
			t.Errorf("v%d: %v, want %v", version, err, want)
		}
	}
}

// TestFromJSONForms: space, escapes and any order of members are fine.
func TestFromJSONForms(t *testing.T) {
	m, err := For(fastcodec.FindCoordinator, false, 3)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.AppendFromJSON(nil, []byte(" {\r\n\t\"key\\u0054ype\" : -1 , \"key\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\u00e9\" } "))
	want := append([]byte{}, 17)
	want = append(append(want, "\"\\/\b\f\n\r\t\u00e9\U0001f600\u00e9"...), 0xff, 0)
	want[0] = byte(len(want) - 2)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v, %q, want %q", err, got, want)
	}
}

// TestJSONText: strings go out as valid JSON, and what isn't UTF-8 as Java reads
// it (the counts of U+FFFD are those of the JDK's decoder).
func TestJSONText(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"a\"\\\n\x00\x1f\x7f/<>":       "a\"\\\n\x00\x1f\x7f/<>",
		"\u00e9\u6f22\U0001f600\u2028": "\u00e9\u6f22\U0001f600\u2028",
		"\ufffd":                       "\ufffd",
		"\x80\x80":                     "\ufffd\ufffd",
		"\xc0\xaf":                     "\ufffd\ufffd",
		"\xc3":                         "\ufffd",
		"\xc3(":                        "\ufffd(",
		"\xe2\x82":                     "\ufffd",
		"\xe2\x82(":                    "\ufffd(",
		"\xe2(":                        "\ufffd(",
		"\xe0\x80\x80":                 "\ufffd\ufffd\ufffd",
		"\xed\xa0\x80":                 "\ufffd", // a surrogate
		"\xed\xa0\x80\xed\xb0\x80":     "\ufffd\ufffd",
		"\xf0\x9f\x98":                 "\ufffd",
		"\xf0\x9f\x98(":                "\ufffd(",
		"\xf0\x9f(":                    "\ufffd(",
		"\xf0\x80\x80\x80":             "\ufffd\ufffd\ufffd\ufffd",
		"\xf4\x90\x80\x80":             "\ufffd\ufffd\ufffd\ufffd",
		"\xf5\x80\x80\x80":             "\ufffd\ufffd\ufffd\ufffd",
		"\xff\xfe":                     "\ufffd\ufffd",
	} {
		text := appendJSONString(nil, []byte(in))
		var got string
		if err := json.Unmarshal(text, &got); err != nil || got != want {
			t.Errorf("%q: %v, %q from %s, want %q", in, err, got, text, want)
		}
	}
}

// TestJSONFloats: every float64 but NaNs comes back bit for bit.
func TestJSONFloats(t *testing.T) {
	m := shapes(t, 1)
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1.5, 1e21, 1e-9, 5e-324, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.Float64frombits(javaNaN)} {
		body := fastcodec.AppendFloat64(unhex(t, "01"+"01"+"01"+"0808"), v)
		text, _, err := m.AppendJSON(nil, body)
		if err != nil || !json.Valid(text) {
			t.Fatal(err, string(text))
		}
		back, err := m.AppendFromJSON(nil, text)
		if v == 0 {
			body = unhex(t, "01"+"01"+"00") // its default, both zeros
		}
		if err != nil || !bytes.Equal(back, body) {
			t.Errorf("%v: %v, %x from %s, want %x", v, err, back, text, body)
		}
	}
}
