// The Editor over package rewrite: rows S6, S7, S8, S11, S12 and H3 of the faults that
// proxies had, as a proxy shows them.

package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/internal/life"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

func newEditor(t testing.TB, o EditorOptions) *Editor {
	t.Helper()
	e, err := NewEditor(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// elsewhere gives every broker the address proxy.test:10000 + its node id.
func elsewhere(e rewrite.Endpoint) ([]byte, int32) { return []byte("proxy.test"), 10000 + e.NodeID }

// endpointEdits are those of a proxy that only stands between.
var endpointEdits = rewrite.Edits{Endpoints: rewrite.Endpoints{Response: elsewhere}, Versions: rewrite.Versions{Clamp: true}}

// jsonOf is the body of a frame as JSON.
func jsonOf(t *testing.T, f []byte, key fastcodec.APIKey, version int16, response bool) string {
	t.Helper()
	var body []byte
	var err error
	if response {
		_, body, err = fastcodec.ParseResponse(f[4:], key, version)
	} else {
		_, body, err = fastcodec.ParseRequest(f[4:])
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := layout.For(key, response, version)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := m.AppendJSON(nil, body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestEditedCaptures: real conversations with their endpoints edited are the same in
// whatever pieces they come, and no address of a broker is left in an answer.
func TestEditedCaptures(t *testing.T) {
	edited := 0
	config := Compile(Options{Handler: newEditor(t, EditorOptions{Edits: endpointEdits})})
	for _, name := range captures(t) {
		for c, talk := range conversations(t, name) {
			var want *wire
			for _, how := range []string{"whole", "random 1", "bytewise"} {
				w := wireOf(t, config, pieces[how]())
				var requests []byte
				for _, f := range talk {
					if !f.response {
						requests = append(requests, f.frame...)
						w.fromClient(f.frame)
						continue
					}
					w.fromBroker(f.frame)
				}
				if w.err != nil || !bytes.Equal(w.toBroker, requests) {
					t.Fatalf("%s, connection %d, %s: %v", name, c, how, w.err)
				}
				if want == nil {
					want = w
				} else if !bytes.Equal(w.toClient, want.toClient) {
					t.Fatalf("%s, connection %d: %s differs", name, c, how)
				}
			}
			rest := want.toClient
			for _, f := range talk {
				if !f.response {
					continue
				}
				payload, after, _, err := fastcodec.Split(rest)
				if err != nil {
					t.Fatal(err)
				}
				got := rest[:4+len(payload)]
				rest = after
				if bytes.Equal(got, f.frame) {
					continue
				}
				edited++
				text := jsonOf(t, got, f.key, f.version, true)
				if f.key != fastcodec.APIVersions && (!strings.Contains(text, "proxy.test") || strings.Contains(text, `"host":"127.0.0.1"`) || strings.Contains(text, `"host":"localhost"`)) {
					t.Errorf("%s: %v v%d: %s", filepath.Base(name), f.key, f.version, text)
				}
			}
			if len(rest) > 0 {
				t.Errorf("%s, connection %d: %d bytes more", name, c, len(rest))
			}
		}
	}
	if edited < 100 {
		t.Errorf("%d answers edited", edited)
	}
	t.Log(edited, "answers edited")
}

// TestH3: a client that is ahead of this build is answered as an old broker would.
func TestH3(t *testing.T) {
	_, highest, _ := fastcodec.APIVersions.Versions()
	q := request(fastcodec.APIVersions, highest+4, 7, "me", 0, 9, 9, 9)
	x := script{name: "ahead", options: Options{Handler: newEditor(t, EditorOptions{Edits: endpointEdits})}, turns: []turn{client(q, request(fastcodec.Heartbeat, 0, 8, "me")), broker(response(8))},
		toBroker: request(fastcodec.Heartbeat, 0, 8, "me"),
		toClient: join(response(7, 0, 35, 0, 0, 0, 1, 0, 18, 0, 0, 0, byte(highest)), response(8)), check: quiet}
	x.run(t)
	// Without edits nobody needs to understand it.
	x = script{name: "unedited", options: Options{Handler: newEditor(t, EditorOptions{})}, turns: []turn{client(q)}, check: func(t *testing.T, s *Session) {}}
	x.run(t)
}

// TestS6: versions above those of this build aren't offered; Produce begins at 0; and
// an old broker's answer to a newer question passes.
func TestS6(t *testing.T) {
	answer := kdata.NewAPIVersionsResponse()
	for _, k := range [][3]int16{{0, 0, 99}, {1, 4, 18}, {3, 0, 40}, {18, 0, 9}, {10000, 0, 1}} {
		key := kdata.APIVersionsResponseAPIVersion{}
		key.APIKey, key.MinVersion, key.MaxVersion = fastcodec.APIKey(k[0]), k[1], k[2]
		answer.APIKeys = append(answer.APIKeys, key)
	}
	for _, version := range []int16{0, 2, 3, 4, 5} {
		f, err := fastcodec.AppendResponse(nil, &fastcodec.ResponseHeaderData{Key: fastcodec.APIVersions, Version: version, CorrelationID: 5}, &answer)
		if err != nil {
			t.Fatal(err)
		}
		w := newWire(t, Options{Handler: newEditor(t, EditorOptions{Edits: endpointEdits})}, nil)
		w.fromClient(request(fastcodec.APIVersions, version, 5, "me", 0))
		w.fromBroker(f)
		if w.err != nil {
			t.Fatal(w.err)
		}
		var m kview.APIVersionsResponse
		if err := m.Parse(w.toClient[8:], version); err != nil {
			t.Fatal(err)
		}
		for k := range m.APIKeys().All() {
			_, highest, known := k.APIKey().Versions()
			if known && k.MaxVersion() > highest || k.APIKey() == fastcodec.Produce && k.MinVersion() != 0 {
				t.Errorf("v%d offers %v %d-%d", version, k.APIKey(), k.MinVersion(), k.MaxVersion())
			}
		}
	}
	old := response(5, 0, 35, 0, 0, 0, 1, 0, 18, 0, 0, 0, 2)
	x := script{name: "fallback", options: Options{Handler: newEditor(t, EditorOptions{Edits: endpointEdits})},
		turns: []turn{client(request(fastcodec.APIVersions, 4, 5, "me", 0)), broker(old), client(request(fastcodec.APIVersions, 0, 6, "me")), broker(response(6, 0, 0, 0, 0, 0, 0))}, check: quiet}
	x.run(t)
}

// TestS8: no host, no edit.
func TestS8(t *testing.T) {
	none := response(5, 0, 0, 0, 0, 0, 15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff)
	x := script{name: "FindCoordinator", options: Options{Handler: newEditor(t, EditorOptions{Edits: endpointEdits})},
		turns: []turn{client(request(fastcodec.FindCoordinator, 2, 5, "me", 0, 1, 'g', 0)), broker(none)}, check: quiet}
	x.run(t)
}

// TestS11: ids of brokers and clusters come back as the broker knows them.
func TestS11(t *testing.T) {
	rename := func(to string) rewrite.NameFunc {
		return func(old, scratch []byte) ([]byte, rewrite.Action) {
			if len(old) == 0 {
				return nil, rewrite.Keep
			}
			return append(scratch, to...), rewrite.Replace
		}
	}
	edits := endpointEdits
	edits.Brokers = rewrite.IDs{Response: func(id int64) int64 { return id + 100 }, Request: func(id int64) int64 { return id - 100 }}
	edits.Clusters = rewrite.Names{Response: rename("theirs"), Request: rename("ours")}
	q := func(cluster string, node int32) []byte {
		body := kdata.NewAPIVersionsRequest()
		body.ClientSoftwareName, body.ClientSoftwareVersion, body.ClusterID, body.NodeID = []byte("test"), []byte("1"), []byte(cluster), node
		f, err := fastcodec.AppendRequest(nil, &fastcodec.RequestHeaderData{Key: fastcodec.APIVersions, Version: 5, CorrelationID: 1, ClientID: []byte("me")}, &body)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	x := script{name: "ApiVersions", options: Options{Handler: newEditor(t, EditorOptions{Edits: edits})}, turns: []turn{client(q("theirs", 103))}, toBroker: q("ours", 3)}
	x.run(t)
}

// TestPolicyOfEdits: what can't be parsed is for the policy, and told with its place.
func TestPolicyOfEdits(t *testing.T) {
	turns := []turn{client(request(fastcodec.Metadata, 5, 9, "me", 0, 0, 0, 0, 1)), broker(response(9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0))}
	x := script{name: "close", options: Options{Handler: newEditor(t, EditorOptions{Edits: endpointEdits})}, turns: turns, toClient: []byte{}, err: fastcodec.ErrCount, from: Broker,
		text: "broker: Metadata v5 response, correlation id 9, 14 bytes: MetadataResponse v5: Brokers: offset 4: count larger than the bytes left allow: want an array count that the bytes left can hold"}
	x.run(t)
	reports := 0
	x = script{name: "forward", options: Options{Handler: newEditor(t, EditorOptions{Edits: endpointEdits}), OnError: Forward, Report: func(e *FrameError) {
		var inner *fastcodec.Error
		if reports++; !errors.As(e, &inner) || inner.Offset != 4 || inner.Path.String() != "Brokers" || e.Key != fastcodec.Metadata || e.Version != 5 {
			t.Error(e)
		}
	}}, turns: turns, check: quiet}
	x.run(t)
	if reports != len(pieces) {
		t.Error(reports)
	}

	// An edit function that returns what no frame can hold is never a reason to forward.
	edits := rewrite.Edits{Endpoints: rewrite.Endpoints{Response: func(e rewrite.Endpoint) ([]byte, int32) { return []byte(strings.Repeat("x", 40000)), 1 }}}
	for _, policy := range []Policy{Close, Forward} {
		x = script{name: "too long, " + policy.String(), options: Options{Handler: newEditor(t, EditorOptions{Edits: edits}), OnError: policy},
			turns: []turn{turns[0], broker(response(9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 'h', 0, 0, 0x23, 0x84, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 0))}, toClient: []byte{}, err: ErrRefused, from: Broker}
		x.run(t)
	}
}

// TestH8Isolating: where names are edited, what isn't known is refused.
func TestH8Isolating(t *testing.T) {
	same := func(old, scratch []byte) ([]byte, rewrite.Action) { return nil, rewrite.Keep }
	for _, policy := range []Policy{Close, Forward} {
		o := Options{Handler: newEditor(t, EditorOptions{Edits: rewrite.Edits{Topics: rewrite.Names{Request: same, Response: same}}}), OnError: policy}
		for _, q := range [][]byte{request(10000, 0, 1, "me"), request(fastcodec.Fetch, 99, 1, "me")} {
			x := script{name: "refused", options: o, turns: []turn{client(request(fastcodec.Heartbeat, 0, 1, "me", 0, 0, 0, 0, 0, 0, 0, 0), q)}, err: ErrRefused, from: Client}
			x.run(t)
		}
	}
}

// topicAnswer is a Metadata answer that names topics by their ids; version is 10 to 12.
func topicAnswer(t testing.TB, version int16, correlation int32, topics map[fastcodec.UUID]string) []byte {
	body := kdata.NewMetadataResponse()
	for id, name := range topics {
		topic := kdata.NewMetadataResponseTopic()
		topic.TopicID, topic.Name = id, []byte(name)
		body.Topics = append(body.Topics, topic)
	}
	f, err := fastcodec.AppendResponse(nil, &fastcodec.ResponseHeaderData{Key: fastcodec.Metadata, Version: version, CorrelationID: correlation}, &body)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// fetchOf is a Fetch request by topic ids.
func fetchOf(t testing.TB, correlation int32, ids ...fastcodec.UUID) []byte {
	body := kdata.NewFetchRequest()
	for _, id := range ids {
		topic := kdata.FetchRequestTopic{}
		topic.TopicID = id
		body.Topics = append(body.Topics, topic)
	}
	f, err := fastcodec.AppendRequest(nil, &fastcodec.RequestHeaderData{Key: fastcodec.Fetch, Version: 13, CorrelationID: correlation, ClientID: []byte("me")}, &body)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestTopicsByID: a client that asks by topic id before a Metadata answer came by makes
// the proxy ask; what isn't allowed is refused.
func TestTopicsByID(t *testing.T) {
	mine, theirs, gone := fastcodec.UUID{Hi: 1, Lo: 1}, fastcodec.UUID{Hi: 2, Lo: 2}, fastcodec.UUID{Hi: 3, Lo: 3}
	for how, piece := range pieces {
		t.Run(how, func(t *testing.T) {
			topics := &Topics{}
			e := newEditor(t, EditorOptions{Topics: topics, AllowTopic: func(name string) bool { return strings.HasPrefix(name, "mine.") }, ClientID: []byte("proxy")})
			w := newWire(t, Options{Handler: e}, piece())
			fetch := fetchOf(t, 4, mine, gone, mine)
			w.fromClient(fetch)
			asked := w.toBroker
			h, body, err := fastcodec.ParseRequest(asked[4:])
			if err != nil || h.Key() != fastcodec.Metadata || h.Version() != metadataByIDs || string(h.ClientID()) != "proxy" {
				t.Fatalf("%v, %v v%d", err, h.Key(), h.Version())
			}
			ids, err := appendTopicIDs(nil, h.Key(), h.Version(), body)
			if err != nil || fmt.Sprint(ids) != fmt.Sprint([]fastcodec.UUID{mine, gone}) {
				t.Fatal(ids, err)
			}
			w.fromBroker(topicAnswer(t, metadataByIDs, h.CorrelationID(), map[fastcodec.UUID]string{mine: "mine.orders"}))
			equal(t, "resumed", w.toBroker[len(asked):], fetch)
			w.fromBroker(response(4, 0))
			equal(t, "to the client", w.toClient, response(4, 0))
			// What is known costs no question any more; what is gone does, each time.
			before := len(w.toBroker)
			w.fromClient(fetchOf(t, 5, mine))
			equal(t, "known", w.toBroker[before:], fetchOf(t, 5, mine))
			// Clients' own answers teach as well.
			w.fromBroker(response(5, 0))
			w.fromClient(request(fastcodec.Metadata, 11, 6, "me", 0, 0, 1, 0, 0))
			w.fromBroker(topicAnswer(t, 11, 6, map[fastcodec.UUID]string{theirs: "theirs.orders"}))
			if name, ok := topics.Name(theirs); !ok || name != "theirs.orders" || w.err != nil {
				t.Fatal(name, ok, w.err)
			}
			w.fromClient(fetchOf(t, 7, mine, theirs))
			if !errors.Is(w.err, ErrRefused) || !strings.Contains(w.err.Error(), theirs.Base64()) {
				t.Error(w.err)
			}
			w.s.Close(nil)

			// Others know at once.
			w = newWire(t, Options{Handler: e}, piece())
			w.fromClient(fetchOf(t, 1, mine))
			equal(t, "another connection", w.toBroker, fetchOf(t, 1, mine))
			// An answer that makes no sense allows nothing.
			w.fromClient(fetchOf(t, 2, gone))
			w.fromBroker(join(response(1, 0), response(1, 0, 0, 0)))
			if !errors.Is(w.err, ErrRefused) {
				t.Error(w.err)
			}
			w.s.Close(nil)
		})
	}
}

// TestEditorAllocations: an answer that is edited again and again allocates nothing.
func TestEditorAllocations(t *testing.T) {
	if raceEnabled || life.Debug {
		t.Skip("the race detector drops from pools at random: run without -race")
	}
	host := []byte("proxy.test")
	edits := endpointEdits
	edits.Endpoints.Response = func(e rewrite.Endpoint) ([]byte, int32) { return host, 10000 + e.NodeID }
	var requests, responses []byte
	for _, talk := range conversations(t, "../../testdata/captures/three-nodes.jsonl.gz") {
		for _, f := range talk {
			if f.response {
				responses = append(responses, f.frame...)
			} else {
				requests = append(requests, f.frame...)
			}
		}
		if len(responses) > 30000 {
			break
		}
	}
	s := Compile(Options{Handler: newEditor(t, EditorOptions{Edits: edits, Topics: &Topics{}})}).NewSession()
	round := func() {
		for in := requests; len(in) > 0; {
			step, err := s.FromClient(in)
			if err != nil {
				t.Fatal(err)
			}
			in = in[step.Taken:]
		}
		for in := responses; len(in) > 0; {
			step, err := s.FromBroker(in)
			if err != nil {
				t.Fatal(err)
			}
			in = in[step.Taken:]
		}
		s.Trim()
		s.ring.head = s.ring.tail // requests that were open at the end
		s.sasl.pending = 0
	}
	round()
	if n := testing.AllocsPerRun(20, round); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
