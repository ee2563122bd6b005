// JSON values compared: what verify holds against the reference.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// unknownTags is the member that Kafka's own JSON doesn't have.
const unknownTags = "unknownTags"

// parseJSON reads a value with its numbers as text.
func parseJSON(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// difference is where two values differ first.
type difference struct {
	path []fastcodec.PathStep // of member names
	text string
}

func (d *difference) in(name string, index int) *difference {
	if d != nil {
		d.path = append([]fastcodec.PathStep{{Name: name, Index: int32(index)}}, d.path...)
	}
	return d
}

// compareJSON compares our value with the reference's. Unknown tags may be missing
// in the reference.
func compareJSON(ours, want any) *difference {
	switch want := want.(type) {
	case map[string]any:
		ours, ok := ours.(map[string]any)
		if !ok {
			return &difference{text: "an object in the reference"}
		}
		return compareObjects(ours, want)
	case []any:
		ours, ok := ours.([]any)
		if !ok {
			return &difference{text: "an array in the reference"}
		}
		return compareArrays(ours, want, "")
	case json.Number:
		if ours, ok := ours.(json.Number); ok && sameNumber(string(ours), string(want)) {
			return nil
		}
	default:
		// Strings, booleans and null.
		switch ours.(type) {
		case string, bool, nil:
			if ours == want {
				return nil
			}
		}
	}
	return &difference{text: fmt.Sprintf("%s, not %s as in the reference", shownValue(ours), shownValue(want))}
}

func compareObjects(ours, want map[string]any) *difference {
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		value := ours[name]
		wanted, ok := want[name]
		switch {
		case ok:
		case name == unknownTags:
			continue
		default:
			return (&difference{text: "not in the reference"}).in(name, -1)
		}
		if elements, ok := value.([]any); ok {
			if wanted, ok := wanted.([]any); ok {
				if d := compareArrays(elements, wanted, name); d != nil {
					return d
				}
				continue
			}
		}
		if d := compareJSON(value, wanted); d != nil {
			return d.in(name, -1)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, ok := ours[name]; !ok {
			return (&difference{text: "only in the reference"}).in(name, -1)
		}
	}
	return nil
}

// compareArrays compares arrays that are the member name. (Kafka has no arrays of
// arrays.)
func compareArrays(ours, want []any, name string) *difference {
	if len(ours) != len(want) {
		return (&difference{text: fmt.Sprintf("%d elements, not %d as in the reference", len(ours), len(want))}).in(name, -1)
	}
	for i := range ours {
		if d := compareJSON(ours[i], want[i]); d != nil {
			return d.in(name, i)
		}
	}
	return nil
}

// sameNumber compares by value: integers digit by digit, as they can be above 2^53,
// everything else as float64.
func sameNumber(ours, want string) bool {
	if ours == want {
		return true
	}
	if isInteger(ours) && isInteger(want) {
		return false // JSON has no leading zeros
	}
	a, errA := strconv.ParseFloat(ours, 64)
	b, errB := strconv.ParseFloat(want, 64)
	if errA != nil || errB != nil {
		return false
	}
	if isInteger(ours) && math.Abs(b) >= 1<<53 {
		return false // an integer that the reference doesn't say exactly
	}
	return math.Float64bits(a) == math.Float64bits(b)
}

// isInteger reports whether a JSON number is a plain integer; -0 is a float64.
func isInteger(text string) bool { return !strings.ContainsAny(text, ".eE") && text != "-0" }

func shownValue(v any) string {
	const most = 60
	text, err := json.Marshal(v)
	if err != nil || len(text) <= most {
		return string(text)
	}
	return string(text[:most]) + "..."
}

// graft puts the unknown tags that ours has into want, which is equal but for them,
// and reports whether there were any.
func graft(want, ours any) (grafted bool) {
	switch ours := ours.(type) {
	case map[string]any:
		want := want.(map[string]any)
		for name, value := range ours {
			if inner, ok := want[name]; ok {
				grafted = graft(inner, value) || grafted
			} else {
				want[name], grafted = value, true
			}
		}
	case []any:
		for i, want := range want.([]any) {
			grafted = graft(want, ours[i]) || grafted
		}
	}
	return grafted
}
