// The diagnosis of runs: fields of fixed size that a parser checks with one
// comparison.
package fault

// FixedRun finds the field of a run that doesn't fit, where the run starts at
// offset off and have bytes are left from there: its name, its own offset and its
// size.
//
// A run is described by its fields in wire order, "Name:size" with a version
// range behind where the field isn't in all versions of the message:
//
//	PartitionIndex:4 ErrorCode:2 LeaderEpoch:4@5+ OldField:4@0-2 OneOnly:1@3
//
// Where all fields fit, the field is "".
func FixedRun(desc string, version int16, off, have int) (field string, at, size int) {
	for desc != "" {
		var item string
		item, desc = cut(desc, ' ')
		name, rest := cut(item, ':')
		sizeText, versions := cut(rest, '@')
		if !inRange(versions, version) {
			continue
		}
		size = number(sizeText)
		if have < size {
			return name, off, size
		}
		off += size
		have -= size
	}
	return "", off, 0
}

// inRange reports whether v lies in a range of the notation: "" all, "5+", "0-2", "3".
func inRange(r string, v int16) bool {
	if r == "" {
		return true
	}
	if r[len(r)-1] == '+' {
		return int(v) >= number(r[:len(r)-1])
	}
	low, high := cut(r, '-')
	if high == "" {
		return int(v) == number(low)
	}
	return number(low) <= int(v) && int(v) <= number(high)
}

// cut splits s around the first sep; all of s and "" where there is none.
func cut(s string, sep byte) (before, after string) {
	for i := 0; i < len(s); i++ {
		if s[i] == sep {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// number reads decimal digits.
func number(s string) (n int) {
	for i := 0; i < len(s); i++ {
		n = n*10 + int(s[i]-'0')
	}
	return n
}
