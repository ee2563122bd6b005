// This file reads and writes version ranges, and says which header version a
// message version has.
package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseVersions reads a range as Kafka's schemas write it: "none", "3", "3+" or "3-5".
func ParseVersions(text string) (Versions, error) {
	if text == "none" {
		return None, nil
	}
	low, high, isRange := strings.Cut(text, "-")
	if rest, open := strings.CutSuffix(text, "+"); open {
		low, high, isRange = rest, strconv.Itoa(Forever), false
	} else if !isRange {
		high = low
	}
	from, ok1 := parseVersion(low)
	to, ok2 := parseVersion(high)
	if !ok1 || !ok2 || from > to || isRange && to == Forever {
		return None, fmt.Errorf("bad versions %q", text)
	}
	return Versions{from, to}, nil
}

// parseVersion takes digits only: no sign, no space.
func parseVersion(text string) (int16, bool) {
	n, err := strconv.ParseUint(text, 10, 15)
	return int16(n), err == nil
}

// String writes the range as ParseVersions reads it.
func (r Versions) String() string {
	switch {
	case r.Empty():
		return "none"
	case r.Max == Forever:
		return fmt.Sprintf("%d+", r.Min)
	case r.Min == r.Max:
		return strconv.Itoa(int(r.Min))
	}
	return fmt.Sprintf("%d-%d", r.Min, r.Max)
}

// Join is the union of two ranges; false if there would be a gap in it.
func (r Versions) Join(o Versions) (Versions, bool) {
	switch {
	case r.Empty():
		return o, true
	case o.Empty():
		return r, true
	}
	return Versions{min(r.Min, o.Min), max(r.Max, o.Max)},
		int(r.Min) <= int(o.Max)+1 && int(o.Min) <= int(r.Max)+1
}

// open is the range of a field that every version of the message has.
func (m *Message) open() Versions { return Versions{m.Valid.Min, Forever} }

// HeaderVersion is the version of the header in front of version v of a request
// or response: as HeaderVersions says, else by the rule (flexible or not).
func (m *Message) HeaderVersion(v int16) int16 {
	for _, h := range m.HeaderVersions {
		if h.Versions.Has(v) {
			return h.Header
		}
	}
	header := int16(0)
	if m.Kind == Request {
		header++
	}
	if m.Flexible.Has(v) {
		header++
	}
	return header
}
