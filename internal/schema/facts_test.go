// These tests hold the notation against tables of facts that were read from
// Kafka's schemas and classes by other means: testdata/*.tsv.gz.
package schema

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// facts reads a table of facts: a map of columns for each row.
func facts(t *testing.T, name string) []map[string]string {
	t.Helper()
	file, err := os.Open("../../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	var head []string
	var rows []map[string]string
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "\t")
		if head == nil {
			head = cells
			continue
		}
		row := map[string]string{}
		for i, cell := range cells {
			row[head[i]] = cell
		}
		rows = append(rows, row)
	}
	if lines.Err() != nil || len(rows) == 0 {
		t.Fatalf("%s: %d rows, %v", name, len(rows), lines.Err())
	}
	return rows
}

// messages are all messages by name.
func messages(t *testing.T) map[string]*Message {
	t.Helper()
	apis, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*Message{}
	for _, a := range apis {
		for _, m := range a.Messages {
			all[m.Name] = m
		}
	}
	return all
}

// place is a field at one path of a message. above are the structs around it, the
// message first; versions are those that all of the path has.
type place struct {
	*Field
	path     string
	above    []*Struct
	versions []int16
}

// places are the fields of a message at all their paths.
func places(m *Message) (all []place) {
	var walk func(path string, above []*Struct, r Versions)
	walk = func(path string, above []*Struct, r Versions) {
		for _, f := range above[len(above)-1].Fields {
			at := path + f.Name
			if f.Array {
				at += "[]"
			}
			p := place{Field: f, path: at, above: slices.Clone(above)}
			for v := m.Valid.Min; v <= m.Valid.Max; v++ {
				if r.Has(v) && f.Versions.Has(v) {
					p.versions = append(p.versions, v)
				}
			}
			if p.versions == nil {
				continue
			}
			all = append(all, p)
			if f.Struct != nil {
				walk(at+".", append(slices.Clone(above), f.Struct), r.And(f.Versions))
			}
		}
	}
	walk("", []*Struct{m.Root}, m.Root.Versions)
	return all
}

// versionList reads ranges such as 0-3,5.
func versionList(t *testing.T, text string) (all []int16) {
	t.Helper()
	if text == "-" {
		return nil
	}
	for _, part := range strings.Split(text, ",") {
		r, err := ParseVersions(part)
		if err != nil {
			t.Fatal(err)
		}
		for v := r.Min; v <= r.Max; v++ {
			all = append(all, v)
		}
	}
	return all
}

func TestLayoutOfEveryVersion(t *testing.T) {
	all := messages(t)
	seen := map[string]bool{}
	for _, row := range facts(t, "layouts.tsv.gz") {
		m := all[row["message"]]
		version, err := strconv.ParseInt(row["version"], 10, 16)
		v := int16(version)
		if m == nil || err != nil || !m.Valid.Has(v) {
			t.Errorf("no %s v%d", row["message"], v)
			continue
		}
		seen[fmt.Sprint(m.Name, v)] = true
		if got := m.Layout(v, true); got != row["layout"] {
			t.Errorf("%s v%d:\n got %s\nwant %s", m.Name, v, got, row["layout"])
		}
		if got := strings.Count(m.Layout(v, true), ":"); strconv.Itoa(got) != row["fields"] {
			t.Errorf("%s v%d: %d fields, want %s", m.Name, v, got, row["fields"])
		}
		if m.Flexible.Has(v) != (row["flexible"] == "yes") {
			t.Errorf("%s v%d: flexible %s", m.Name, v, row["flexible"])
		}
		if m.Kind <= Response && strconv.Itoa(int(m.HeaderVersion(v))) != row["header_version"] {
			t.Errorf("%s v%d: header %d, want %s", m.Name, v, m.HeaderVersion(v), row["header_version"])
		}
		if m.Kind == Request && v == m.Valid.Max {
			releases := strings.Split(row["valid_in"], ",")
			newest := releases[len(releases)-1]
			if m.API.Unstable != slices.Contains(strings.Split(row["unstable_in"], ","), newest) {
				t.Errorf("%s: unstable in %s, but %t", m.Name, row["unstable_in"], m.API.Unstable)
			}
		}
	}
	want := 0
	for _, m := range all {
		want += int(m.Valid.Max - m.Valid.Min + 1)
	}
	if len(seen) != 759 || want != 759 {
		t.Errorf("%d versions in the table, %d in the notation, want 759", len(seen), want)
	}
}

