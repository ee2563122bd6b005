//go:build !kafkawiredebug

// The variant that costs nothing.

package life

// Debug reports whether uses after release are found.
const Debug = false

// Mark ties a message to the bytes that it was parsed from. It has no size: don't
// put it last in a struct, where Go would pad it.
type Mark struct{}

// Of gives the mark of the buffer that b lies in.
func Of(b []byte) Mark { return Mark{} }

// Check panics if the buffer was released.
func (Mark) Check() {}

// Begin says that buf, up to its capacity, is handed out.
func Begin(buf []byte) {}

// End says that buf is released.
func End(buf []byte) {
	if raceDetector {
		overwrite(buf)
	}
}
