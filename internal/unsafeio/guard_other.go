//go:build !linux && !darwin

// The stand-in for guard pages on other systems.

package unsafeio

// Guards reports whether this system has guard pages; without them Guarded and
// Protected give plain copies.
const Guards = false

// Guarded copies b.
func Guarded(b []byte) (guarded []byte, free func()) {
	guarded, _, free = Protected(b)
	return guarded, free
}

// Protected copies b; protect and free do nothing.
func Protected(b []byte) (guarded []byte, protect, free func()) {
	guarded = make([]byte, len(b))
	copy(guarded, b)
	return guarded, func() {}, func() {}
}
