// Reading lengths, and stepping over what isn't of the commonest form.

package rewrite

import (
	"encoding/binary"
	"math"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/internal/fault"
)

const maxString = fastcodec.MaxString

// uvarint reads an unsigned varint at off; next is negative where there is none.
func uvarint(b []byte, off int) (v uint32, next int) {
	if off >= len(b) {
		return 0, refused
	}
	if b[off] < 0x80 {
		return uint32(b[off]), off + 1
	}
	v, n := fault.Uvarint32(b[off:])
	if n < 0 {
		return 0, refused
	}
	return v, off + n
}

// span finds the content of a string, bytes or records at off, of any form; content
// is negative where the field doesn't fit, and 0 where it is null and ends at end.
func span(b []byte, off int, o *op) (content, end int) {
	if !o.wide {
		v, next := uvarint(b, off)
		switch {
		case next < 0 || v-1 > uint32(o.limit) && v != 0 || v == 0 && !o.null:
			return refused, refused
		case v == 0:
			return 0, next
		case uint64(v-1) > uint64(len(b)-next):
			return refused, refused
		}
		return next, next + int(v-1)
	}
	n, next := 0, 0
	if o.limit == maxString {
		if off > len(b)-2 {
			return refused, refused
		}
		n, next = int(int16(binary.BigEndian.Uint16(b[off:]))), off+2
	} else {
		if off > len(b)-4 {
			return refused, refused
		}
		n, next = int(int32(binary.BigEndian.Uint32(b[off:]))), off+4
	}
	switch {
	case n > len(b)-next || n < 0 && !o.null:
		return refused, refused
	case n < 0:
		return 0, next
	}
	return next, next + n
}

// longSpan steps over a compact string, bytes or records whose length has more than
// one byte, or which must not be null.
func longSpan(b []byte, off int, o *op) int {
	if content, end := span(b, off, o); content >= 0 {
		return end
	}
	return refused
}

// count reads the count of an array and compares it with the bytes left; -1 is null.
func count(b []byte, off int, o *op) (next, n int) {
	if !o.wide {
		var v uint32
		if off < len(b) && b[off] < 0x80 {
			v, next = uint32(b[off]), off+1
		} else if v, next = uvarint(b, off); next < 0 || v > math.MaxInt32 {
			return refused, 0
		}
		n = int(v) - 1
	} else {
		if off > len(b)-4 {
			return refused, 0
		}
		n, next = int(int32(binary.BigEndian.Uint32(b[off:off+4]))), off+4
	}
	if n <= 0 {
		if n < 0 && !o.null {
			return refused, 0
		}
		return next, max(n, -1)
	}
	if uint64(n)*uint64(max(o.least, 1)) > uint64(len(b)-next) {
		return refused, 0
	}
	return next, n
}

// text finds the content of a string that is not null: an element of an array.
func text(b []byte, off int, wide bool) (content, end int) {
	size := 0
	if wide {
		if off > len(b)-2 {
			return refused, refused
		}
		size, content = int(int16(binary.BigEndian.Uint16(b[off:off+2]))), off+2
	} else {
		v, next := uvarint(b, off)
		if next < 0 || v-1 > maxString {
			return refused, refused
		}
		size, content = int(v-1), next
	}
	if size < 0 || size > len(b)-content {
		return refused, refused
	}
	return content, content + size
}

// texts steps over n strings.
func texts(b []byte, off, n int, wide bool) int {
	for ; n > 0; n-- {
		if _, off = text(b, off, wide); off < 0 {
			return refused
		}
	}
	return off
}

// strided steps over n structs of fixed size: nothing but their tag counts has to
// be looked at.
func (s *state) strided(b []byte, o *op, off, n int) int {
	step := int(o.least)
	end := off + n*step
	if o.wide {
		return end
	}
	tags := byte(0)
	for i := off + step - 1; i < end; i += step {
		tags |= b[i]
	}
	if tags == 0 {
		return end
	}
	return s.run(b, o.sub, off, n)
}
