// The rows S0 to S13 of the faults that proxies had. The tests are named after their
// rows, and stand with what they are about: the session's in session_test.go and
// sasl_test.go, those of its handlers in handler_test.go and editor_test.go, those that
// need connections in conn_test.go. What is left is here.

package proxy

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
)

// TestMain finds goroutines that any of the tests has left behind.
func TestMain(m *testing.M) {
	before := runtime.NumGoroutine()
	code := m.Run()
	for end := time.Now().Add(10 * time.Second); code == 0 && runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			fmt.Fprintf(os.Stderr, "%d goroutines are left\n%s", runtime.NumGoroutine()-before, stacks[:runtime.Stack(stacks, true)])
			os.Exit(1)
		}
	}
	os.Exit(code)
}

// TestEveryRowHasACase: a row of the list without a test of its name fails.
func TestEveryRowHasACase(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func Test(S[0-9]+)[A-Z]?\w*\(t \*testing\.T\)`).FindAllSubmatch(text, -1) {
			have[string(m[1])] = true
		}
	}
	for i := range 14 {
		row := fmt.Sprint("S", i)
		if !have[row] {
			t.Errorf("row %s has no case", row)
		}
		delete(have, row)
	}
	for row := range have {
		t.Errorf("row %s is not in the list", row)
	}
}

// TestS7: the addresses in tagged fields, and those that only admin clients see, are
// edited like others. Hosts of every length around the one at which a size of one
// byte becomes one of two: the sizes of the tags around them and of the frame follow.
func TestS7(t *testing.T) {
	type answer struct {
		key     fastcodec.APIKey
		version int16
		body    func(host string) fastcodec.Appender
	}
	var answers []answer
	for version := int16(10); fastcodec.Produce.HasVersion(version); version++ {
		answers = append(answers, answer{fastcodec.Produce, version, func(host string) fastcodec.Appender {
			m := kdata.NewProduceResponse()
			m.NodeEndpoints = []kdata.ProduceResponseNodeEndpoint{{NodeID: 3, Host: []byte(host), Port: 9092}}
			return &m
		}})
	}
	for version := int16(16); fastcodec.Fetch.HasVersion(version); version++ {
		answers = append(answers, answer{fastcodec.Fetch, version, func(host string) fastcodec.Appender {
			m := kdata.NewFetchResponse()
			m.NodeEndpoints = []kdata.FetchResponseNodeEndpoint{{NodeID: 3, Host: []byte(host), Port: 9092}}
			return &m
		}})
	}
	answers = append(answers, answer{fastcodec.DescribeCluster, 2, func(host string) fastcodec.Appender {
		m := kdata.NewDescribeClusterResponse()
		m.Brokers = []kdata.DescribeClusterResponseBroker{{BrokerID: 3, Host: []byte(host), Port: 9092}}
		return &m
	}}, answer{fastcodec.DescribeQuorum, 2, func(host string) fastcodec.Appender {
		m := kdata.NewDescribeQuorumResponse()
		m.Nodes = []kdata.DescribeQuorumResponseNode{{NodeID: 3, Listeners: []kdata.DescribeQuorumResponseListener{{Name: []byte("CLIENT"), Host: []byte(host), Port: 9092}}}}
		return &m
	}})
	if len(answers) < 4+3+2 {
		t.Fatal(len(answers), "answers")
	}
	config := Compile(Options{Handler: newEditor(t, EditorOptions{Edits: endpointEdits})})
	for _, a := range answers {
		for _, n := range []int{1, 9, 10, 11, 100, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 127, 128, 129, 300} {
			host := "broker." + strings.Repeat("h", n)
			f, err := fastcodec.AppendResponse(nil, &fastcodec.ResponseHeaderData{Key: a.key, Version: a.version, CorrelationID: 5}, a.body(host))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(f, []byte(host)) {
				t.Fatalf("%v v%d has no address", a.key, a.version)
			}
			w := wireOf(t, config, randomly(uint64(n)))
			w.fromClient(request(a.key, a.version, 5, "me", produceBody(a.version, 1, "null")...)) // others pass unread
			w.fromBroker(f)
			if w.err != nil {
				t.Fatalf("%v v%d: %v", a.key, a.version, w.err)
			}
			was := jsonOf(t, f, a.key, a.version, true)
			got := jsonOf(t, w.toClient, a.key, a.version, true)
			want := strings.Replace(strings.Replace(was, host, "proxy.test", 1), `"port":9092`, `"port":10003`, 1)
			if got != want || want == was {
				t.Errorf("%v v%d, host of %d bytes:\n got %s\nwant %s", a.key, a.version, len(host), got, want)
			}
		}
	}
}

// TestS13: an answer to ApiVersions that is made here names no features, those with
// lowest version 0 included, at which old Java clients crash; one that passes keeps
// the features that the broker chose for the version.
func TestS13(t *testing.T) {
	editor := newEditor(t, EditorOptions{Edits: endpointEdits})
	_, highest, _ := fastcodec.APIVersions.Versions()
	w := newWire(t, Options{Handler: editor}, nil)
	w.fromClient(request(fastcodec.APIVersions, highest+1, 5, "me", 0))
	if len(w.toBroker) > 0 || len(w.toClient) == 0 {
		t.Fatalf("%x, %x", w.toBroker, w.toClient)
	}
	// Read as any version: of those from 3 on, nothing is there for features to stand in.
	var m kview.APIVersionsResponse
	if err := m.Parse(w.toClient[8:], 0); err != nil || m.ErrorCode() != fastcodec.CodeUnsupportedVersion || len(m.Trailing()) > 0 || m.SupportedFeatures().Len() > 0 {
		t.Errorf("%x: %v", w.toClient, err)
	}
	for _, version := range []int16{3, 4} {
		answer := kdata.NewAPIVersionsResponse()
		lowest := int16(4 - version)
		answer.SupportedFeatures = []kdata.APIVersionsResponseSupportedFeatureKey{{Name: []byte("kraft.version"), MinVersion: lowest, MaxVersion: 1}}
		answer.APIKeys = []kdata.APIVersionsResponseAPIVersion{{APIKey: fastcodec.Metadata, MaxVersion: 99}}
		f, err := fastcodec.AppendResponse(nil, &fastcodec.ResponseHeaderData{Key: fastcodec.APIVersions, Version: version, CorrelationID: 5}, &answer)
		if err != nil {
			t.Fatal(err)
		}
		w := newWire(t, Options{Handler: editor}, nil)
		w.fromClient(request(fastcodec.APIVersions, version, 5, "me", 0))
		w.fromBroker(f)
		if err := m.Parse(w.toClient[8:], version); err != nil || bytes.Equal(w.toClient, f) || m.SupportedFeatures().Len() != 1 || m.SupportedFeatures().At(0).MinVersion() != lowest {
			t.Errorf("v%d: %v", version, err)
		}
	}
}
