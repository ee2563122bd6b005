package rewrite

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/internal/jsonform"
)

// This file holds the edits of what stands inside bytes fields: on the captures of
// real clients, and on blobs made for the purpose.

// captured is a line of testdata/captures.
type captured struct {
	file    string
	Conn    int
	Seq     int
	Dir     string
	Key     fastcodec.APIKey
	Version int16
	Frame   string
}

func captures(t testing.TB) (all []captured) {
	t.Helper()
	files, err := filepath.Glob("../../testdata/captures/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("no captures", err)
	}
	for _, f := range files {
		lines(t, "captures/"+filepath.Base(f), func(line []byte) {
			c := captured{file: filepath.Base(f)}
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		})
	}
	return all
}

// replay rewrites captured conversations as a proxy would: each connection keeps the
// Context of its requests under way, by correlation id.
func replay(t testing.TB, r *Rewriter, all []captured, each func(c *captured, response bool, frame, out []byte, changed bool, err error)) {
	type id struct {
		file        string
		conn        int
		correlation int32
	}
	waiting := map[id]Context{}
	last := map[id]Protocol{}
	for i := range all {
		c := &all[i]
		frame := unhex(c.Frame)
		conn := id{file: c.file, conn: c.Conn}
		if c.Dir == "c2s" {
			ctx := Context{Protocol: last[conn]}
			out, changed, err := r.Request(nil, frame, &ctx)
			last[conn] = ctx.Protocol
			waiting[id{c.file, c.Conn, int32(binary.BigEndian.Uint32(frame[8:]))}] = ctx
			each(c, false, frame, out, changed, err)
			continue
		}
		ctx, ok := waiting[id{c.file, c.Conn, int32(binary.BigEndian.Uint32(frame[4:]))}]
		if !ok || ctx.Key != c.Key || ctx.Version != c.Version {
			t.Fatalf("%s %d: no request", c.file, c.Seq)
		}
		out, changed, err := r.Response(nil, frame, &ctx)
		each(c, true, frame, out, changed, err)
	}
}

// blobs are the members of messages that may hold a consumer's data, by message.
var blobs = map[string]string{
	"metadata": "ConsumerProtocolSubscription", "memberMetadata": "ConsumerProtocolSubscription",
	"assignment": "ConsumerProtocolAssignment", "memberAssignment": "ConsumerProtocolAssignment",
}

// open calls f with the blobs in a message's JSON that aren't empty, and puts what it
// returns in their place.
func open(v any, f func(name string, blob []byte) []byte) {
	switch v := v.(type) {
	case map[string]any:
		for k, old := range v {
			if name, text := blobs[k], old; name != "" {
				if s, ok := text.(string); ok && s != "" {
					b, err := base64.StdEncoding.DecodeString(s)
					if err != nil {
						panic(err)
					}
					v[k] = base64.StdEncoding.EncodeToString(f(name, b))
				}
			}
			open(v[k], f)
		}
	case []any:
		for _, e := range v {
			open(e, f)
		}
	}
}

// renameBlob renames the topics in a blob, by way of its JSON.
func renameBlob(t testing.TB, name string, blob []byte) []byte {
	version := int16(binary.BigEndian.Uint16(blob))
	m, err := layout.Named(name, min(version, 3))
	if err != nil {
		t.Fatal(err)
	}
	text, end, err := m.AppendJSON(nil, blob[2:])
	if err != nil {
		t.Fatal(err)
	}
	tree := decode(t, text).(map[string]any)
	for _, list := range []string{"topics", "ownedPartitions", "assignedPartitions"} {
		entries, _ := tree[list].([]any)
		for i, e := range entries {
			if topic, ok := e.(map[string]any); ok {
				topic["topic"] = renamedValue(topic["topic"])
			} else {
				entries[i] = renamedValue(e)
			}
		}
	}
	if text, err = json.Marshal(tree); err != nil {
		t.Fatal(err)
	}
	out, err := m.AppendFromJSON(bytes.Clone(blob[:2]), text)
	if err != nil {
		t.Fatal(err)
	}
	return append(out, blob[2+end:]...)
}

// The topics in the metadata and assignments of real consumers are renamed, also
// where only the connection knows that they are consumers; nothing else in the bytes
// changes.
func TestCapturedConsumers(t *testing.T) {
	all := captures(t)
	var groups []captured
	for _, c := range all {
		if c.Key == fastcodec.JoinGroup || c.Key == fastcodec.SyncGroup || c.Key == fastcodec.DescribeGroups {
			groups = append(groups, c)
		}
	}
	opened := map[string]int{}
	r := compiled(t, Edits{Topics: renamed}, false)
	replay(t, r, groups, func(c *captured, response bool, frame, out []byte, changed bool, err error) {
		if err != nil {
			t.Fatalf("%s %d %v v%d: %v", c.file, c.Seq, c.Key, c.Version, err)
		}
		m := messageAt(t, c.Key, response, c.Version)
		at := bodyOf(t, frame, c.Key, c.Version, response)
		want, edits := jsonOf(t, m, frame[at:]), 0
		open(want, func(name string, blob []byte) []byte {
			edits++
			opened[m.Name()]++
			return renameBlob(t, name, blob)
		})
		if changed != (edits > 0) {
			t.Fatalf("%s %d %s v%d: changed %v, %d blobs", c.file, c.Seq, m.Name(), c.Version, changed, edits)
		}
		if changed {
			if d := jsonform.Differ(jsonOf(t, m, out[at:]), want, m.Name()); d != "" {
				t.Fatal(d)
			}
		}
	})
	t.Log(opened)
	for _, name := range []string{"JoinGroupRequest", "JoinGroupResponse", "SyncGroupRequest", "SyncGroupResponse", "DescribeGroupsResponse"} {
		if opened[name] == 0 {
			t.Errorf("%s: none seen", name)
		}
	}
}

