package fastcodec

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/headerversions.tsv
var headerVersionFacts string

// TestHeaderVersionTable holds the table against the facts, every version of every
// request and response.
func TestHeaderVersionTable(t *testing.T) {
	pairs := 0
	for line := range strings.Lines(headerVersionFacts) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		n, _ := strconv.Atoi(f[0])
		key, lookup := APIKey(n), APIKey.RequestHeaderVersion
		if f[1] == "response" {
			lookup = APIKey.ResponseHeaderVersion
		}
		next := int16(0)
		for _, item := range f[2:] {
			versions, header, _ := strings.Cut(item, ":")
			low, high, ok := strings.Cut(versions, "-")
			if !ok {
				high = low
			}
			l, _ := strconv.Atoi(low)
			h, _ := strconv.Atoi(high)
			for v := int16(l); v <= int16(h); v++ {
				got, ok := lookup(key, v)
				if !ok || strconv.Itoa(int(got)) != header {
					t.Errorf("%v %s v%d: header %d, %v; want %s", key, f[1], v, got, ok, header)
				}
				pairs++
				next = v + 1
			}
		}
		if lowest, highest, ok := key.Versions(); !ok || lowest != 0 || highest != next-1 || key.HasVersion(next) || key.HasVersion(-1) {
			t.Errorf("%v has versions %d to %d, want 0 to %d", key, lowest, highest, next-1)
		}
		if _, ok := lookup(key, next); ok != (key == APIVersions) {
			t.Errorf("%v %s v%d: header version known is %v", key, f[1], next, ok)
		}
	}
	if pairs != 736 {
		t.Errorf("%d pairs of message and version, want 736", pairs)
	}
}

func TestAPIKeyNames(t *testing.T) {
	n := 0
	for k := range APIKeys() {
		if int(k) != n || !k.Known() {
			t.Errorf("key %d stands in place %d", k, n)
		}
		if back, ok := APIKeyOf(k.String()); back != k || !ok {
			t.Errorf("%v: name leads to %d", k, back)
		}
		n++
	}
	if n != 95 {
		t.Errorf("%d keys, want 95", n)
	}
	for k, want := range map[APIKey]string{
		Produce: "Produce", APIVersions: "ApiVersions", DescribeACLs: "DescribeAcls", LeaderAndIsr: "LeaderAndIsr",
		95: "APIKey(95)", -1: "APIKey(-1)", 10000: "APIKey(10000)", -32768: "APIKey(-32768)",
	} {
		if k.String() != want {
			t.Errorf("%d is %s, want %s", int16(k), k, want)
		}
	}
	if _, ok := APIKeyOf("None"); ok {
		t.Error("a name that no API has leads to a key")
	}
}

func TestAPIKeyFacts(t *testing.T) {
	var unstable []APIKey
	for k := range APIKeys() {
		if k.LatestUnstable() {
			unstable = append(unstable, k)
		}
	}
	if !slices.Equal(unstable, []APIKey{InitProducerID}) {
		t.Errorf("unstable: %v", unstable)
	}
	if v, ok := Fetch.FlexibleFrom(); v != 12 || !ok {
		t.Errorf("Fetch is flexible from %d, %v", v, ok)
	}
	if _, ok := SaslHandshake.FlexibleFrom(); ok {
		t.Error("SaslHandshake is flexible")
	}
	for _, c := range []struct {
		key  APIKey
		want string
	}{
		{Produce, "true false false"}, {Fetch, "true true false"}, {ControlledShutdown, "false true true"},
		{LeaderAndIsr, "false false true"}, {Vote, "false true false"}, {200, "false false false"},
	} {
		if got := fmt.Sprint(c.key.OnBroker(), c.key.OnController(), c.key.OnZkBroker()); got != c.want {
			t.Errorf("%v: broker, controller, zkBroker are %s, want %s", c.key, got, c.want)
		}
	}
}

func TestErrorCodeNames(t *testing.T) {
	for c, want := range map[ErrorCode]string{
		-1: "UNKNOWN_SERVER_ERROR", 0: "NONE", CodeUnsupportedVersion: "UNSUPPORTED_VERSION", CodeRebootstrapRequired: "REBOOTSTRAP_REQUIRED",
		-2: "ErrorCode(-2)", 32767: "ErrorCode(32767)", -32768: "ErrorCode(-32768)",
	} {
		if c.String() != want {
			t.Errorf("%d is %s, want %s", int16(c), c, want)
		}
	}
	for i, name := range errorNames {
		if name == "" {
			t.Errorf("code %d has no name", i-1)
		}
	}
}
