package kview_test

// The rule of single bytes: whatever one byte of a small body is changed to, the
// body is refused, or written again as it was changed, but for the known ways in
// which bytes can say the same.

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fuzz/check"
	"github.com/kafkawire/kafkawire/internal/naive"
)

func TestSingleByteChanges(t *testing.T) {
	counts := map[string]int{}
	all := slices.DeleteFunc(inputs(t, "vectors"), func(in input) bool { return in.Flavor != "smallest" })
	for i := range all {
		if reduced && i%16 != 0 {
			continue
		}
		singleBytes(t, all[i].Message, all[i].body, counts)
	}
	ours, err := shapes()
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range ours {
		if reduced && i%8 != 0 {
			continue
		}
		// What Kafka's vectors are for its messages; and at the highest version one with
		// all there is.
		singleBytes(t, m, m.Layout.AppendSmallest(nil), counts)
		if v := m.Naive.Full(); m.Version == m.Schema.Valid.Max {
			singleBytes(t, m, m.Naive.Write(&v, nil), counts)
		}
	}
	for _, name := range slices.Concat(naive.AllOddities.Names(), []string{"refused", "written as changed"}) {
		if counts[name] == 0 && !reduced {
			t.Errorf("no change: %s", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%8d %s", counts[name], name)
	}
}

// singleBytes makes every change of every byte (of long bodies, of every eighth).
// All readers see one in 64 of them, and all that are written otherwise; the
// others only view and struct.
func singleBytes(t *testing.T, m *check.Message, body []byte, counts map[string]int) {
	t.Helper()
	c := m.Checker()
	codec := c.Struct()
	changed := bytes.Clone(body)
	var written []byte
	for at := range body {
		if len(body) > 50 && codec == nil && at%8 != 0 {
			continue
		}
		for d := 1; d < 256; d++ {
			changed[at] = body[at] + byte(d)
			if codec != nil && (at+d)%64 != 0 {
				if c.View.Parse(changed, m.Version) != nil {
					counts["refused"]++
					continue
				}
				codec.Copy()
				var err error
				written, err = codec.Data.AppendTo(written[:0], m.Version)
				if written = append(written, c.View.Trailing()...); err == nil && bytes.Equal(written, changed) {
					counts["written as changed"]++
					continue
				}
			}
			// Check wants the canonical form of an odd body to differ, to be canonical,
			// and to be that of any other to be the body itself.
			v, err := c.Check(changed)
			switch {
			case err != nil:
				t.Fatal(err)
			case !v.Accepted:
				counts["refused"]++
			case v.Odd == 0:
				counts["written as changed"]++
			default:
				counts[strings.Join(v.Odd.Names(), " and ")]++
				again := bytes.Clone(c.Canonical())
				if w, err := c.Check(again); err != nil || !w.Accepted || w.Odd != 0 || !bytes.Equal(c.Canonical(), again) {
					t.Fatalf("%v: %x is written %x, and that %x, %v", m, changed, again, c.Canonical(), err)
				}
			}
		}
		changed[at] = body[at]
	}
}
