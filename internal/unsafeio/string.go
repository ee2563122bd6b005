//go:build !kafkawiresafe

// Conversions without a copy.

package unsafeio

import "unsafe"

// Safe reports whether this build has no unsafe code.
const Safe = false

// String gives b as a string without a copy. It holds as long as nobody writes to
// b: use it for a look-up or a parse, and let it go.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
