package rewrite

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/internal/jsonform"
)

// This file holds the edits of entities against the table of all fields that carry
// one. Its walk over the JSON and its conditions are its own: nothing of the
// notation or the rewriter is used to say what must come out.

// kinds are the entity kinds of the table, each with edits that change all of them
// and say what they make of a value.
var kinds = map[string]struct {
	edits  Edits
	value  func(old any) any
	number bool
}{
	"topicName":       {edits: Edits{Topics: renamed}, value: renamedValue},
	"groupId":         {edits: Edits{Groups: renamed}, value: renamedValue},
	"transactionalId": {edits: Edits{Transactions: renamed}, value: renamedValue},
	"brokerId":        {edits: Edits{Brokers: IDs{shifted, shifted}}, value: shiftedValue, number: true},
	"producerId":      {edits: Edits{Producers: IDs{turned, turned}}, value: turnedValue, number: true},
	"clusterId":       {edits: Edits{Clusters: renamed}, value: renamedValue},
}

// renamed puts "r." in front of a name, and keeps the length of those that would
// become too long.
var renamed = Names{Request: rename, Response: rename, Prefixes: true}

func rename(old, scratch []byte) ([]byte, Action) {
	if len(old) > maxString-2 {
		return append(append(scratch, "r."...), old[2:]...), Replace
	}
	return append(append(scratch, "r."...), old...), Replace
}

func renamedText(s string) string {
	if len(s) > maxString-2 {
		return "r." + s[2:]
	}
	return "r." + s
}

func renamedValue(old any) any {
	if old == nil {
		return nil
	}
	return renamedText(old.(string))
}

// shifted are broker ids by 100, in a circle.
func shifted(id int64) int64 { return (id + 100) & math.MaxInt32 }

// turned are producer ids with one bit of each kind changed.
func turned(id int64) int64 { return id ^ 0x1000000001 }

func shiftedValue(old any) any { return numberValue(old, shifted) }
func turnedValue(old any) any  { return numberValue(old, turned) }

func numberValue(old any, f func(int64) int64) any {
	n, err := old.(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	if n < 0 {
		return old
	}
	return json.Number(strconv.FormatInt(f(n), 10))
}

// entityRow is a row of the table, read by a person's eyes.
type entityRow struct {
	message  string
	kind     string
	path     []string // JSON members; those of arrays end in []
	from, to int16
	refuse   bool   // what is not null or empty is refused
	batches  bool   // record batches
	skip     bool   // by index, or a consumer's blob
	member   string // a condition: this member, of the struct or around, or of the request
	value    string
	request  bool
	decimal  bool
	shareKey bool
	acl      string // member of the pattern type
}

var (
	condition = regexp.MustCompile(`^(\w+)=(\d+)`)
	aclMember = regexp.MustCompile(`(\w+) tells literal`)
)

func member(name string) string { return strings.ToLower(name[:1]) + name[1:] }

func memberPath(path string) (members []string) {
	for _, step := range strings.Split(path, ".") {
		members = append(members, member(step))
	}
	return members
}

// entityTable is the table, and one row for every cluster id, which it doesn't list.
func entityTable(t testing.TB) (list []*entityRow) {
	for _, row := range rows(t, "entities.tsv.gz") {
		e := &entityRow{message: row["message"], kind: row["entity"], path: memberPath(row["path"])}
		e.from, e.to = versionRange(t, row["versions"])
		c := row["condition"]
		switch {
		case strings.HasPrefix(c, "pattern:"), strings.HasPrefix(c, "embedded: a whole"), strings.HasPrefix(c, "embedded: metadata log"):
			e.refuse = true
		case strings.HasPrefix(c, "embedded: header of each record batch"):
			e.batches = true
		case strings.HasPrefix(c, "embedded:"), strings.HasPrefix(c, "by index:"):
			e.skip = true
		}
		if m := condition.FindStringSubmatch(c); m != nil && m[1] != "EndpointType" {
			e.member, e.value = member(m[1]), m[2]
			e.request = strings.Contains(c, "of the request")
			e.decimal = strings.Contains(c, "decimal text")
			e.shareKey = strings.Contains(c, "groupId:topicId:partition")
			if a := aclMember.FindStringSubmatch(c); a != nil {
				e.acl = member(a[1])
			}
		}
		list = append(list, e)
	}
	return list
}

func versionRange(t testing.TB, text string) (from, to int16) {
	a, b, ok := strings.Cut(text, "-")
	if !ok {
		b = a
	}
	low, err1 := strconv.ParseInt(a, 10, 16)
	high, err2 := strconv.ParseInt(b, 10, 16)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return int16(low), int16(high)
}

// walk changes what the row's path leads to in the JSON of a message.
type walk struct {
	row     *entityRow
	value   func(any) any
	keyType int32
	around  []map[string]any
	refused bool
	changed int
}

func (w *walk) at(v any, path []string) any {
	if v == nil {
		return nil
	}
	if len(path) == 0 {
		return w.leaf(v)
	}
	object := v.(map[string]any)
	name, array := strings.CutSuffix(path[0], "[]")
	old, ok := object[name]
	if !ok {
		return v
	}
	w.around = append(w.around, object)
	if list, ok := old.([]any); ok && array {
		for i := range list {
			list[i] = w.at(list[i], path[1:])
		}
		if w.row.refuse && len(path) == 1 && len(list) > 0 {
			w.refused = true
		}
	} else {
		object[name] = w.at(old, path[1:])
	}
	w.around = w.around[:len(w.around)-1]
	return v
}

func (w *walk) leaf(old any) any {
	r := w.row
	switch {
	case r.refuse:
		if text, ok := old.(string); ok && text != "" {
			w.refused = true
		}
		return old
	case r.batches:
		return w.batch(old)
	case r.request && fmt.Sprint(w.keyType) != r.value:
		return old
	case r.member != "" && !r.request:
		got := "" // a member that the version lacks is at its default, 0
		for i := len(w.around) - 1; i >= 0 && got == ""; i-- {
			if v, ok := w.around[i][r.member]; ok {
				got = fmt.Sprint(v)
			}
		}
		if r.acl != "" && got == "1" && old != "*" {
			w.refused = true // a name without its kind
		}
		if got == "" {
			got = "0"
		}
		if got != r.value {
			return old
		}
	}
	text, _ := old.(string)
	switch {
	case r.acl != "" && text == "*":
		return old
	case r.decimal:
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
			return old
		}
		w.changed++
		return fmt.Sprint(shifted(n))
	case r.shareKey:
		parts := strings.Split(text, ":")
		if len(parts) < 3 {
			return old
		}
		w.changed++
		n := len(parts) - 2
		return renamedText(strings.Join(parts[:n], ":")) + ":" + parts[n] + ":" + parts[n+1]
	}
	v := w.value(old)
	if v != old {
		w.changed++
	}
	return v
}

