// Package wire fuzzes what every message is made of: numbers, lengths, tagged fields,
// headers, frames. It stands apart from the messages, since a fuzz target pays for all
// the code in its program at each execution.
package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// FuzzUvarint: what is read is written again in its shortest form, and reads equal;
// the reader agrees with a plain one.
func FuzzUvarint(f *testing.F) {
	for _, seed := range []string{"00", "7f", "8001", "8100", "ffffffff0f", "ffffffff1f", "ffffffffff01", "80808080"} {
		f.Add(unhex(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, n := fastcodec.ConsumeUvarint(b)
		want, size := uint64(0), 0
		for i := 0; i < 5 && i < len(b); i++ {
			want |= uint64(b[i]&0x7f) << (7 * i)
			if b[i] < 0x80 {
				size = i + 1
				break
			}
		}
		if size == 5 && b[4] > 0x0f {
			size = 0
		}
		if (n > 0) != (size > 0) || n > 0 && (n != size || uint64(v) != want) {
			t.Fatalf("%x: %d in %d bytes, want %d in %d", b, v, n, want, size)
		}
		if n <= 0 {
			return
		}
		short := fastcodec.AppendUvarint(nil, v)
		again, m := fastcodec.ConsumeUvarint(short)
		if again != v || m != len(short) || m != fastcodec.SizeUvarint(v) || m > n {
			t.Fatalf("%d written as %x reads as %d", v, short, again)
		}
	})
}

// FuzzCompactLengths: a compact string or bytes that is read is written again equal
// but for the width of its length.
func FuzzCompactLengths(f *testing.F) {
	for _, seed := range []string{"00", "8000", "01", "8100", "0261", "820061", "ffffffff0f", "8080808008"} {
		f.Add(unhex(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, n := fastcodec.ConsumeNullableCompactBytes(b)
		if n < 0 {
			return
		}
		if n > len(b) || len(s) > 0 && !bytes.Equal(s, b[n-len(s):n]) {
			t.Fatalf("%x: %x in %d bytes", b, s, n)
		}
		out := fastcodec.AppendNullableCompactBytes(nil, s)
		again, m := fastcodec.ConsumeNullableCompactBytes(out)
		if m != len(out) || m > n || !bytes.Equal(again, s) || (again == nil) != (s == nil) {
			t.Fatalf("%x: %x written as %x reads as %x", b, s, out, again)
		}
	})
}

// FuzzTagSections: the tags of a section are written again in ascending order, and
// then nothing changes any more.
func FuzzTagSections(f *testing.F) {
	for _, seed := range []string{"00", "010000", "02000101010102", "0205000300", "ffffffff0f", "01ffffffff0f0161"} {
		f.Add(unhex(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tags, n := fastcodec.ConsumeTags(b)
		if n < 0 {
			return
		}
		list := tags.AppendTo(nil)
		if len(list) != tags.Len() {
			t.Fatalf("%x: %d tags of %d", b, len(list), tags.Len())
		}
		out := fastcodec.AppendTags(nil, list)
		if len(out) > n || len(out) != fastcodec.SizeTags(list) {
			t.Fatalf("%x: %d bytes written as %d", b, n, len(out))
		}
		tags, m := fastcodec.ConsumeTags(out)
		if m != len(out) || !bytes.Equal(fastcodec.AppendTags(nil, tags.AppendTo(nil)), out) {
			t.Fatalf("%x: written as %x, then otherwise", b, out)
		}
	})
}

// FuzzHeaders: a header that is read is written again with the same bytes, but for
// overlong varints and the order of tags; the peek agrees with it.
func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{"0003000c00000001000161" + "00", "0012000300000007ffff00", "000700000000000100000001", "7fff00010000000100", "000300"} {
		f.Add(unhex(seed), int16(3), int16(12))
	}
	f.Fuzz(func(t *testing.T, b []byte, key, version int16) {
		if h, body, err := fastcodec.ParseRequest(b); err == nil {
			k, v, id, _, ok := fastcodec.PeekRequest(b)
			// A header of version 0 has no client id, which is what the peek ends with.
			if !ok && h.HeaderVersion() > 0 || ok && (k != h.Key() || v != h.Version() || id != h.CorrelationID()) {
				t.Fatalf("%x: peeked %d %d %d", b, k, v, id)
			}
			if !bytes.Equal(append(bytes.Clone(h.Bytes()), body...), b) {
				t.Fatalf("%x: header and body are not the whole", b)
			}
		} else if !isTyped(err) {
			t.Fatalf("%x: %v", b, err)
		}
		h, body, err := fastcodec.ParseResponse(b, fastcodec.APIKey(key), version)
		switch {
		case err == nil && !bytes.Equal(append(bytes.Clone(h.Bytes()), body...), b):
			t.Fatalf("%x: header and body are not the whole", b)
		case err != nil && !isTyped(err):
			t.Fatalf("%x: %v", b, err)
		}
	})
}

// isTyped reports whether an error is of the module's own type.
func isTyped(err error) bool {
	var e *fastcodec.Error
	return errors.As(err, &e)
}

// FuzzFrames: a buffer cut at any point gives the frames that are whole before the
// cut. A frame ends where Split says, so it is enough to cut each on its own.
func FuzzFrames(f *testing.F) {
	f.Add(unhex("00000000" + "0000000161" + "000000026263"))
	f.Add(unhex("16030100ff"))
	f.Add(unhex("ffffffff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for rest := b; ; {
			payload, after, need, err := fastcodec.Split(rest)
			if err != nil || need > 0 {
				break
			}
			end := len(rest) - len(after)
			if size := binary.BigEndian.Uint32(rest); int(size) != len(payload) || end != 4+len(payload) {
				t.Fatalf("%x: a frame of %d bytes that ends at %d, want %d", b, len(payload), end, size)
			}
			for cut := range end {
				if _, after, need, err := fastcodec.Split(rest[:cut:cut]); err != nil || need <= 0 || cut+need > end || len(after) != cut {
					t.Fatalf("%x cut at %d: %d more wanted, %d left, %v", rest, cut, need, len(after), err)
				}
			}
			if again, after, need, err := fastcodec.Split(rest[:end:end]); err != nil || need != 0 || len(after) != 0 || !bytes.Equal(again, payload) {
				t.Fatalf("%x cut at %d: %x, %d left, %d more wanted, %v", rest, end, again, len(after), need, err)
			}
			rest = after
		}
	})
}
