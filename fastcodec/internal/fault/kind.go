// What parsers ask of a Kind where their fast path does not apply.
package fault

// Compact reports whether the length or count is a uvarint of the value + 1.
func (k Kind) Compact() bool {
	switch k {
	case CompactString, CompactStringNullable, CompactBytes, CompactBytesNullable, CompactCount, CompactCountNullable:
		return true
	}
	return false
}

// Short reports whether the length is an int16.
func (k Kind) Short() bool { return k == String16 || k == String16Nullable }

// IsString reports whether at most MaxString bytes may follow.
func (k Kind) IsString() bool {
	return k.Short() || k == CompactString || k == CompactStringNullable
}

// Nullable reports whether the length or count may say null.
func (k Kind) Nullable() bool {
	switch k {
	case String16Nullable, CompactStringNullable, Bytes32Nullable, CompactBytesNullable, Count32Nullable, CompactCountNullable:
		return true
	}
	return false
}