// batch changes the producer id of a batch of magic 2 that fills the field.
func (w *walk) batch(old any) any {
	b, err := base64.StdEncoding.DecodeString(old.(string))
	if err != nil {
		panic(err)
	}
	if len(b) < 61 || b[16] != 2 || int(binary.BigEndian.Uint32(b[8:])) != len(b)-12 {
		return old
	}
	w.changed++
	right := crc32.Checksum(b[21:], crc32.MakeTable(crc32.Castagnoli)) == binary.BigEndian.Uint32(b[17:])
	binary.BigEndian.PutUint64(b[43:], uint64(turned(int64(binary.BigEndian.Uint64(b[43:])))))
	if right {
		binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], crc32.MakeTable(crc32.Castagnoli)))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// clusterIDs changes the members named clusterId, wherever they are.
func clusterIDs(v any) (changed int) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if text, ok := v[k].(string); ok && k == "clusterId" {
				v[k] = renamedText(text)
				changed++
			} else {
				changed += clusterIDs(v[k])
			}
		}
	case []any:
		for i := range v {
			changed += clusterIDs(v[i])
		}
	}
	return changed
}

// expected is what the edits of one kind make of a message's JSON.
func expected(body any, list []*entityRow, kind string, keyType int32, seen map[*entityRow]int) (changed int, refused bool) {
	if kind == "clusterId" {
		changed = clusterIDs(body)
	}
	for _, row := range list {
		if row.skip {
			continue
		}
		w := walk{row: row, value: kinds[kind].value, keyType: keyType}
		w.at(body, row.path)
		if row.refuse && w.refused {
			w.changed++
		}
		changed += w.changed
		refused = refused || w.refused
		seen[row] += w.changed
	}
	return changed, refused
}

// Every field of the table is edited, in every message that has it, and no other.
func TestEntities(t *testing.T) {
	oneGoroutine(t)
	all := entityTable(t)
	seen := map[*entityRow]int{}
	clusters := 0
	for kind, k := range kinds {
		r := compiled(t, k.edits, false)
		for _, v := range vectors(t) {
			if v.API == fastcodec.APIVersions && v.response() {
				continue // unknown keys are hidden from it: see TestVersions
			}
			var list []*entityRow
			for _, row := range all {
				if row.message == v.message() && row.from <= v.Version && v.Version <= row.to && (row.kind == kind || row.kind == "any") {
					list = append(list, row)
				}
			}
			frame := v.frame()
			if len(list) == 0 && !bytes.Contains(v.Body, []byte(`"clusterId"`)) {
				if out, changed, err := r.run(frame, v.response(), contextOf(&v, 0)); out != nil || changed || err != nil {
					t.Fatalf("%v, %s: changed %v, %v", &v, kind, changed, err)
				}
				continue
			}
			for _, body := range variants(t, &v, list) {
				frame := frameOf(frame, v.BodyAt, body.bytes)
				for keyType := int32(0); keyType < 3; keyType++ {
					if keyType > 0 && !slices.ContainsFunc(list, func(e *entityRow) bool { return e.request }) {
						break
					}
					clusters += checkEntities(t, r, &v, frame, body, list, kind, keyType, seen)
				}
			}
		}
	}
	if *vectorsFile != "" {
		return
	}
	for _, row := range all {
		if seen[row] == 0 && !row.skip && !strings.HasPrefix(row.message, "LeaderChange") && row.message != "AbortedTxn" && row.message != "VotersRecord" && !strings.HasPrefix(row.message, "ConsumerProtocol") {
			t.Errorf("%s %v as %s: never seen", row.message, row.path, row.kind)
		}
	}
	if clusters < 100 {
		t.Errorf("%d cluster ids seen", clusters)
	}
}

