package rewrite

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/jsonform"
)

// hideSome hides the names whose last byte is even, and renames the others.
func hideSome(old, scratch []byte) ([]byte, Action) {
	if len(old) > 0 && old[len(old)-1]&1 == 0 {
		return nil, Hide
	}
	return rename(old, scratch)
}

func hides(name string) bool { return name != "" && name[len(name)-1]&1 == 0 }

var hiding = Names{Request: hideSome, Response: hideSome, Prefixes: true}

// hider does to JSON what hideSome does to a message.
type hider struct {
	walk
	hidden int
}

// gone stands for an element that is hidden, on its way to the array.
var gone any = &struct{ bool }{}

func (h *hider) at(v any, path []string) any {
	if v == nil {
		return nil
	}
	if len(path) == 0 {
		old := v
		v = h.leaf(old)
		if v != old && hides(old.(string)) {
			return gone
		}
		return v
	}
	object := v.(map[string]any)
	name, array := strings.CutSuffix(path[0], "[]")
	old, ok := object[name]
	if !ok {
		return v
	}
	h.around = append(h.around, object)
	defer func() { h.around = h.around[:len(h.around)-1] }()
	list, isList := old.([]any)
	if !array || !isList {
		if object[name] = h.at(old, path[1:]); object[name] == gone {
			return gone
		}
		return v
	}
	kept := []any{}
	for i := range list {
		if e := h.at(list[i], path[1:]); e != gone {
			kept = append(kept, e)
			continue
		}
		h.hidden++
		// Positions in these arrays are used elsewhere in the message.
		if h.row.message == "StreamsGroupHeartbeatRequest" && (name == "sourceTopics" || name == "repartitionSourceTopics") {
			h.refused = true
		}
	}
	if h.row.refuse && len(path) == 1 && len(list) > 0 {
		h.refused = true
	}
	object[name] = kept
	return v
}

// Hidden elements are left out of the arrays that they are in, at any depth, with
// edits before and behind them; a name that stands in no array can't be hidden.
func TestHide(t *testing.T) {
	oneGoroutine(t)
	all := entityTable(t)
	hidden, refusals := 0, 0
	for kind, edits := range map[string]Edits{
		"topicName": {Topics: hiding}, "groupId": {Groups: hiding}, "transactionalId": {Transactions: hiding},
	} {
		// Producer and broker ids are edited as well: copies run ahead of those.
		edits.Brokers, edits.Producers = IDs{shifted, shifted}, IDs{turned, turned}
		r := compiled(t, edits, false)
		for _, v := range vectors(t) {
			if v.API == fastcodec.APIVersions && v.response() {
				continue
			}
			var list, numbers []*entityRow
			for _, row := range all {
				switch {
				case row.message != v.message() || v.Version < row.from || row.to < v.Version || row.skip:
				case row.kind == kind:
					list = append(list, row)
				case row.kind == "brokerId" || row.kind == "producerId" || row.kind == "any":
					numbers = append(numbers, row)
				}
			}
			if len(list) == 0 {
				continue
			}
			want := decode(t, v.Body)
			refused, dropped := false, 0
			for _, row := range list {
				h := hider{walk: walk{row: row, value: renamedValue}}
				refused = h.at(want, row.path) == gone || h.refused || refused
				dropped += h.hidden
			}
			for _, row := range numbers {
				w := walk{row: row, value: kinds[row.kind].value}
				w.at(want, row.path)
				refused = refused || w.refused
			}
			out, changed, err := r.run(v.frame(), v.response(), contextOf(&v, 0))
			if refused {
				refusals++
				if !errors.Is(err, ErrRefused) || out != nil {
					t.Fatalf("%v: want it refused, not %v", &v, err)
				}
				continue
			}
			if err != nil || !changed && dropped > 0 {
				t.Fatalf("%v: changed %v, %v", &v, changed, err)
			}
			if !changed {
				continue
			}
			hidden += dropped
			m := messageAt(t, v.API, v.response(), v.Version)
			if d := jsonform.Differ(jsonOf(t, m, out[v.BodyAt:]), want, v.String()); d != "" {
				t.Fatal(d)
			}
			if again, err := m.AppendCanonical(nil, out[v.BodyAt:]); err != nil || !bytes.Equal(again, out[v.BodyAt:]) {
				t.Fatalf("%v: a writer would not have written\n%x, but\n%x", &v, out[v.BodyAt:], again)
			}
		}
	}
	t.Logf("%d elements hidden, %d frames refused", hidden, refusals)
	if hidden < 500 || refusals < 50 {
		t.Errorf("%d elements hidden, %d frames refused", hidden, refusals)
	}
}

