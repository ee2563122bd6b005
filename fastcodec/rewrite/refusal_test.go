package rewrite

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// exchange rewrites one message given as JSON; it returns the JSON of what came out.
func exchange(t testing.TB, r *Rewriter, key fastcodec.APIKey, version int16, response bool, ctx *Context, in string) (string, error) {
	t.Helper()
	m := messageAt(t, key, response, version)
	body, err := m.AppendFromJSON(nil, []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	v := &vector{API: key, Kind: "request", Version: version}
	if response {
		v.Kind = "response"
	}
	head := headOf(v, m.HeaderVersion())
	frame := frameOf(append(bytes.Clone(head), 0), len(head), body)
	ctx.Key, ctx.Version = key, version
	dst := []byte("kept")
	var out []byte
	var changed bool
	if response {
		out, changed, err = r.Response(dst, frame, ctx)
	} else {
		out, changed, err = r.Request(dst, frame, ctx)
	}
	if err != nil || !changed {
		if string(out) != "kept" {
			t.Fatalf("dst is %q", out)
		}
		return in, err
	}
	if !bytes.HasPrefix(out, dst) {
		t.Fatalf("dst is %q", out)
	}
	text, _, err := m.AppendJSON(nil, out[len(dst)+len(head):])
	if err != nil {
		t.Fatal(err)
	}
	return string(text), nil
}

// What can't be edited as it would have to be is refused, where names are edited, and
// only there.
func TestRefusals(t *testing.T) {
	topics, literal, groups := Edits{Topics: renamed}, Edits{Topics: Names{Request: rename, Response: rename}}, Edits{Groups: renamed}
	transactions, brokers := Edits{Transactions: renamed}, Edits{Brokers: IDs{shifted, shifted}}
	const (
		heartbeat = `{"groupId":"g","memberId":"m","memberEpoch":1,"instanceId":null,"rackId":null,"rebalanceTimeoutMs":1,"subscribedTopicNames":["t"],"subscribedTopicRegex":R,"serverAssignor":null,"topicPartitions":null}`
		list      = `{"stateFilters":[],"producerIdFilters":[],"durationFilter":-1,"transactionalIdPattern":R}`
		acl       = `{"resourceTypeFilter":2,"resourceNameFilter":R,"patternTypeFilter":3,"principalFilter":null,"hostFilter":null,"operation":1,"permissionType":1}`
		envelope  = `{"requestData":"AAAA","requestPrincipal":null,"clientHostAddress":""}`
		acls      = `{"throttleTimeMs":0,"errorCode":0,"errorMessage":null,"resources":[R]}`
		resource  = `{"resourceType":2,"resourceName":"NAME","patternType":PATTERN,"acls":[]}`
	)
	with := func(text, r string) string { return strings.Replace(text, "R,", r+",", 1) }
	of := func(text, r string) string {
		return strings.NewReplacer(`"transactionalIdPattern":R`, `"transactionalIdPattern":`+r, `[R]`, "["+r+"]").Replace(text)
	}
	filter := func(typ, name, pattern string) string {
		s := with(acl, name)
		s = strings.Replace(s, `"resourceTypeFilter":2`, `"resourceTypeFilter":`+typ, 1)
		return strings.Replace(s, `"patternTypeFilter":3`, `"patternTypeFilter":`+pattern, 1)
	}
	acled := func(name, pattern string) string {
		return strings.NewReplacer("NAME", name, "PATTERN", pattern).Replace(resource)
	}
	for _, row := range []struct {
		name     string
		edits    Edits
		key      fastcodec.APIKey
		version  int16
		response bool
		in, want string // want "": refused
		path     string
	}{
		{"no regular expression", topics, fastcodec.ConsumerGroupHeartbeat, 1, false, with(heartbeat, "null"), strings.Replace(with(heartbeat, "null"), `"t"`, `"r.t"`, 1), ""},
		{"an empty one ends the subscription", topics, fastcodec.ConsumerGroupHeartbeat, 1, false, with(heartbeat, `""`), strings.Replace(with(heartbeat, `""`), `"t"`, `"r.t"`, 1), ""},
		{"a regular expression over topics", topics, fastcodec.ConsumerGroupHeartbeat, 1, false, with(heartbeat, `"t.*"`), "", "SubscribedTopicRegex"},
		{"topics aren't edited", groups, fastcodec.ConsumerGroupHeartbeat, 1, false, with(heartbeat, `"t.*"`), strings.Replace(with(heartbeat, `"t.*"`), `"g"`, `"r.g"`, 1), ""},
		{"a regular expression over transactional ids", transactions, fastcodec.ListTransactions, 2, false, of(list, `"x"`), "", "TransactionalIdPattern"},
		{"none", transactions, fastcodec.ListTransactions, 2, false, of(list, `null`), of(list, `null`), ""},
		{"a whole request inside", topics, fastcodec.Envelope, 0, false, envelope, "", "RequestData"},
		{"ids are entities, too", brokers, fastcodec.Envelope, 0, false, envelope, "", "RequestData"},
		{"addresses of the servers aren't inside", readdressed, fastcodec.Envelope, 0, false, envelope, envelope, ""},
		{"literal ACL", literal, fastcodec.DescribeACLs, 1, false, filter("2", `"t"`, "3"), filter("2", `"r.t"`, "3"), ""},
		{"the ACL of all topics", literal, fastcodec.DescribeACLs, 1, false, filter("2", `"*"`, "3"), filter("2", `"*"`, "3"), ""},
		{"any name", literal, fastcodec.DescribeACLs, 1, false, filter("2", `null`, "1"), filter("2", `null`, "1"), ""},
		{"prefixed ACL", literal, fastcodec.DescribeACLs, 1, false, filter("2", `"t"`, "4"), "", "ResourceNameFilter"},
		{"literal and prefixed ones that match", literal, fastcodec.DescribeACLs, 1, false, filter("2", `"t"`, "2"), "", "ResourceNameFilter"},
		{"prefixed ACL, by functions that take prefixes", topics, fastcodec.DescribeACLs, 1, false, filter("2", `"t"`, "4"), filter("2", `"r.t"`, "4"), ""},
		{"ACL of another resource", literal, fastcodec.DescribeACLs, 1, false, filter("3", `"t"`, "4"), filter("3", `"t"`, "4"), ""},
		{"ACL of any resource with a name", topics, fastcodec.DescribeACLs, 1, false, filter("1", `"t"`, "3"), "", "ResourceNameFilter"},
		{"ACL of any resource", topics, fastcodec.DescribeACLs, 1, false, filter("1", `null`, "3"), filter("1", `null`, "3"), ""},
		{"version 0 has literal ACLs only", literal, fastcodec.DescribeACLs, 0, false, strings.Replace(with(acl, `"t"`), `"patternTypeFilter":3,`, "", 1), strings.Replace(with(acl, `"r.t"`), `"patternTypeFilter":3,`, "", 1), ""},
		{"prefixed ACLs in an answer are hidden", literal, fastcodec.DescribeACLs, 1, true, of(acls, acled("a", "3")+","+acled("b", "4")+","+acled("*", "3")), of(acls, acled("r.a", "3")+","+acled("*", "3")), ""},
		{"unless the functions take prefixes", topics, fastcodec.DescribeACLs, 1, true, of(acls, acled("a", "3")+","+acled("b", "4")), of(acls, acled("r.a", "3")+","+acled("r.b", "4")), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := exchange(t, compiled(t, row.edits, false), row.key, row.version, row.response, &Context{}, row.in)
			if row.want == "" {
				var e *fastcodec.Error
				if !errors.Is(err, ErrRefused) || !errors.As(err, &e) || e.Path.String() != row.path || e.Offset < 0 || e.Want == "" {
					t.Fatalf("%v", err)
				}
				t.Log(err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := jsonEqual(t, []byte(got), []byte(row.want)); d != "" {
				t.Fatal(d)
			}
		})
	}
}

// What an edit function returns is checked before anything of it is sent.
func TestResults(t *testing.T) {
	name := func(value string, a Action) Names {
		f := func(old, scratch []byte) ([]byte, Action) { return []byte(value), a }
		return Names{Request: f, Response: f}
	}
	id := func(v int64) IDs {
		f := func(int64) int64 { return v }
		return IDs{f, f}
	}
	at := func(host string, port int32) Edits {
		return Edits{Endpoints: Endpoints{Response: func(Endpoint) ([]byte, int32) { return []byte(host), port }}}
	}
	const (
		group   = `{"groupId":"g","generationId":1,"memberId":"m"}`
		initPID = `{"throttleTimeMs":0,"errorCode":0,"producerId":7,"producerEpoch":0}`
		cluster = `{"throttleTimeMs":0,"errorCode":0,"errorMessage":null,"clusterId":"c","controllerId":1,"brokers":[{"brokerId":1,"host":"h","port":9092,"rack":null}],"clusterAuthorizedOperations":0}`
		quorum  = `{"errorCode":0,"errorMessage":null,"topics":[],"nodes":[{"nodeId":1,"listeners":[{"name":"C","host":"h","port":9093}]}]}`
		configs = `{"resources":[{"resourceType":4,"resourceName":"1","configurationKeys":null}]}`
	)
	for _, row := range []struct {
		name     string
		edits    Edits
		key      fastcodec.APIKey
		version  int16
		response bool
		in       string
		want     error
		path     string
	}{
		{"a name of 32,767 bytes", Edits{Groups: name(strings.Repeat("x", 32767), Replace)}, fastcodec.Heartbeat, 0, false, group, nil, ""},
		{"a name of 32,768 bytes", Edits{Groups: name(strings.Repeat("x", 32768), Replace)}, fastcodec.Heartbeat, 0, false, group, fastcodec.ErrTooLong, "GroupId"},
		{"the same, compact", Edits{Groups: name(strings.Repeat("x", 32768), Replace)}, fastcodec.Heartbeat, 0, false, group, fastcodec.ErrTooLong, "GroupId"},
		{"an empty name", Edits{Groups: name("", Replace)}, fastcodec.Heartbeat, 0, false, group, nil, ""},
		{"hidden where nothing can be", Edits{Groups: name("", Hide)}, fastcodec.Heartbeat, 0, false, group, ErrRefused, "GroupId"},
		{"refused", Edits{Groups: name("", Refuse)}, fastcodec.Heartbeat, 0, false, group, ErrRefused, "GroupId"},
		{"an unknown action", Edits{Groups: name("", 77)}, fastcodec.Heartbeat, 0, false, group, ErrRefused, "GroupId"},
		{"a producer id below 0", Edits{Producers: id(-1)}, fastcodec.InitProducerID, 0, true, initPID, ErrResult, "ProducerId"},
		{"the largest producer id", Edits{Producers: id(math.MaxInt64)}, fastcodec.InitProducerID, 0, true, initPID, nil, ""},
		{"a broker id below 0", Edits{Brokers: id(-1)}, fastcodec.DescribeCluster, 0, true, cluster, ErrResult, "ControllerId"},
		{"the largest broker id", Edits{Brokers: id(math.MaxInt32)}, fastcodec.DescribeCluster, 0, true, cluster, nil, ""},
		{"a broker id too large", Edits{Brokers: id(math.MaxInt32 + 1)}, fastcodec.DescribeCluster, 0, true, cluster, ErrResult, "ControllerId"},
		{"a broker id as text", Edits{Brokers: id(math.MaxInt32 + 1)}, fastcodec.DescribeConfigs, 0, false, configs, ErrResult, "Resources[0].ResourceName"},
		{"a cluster id can't be hidden", Edits{Clusters: name("", Hide)}, fastcodec.DescribeCluster, 0, true, cluster, ErrRefused, "ClusterId"},
		{"a host too long", at(strings.Repeat("h", 32768), 1), fastcodec.DescribeCluster, 0, true, cluster, fastcodec.ErrTooLong, "Brokers[0].Host"},
		{"a port too large", at("h", 65536), fastcodec.DescribeCluster, 0, true, cluster, ErrResult, "Brokers[0].Port"},
		{"a port below 0", at("x", -1), fastcodec.DescribeQuorum, 2, true, quorum, ErrResult, "Nodes[0].Listeners[0].Port"},
		{"the largest port", at("x", 65535), fastcodec.DescribeQuorum, 2, true, quorum, nil, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := exchange(t, compiled(t, row.edits, false), row.key, row.version, row.response, &Context{}, row.in)
			var e *fastcodec.Error
			if !errors.Is(err, row.want) || err != nil && (!errors.As(err, &e) || e.Path.String() != row.path || e.Offset < 0 || e.Want == "") {
				t.Fatalf("%v, want %v", err, row.want)
			}
		})
	}
}

// Ids below 0 are nobody's, hosts that are empty are no addresses: nobody is asked.
func TestNotAsked(t *testing.T) {
	ids := func(v int64) int64 {
		t.Errorf("asked for %d", v)
		return v
	}
	names := func(old, scratch []byte) ([]byte, Action) {
		t.Errorf("asked for %q", old)
		return nil, Keep
	}
	r := compiled(t, Edits{
		Endpoints: Endpoints{Response: func(e Endpoint) ([]byte, int32) { t.Errorf("asked for %q", e.Host); return e.Host, e.Port }},
		Topics:    Names{Request: names, Response: names}, Brokers: IDs{ids, ids}, Producers: IDs{ids, ids},
	}, false)
	for _, row := range []struct {
		key      fastcodec.APIKey
		version  int16
		response bool
		in       string
	}{
		{fastcodec.FindCoordinator, 3, true, `{"throttleTimeMs":0,"errorCode":15,"errorMessage":"","nodeId":-1,"host":"","port":-1}`},
		{fastcodec.FindCoordinator, 4, true, `{"throttleTimeMs":0,"coordinators":[{"key":"g","nodeId":-1,"host":"","port":-1,"errorCode":15,"errorMessage":null}]}`},
		{fastcodec.Metadata, 12, true, `{"throttleTimeMs":0,"brokers":[],"clusterId":null,"controllerId":-1,"topics":[{"errorCode":3,"name":null,"topicId":"AAAAAAAAAAAAAAAAAAAAAA","isInternal":false,"partitions":[{"errorCode":5,"partitionIndex":0,"leaderId":-1,"leaderEpoch":-1,"replicaNodes":[-1,-2147483648],"isrNodes":[],"offlineReplicas":[]}],"topicAuthorizedOperations":0}]}`},
		{fastcodec.InitProducerID, 4, true, `{"throttleTimeMs":0,"errorCode":15,"producerId":-1,"producerEpoch":-1}`},
		{fastcodec.DescribeConfigs, 4, false, `{"resources":[{"resourceType":4,"resourceName":"","configurationKeys":null},{"resourceType":4,"resourceName":"-1","configurationKeys":null},{"resourceType":8,"resourceName":"007","configurationKeys":null},{"resourceType":4,"resourceName":"2147483648","configurationKeys":null},{"resourceType":4,"resourceName":"99999999999999999999","configurationKeys":null},{"resourceType":16,"resourceName":"1","configurationKeys":null}],"includeSynonyms":false,"includeDocumentation":false}`},
	} {
		if _, err := exchange(t, r, row.key, row.version, row.response, &Context{}, row.in); err != nil {
			t.Error(err)
		}
	}
}

// A response that can't be read without its request is an error, not a guess.
func TestContext(t *testing.T) {
	r := compiled(t, Edits{Groups: renamed}, false)
	const coordinators = `{"throttleTimeMs":0,"coordinators":[{"key":"k","nodeId":1,"host":"h","port":1,"errorCode":0,"errorMessage":null}]}`
	if _, err := exchange(t, r, fastcodec.FindCoordinator, 4, true, &Context{}, coordinators); !errors.Is(err, ErrContext) {
		t.Errorf("without its request: %v", err)
	}
	for keyType, want := range []string{"r.k", "k", "k"} {
		var ctx Context
		if _, err := exchange(t, r, fastcodec.FindCoordinator, 4, false, &ctx, `{"keyType":`+string(rune('0'+keyType))+`,"coordinatorKeys":["k"]}`); err != nil {
			t.Fatal(err)
		}
		got, err := exchange(t, r, fastcodec.FindCoordinator, 4, true, &ctx, coordinators)
		if err != nil || !strings.Contains(got, `"key":"`+want+`"`) {
			t.Errorf("key type %d: %s, %v", keyType, got, err)
		}
	}
	// Only the direction of answers is edited: the request is read all the same.
	r = compiled(t, Edits{Groups: Names{Response: rename}}, false)
	if touched, err := r.Touches(fastcodec.FindCoordinator, 4, false); !touched || err != nil {
		t.Errorf("request: %v, %v", touched, err)
	}
	var ctx Context
	exchange(t, r, fastcodec.FindCoordinator, 4, false, &ctx, `{"keyType":0,"coordinatorKeys":["k"]}`)
	if got, err := exchange(t, r, fastcodec.FindCoordinator, 4, true, &ctx, coordinators); err != nil || !strings.Contains(got, `"r.k"`) {
		t.Errorf("%s, %v", got, err)
	}
	// The protocol type is remembered from JoinGroup, and not from what says none.
	r = compiled(t, Edits{Topics: renamed}, false)
	ctx = Context{}
	for _, step := range []struct {
		protocol string
		want     Protocol
	}{{"consumer", ProtocolConsumer}, {"connect", ProtocolOther}, {"", ProtocolOther}} {
		in := `{"groupId":"g","sessionTimeoutMs":1,"memberId":"","protocolType":"` + step.protocol + `","protocols":[]}`
		if _, err := exchange(t, r, fastcodec.JoinGroup, 0, false, &ctx, in); err != nil || ctx.Protocol != step.want {
			t.Errorf("%q: %v, %v", step.protocol, ctx.Protocol, err)
		}
	}
}

// Keys and versions that this build doesn't know pass where only addresses are
// edited, and don't where names or ids are.
func TestUnknown(t *testing.T) {
	frame := func(key fastcodec.APIKey, version int16) []byte {
		return frameOf(headOf(&vector{API: key, Kind: "request", Version: version}, 1), 12, []byte("anything"))
	}
	for _, row := range []struct {
		key     fastcodec.APIKey
		version int16
		want    error
	}{
		{10000, 0, fastcodec.ErrUnknownAPI}, {-1, 0, fastcodec.ErrUnknownAPI}, {95, 0, fastcodec.ErrUnknownAPI}, {math.MinInt16, math.MinInt16, fastcodec.ErrUnknownAPI},
		{fastcodec.Metadata, 99, fastcodec.ErrVersion}, {fastcodec.Metadata, -1, fastcodec.ErrVersion}, {fastcodec.Metadata, math.MinInt16, fastcodec.ErrVersion}, {fastcodec.APIVersions, 9, fastcodec.ErrVersion},
	} {
		for _, edits := range []Edits{{Topics: renamed}, {Groups: Names{Response: rename}}, {Transactions: renamed}, {Clusters: renamed}, {Brokers: IDs{shifted, shifted}}, {Producers: IDs{turned, turned}}} {
			r := compiled(t, edits, false)
			_, err1 := r.Touches(row.key, row.version, false)
			_, err2 := r.Touches(row.key, row.version, true)
			_, _, err3 := r.Request(nil, frame(row.key, row.version), nil)
			_, _, err4 := r.Response(nil, []byte{0, 0, 0, 4, 0, 0, 0, 7}, &Context{Key: row.key, Version: row.version})
			for _, err := range []error{err1, err2, err3, err4} {
				if !errors.Is(err, row.want) {
					t.Errorf("%v v%d: %v", row.key, row.version, err)
				}
			}
		}
		for _, edits := range []Edits{{}, readdressed, {Versions: Versions{Clamp: true}}} {
			r := compiled(t, edits, false)
			touched, err1 := r.Touches(row.key, row.version, false)
			_, changed, err2 := r.Request(nil, frame(row.key, row.version), nil)
			_, _, err3 := r.Response(nil, []byte{0, 0, 0, 4, 0, 0, 0, 7}, &Context{Key: row.key, Version: row.version})
			if touched || changed || err1 != nil || err2 != nil || err3 != nil {
				t.Errorf("%v v%d: %v %v %v %v %v", row.key, row.version, touched, changed, err1, err2, err3)
			}
		}
	}
}

// A frame whose size or header is wrong is refused before anything is edited.
func TestFrames(t *testing.T) {
	r := compiled(t, everything(), false)
	head := headOf(&vector{API: fastcodec.Heartbeat, Kind: "request", Version: 4}, 2)
	good := frameOf(head, len(head), []byte("\x02g\x00\x00\x00\x01\x02m\x00\x00"))
	read := len(head) + 2 // what stands behind the group id is not read
	if _, changed, err := r.Request(nil, good, nil); !changed || err != nil {
		t.Fatalf("%v, %v", changed, err)
	}
	for n := range good {
		if _, changed, err := r.Request(nil, good[:n], nil); changed || !errors.Is(err, fastcodec.ErrFrameSize) {
			t.Errorf("%d bytes: %v", n, err)
		}
		short := bytes.Clone(good[:n])
		if n < 4 {
			continue
		}
		short = frameOf(short, n, nil)
		_, changed, err := r.Request(nil, short, nil)
		var e *fastcodec.Error
		if n < read && (changed || !errors.As(err, &e)) || n >= read && (!changed || err != nil) {
			t.Errorf("%d bytes with their size: %v, %v", n, changed, err)
		}
	}
	for _, frame := range [][]byte{nil, {}, {0, 0, 0, 0}, {0, 0, 0, 3, 1, 2, 3}, {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}, append(bytes.Clone(good), 0)} {
		ctx := &Context{Key: fastcodec.Metadata, Version: 12}
		if _, _, err := r.Response(nil, frame, ctx); err == nil {
			t.Errorf("response %x: no error", frame)
		}
		if _, _, err := r.Request(nil, frame, nil); err == nil {
			t.Errorf("request %x: no error", frame)
		}
	}
	// ControlledShutdown v0 has no client id.
	frame := []byte{0, 0, 0, 12, 0, 7, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1}
	out, changed, err := r.Request(nil, frame, nil)
	if want := append(bytes.Clone(frame[:15]), 101); err != nil || !changed || !bytes.Equal(out, want) {
		t.Errorf("%x, %v, %v", out, changed, err)
	}
	// A response header with unknown tagged fields.
	frame = frameOf([]byte{0, 0, 0, 0, 0, 0, 0, 7, 1, 9, 1, 0xaa, 0, 0, 0, 0, 2, 2, 'k', 0, 0, 0, 1, 2, 'h', 0, 0, 0, 1, 0, 0, 1, 0, 0}, 34, nil)
	out, changed, err = r.Response(nil, frame, &Context{Key: fastcodec.FindCoordinator, Version: 4, field: 0, known: true})
	if err != nil || !changed || !bytes.Equal(out[4:12], frame[4:12]) {
		t.Errorf("%x, %v, %v", out, changed, err)
	}
}