func TestVersionsAndListenersOfEveryMessage(t *testing.T) {
	all := messages(t)
	rows := facts(t, "versions.tsv.gz")
	if len(rows) != len(all) {
		t.Errorf("%d rows, %d messages", len(rows), len(all))
	}
	for _, row := range rows {
		m := all[row["name"]]
		if m == nil {
			t.Errorf("no %s", row["name"])
			continue
		}
		key := strconv.Itoa(int(m.API.Key))
		if m.API.Key < 0 {
			key = "-"
		}
		listeners := "-"
		if m.Kind == Request {
			listeners = strings.Join(m.API.Listeners, ",")
		}
		flexible := m.Flexible
		if !flexible.Empty() {
			flexible.Max = m.Valid.Max
		}
		// Ranges of equal header versions, as 0-8:1 9-13:2.
		var headers []string
		for from := m.Valid.Min; m.Kind <= Response && from <= m.Valid.Max; {
			to := from
			for to < m.Valid.Max && m.HeaderVersion(to+1) == m.HeaderVersion(from) {
				to++
			}
			headers = append(headers, fmt.Sprintf("%s:%d", Versions{from, to}, m.HeaderVersion(from)))
			from = to + 1
		}
		if headers == nil {
			headers = []string{"-"}
		}
		got := []string{key, kindNames[m.Kind], m.Valid.String(), flexible.String(), listeners, strings.Join(headers, " ")}
		want := []string{row["api_key"], row["kind"], row["valid_versions"], row["flexible_versions"], row["listeners"],
			row["header_version_by_message_version"]}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", m.Name, got, want)
		}
	}
}

var factKinds = map[string]string{
	"topicName": "topic", "groupId": "group", "transactionalId": "transaction", "producerId": "producer",
	"brokerId": "broker", "any": "any",
}

// factCondition is the condition that an entity row states in its own words.
func factCondition(row map[string]string) (c Condition) {
	text := row["condition"]
	first := func(pattern string) string {
		if found := regexp.MustCompile(pattern).FindStringSubmatch(text); found != nil {
			return found[1]
		}
		return ""
	}
	if c.Field = first(`^(KeyType|ResourceType\w*)=`); c.Field != "" {
		c.Value = first(`^\w+=(\d+)`)
		c.OfRequest = strings.Contains(text, "of the request")
	} else if strings.HasPrefix(text, "no KeyType field") {
		c.Field, c.Value = "KeyType", "0"
	} else if strings.Contains(text, "'consumer'") {
		c.Field, c.Value = "ProtocolType", "consumer"
	}
	switch {
	case strings.Contains(text, "decimal text"):
		c.Form = Decimal
	case strings.Contains(text, "groupId:topicId:partition"):
		c.Form = ShareKey
	case strings.HasPrefix(text, "pattern:"):
		c.Form = Pattern
	case strings.HasPrefix(text, "by index:"):
		c.Form, c.Arg = IndexForm, first(`subtopology's (\w+)`)
	case strings.Contains(text, "tells literal/prefixed"):
		c.Form, c.Arg = ACLName, first(`(\w*PatternType\w*) tells`)
	case strings.HasPrefix(text, "embedded:"):
		c.Form, c.Arg = EmbeddedForm, first(`then (Consumer\w+)`)
		for words, arg := range map[string]string{
			"whole request": "request", "whole response": "response", "each record batch": "batches", "metadata log": "log",
		} {
			if strings.Contains(text, words) {
				c.Arg = arg
			}
		}
	}
	return c
}