func checkEntities(t *testing.T, r *Rewriter, v *vector, frame []byte, body variant, list []*entityRow, kind string, keyType int32, seen map[*entityRow]int) int {
	t.Helper()
	want := decode(t, body.json)
	edits, refused := expected(want, list, kind, keyType, seen)
	out, changed, err := r.run(frame, v.response(), contextOf(v, keyType))
	if refused {
		var e *fastcodec.Error
		if !errors.Is(err, ErrRefused) || !errors.As(err, &e) || e.Message != v.message() || out != nil {
			t.Fatalf("%v, %s: want it refused, not %v", v, kind, err)
		}
		return 0
	}
	if err != nil || changed != (edits > 0) {
		t.Fatalf("%v, %s: changed %v, %v; want %d changes", v, kind, changed, err, edits)
	}
	if !changed {
		return 0
	}
	if int(binary.BigEndian.Uint32(out)) != len(out)-4 || !bytes.Equal(out[4:v.BodyAt], frame[4:v.BodyAt]) {
		t.Fatalf("%v, %s: size or header", v, kind)
	}
	m := messageAt(t, v.API, v.response(), v.Version)
	if d := jsonform.Differ(jsonOf(t, m, out[v.BodyAt:]), want, v.String()); d != "" {
		t.Fatalf("%s: %s", kind, d)
	}
	if again, err := m.AppendCanonical(nil, out[v.BodyAt:]); err != nil || !bytes.Equal(again, out[v.BodyAt:]) {
		t.Fatalf("%v, %s: a writer would not have written\n%x, but\n%x", v, kind, out[v.BodyAt:], again)
	}
	if kind == "clusterId" {
		return edits
	}
	return 0
}

// variant is a body, and its JSON.
type variant struct {
	json, bytes []byte
}

// variants are a vector's body, and where edits depend on a member, the same with
// values of that member that matter.
func variants(t testing.TB, v *vector, list []*entityRow) []variant {
	bodies := []variant{{v.Body, v.frame()[v.BodyAt:]}}
	m := messageAt(t, v.API, v.response(), v.Version)
	if v.message() == "BeginQuorumEpochResponse" && v.Version > 0 && !bytes.Contains(v.Body, []byte(`"nodeEndpoints"`)) {
		// The one entity that no vector shows, but for negative ids.
		text := append(bytes.TrimSuffix(bytes.Clone(v.Body), []byte("}")), `,"nodeEndpoints":[{"nodeId":1,"host":"h","port":9}]}`...)
		body, err := m.AppendFromJSON(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, variant{text, body})
	}
	for _, row := range list {
		if row.member == "" {
			continue
		}
		for _, pattern := range []string{"3", "4"} {
			for _, text := range []string{"", "*", "1001", "g:h:AAAAAAAAAAAAAAAAAAAAAA:7"} {
				tree := decode(t, v.Body)
				setMembers(tree, row, pattern, text)
				text, err := json.Marshal(tree)
				if err != nil {
					t.Fatal(err)
				}
				body, err := m.AppendFromJSON(nil, text)
				if err != nil {
					t.Fatalf("%v: %v", v, err)
				}
				bodies = append(bodies, variant{text, body})
			}
		}
	}
	return bodies
}

// setMembers gives every struct of a JSON tree the members that a row depends on.
func setMembers(v any, row *entityRow, pattern, text string) {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			switch k {
			case row.member:
				v[k] = json.Number(row.value)
			case row.acl:
				v[k] = json.Number(pattern)
			case strings.TrimSuffix(row.path[len(row.path)-1], "[]"):
				if _, ok := v[k].(string); ok && text != "" {
					v[k] = text
				}
				if list, ok := v[k].([]any); ok && text != "" {
					for i := range list {
						if _, ok := list[i].(string); ok {
							list[i] = text
						}
					}
				}
			}
			setMembers(v[k], row, pattern, text)
		}
	case []any:
		for i := range v {
			setMembers(v[i], row, pattern, text)
		}
	}
}

// No message asks for what the compiler can't do.
func TestPlansOfAllMessages(t *testing.T) {
	r := compiled(t, same(), false)
	plans := 0
	for key := range fastcodec.APIKeys() {
		lowest, highest, _ := key.Versions()
		for v := lowest; v <= highest; v++ {
			for _, response := range []bool{false, true} {
				if _, err := layout.For(key, response, v); err != nil {
					continue
				}
				plans++
				if p, err := r.find(key, v, response); p == nil || err != nil {
					t.Errorf("%v v%d: %v", key, v, err)
				}
			}
		}
	}
	if plans != 736 {
		t.Errorf("%d plans", plans)
	}
}