// Real conversations: edits that change nothing change no byte, and what edits make
// of a frame their inverse undoes, in both directions.
func TestCapturesThereAndBack(t *testing.T) {
	unname := func(old, scratch []byte) ([]byte, Action) { return append(scratch, old[2:]...), Replace }
	unnamed := Names{Request: unname, Response: unname, Prefixes: true}
	unshift := func(id int64) int64 { return (id - 100) & 0x7fffffff }
	readdress := func(e Endpoint) ([]byte, int32) { return append([]byte("x"), e.Host...), e.Port ^ 1 }
	back := func(e Endpoint) ([]byte, int32) { return e.Host[1:], e.Port ^ 1 }
	there := Edits{Endpoints: Endpoints{readdress, readdress}, Topics: renamed, Groups: renamed, Transactions: renamed, Clusters: renamed, Brokers: IDs{shifted, shifted}, Producers: IDs{turned, turned}}
	again := Edits{Endpoints: Endpoints{back, back}, Topics: unnamed, Groups: unnamed, Transactions: unnamed, Clusters: unnamed, Brokers: IDs{unshift, unshift}, Producers: IDs{turned, turned}}
	all := captures(t)
	// A pattern is not what this is about, nor what a broker newer than this build has.
	a, b, identity := compiled(t, there, false), compiled(t, again, false), compiled(t, same(), true)
	type result struct {
		out     []byte
		changed bool
		err     error
	}
	var first, whole []result
	replay(t, identity, all, func(c *captured, response bool, frame, out []byte, changed bool, err error) {
		if changed && !bytes.Equal(out, frame) {
			t.Fatalf("%s %d %v v%d: changed", c.file, c.Seq, c.Key, c.Version)
		}
		whole = append(whole, result{out, changed, err})
	})
	replay(t, a, all, func(c *captured, response bool, frame, out []byte, changed bool, err error) {
		if (err != nil) != (whole[len(first)].err != nil) || err != nil && !errors.Is(err, ErrRefused) {
			t.Fatalf("%s %d %v v%d: %v, %v", c.file, c.Seq, c.Key, c.Version, err, whole[len(first)].err)
		}
		first = append(first, result{bytes.Clone(out), changed, err})
	})
	edited := 0
	i := -1
	edit := make([]captured, len(all))
	for j, c := range all {
		edit[j] = c
		if first[j].changed {
			edit[j].Frame = hexOf(first[j].out)
			edited++
		}
	}
	replay(t, b, edit, func(c *captured, response bool, frame, out []byte, changed bool, err error) {
		i++
		switch {
		case first[i].err != nil:
		case err != nil || changed != first[i].changed:
			t.Fatalf("%s %d %v v%d: changed %v, %v", c.file, c.Seq, c.Key, c.Version, changed, err)
		case changed && hexOf(out) != all[i].Frame:
			t.Fatalf("%s %d %v v%d: there and back again\n got %x\nwant %s", c.file, c.Seq, c.Key, c.Version, out, all[i].Frame)
		}
	})
	if edited < 1000 {
		t.Errorf("%d frames edited", edited)
	}
}

// consumerBlob is a subscription of version 1 with its topics.
func consumerBlob(version int16, topics ...string) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(version))
	b = binary.BigEndian.AppendUint32(b, uint32(len(topics)))
	for _, s := range topics {
		b = fastcodec.AppendString(b, []byte(s))
	}
	return fastcodec.AppendBytes(b, []byte("user data"))
}