// compareSets reports what only one of two sets has.
func compareSets(t *testing.T, notation, facts map[string]bool) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(notation)) {
		if !facts[key] {
			t.Errorf("only in the notation: %s", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(facts)) {
		if !notation[key] {
			t.Errorf("only in the facts: %s", key)
		}
	}
	if len(facts) < 100 {
		t.Errorf("only %d facts", len(facts))
	}
}

func TestEntitiesAreThoseOfTheFacts(t *testing.T) {
	notation, want := map[string]bool{}, map[string]bool{}
	key := func(message, path string, v int16, kind string, c Condition) string {
		return fmt.Sprintf("%s v%d %s: %s %s", message, v, path, kind, c)
	}
	all := messages(t)
	defaults := map[string]string{}
	for _, m := range all {
		for _, p := range places(m) {
			defaults[m.Name+" "+p.path] = p.Default
			for _, e := range p.Entities {
				c, err := ParseCondition(e.Condition)
				if err != nil || c.String() != e.Condition {
					t.Errorf("%s %s: condition %q: %v", m.Name, p.path, e.Condition, err)
				}
				if (e.Kind == "cluster") != (p.Name == "ClusterId") {
					t.Errorf("%s %s is marked %s", m.Name, p.path, e.Kind)
				}
				for _, v := range p.versions {
					if e.Versions.Has(v) && e.Kind != "cluster" {
						notation[key(m.Name, p.path, v, e.Kind, c)] = true
					}
				}
			}
			if p.Name == "ClusterId" && len(p.Entities) != 1 {
				t.Errorf("%s %s isn't marked", m.Name, p.path)
			}
		}
	}
	for _, row := range facts(t, "entities.tsv.gz") {
		for _, v := range versionList(t, row["versions"]) {
			want[key(row["message"], row["path"], v, factKinds[row["entity"]], factCondition(row))] = true
		}
		defaultText := row["default"]
		if defaultText == "-" {
			defaultText = ""
		}
		if got := defaults[row["message"]+" "+row["path"]]; got != defaultText {
			t.Errorf("%s %s: default %q, want %q", row["message"], row["path"], got, defaultText)
		}
	}
	compareSets(t, notation, want)
}

// Every name in a condition must be there, or a rewriting engine could not compile it.
func TestConditionsNameFieldsThatAreThere(t *testing.T) {
	all := messages(t)
	find := func(above []*Struct, name string) *Field {
		for _, s := range slices.Backward(above) {
			for _, f := range s.Fields {
				if f.Name == name {
					return f
				}
			}
		}
		return nil
	}
	for _, m := range all {
		for _, p := range places(m) {
			for _, e := range p.Entities {
				c, _ := ParseCondition(e.Condition)
				above := p.above
				if c.OfRequest {
					above = []*Struct{all[m.API.Name+"Request"].Root}
				}
				if c.Field != "" && find(above, c.Field) == nil {
					t.Errorf("%s %s: no field for %q", m.Name, p.path, e.Condition)
				}
				ok := true
				switch c.Form {
				case ACLName:
					f := find(p.above, c.Arg)
					ok = f != nil && f.Type == Int8 && f.Default == "3"
				case IndexForm:
					f := find(p.above[:len(p.above)-1], c.Arg)
					ok = f != nil && f.Array
				case EmbeddedForm:
					data := all[c.Arg]
					ok = data != nil && data.Kind == Data || slices.Contains([]string{"request", "response", "batches", "log"}, c.Arg)
				}
				if !ok {
					t.Errorf("%s %s: bad argument in %q", m.Name, p.path, e.Condition)
				}
			}
		}
	}
}

func TestEndpointsAreThoseOfTheFacts(t *testing.T) {
	notation, want := map[string]bool{}, map[string]bool{}
	key := func(message, path string, v int16, role string) string {
		return fmt.Sprintf("%s v%d %s: %s", message, v, path, role)
	}
	for _, m := range messages(t) {
		for _, p := range places(m) {
			for _, v := range p.versions {
				if p.Endpoint != NotEndpoint {
					notation[key(m.Name, p.path, v, endpointNames[p.Endpoint])] = true
				}
			}
		}
	}
	for _, row := range facts(t, "endpoints.tsv.gz") {
		// Addresses of clients, in ACLs and in config text have no port of their own.
		node := strings.HasPrefix(row["role"], "broker") || strings.HasPrefix(row["role"], "controller")
		if !node || row["port_field"] == "-" {
			if node {
				t.Errorf("%s %s: a node without a port", row["message"], row["struct_path"])
			}
			continue
		}
		columns := map[string]string{
			"host": "host_field", "port": "port_field", "node": "node_id_field", "rack": "rack_field", "listener": "listener_name_field",
		}
		for role, column := range columns {
			path := row[column]
			if path == "-" {
				continue
			}
			in := row["struct_path"]
			if up, ok := strings.CutPrefix(path, "../"); ok {
				path = up
				in = in[:max(strings.LastIndex(in, "."), 0)]
			}
			if in != "." && in != "" {
				path = in + "." + path
			}
			for _, v := range versionList(t, row["versions"]) {
				want[key(row["message"], path, v, role)] = true
			}
		}
	}
	// v0 has no hosts yet: the node's mark is idle there.
	for _, m := range []string{"BeginQuorumEpochRequest", "EndQuorumEpochRequest"} {
		delete(notation, key(m, "Topics[].Partitions[].LeaderId", 0, "node"))
	}
	compareSets(t, notation, want)
}

func TestCountsOfAttributes(t *testing.T) {
	got, defaults := map[string]int{}, map[string]int{}
	for _, m := range messages(t) {
		for _, p := range places(m) {
			got["fields"]++
			got["occurrences"] += len(p.versions)
			if p.Ignorable {
				got["ignorable"]++
			}
			if p.MapKey {
				got["key"]++
			}
			if p.IsTagged() {
				got["tagged"]++
			}
			if p.LegacyText {
				got["never compact"]++
			}
			if p.Default != "" {
				defaults[p.Default+" "+strings.TrimPrefix(p.typeKind(), "[]")]++
			}
		}
	}
	want := map[string]int{"fields": 1877, "occurrences": 6313, "ignorable": 194, "key": 81, "tagged": 26, "never compact": 1}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	wantDefaults := map[string]int{
		"null string": 89 + 2, "-1 int32": 43, "-1 int64": 40, "null struct": 13 + 9, "-2147483648 int32": 8, "true bool": 5,
		"60000 int32": 5, "3 int8": 5, "-1 int16": 4, "2147483647 int32": 3, "-1 int8": 3, "null int32": 3, "1 int8": 3,
		"null bytes": 3, "9223372036854775807 int64": 1, "1 int32": 1, "-2 int32": 1, "null uuid": 1, "16 int8": 1, "2000 int32": 1,
	}
	if !maps.Equal(defaults, wantDefaults) {
		t.Errorf("got %v, want %v", defaults, wantDefaults)
	}
}

// typeKind is the type with any struct called struct.
func (f *Field) typeKind() string {
	if f.Type == StructType {
		return "struct"
	}
	return f.typeName()
}

// Go names must not clash in a package, and no name may change by accident.
func TestGoNamesAreUnique(t *testing.T) {
	seen := map[string]string{}
	add := func(name, what string) {
		if seen[name] != "" {
			t.Errorf("%s: both %s and %s", name, seen[name], what)
		}
		seen[name] = what
	}
	frozen := map[string]string{}
	for _, m := range messages(t) {
		add(m.Root.GoName, m.Name)
		for _, s := range m.Structs {
			add(s.GoName, m.Name+" "+s.Name)
		}
		for _, p := range places(m) {
			if p.GoName != GoName(p.Name) {
				frozen[m.Name+" "+p.Name] = p.GoName
			}
		}
	}
	want := map[string]string{
		"TxnOffsetCommitRequest GenerationIdOrMemberEpoch": "GenerationID",
		"VoteRequest ReplicaEpoch":                         "CandidateEpoch",
		"VoteRequest ReplicaId":                            "CandidateID",
		"VoteRequest ReplicaDirectoryId":                   "CandidateDirectoryID",
	}
	if !maps.Equal(frozen, want) {
		t.Errorf("frozen names %v, want %v", frozen, want)
	}
}
