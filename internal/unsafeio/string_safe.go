//go:build kafkawiresafe

// The safe twins of the conversions.

package unsafeio

// Safe reports whether this build has no unsafe code.
const Safe = true

// String gives b as a string; in this build, a copy.
func String(b []byte) string { return string(b) }
