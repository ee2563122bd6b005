package rewrite

import (
	"encoding/json"
	"testing"

	"github.com/kafkawire/kafkawire/internal/jsonform"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// The messages that live in bytes fields and records are edited by the same rules;
// of them, rewriting opens only those of consumers (see TestBlobs).
func TestDataMessages(t *testing.T) {
	all := entityTable(t)
	addresses, _ := endpointTable(t)
	seen := map[any]int{}
	lines(t, "vectors/data.jsonl.gz", func(line []byte) {
		var d struct {
			Name    string
			Version int16
			Bytes   string
			Body    json.RawMessage
		}
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		m, err := schema.ByName(d.Name)
		if err != nil {
			t.Fatal(err)
		}
		check := func(edits Edits, edit func(want any)) {
			t.Helper()
			run := newRunner(t, compiled(t, edits, false), m.API, d.Version)
			out, err := run.rewrite(unhex(d.Bytes))
			if err != nil {
				t.Fatalf("%s v%d: %v", d.Name, d.Version, err)
			}
			want := decode(t, d.Body)
			edit(want)
			if d := jsonform.Differ(jsonOf(t, run.m, out), want, d.Name); d != "" {
				t.Fatal(d)
			}
		}
		for kind, k := range kinds {
			var list []*entityRow
			counts := map[*entityRow]int{}
			for _, row := range all {
				if row.message == d.Name && row.kind == kind && row.from <= d.Version && d.Version <= row.to {
					list = append(list, row)
				}
			}
			check(k.edits, func(want any) { expected(want, list, kind, 0, counts) })
			for row, n := range counts {
				seen[row] += n
			}
		}
		check(readdressed, func(want any) {
			for _, row := range addresses {
				if row.message == d.Name {
					seen[row] += row.walk(t, want, row.path, nil)
				}
			}
		})
	})
	for _, row := range all {
		switch row.message {
		case "ConsumerProtocolAssignment", "ConsumerProtocolSubscription", "LeaderChangeMessage", "VotersRecord":
			if seen[row] == 0 {
				t.Errorf("%s %v: never seen", row.message, row.path)
			}
		}
	}
	for _, row := range addresses {
		if row.message == "VotersRecord" && seen[row] == 0 {
			t.Errorf("%s %v: never seen", row.message, row.path)
		}
	}
}
