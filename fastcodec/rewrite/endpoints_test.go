package rewrite

import (
	"encoding/json"
	"fmt"
	"github.com/kafkawire/kafkawire/internal/jsonform"
	"hash/crc32"
	"strings"
	"testing"
)

// This file holds the edits of addresses against the table of all fields that carry
// one, with a walk over the JSON of its own.

// endpointRow is a row of the table.
type endpointRow struct {
	message                          string
	path                             []string
	host, port, node, rack, listener string
	from, to                         int16
}

// endpointTable is the rows that are addresses of brokers and controllers; others are
// the rows that aren't.
func endpointTable(t testing.TB) (list, others []*endpointRow) {
	for _, row := range rows(t, "endpoints.tsv.gz") {
		e := &endpointRow{message: row["message"], host: member(row["host_field"]), port: row["port_field"], node: row["node_id_field"], rack: row["rack_field"], listener: row["listener_name_field"]}
		if p := row["struct_path"]; p != "." {
			e.path = memberPath(p)
		}
		e.from, e.to = versionRange(t, row["versions"])
		if role := row["role"]; e.port != "-" && (strings.HasPrefix(role, "broker") || strings.HasPrefix(role, "controller")) {
			e.port = member(e.port)
			list = append(list, e)
		} else {
			others = append(others, e)
		}
	}
	return list, others
}

// readdress makes an address of all that is known of the old one.
func readdress(node int32, host, listener, rack string, port int32) (string, int32) {
	sum := crc32.ChecksumIEEE(fmt.Appendf(nil, "%d/%s/%s/%s/%d", node, host, listener, rack, port))
	return fmt.Sprintf("proxy-%x.example", sum), int32(sum & 0xffff)
}

func orNone(b []byte) string {
	if b == nil {
		return "none"
	}
	return string(b)
}

var readdressed = Edits{Endpoints: Endpoints{Request: readdressEndpoint, Response: readdressEndpoint}}

func readdressEndpoint(e Endpoint) ([]byte, int32) {
	host, port := readdress(e.NodeID, string(e.Host), orNone(e.Listener), orNone(e.Rack), e.Port)
	return []byte(host), port
}

// edit changes the address in an object; around are the objects that it stands in,
// it included.
func (r *endpointRow) edit(t testing.TB, around []map[string]any) bool {
	object := around[len(around)-1]
	host, _ := object[r.host].(string)
	if host == "" {
		return false
	}
	field := func(column string) any {
		up := strings.Count(column, "../")
		name := strings.TrimLeft(column, "./")
		if first, rest, ok := strings.Cut(name, "[]."); ok {
			// BeginQuorumEpoch: the last one inside.
			var last any
			inside(around[len(around)-1-up][member(first)], memberPath(rest), &last)
			return last
		}
		v, ok := around[len(around)-1-up][member(name)]
		if !ok {
			t.Errorf("%s: no %s", r.message, column)
		}
		return v
	}
	text := func(column string) string {
		if column == "-" {
			return "none"
		}
		if s, ok := field(column).(string); ok {
			return s
		}
		return "none"
	}
	node := int64(-1)
	if r.node != "-" {
		if v := field(r.node); v != nil {
			node, _ = v.(json.Number).Int64()
		}
	}
	port, _ := object[r.port].(json.Number).Int64()
	newHost, newPort := readdress(int32(node), host, text(r.listener), text(r.rack), int32(port))
	object[r.host], object[r.port] = newHost, json.Number(fmt.Sprint(newPort))
	return true
}

// inside keeps the last value that a path leads to.
func inside(v any, path []string, last *any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			inside(e, path, last)
		}
	case map[string]any:
		if len(path) == 0 {
			return
		}
		name := strings.TrimSuffix(path[0], "[]")
		if len(path) == 1 {
			*last = v[name]
			return
		}
		inside(v[name], path[1:], last)
	}
}

func (r *endpointRow) walk(t testing.TB, v any, path []string, around []map[string]any) (changed int) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			changed += r.walk(t, e, path, around)
		}
	case map[string]any:
		around = append(around, v)
		if len(path) > 0 {
			return r.walk(t, v[strings.TrimSuffix(path[0], "[]")], path[1:], around)
		}
		if r.edit(t, around) {
			return 1
		}
	}
	return changed
}

// Every address of a broker or controller is edited, with all that the message says
// of it, and no other field.
func TestEndpoints(t *testing.T) {
	oneGoroutine(t)
	list, others := endpointTable(t)
	if len(list) < 20 || len(others) < 10 {
		t.Fatalf("%d addresses, %d others", len(list), len(others))
	}
	r := compiled(t, readdressed, false)
	seen := map[*endpointRow]int{}
	for _, v := range vectors(t) {
		var mine []*endpointRow
		for _, row := range list {
			if row.message == v.message() && row.from <= v.Version && v.Version <= row.to {
				mine = append(mine, row)
			}
		}
		frame := v.frame()
		out, changed, err := r.run(frame, v.response(), contextOf(&v, 0))
		if err != nil || changed && len(mine) == 0 {
			t.Fatalf("%v: %v, %v", &v, changed, err)
		}
		if len(mine) == 0 {
			continue
		}
		want, edits := decode(t, v.Body), 0
		for _, row := range mine {
			n := row.walk(t, want, row.path, nil)
			seen[row] += n
			edits += n
		}
		if changed != (edits > 0) {
			t.Fatalf("%v: changed %v, want %d edits", &v, changed, edits)
		}
		if !changed {
			continue
		}
		m := messageAt(t, v.API, v.response(), v.Version)
		if d := jsonform.Differ(jsonOf(t, m, out[v.BodyAt:]), want, v.String()); d != "" {
			t.Fatal(d)
		}
	}
	for _, row := range list {
		if seen[row] == 0 && *vectorsFile == "" && row.message != "VotersRecord" {
			t.Errorf("%s %v: never seen", row.message, row.path)
		}
	}
}