// What is opened, and as what.
func TestBlobs(t *testing.T) {
	none := []byte{0, 0, 0, 0} // no owned partitions
	for _, row := range []struct {
		name     string
		version  int16 // of the SyncGroup or JoinGroup message
		protocol string
		known    Protocol
		in, want []byte // want nil: refused
		err      error
	}{
		{"consumer, said by the message", 9, `"consumer"`, ProtocolUnknown, append(consumerBlob(1, "t", "u"), none...), append(consumerBlob(1, "r.t", "r.u"), none...), nil},
		{"the message goes before the connection", 9, `"consumer"`, ProtocolOther, append(consumerBlob(1, "t"), none...), append(consumerBlob(1, "r.t"), none...), nil},
		{"another protocol is not opened", 9, `"connect"`, ProtocolConsumer, []byte("anything"), []byte("anything"), nil},
		{"null: the connection knows", 9, `null`, ProtocolConsumer, append(consumerBlob(1, "t"), none...), append(consumerBlob(1, "r.t"), none...), nil},
		{"null: the connection knows another", 9, `null`, ProtocolOther, []byte("anything"), []byte("anything"), nil},
		{"null: nobody knows", 9, `null`, ProtocolUnknown, append(consumerBlob(1, "t"), none...), nil, ErrRefused},
		{"old version: the connection knows", 5, ``, ProtocolConsumer, append(consumerBlob(1, "t"), none...), append(consumerBlob(1, "r.t"), none...), nil},
		{"old version: nobody knows", 5, ``, ProtocolUnknown, append(consumerBlob(1, "t"), none...), nil, ErrRefused},
		{"empty bytes hold nothing", 5, ``, ProtocolUnknown, []byte{}, []byte{}, nil},
		{"no topics", 9, `"consumer"`, 0, consumerBlob(0), consumerBlob(0), nil},
		{"bytes behind", 9, `"consumer"`, 0, append(consumerBlob(0, "t"), "more"...), append(consumerBlob(0, "r.t"), "more"...), nil},
		{"a version to come is read as the last", 9, `"consumer"`, 0, append(append(consumerBlob(9, "t"), "\x00\x00\x00\x01\x00\x01u\x00\x00\x00\x00\x00\x00\x00\x07\xff\xff"...), "new"...),
			append(append(consumerBlob(9, "r.t"), "\x00\x00\x00\x01\x00\x03r.u\x00\x00\x00\x00\x00\x00\x00\x07\xff\xff"...), "new"...), nil},
		{"a version without what is new in it", 9, `"consumer"`, 0, consumerBlob(1, "t"), consumerBlob(1, "r.t"), nil},
		{"a version below 0", 9, `"consumer"`, 0, consumerBlob(-1, "t"), nil, ErrRefused},
		{"one byte", 9, `"consumer"`, 0, []byte{0}, nil, fastcodec.ErrShort},
		{"cut in a topic", 9, `"consumer"`, 0, consumerBlob(0, "topic")[:9], nil, fastcodec.ErrShort},
		{"cut in what is new", 9, `"consumer"`, 0, append(consumerBlob(1, "t"), 0, 0), nil, fastcodec.ErrShort},
		{"count", 9, `"consumer"`, 0, []byte{0, 0, 0x7f, 0xff, 0xff, 0xff}, nil, fastcodec.ErrCount},
		{"a name of 32,768 bytes", 9, `"consumer"`, 0, consumerBlob(0, "long"), nil, fastcodec.ErrTooLong},
		{"a refused name", 9, `"consumer"`, 0, consumerBlob(0, "no"), nil, ErrRefused},
		{"length grows to two bytes", 9, `"consumer"`, 0, consumerBlob(0, strings.Repeat("x", 108)), consumerBlob(0, "r."+strings.Repeat("x", 108)), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := compiled(t, Edits{Topics: Names{Response: func(old, scratch []byte) ([]byte, Action) {
				switch string(old) {
				case "long":
					return make([]byte, 32768), Replace
				case "no":
					return nil, Refuse
				}
				return rename(old, scratch)
			}}}, false)
			m := messageAt(t, fastcodec.JoinGroup, true, row.version)
			text := func(blob []byte) []byte {
				s := `{"throttleTimeMs":0,"errorCode":0,"generationId":1,"protocolName":"range","leader":"l","memberId":"m","members":[` +
					`{"memberId":"m","groupInstanceId":null,"metadata":"` + base64.StdEncoding.EncodeToString(blob) + `"}]`
				if row.version >= 7 {
					s += `,"protocolType":` + row.protocol
				}
				if row.version >= 9 {
					s += `,"skipAssignment":false`
				}
				return []byte(s + "}")
			}
			body, err := m.AppendFromJSON(nil, text(row.in))
			if err != nil {
				t.Fatal(err)
			}
			head := headOf(&vector{API: fastcodec.JoinGroup, Kind: "response", Version: row.version}, m.HeaderVersion())
			frame := frameOf(append(bytes.Clone(head), 0), len(head), body)
			ctx := &Context{Key: fastcodec.JoinGroup, Version: row.version, Protocol: row.known}
			out, changed, err := r.Response(nil, frame, ctx)
			if row.err != nil {
				var e *fastcodec.Error
				if !errors.Is(err, row.err) || !errors.As(err, &e) || !strings.HasPrefix(e.Path.String(), "Members[0].Metadata") || e.Message != "JoinGroupResponse" || e.Offset < 0 {
					t.Fatalf("%v, want %v", err, row.err)
				}
				t.Log(err)
				return
			}
			if err != nil || changed != !bytes.Equal(row.in, row.want) {
				t.Fatalf("changed %v, %v", changed, err)
			}
			if !changed {
				out = frame
			}
			if d := jsonform.Differ(jsonOf(t, m, out[len(head):]), decode(t, text(row.want)), ""); d != "" {
				t.Fatal(d)
			}
		})
	}
}