// However many elements are hidden, the count is written as a writer would.
func TestHideCounts(t *testing.T) {
	for _, flexible := range []string{"", ", flexible 0+"} {
		api := parse(t, `api 3 Counts  broker

request 0
  Nothing  int8

response 0`+flexible+`
  Names    []string   topic
  Topics   []Topic
    Topic  string     topic
  Last     int8
`)
		run := newRunner(t, compiled(t, Edits{Topics: hiding}, false), api, 0)
		message := func(n, first int, name string) string {
			var names, topics []string
			for i := range n {
				if i < first {
					names, topics = append(names, `"`+name+`"`), append(topics, `{"topic":"`+name+`"}`)
				} else if name == "a" {
					names, topics = append(names, `"b"`), append(topics, `{"topic":"b"}`)
				}
			}
			return `{"names":[` + strings.Join(names, ",") + `],"topics":[` + strings.Join(topics, ",") + `],"last":7}`
		}
		for _, n := range [][2]int{{0, 0}, {1, 1}, {1, 0}, {127, 126}, {127, 0}, {128, 128}, {128, 127}, {128, 126}, {200, 127}, {16384, 16383}, {16384, 16382}, {16384, 0}} {
			all, kept := n[0], n[1]
			run.check(t, message(all, kept, "a"), message(kept, all, "r.a"))
		}
	}
}

// An element is hidden whole, whatever was edited in it before the name that hides it.
func TestHideAfterEdits(t *testing.T) {
	api := parse(t, `api 3 Nested  broker

request 0, flexible 0+
  Nothing  int8

response 0, flexible 0+
  Broker       int32           broker
  Outer        []Outer
    Broker     int32           broker
    Inner      []Inner
      Broker   int32           broker
      Topic    string          topic
    Group      string          group
    Last       Last?
      Topic    string          topic
    Tagged     []Tagged        tag 0
      Broker   int32           broker
      Topic    string          topic
  End          string          topic
`)
	r := compiled(t, Edits{Topics: hiding, Groups: hiding, Brokers: IDs{shifted, shifted}}, false)
	run := newRunner(t, r, api, 0)
	for _, row := range []struct{ name, in, want string }{
		{"none", `[{"broker":1,"inner":[{"broker":2,"topic":"a"}],"group":"a","last":null}]`,
			`[{"broker":101,"inner":[{"broker":102,"topic":"r.a"}],"group":"r.a","last":null}]`},
		{"inner", `[{"broker":1,"inner":[{"broker":2,"topic":"b"},{"broker":3,"topic":"a"},{"broker":4,"topic":"d"}],"group":"a","last":null}]`,
			`[{"broker":101,"inner":[{"broker":103,"topic":"r.a"}],"group":"r.a","last":null}]`},
		{"outer, after edits inside", `[{"broker":1,"inner":[{"broker":2,"topic":"a"},{"broker":3,"topic":"b"}],"group":"b","last":null},{"broker":5,"inner":[],"group":"c","last":null}]`,
			`[{"broker":105,"inner":[],"group":"r.c","last":null}]`},
		{"outer, by a struct in it", `[{"broker":1,"inner":[{"broker":2,"topic":"a"}],"group":"a","last":{"topic":"b"}},{"broker":5,"inner":[],"group":"c","last":{"topic":"c"}}]`,
			`[{"broker":105,"inner":[],"group":"r.c","last":{"topic":"r.c"}}]`},
		{"tagged", `[{"broker":1,"inner":[],"group":"a","last":null,"tagged":[{"broker":1,"topic":"b"},{"broker":2,"topic":"a"},{"broker":3,"topic":"d"}]}]`,
			`[{"broker":101,"inner":[],"group":"r.a","last":null,"tagged":[{"broker":102,"topic":"r.a"}]}]`},
		{"all of a tagged one: an empty array is there, not left out", `[{"broker":1,"inner":[],"group":"a","last":null,"tagged":[{"broker":1,"topic":"b"}]}]`,
			`[{"broker":101,"inner":[],"group":"r.a","last":null}]`},
		{"first, last, and all", `[{"broker":1,"inner":[],"group":"b","last":null},{"broker":2,"inner":[],"group":"b","last":null}]`, `[]`},
	} {
		t.Run(row.name, func(t *testing.T) {
			run.check(t, `{"broker":7,"outer":`+row.in+`,"end":"y"}`, `{"broker":107,"outer":`+row.want+`,"end":"r.y"}`)
		})
	}
	long := strings.Repeat("x", 120) + "a"
	run.check(t, `{"broker":7,"outer":[{"broker":1,"inner":[{"broker":2,"topic":"`+long+`"},{"broker":2,"topic":"b"}],"group":"a","last":null,"tagged":[{"broker":1,"topic":"`+long+`"}]}],"end":"c"}`,
		`{"broker":107,"outer":[{"broker":101,"inner":[{"broker":102,"topic":"r.`+long+`"}],"group":"r.a","last":null,"tagged":[{"broker":101,"topic":"r.`+long+`"}]}],"end":"r.c"}`)
	if _, err := run.run(t, `{"broker":7,"outer":[],"end":"b"}`); !errors.Is(err, ErrRefused) {
		t.Errorf("a name in no array: %v", err)
	}
}

// jsonEqual compares two JSON texts by value.
func jsonEqual(t testing.TB, got, want []byte) string {
	t.Helper()
	return jsonform.Differ(decode(t, got), decode(t, want), "")
}
