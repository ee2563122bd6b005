// Encoding by the plan: lengths, markers, defaults, and the smallest instance of
// a message.

package layout

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/internal/fault"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// appendLength appends the length or count of a field of kind k; -1 is null.
func appendLength(dst []byte, k fault.Kind, n int) []byte {
	switch {
	case k.Compact():
		return fastcodec.AppendCompactLength(dst, n)
	case k.Short():
		return fastcodec.AppendInt16Length(dst, n)
	}
	return fastcodec.AppendInt32Length(dst, n)
}

// appendMarker appends the marker of a nullable struct.
func appendMarker(dst []byte, f *field, null bool) []byte {
	switch {
	case f.tagged && null:
		return append(dst, 0)
	case null:
		return append(dst, 0xff)
	}
	return append(dst, 1)
}

// appendInteger appends a bool or integer of size bytes.
func appendInteger(dst []byte, v int64, size int) []byte {
	switch size {
	case 1:
		return append(dst, byte(v))
	case 2:
		return binary.BigEndian.AppendUint16(dst, uint16(v))
	case 4:
		return binary.BigEndian.AppendUint32(dst, uint32(v))
	}
	return binary.BigEndian.AppendUint64(dst, uint64(v))
}

// appendDefault appends a field, or the payload of a tagged one, at its default.
func appendDefault(dst []byte, f *field) []byte {
	text := f.schema.Default
	// Records without a default are null where they can be (FieldSpec of Kafka's generator).
	null := f.nullable && (text == "null" || text == "" && f.typ == schema.Records)
	switch {
	case f.array && null:
		return appendLength(dst, f.kind, -1)
	case f.array:
		return appendLength(dst, f.kind, 0)
	case f.of != nil:
		if f.nullable {
			dst = appendMarker(dst, f, null)
		}
		if null {
			return dst
		}
		for i := range f.of.fields {
			dst = appendDefault(dst, &f.of.fields[i])
		}
		if f.of.flexible {
			dst = append(dst, 0)
		}
		return dst
	case f.typ == schema.UUID:
		u, _ := fastcodec.ParseUUID(text)
		return fastcodec.AppendUUID(dst, u)
	case f.typ == schema.Float64:
		v, _ := strconv.ParseFloat(text, 64)
		return fastcodec.AppendFloat64(dst, v)
	case f.size > 0:
		v, _ := strconv.ParseInt(text, 0, 64)
		if text == "true" {
			v = 1
		}
		return appendInteger(dst, v, f.size)
	case null:
		return appendLength(dst, f.kind, -1)
	case f.typ == schema.String:
		return append(appendLength(dst, f.kind, len(text)), text...)
	}
	return appendLength(dst, f.kind, 0)
}

// isDefault reports whether the payload of a tagged field, in its canonical form,
// says no more than the default, so that a writer leaves it out.
func (f *field) isDefault(payload []byte) bool {
	if f.typ == schema.Float64 && !f.array {
		// As numbers: zero and minus zero are the same to Kafka.
		return len(payload) == 8 && float(payload) == float(f.initial)
	}
	return string(payload) == string(f.initial)
}

func float(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) }

// AppendSmallest appends the smallest instance that has every field: numbers 0 and
// bools false, strings and bytes empty, nullable ones empty and nullable structs
// there rather than null, one element in each array, records one empty batch of
// 61 bytes; no tagged fields.
func (m *Message) AppendSmallest(dst []byte) []byte {
	return m.root.appendSmallest(dst)
}

func (t *structure) appendSmallest(dst []byte) []byte {
	for i := range t.fields {
		dst = t.fields[i].appendSmallest(dst)
	}
	if t.flexible {
		dst = append(dst, 0)
	}
	return dst
}

func (f *field) appendSmallest(dst []byte) []byte {
	switch {
	case f.array:
		dst = appendLength(dst, f.kind, 1)
		if f.typ == schema.String {
			return appendLength(dst, f.element, 0)
		}
	case f.of != nil && f.nullable:
		dst = appendMarker(dst, f, false)
	case f.typ == schema.Records:
		return append(appendLength(dst, f.kind, len(emptyBatch)), emptyBatch...)
	}
	switch {
	case f.of != nil:
		return f.of.appendSmallest(dst)
	case f.size > 0:
		return append(dst, make([]byte, f.size)...)
	}
	return appendLength(dst, f.kind, 0)
}

// emptyBatch is a record batch without records, every number 0 but its length (49
// bytes behind that field), magic and checksum.
const emptyBatch = "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x31" + "\x00\x00\x00\x00" + "\x02" + "\x59\x5f\xb7\xdd" +
	"\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00"
