// Package life watches over the bytes that views read in place. A pooled buffer
// begins to live when it is handed out and ends when it is released; a message
// that was parsed from it keeps a Mark, which its accessors check.
//
// In normal builds all of it is empty and costs nothing. With the build tag
// kafkawiredebug the end of a buffer overwrites its bytes, keeps it out of the
// pools for good, and makes every Check of a mark of it panic. Under the race
// detector the end counts as a write to the bytes, so that a reader that is still
// at them is reported.
package life

// Poison is what bytes read after their release in builds that overwrite them. As
// a length or count it is negative or longer than any frame.
const Poison = 0xdb

// Poisons reports whether this build overwrites released bytes.
const Poisons = Debug || raceDetector

// overwrite is the write that builds with Poisons do at the end of a buffer.
func overwrite(buf []byte) {
	for i := range buf {
		buf[i] = Poison
	}
}
