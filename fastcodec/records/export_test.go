// What tests outside of the package see of it.

package records

// Edited gives what an edit asks for.
func Edited(e *Edit) (key, value []byte, newKeyToo, newValueToo bool) {
	return e.key, e.value, e.what&newKey != 0, e.what&newValue != 0
}

// Dropped reports whether an edit leaves the record out.
func Dropped(e *Edit) bool { return e.what&dropped != 0 }
