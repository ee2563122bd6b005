// Package jsonform compares messages in the JSON form of Kafka's own converters, for
// tests.
package jsonform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// UnknownTags is the member of a struct that has its unknown tags, which Kafka's form
// lacks.
const UnknownTags = "unknownTags"

// Decode decodes a text; numbers are json.Number.
func Decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("%w in %.200s", err, text)
	}
	return v, nil
}

// Differ says where two decoded values differ, or "". Unknown tags in got are passed
// over where want has none.
func Differ(got, want any, path string) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: %v is no object", path, got)
		}
		g = maps.Clone(g)
		if w[UnknownTags] == nil {
			delete(g, UnknownTags)
		}
		for _, k := range slices.Sorted(maps.Keys(w)) {
			if _, ok := g[k]; !ok {
				return fmt.Sprintf("%s.%s: missing", path, k)
			}
			if d := Differ(g[k], w[k], path+"."+k); d != "" {
				return d
			}
			delete(g, k)
		}
		if len(g) > 0 {
			return fmt.Sprintf("%s: too many: %v", path, g)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("%s: %v, want %v", path, got, want)
		}
		for i := range w {
			if d := Differ(g[i], w[i], fmt.Sprintf("%s[%d]", path, i)); d != "" {
				return d
			}
		}
	case json.Number:
		g, ok := got.(json.Number)
		if ok && g != w {
			a, err1 := g.Float64()
			b, err2 := w.Float64()
			// Only float64 fields have other texts for the same number.
			ok = err1 == nil && err2 == nil && a == b && strings.ContainsAny(string(g+w), ".eE")
		}
		if !ok {
			return fmt.Sprintf("%s: %v, want %v", path, got, want)
		}
	default:
		if got != want {
			return fmt.Sprintf("%s: %v, want %v", path, got, want)
		}
	}
	return ""
}
