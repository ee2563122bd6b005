package kview

// Loads from a body that a parse has checked. They can't fail; a view that has
// outlived its body panics rather than read zeros. Each has one bounds check:
// offsets stay uint32 until the slice expression.

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/kafkawire/kafkawire/fastcodec"
)

func (m *message) bool(o uint32) bool { return m.uint8(o) != 0 }

func (m *message) int8(o uint32) int8 { return int8(m.uint8(o)) }

func (m *message) int16(o uint32) int16 { return int16(m.uint16(o)) }

func (m *message) int32(o uint32) int32 { return int32(m.uint32(o)) }

func (m *message) int64(o uint32) int64 { return int64(m.uint64(o)) }

func (m *message) float64(o uint32) float64 { return math.Float64frombits(m.uint64(o)) }

func (m *message) errorCode(o uint32) fastcodec.ErrorCode { return fastcodec.ErrorCode(m.uint16(o)) }

func (m *message) apiKey(o uint32) fastcodec.APIKey { return fastcodec.APIKey(m.uint16(o)) }

func (m *message) uint8(o uint32) uint8 {
	m.life.Check()
	return m.b[o]
}

func (m *message) uint16(o uint32) uint16 {
	m.life.Check()
	i := int(o)
	return binary.BigEndian.Uint16(m.b[i : i+2])
}

func (m *message) uint32(o uint32) uint32 {
	m.life.Check()
	i := int(o)
	return binary.BigEndian.Uint32(m.b[i : i+4])
}

func (m *message) uint64(o uint32) uint64 {
	m.life.Check()
	i := int(o)
	return binary.BigEndian.Uint64(m.b[i : i+8])
}

func (m *message) uuid(o uint32) fastcodec.UUID {
	m.life.Check()
	i := int(o)
	b := m.b[i : i+16]
	return fastcodec.UUID{Hi: binary.BigEndian.Uint64(b), Lo: binary.BigEndian.Uint64(b[8:])}
}

// bytes is the content of a string, bytes or records field: nil where it is null.
func (m *message) bytes(s, e uint32) []byte {
	m.life.Check()
	if s == nullBase {
		return nil
	}
	return m.b[s:e:e]
}

// errIndex is what At panics with where a slice would with its own error: a
// panic with a value that is there already lets At inline.
var errIndex = errors.New("kview: index out of range")

// entry is the position of element i of an array of n entries of so many words.
func entry(i int, n, base uint32, words int) int {
	if uint(i) >= uint(n) {
		panic(errIndex)
	}
	return int(base) + i*words
}

// element is the offset of element i of an array of n fixed-size structs.
func (m *message) element(i int, n, base, size uint32) uint32 {
	if uint(i) >= uint(n) {
		panic(errIndex)
	}
	if base&entriesBit != 0 {
		return m.words[base&^entriesBit+uint32(i)]
	}
	return base + uint32(i)*size
}

// tags is the section of tagged fields at o, without the known ones.
func (m *message) tags(o uint32, known uint32) fastcodec.Tags {
	m.life.Check()
	return fastcodec.NewTags(m.b[o:], known)
}

// tagsSince is tags from a version on.
func (m *message) tagsSince(version int16, o uint32, known uint32) fastcodec.Tags {
	if m.version < version {
		return fastcodec.Tags{}
	}
	return m.tags(o, known)
}

// empty is what reads as an empty string; no append can reach it.
var empty = []byte{}
