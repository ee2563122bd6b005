package naive

// Defaults.

import (
	"math"
	"strconv"
)

// DefaultOf is the value that a field has where it is not there.
func DefaultOf(f *Field) (v Value) {
	switch {
	case f.Default == "null":
		return Value{Null: true}
	case f.Array:
	case f.Type == "records":
		return Value{Null: true}
	case f.Type == "struct":
		for _, g := range f.Struct.Fields {
			v.Fields = append(v.Fields, DefaultOf(g))
		}
		v.Known = make([]*Value, len(f.Struct.Tags))
	case f.Type == "string":
		v.Bytes = []byte(f.Default)
	case f.Type == "bytes":
	case f.Type == "uuid":
		v.Bytes = make([]byte, 16)
	case f.Default == "true":
		v.Number = 1
	case f.Type == "float64":
		n, _ := strconv.ParseFloat(f.Default, 64)
		v.Number = int64(math.Float64bits(n))
	default:
		v.Number, _ = strconv.ParseInt(f.Default, 10, 64)
	}
	return v
}

// isDefault reports whether a writer leaves a tagged field with this value out.
func (f *Field) isDefault(v *Value) bool {
	d := DefaultOf(f)
	return f.same(v, &d)
}

// same compares two values of a field as Kafka does before it writes a tagged one.
func (f *Field) same(a, b *Value) bool {
	switch {
	case a.Null || b.Null:
		return a.Null == b.Null
	case f.Array:
		// No array has a default with elements.
		return len(a.Items) == 0 && len(b.Items) == 0
	case f.Type == "struct":
		for i, g := range f.Struct.Fields {
			if !g.same(&a.Fields[i], &b.Fields[i]) {
				return false
			}
		}
		for _, v := range []*Value{a, b} {
			for i, known := range v.Known {
				if known != nil && !f.Struct.Tags[i].isDefault(known) {
					return false
				}
			}
			for _, t := range v.Tags {
				if !t.Known {
					return false
				}
			}
		}
		return true
	case f.Type == "float64":
		// Zero and minus zero are the same, NaN is not even itself.
		return math.Float64frombits(uint64(a.Number)) == math.Float64frombits(uint64(b.Number))
	case f.Type == "bool":
		return (a.Number != 0) == (b.Number != 0)
	}
	return a.Number == b.Number && string(a.Bytes) == string(b.Bytes)
}
