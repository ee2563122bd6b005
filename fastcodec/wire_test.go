package fastcodec

import (
	"bytes"
	"math"
	"testing"
)

// form is one encoding of strings or bytes.
type form struct {
	name     string
	append   func(dst, p []byte) []byte
	consume  func(b []byte) ([]byte, int)
	size     func(n int) int
	nullable bool
	null     string // its own encoding of null
	str      bool   // at most MaxString bytes
}

var forms = []form{
	{"String", AppendString, ConsumeString, SizeString, false, "\xff\xff", true},
	{"NullableString", AppendNullableString, ConsumeNullableString, SizeString, true, "\xff\xff", true},
	{"CompactString", AppendCompactString, ConsumeCompactString, SizeCompactString, false, "\x00", true},
	{"NullableCompactString", AppendNullableCompactString, ConsumeNullableCompactString, SizeCompactString, true, "\x00", true},
	{"Bytes", AppendBytes, ConsumeBytes, SizeBytes, false, "\xff\xff\xff\xff", false},
	{"NullableBytes", AppendNullableBytes, ConsumeNullableBytes, SizeBytes, true, "\xff\xff\xff\xff", false},
	{"CompactBytes", AppendCompactBytes, ConsumeCompactBytes, SizeCompactBytes, false, "\x00", false},
	{"NullableCompactBytes", AppendNullableCompactBytes, ConsumeNullableCompactBytes, SizeCompactBytes, true, "\x00", false},
}

func TestFormsRoundTrip(t *testing.T) {
	for _, f := range forms {
		for _, n := range []int{0, 1, 126, 127, 128, 16382, 16383, 16384, MaxString} {
			p := bytes.Repeat([]byte{'x'}, n)
			b := f.append([]byte("before"), p)[len("before"):]
			if len(b) != f.size(n) {
				t.Errorf("%s %d: size %d, wrote %d", f.name, n, f.size(n), len(b))
			}
			guarded(b, func(b []byte) {
				got, m := f.consume(b)
				if m != len(b) || !bytes.Equal(got, p) || got == nil || cap(got) != len(got) {
					t.Errorf("%s %d: %d bytes read, %d long, nil %v, cap %d", f.name, n, m, len(got), got == nil, cap(got))
				}
			})
			for _, cut := range []int{0, 1, 2, 3, len(b) - 1} {
				if cut < 0 || cut >= len(b) {
					continue
				}
				guarded(b[:cut], func(b []byte) {
					if _, m := f.consume(b); ConsumeError(m) != ErrShort {
						t.Errorf("%s %d cut to %d: %v", f.name, n, cut, ConsumeError(m))
					}
				})
			}
		}
	}
}

func TestFormsNull(t *testing.T) {
	for _, f := range forms {
		got, n := f.consume([]byte(f.null + "rest"))
		switch {
		case !f.nullable && ConsumeError(n) != ErrNull:
			t.Errorf("%s: null reads as %q, %d", f.name, got, n)
		case f.nullable && (got != nil || n != len(f.null)):
			t.Errorf("%s: null reads as %q, %d", f.name, got, n)
		}
		want := f.null
		if !f.nullable {
			want = string(f.append(nil, []byte{})) // nil is empty where null isn't legal
		}
		if b := f.append(nil, nil); string(b) != want || len(b) != f.size(0) {
			t.Errorf("%s: nil writes %x, want %x", f.name, b, want)
		}
	}
}

func TestFormsTooLong(t *testing.T) {
	for _, f := range forms {
		if !f.str {
			continue
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: 32768 bytes were written", f.name)
				}
			}()
			f.append(nil, make([]byte, MaxString+1))
		}()
	}
	long := AppendCompactBytes(nil, make([]byte, MaxString+1))
	for _, b := range [][]byte{long, long[:10]} {
		if _, n := ConsumeCompactString(b); ConsumeError(n) != ErrTooLong {
			t.Errorf("32768 bytes, %d there: %v", len(b), ConsumeError(n))
		}
	}
}

func TestLengths(t *testing.T) {
	for _, c := range []struct {
		name   string
		f      func([]byte) (int, int)
		in     string
		length int
		err    error
	}{
		{"int16", ConsumeInt16Length, "\x7f\xff", 32767, nil},
		{"int16 null", ConsumeInt16Length, "\xff\xff", -1, nil},
		{"int16 -2", ConsumeInt16Length, "\xff\xfe", -1, nil},
		{"int16 -32768", ConsumeInt16Length, "\x80\x00", -1, nil},
		{"int16 short", ConsumeInt16Length, "\x00", 0, ErrShort},
		{"int32", ConsumeInt32Length, "\x7f\xff\xff\xff", math.MaxInt32, nil},
		{"int32 null", ConsumeInt32Length, "\xff\xff\xff\xff", -1, nil},
		{"int32 -2", ConsumeInt32Length, "\xff\xff\xff\xfe", -1, nil},
		{"int32 short", ConsumeInt32Length, "\x00\x00\x00", 0, ErrShort},
		{"compact null", ConsumeCompactLength, "\x00", -1, nil},
		{"compact null, overlong", ConsumeCompactLength, "\x80\x00", -1, nil},
		{"compact 0", ConsumeCompactLength, "\x01", 0, nil},
		{"compact largest", ConsumeCompactLength, "\x80\x80\x80\x80\x08", math.MaxInt32, nil},
		{"compact 2^31", ConsumeCompactLength, "\x81\x80\x80\x80\x08", 0, ErrCount},
		{"compact 2^32-2", ConsumeCompactLength, "\xff\xff\xff\xff\x0f", 0, ErrCount},
		{"compact short", ConsumeCompactLength, "\xff", 0, ErrShort},
	} {
		guarded([]byte(c.in), func(b []byte) {
			length, n := c.f(b)
			if err := ConsumeError(n); err != c.err || length != c.length || err == nil && n != len(b) {
				t.Errorf("%s: %d, %d bytes, %v", c.name, length, n, err)
			}
		})
	}
	for _, n := range []int{-1, 0, 1, 126, 127, 128, math.MaxInt32 - 1} {
		if b := AppendCompactLength(nil, n); len(b) != SizeCompactLength(n) {
			t.Errorf("compact %d: size %d, wrote %d", n, SizeCompactLength(n), len(b))
		} else if got, _ := ConsumeCompactLength(b); got != n {
			t.Errorf("compact %d: read %d", n, got)
		}
		if got, _ := ConsumeInt32Length(AppendInt32Length(nil, n)); got != n {
			t.Errorf("int32 %d: read %d", n, got)
		}
	}
}

func TestFixed(t *testing.T) {
	u := UUID{0x0102030405060708, 0x090a0b0c0d0e0f10}
	if got, n := ConsumeUUID(AppendUUID(nil, u)); got != u || n != SizeUUID {
		t.Errorf("uuid: %v, %d", got, n)
	}
	if _, n := ConsumeUUID(make([]byte, 15)); ConsumeError(n) != ErrShort {
		t.Errorf("uuid of 15 bytes: %v", ConsumeError(n))
	}
	for _, v := range []float64{0, math.Copysign(0, -1), 1.5, math.Inf(-1), math.NaN()} {
		got, n := ConsumeFloat64(AppendFloat64(nil, v))
		if math.Float64bits(got) != math.Float64bits(v) || n != SizeFloat64 {
			t.Errorf("float64 %v: %v, %d", v, got, n)
		}
	}
	if _, n := ConsumeFloat64(make([]byte, 7)); ConsumeError(n) != ErrShort {
		t.Errorf("float64 of 7 bytes: %v", ConsumeError(n))
	}
}
