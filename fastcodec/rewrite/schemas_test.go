package rewrite

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// runner rewrites responses of a schema of the tests' own.
type runner struct {
	r    *Rewriter
	plan *plan
	m    *layout.Message
}

func newRunner(t testing.TB, r *Rewriter, api *schema.API, version int16) *runner {
	t.Helper()
	for _, s := range api.Messages {
		if s.Kind != schema.Response && s.Kind != schema.Data {
			continue
		}
		m, err := layout.Compile(s, version)
		if err != nil {
			t.Fatal(err)
		}
		p := r.compile(s, version, true)
		if p.err != nil {
			t.Fatal(p.err)
		}
		return &runner{r, p, m}
	}
	t.Fatal("no response")
	return nil
}

// rewrite rewrites a body.
func (x *runner) rewrite(body []byte) ([]byte, error) {
	head := []byte{0, 0, 0, 0, 0, 0, 0, 7}
	frame := frameOf(append(head, 0), len(head), body)
	out, changed, err := x.r.rewrite(nil, frame, len(head), x.plan, &Context{})
	switch {
	case err != nil:
		return nil, err
	case !changed:
		return body, nil
	}
	return out[len(head):], nil
}

func (x *runner) run(t testing.TB, in string) ([]byte, error) {
	t.Helper()
	body, err := x.m.AppendFromJSON(nil, []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	return x.rewrite(body)
}

// check holds what becomes of a message, as JSON and in its bytes.
func (x *runner) check(t testing.TB, in, want string) {
	t.Helper()
	out, err := x.run(t, in)
	if err != nil {
		t.Fatal(err)
	}
	text, end, err := x.m.AppendJSON(nil, out)
	if err != nil || end != len(out) {
		t.Fatal(err, end, len(out))
	}
	if d := jsonEqual(t, text, []byte(want)); d != "" {
		t.Fatal(d)
	}
	if again, err := x.m.AppendCanonical(nil, out); err != nil || !bytes.Equal(again, out) {
		// A tagged array that has become empty is written all the same.
		if len(again) >= len(out) {
			t.Fatalf("a writer would not have written\n%x, but\n%x", out, again)
		}
	}
}

// Sizes are right at every boundary of their varints, in tagged fields, in nullable
// structs in those, and where both nest (row L13 of the fault table: 126, 127, 128,
// 16382, 16383 bytes).
func TestSizesAtBoundaries(t *testing.T) {
	api := parse(t, `api 3 Sizes  broker

request 0
  Nothing  int8

response 0, flexible 0+
  Head      int32
  Name      string?                    topic, tag 0
  One       One? = null                tag 1
    Topic   string                     topic
    Inner   Inner? = null              tag 0
      Topic     string                 topic
      Brokers   []int32                broker
    Other   string?                    tag 3
  Names     []string                   topic, tag 2
  Many      []Many?                    tag 5
    Topic   string                     topic
    Deep    []Deep                     tag 0
      Topic  string                    topic
  Last      string
`)
	grow := func(old, scratch []byte) ([]byte, Action) {
		return append(append(scratch, old...), '+'), Replace
	}
	shrink := func(old, scratch []byte) ([]byte, Action) {
		if len(old) == 0 {
			return nil, Keep
		}
		return old[:len(old)-1], Replace
	}
	for _, f := range []NameFunc{grow, shrink} {
		run := newRunner(t, compiled(t, Edits{Topics: Names{Response: f}, Brokers: IDs{Response: shifted}}, false), api, 0)
		edited := func(s string) string {
			b, a := f([]byte(s), nil)
			if a == Keep {
				return s
			}
			return string(b)
		}
		for _, base := range []int{16, 126, 128, 16382, 16384} {
			for d := -14; d <= 2; d++ {
				if base+d < 2 {
					continue
				}
				s := strings.Repeat("x", base+d)
				e := edited(s)
				text := func(s, id string) string {
					return `{"head":1,"name":"` + s + `","one":{"topic":"` + s + `","inner":{"topic":"` + s + `","brokers":[` + id + `,-1]},"other":null},"names":["` + s + `","` + s + `"],` +
						`"many":[{"topic":"` + s + `","deep":[{"topic":"` + s + `"}]}],"last":"` + s[:min(len(s), 3)] + `"}`
				}
				want := text(e, "101")
				want = want[:strings.LastIndex(want, `"last"`)] + `"last":"` + s[:min(len(s), 3)] + `"}`
				run.check(t, text(s, "1"), want)
			}
		}
	}
}

// Where a mark's condition looks at a field further out, further on, or not in this
// version, it is found.
func TestConditions(t *testing.T) {
	api := parse(t, `api 3 Conditions  broker

request 0
  Nothing  int8

response 0-1, flexible 1+
  Kind      int16 1+ = 5
  Texts     []Text
    Early   string          topic if Kind=5
    Own     string          topic if Late=consumer
    Outer   string          group if Behind=7
    Ids     []int32         broker if Late=consumer
    Late    string
  Single    Single
    Name    string          transaction if Kind=5
    More    []More
      Name  string          group if Flag=1
    Flag    bool
  Behind    int64
`)
	r := compiled(t, Edits{Topics: renamed, Groups: renamed, Transactions: renamed, Brokers: IDs{shifted, shifted}}, false)
	in := func(kind, behind, late, flag string, topic, own, outer, name, more, id string) string {
		if kind != "" {
			kind = `"kind":` + kind + `,`
		}
		return `{` + kind + `"texts":[{"early":"` + topic + `","own":"` + own + `","outer":"` + outer + `","ids":[` + id + `],"late":"` + late + `"}],"single":{"name":"` + name + `","more":[{"name":"` + more + `"}],"flag":` + flag + `},"behind":` + behind + `}`
	}
	v0, v1 := newRunner(t, r, api, 0), newRunner(t, r, api, 1)
	v0.check(t, in("", "7", "consumer", "true", "a", "b", "c", "d", "e", "1"), in("", "7", "consumer", "true", "r.a", "r.b", "r.c", "r.d", "r.e", "101"))
	v0.check(t, in("", "6", "connect", "false", "a", "b", "c", "d", "e", "1"), in("", "6", "connect", "false", "r.a", "b", "c", "r.d", "e", "1"))
	v1.check(t, in("5", "7", "consumer", "true", "a", "b", "c", "d", "e", "1"), in("5", "7", "consumer", "true", "r.a", "r.b", "r.c", "r.d", "r.e", "101"))
	v1.check(t, in("4", "8", "", "false", "a", "b", "c", "d", "e", "1"), in("4", "8", "", "false", "a", "b", "c", "d", "e", "1"))
}

// An address whose parts stand apart, in any order, is edited all the same.
func TestScatteredAddress(t *testing.T) {
	api := parse(t, `api 3 Scattered  broker

request 0
  Nothing  int8

response 0-1, flexible 1+
  Nodes         []Node
    Endpoints   []At
      Port      uint16      endpoint port
      Between   string
      Host      string      endpoint host
      Listener  string?     endpoint listener
    Rack        string?     endpoint rack
    Id          int32       endpoint node
`)
	for version := int16(0); version < 2; version++ {
		run := newRunner(t, compiled(t, readdressed, false), api, version)
		for _, rack := range []string{"null", `"r"`} {
			text := func(host string, port int32) string {
				return fmt.Sprintf(`{"nodes":[{"endpoints":[{"port":%d,"between":"b","host":"%s","listener":"L"},{"port":7,"between":"","host":"","listener":null}],"rack":%s,"id":9}]}`, port, host, rack)
			}
			want := "none"
			if rack != "null" {
				want = "r"
			}
			host, port := readdress(9, "h", "L", want, 9092)
			run.check(t, text("h", 9092), text(host, port))
		}
	}
}

// What the notation can say and this build can't do is an error of the plan, and
// every message of it is refused.
func TestImpossible(t *testing.T) {
	for name, fields := range map[string]string{
		"no such field":          "  Name  string  topic if Nothing=1\n",
		"no field of a pattern":  "  Type  int8\n  Name  string  topic if Type=2 as acl Nothing\n",
		"no such array":          "  Name  []int16  topic as index Nothing\n",
		"no such data message":   "  Blob  bytes  topic as embedded Nothing\n",
		"a tagged field":         "  Kind  int8  tag 0\n  Name  string  topic if Kind=1\n",
		"text against a number":  "  Kind  int8\n  Name  string  topic if Kind=consumer\n",
		"text of the request":    "  Name  string  topic if request.Kind=consumer\n",
		"too many other fields":  "  A  int8\n  B  int8\n  C  int8\n  D  int8\n  E  int8\n  F  int8\n  G  int8\n  H  int8\n  I  int8\n  Name  string  topic if A=1, topic if B=1, topic if C=1, topic if D=1, topic if E=1, topic if F=1, topic if G=1, topic if H=1, topic if I=1\n",
		"bytes as the condition": "  Kind  bytes\n  Name  string  topic if Kind=1\n",
	} {
		api := parse(t, "api 3 Impossible  broker\n\nrequest 0\n  Nothing  int8\n\nresponse 0, flexible 0+\n"+fields)
		if p := compiled(t, Edits{Topics: renamed}, false).compile(api.Messages[1], 0, true); p.err == nil {
			t.Errorf("%s: no error", name)
		}
		if p := compiled(t, Edits{Groups: renamed}, false).compile(api.Messages[1], 0, true); p.err != nil {
			t.Errorf("%s: %v, and nothing of it is edited", name, p.err)
		}
	}
}
