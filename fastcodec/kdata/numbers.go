package kdata

// The elements of arrays of numbers. Each array makes its room once.

import (
	"encoding/binary"

	"github.com/kafkawire/kafkawire/fastcodec"
)

func appendInt8s(dst []byte, s []int8) []byte {
	dst = grow(dst, len(s))
	for _, v := range s {
		dst = append(dst, byte(v))
	}
	return dst
}

func appendInt16s(dst []byte, s []int16) []byte {
	dst = grow(dst, 2*len(s))
	for _, v := range s {
		dst = binary.BigEndian.AppendUint16(dst, uint16(v))
	}
	return dst
}

func appendInt32s(dst []byte, s []int32) []byte {
	dst = grow(dst, 4*len(s))
	for _, v := range s {
		dst = binary.BigEndian.AppendUint32(dst, uint32(v))
	}
	return dst
}

func appendInt64s(dst []byte, s []int64) []byte {
	dst = grow(dst, 8*len(s))
	for _, v := range s {
		dst = binary.BigEndian.AppendUint64(dst, uint64(v))
	}
	return dst
}

func appendUUIDs(dst []byte, s []fastcodec.UUID) []byte {
	dst = grow(dst, 16*len(s))
	for _, v := range s {
		dst = fastcodec.AppendUUID(dst, v)
	}
	return dst
}
