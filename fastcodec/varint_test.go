package fastcodec

import (
	"errors"
	"math"
	"testing"

	"github.com/kafkawire/kafkawire/internal/unsafeio"
)

// guarded runs f on a copy of b that ends at a page which faults.
func guarded(b []byte, f func(b []byte)) {
	g, free := unsafeio.Guarded(b)
	defer free()
	f(g)
}

func TestUvarintBoundaries(t *testing.T) {
	for _, v := range []uint32{0, 1, 127, 128, 129, 16383, 16384, 2097151, 2097152, 268435455, 268435456, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32} {
		b := AppendUvarint(nil, v)
		if len(b) != SizeUvarint(v) {
			t.Errorf("%d: size %d, wrote %d", v, SizeUvarint(v), len(b))
		}
		guarded(b, func(b []byte) {
			if got, n := ConsumeUvarint(b); got != v || n != len(b) {
				t.Errorf("%d: read %d, %d bytes", v, got, n)
			}
		})
		for cut := range b {
			guarded(b[:cut], func(b []byte) {
				if _, n := ConsumeUvarint(b); !errors.Is(ConsumeError(n), ErrShort) {
					t.Errorf("%d cut to %d: %v", v, cut, ConsumeError(n))
				}
			})
		}
	}
}

func TestUvarintForms(t *testing.T) {
	for _, c := range []struct {
		name string
		in   string
		v    uint32
		err  error
	}{
		{"overlong one", "\x81\x00", 1, nil},
		{"overlong zero", "\x80\x80\x80\x80\x00", 0, nil},
		{"largest", "\xff\xff\xff\xff\x0f", math.MaxUint32, nil},
		{"fifth byte above 0f", "\xff\xff\xff\xff\x10", 0, ErrVarint},
		{"fifth byte goes on", "\xff\xff\xff\xff\x8f\x00", 0, ErrVarint},
		{"six bytes", "\x80\x80\x80\x80\x80\x00", 0, ErrVarint},
		{"five bytes of six, cut", "\x80\x80\x80\x80\x80", 0, ErrVarint},
		{"nothing", "", 0, ErrShort},
	} {
		guarded([]byte(c.in), func(b []byte) {
			v, n := ConsumeUvarint(b)
			if err := ConsumeError(n); !errors.Is(err, c.err) || v != c.v {
				t.Errorf("%s: %d, %v", c.name, v, err)
			}
		})
	}
}

func TestZigzag(t *testing.T) {
	for _, v := range []int64{0, -1, 1, 63, -64, 64, -65, 8191, -8192, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64} {
		b := AppendVarlong(nil, v)
		got, n := ConsumeVarlong(b)
		if got != v || n != len(b) || n != SizeVarlong(v) {
			t.Errorf("varlong %d: %d, %d bytes of %d, size %d", v, got, n, len(b), SizeVarlong(v))
		}
		if _, n := ConsumeVarlong(b[:len(b)-1]); ConsumeError(n) != ErrShort {
			t.Errorf("varlong %d cut: %v", v, ConsumeError(n))
		}
		if v != int64(int32(v)) {
			continue
		}
		b = AppendVarint(nil, int32(v))
		got32, n := ConsumeVarint(b)
		if int64(got32) != v || n != len(b) || n != SizeVarint(int32(v)) {
			t.Errorf("varint %d: %d, %d bytes of %d", v, got32, n, len(b))
		}
	}
	if v, n := ConsumeVarlong([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")); v != math.MinInt64 || n != 10 {
		t.Errorf("largest: %d, %d", v, n)
	}
	for _, in := range []string{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"} {
		if _, n := ConsumeVarlong([]byte(in)); ConsumeError(n) != ErrVarint {
			t.Errorf("%x: %v", in, ConsumeError(n))
		}
	}
}
