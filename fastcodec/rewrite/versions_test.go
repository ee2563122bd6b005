package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// versionsOf is the JSON of an ApiVersions response of version 3 with these APIs:
// key, lowest and highest version.
func versionsOf(apis ...[3]int) string {
	var keys []string
	for _, a := range apis {
		keys = append(keys, fmt.Sprintf(`{"apiKey":%d,"minVersion":%d,"maxVersion":%d}`, a[0], a[1], a[2]))
	}
	return `{"errorCode":0,"apiKeys":[` + strings.Join(keys, ",") + `],"throttleTimeMs":0,"supportedFeatures":[{"name":"f","minVersion":0,"maxVersion":2}],"finalizedFeaturesEpoch":7,"finalizedFeatures":[{"name":"g","maxVersionLevel":3,"minVersionLevel":1}],"zkMigrationReady":true}`
}

// ApiVersions responses say what this build can rewrite; features stay as they are.
func TestVersions(t *testing.T) {
	clamp := Versions{Clamp: true}
	for _, row := range []struct {
		name     string
		edits    Edits
		in, want [][3]int
	}{
		{"known versions stay", Edits{Versions: clamp}, [][3]int{{0, 0, 13}, {3, 0, 13}, {18, 0, 4}}, [][3]int{{0, 0, 13}, {3, 0, 13}, {18, 0, 4}}},
		{"higher ones are clamped, Produce's lowest stays 0", Edits{Versions: clamp}, [][3]int{{0, 0, 99}, {3, 5, 99}, {18, 0, 32767}}, [][3]int{{0, 0, 13}, {3, 5, 13}, {18, 0, 5}}},
		{"nothing in common: hidden", Edits{Versions: clamp}, [][3]int{{3, 50, 99}, {18, 0, 5}}, [][3]int{{18, 0, 5}}},
		{"a lowest version below ours", Edits{Versions: clamp}, [][3]int{{3, -7, 2}}, [][3]int{{3, 0, 2}}},
		{"unknown keys stay where only addresses are edited", Edits{Versions: clamp, Endpoints: readdressed.Endpoints}, [][3]int{{95, 0, 1}, {10000, 2, 3}, {-5, 0, 0}, {3, 0, 14}}, [][3]int{{95, 0, 1}, {10000, 2, 3}, {-5, 0, 0}, {3, 0, 13}}},
		{"and are hidden where names are", Edits{Versions: clamp, Topics: renamed}, [][3]int{{95, 0, 1}, {10000, 2, 3}, {3, 0, 14}, {-5, 0, 0}}, [][3]int{{3, 0, 13}}},
		{"also where nothing is clamped", Edits{Topics: renamed}, [][3]int{{95, 0, 1}, {3, 0, 14}}, [][3]int{{3, 0, 14}}},
		{"hidden on demand", Edits{Versions: Versions{Hide: []fastcodec.APIKey{fastcodec.Metadata, 10000}}}, [][3]int{{0, 0, 99}, {3, 0, 9}, {10000, 0, 1}, {10001, 0, 1}}, [][3]int{{0, 0, 99}, {10001, 0, 1}}},
		{"nothing asked for", readdressed, [][3]int{{0, 0, 99}, {95, 0, 1}}, [][3]int{{0, 0, 99}, {95, 0, 1}}},
		{"all hidden", Edits{Topics: renamed}, [][3]int{{95, 0, 1}}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := exchange(t, compiled(t, row.edits, false), fastcodec.APIVersions, 3, true, &Context{}, versionsOf(row.in...))
			if err != nil {
				t.Fatal(err)
			}
			if d := jsonEqual(t, []byte(got), []byte(versionsOf(row.want...))); d != "" {
				t.Fatal(d)
			}
		})
	}
}

// A broker that doesn't know the version of the request answers with version 0.
func TestVersionsFallback(t *testing.T) {
	r := compiled(t, Edits{Versions: Versions{Clamp: true}}, false)
	reply := AppendVersionReply(nil, 7, 0, 99)
	for version := int16(0); version <= 5; version++ {
		out, changed, err := r.Response(nil, reply, &Context{Key: fastcodec.APIVersions, Version: version})
		if want := AppendVersionReply(nil, 7, 0, 5); err != nil || !changed || !bytes.Equal(out, want) {
			t.Errorf("v%d: %x, %v, %v", version, out, changed, err)
		}
	}
	// An error 35 in the version asked for is no such answer.
	m := messageAt(t, fastcodec.APIVersions, true, 3)
	body, err := m.AppendFromJSON(nil, []byte(strings.Replace(versionsOf([3]int{3, 0, 99}), `"errorCode":0`, `"errorCode":35`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	frame := frameOf(make([]byte, 8), 8, body)
	out, changed, err := r.Response(nil, frame, &Context{Key: fastcodec.APIVersions, Version: 3})
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	if text, _, err := m.AppendJSON(nil, out[8:]); err != nil || !bytes.Contains(text, []byte(`"maxVersion":13`)) {
		t.Errorf("%s, %v", text, err)
	}
}

// The reply to an unknown version is the one that Kafka's own clients read.
func TestVersionReply(t *testing.T) {
	got := AppendVersionReply([]byte("x"), 7, 0, 5)
	if want := "78" + "00000010" + "00000007" + "0023" + "00000001" + "001200000005"; hexOf(got) != want {
		t.Errorf("%x, want %s", got, want)
	}
}

// A hidden API is refused, and ApiVersions can't be hidden.
func TestHiddenAPIs(t *testing.T) {
	r := compiled(t, Edits{Versions: Versions{Hide: []fastcodec.APIKey{fastcodec.CreateTopics}}}, false)
	if _, err := r.Touches(fastcodec.CreateTopics, 5, false); !errors.Is(err, ErrRefused) {
		t.Errorf("%v", err)
	}
	if touched, err := r.Touches(fastcodec.DeleteTopics, 5, false); touched || err != nil {
		t.Errorf("%v, %v", touched, err)
	}
	if _, _, err := r.Request(nil, frameOf(headOf(&vector{API: fastcodec.CreateTopics, Kind: "request", Version: 5}, 2), 12, nil), nil); !errors.Is(err, ErrRefused) {
		t.Errorf("%v", err)
	}
	if _, err := Compile(Edits{Versions: Versions{Hide: []fastcodec.APIKey{fastcodec.APIVersions}}}); err == nil {
		t.Error("ApiVersions is hidden")
	}
}

// ApiVersions responses of real brokers, clamped to what all of them have, stay as
// they are: this build knows their release.
func TestCapturedVersions(t *testing.T) {
	forced := compiled(t, Edits{Versions: Versions{Clamp: true}}, true)
	replay(t, forced, captures(t), func(c *captured, response bool, frame, out []byte, changed bool, err error) {
		if err != nil || changed && !bytes.Equal(out, frame) {
			t.Fatalf("%s %d: changed %v, %v", c.file, c.Seq, changed, err)
		}
	})
}
