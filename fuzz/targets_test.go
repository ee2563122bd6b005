package fuzz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fuzz/check"
)

// FuzzUvarint: what is read is written again in its shortest form, and reads equal;
// the reader agrees with a plain one.
func FuzzUvarint(f *testing.F) {
	for _, seed := range []string{"00", "7f", "8001", "8100", "ffffffff0f", "ffffffff1f", "ffffffffff01", "80808080"} {
		f.Add(check.Hex(seed))
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
		f.Add(check.Hex(seed))
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
		f.Add(check.Hex(seed))
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
		f.Add(check.Hex(seed), int16(3), int16(12))
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

// FuzzFrames: a buffer split at every point gives the same frames as the whole.
func FuzzFrames(f *testing.F) {
	f.Add(check.Hex("00000000" + "0000000161" + "000000026263"))
	f.Add(check.Hex("16030100ff"))
	f.Add(check.Hex("ffffffff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var frames [][]byte
		rest := b
		for {
			payload, after, need, err := fastcodec.Split(rest)
			if err != nil || need > 0 {
				break
			}
			if size := binary.BigEndian.Uint32(rest); int(size) != len(payload) {
				t.Fatalf("%x: a frame of %d bytes, want %d", b, len(payload), size)
			}
			frames, rest = append(frames, payload), after
		}
		for cut := range b {
			got := 0
			rest := b[:cut:cut]
			for {
				payload, after, need, err := fastcodec.Split(rest)
				if err != nil || need > 0 {
					break
				}
				if got == len(frames) || !bytes.Equal(payload, frames[got]) {
					t.Fatalf("%x cut at %d: frame %d is %x", b, cut, got, payload)
				}
				got, rest = got+1, after
			}
		}
	})
}

// FuzzParse: views, engine and naive reader give the same verdict on a body of any
// message, the same values and the same index, and what is accepted is written
// again so that nothing changes any more.
func FuzzParse(f *testing.F) {
	messages, err := check.Messages()
	if err != nil {
		f.Fatal(err)
	}
	seeds, err := check.Seeds(messages)
	if err != nil {
		f.Fatal(err)
	}
	checkers := make([]*check.Checker, len(messages))
	for i, m := range messages {
		for _, body := range seeds[m] {
			if len(body) <= 64 {
				f.Add(uint16(i), body)
				break
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint16, body []byte) {
		i := int(which) % len(messages)
		if checkers[i] == nil {
			checkers[i] = messages[i].Checker()
		}
		if _, err := checkers[i].Check(body); err != nil {
			t.Fatalf("%s: %x: %v", messages[i], body, err)
		}
	})
}

// FuzzRoundTrip: a body that a view accepts, copied into a struct and written, is
// accepted again and written the same.
func FuzzRoundTrip(f *testing.F) {
	messages, err := check.Messages()
	if err != nil {
		f.Fatal(err)
	}
	codecs := make([]*kview.Codec, len(messages))
	for i := range messages {
		if i%7 == 0 {
			f.Add(uint16(i), []byte{0, 0, 0, 0, 0, 0, 0, 0})
		}
	}
	f.Fuzz(func(t *testing.T, which uint16, body []byte) {
		i := int(which) % len(messages)
		m := messages[i]
		if codecs[i] == nil {
			codecs[i] = m.Codec()
		}
		c := codecs[i]
		if c.View.Parse(body, m.Version) != nil {
			return
		}
		trailing := bytes.Clone(c.View.Trailing())
		c.Copy()
		once, err := c.Data.AppendTo(nil, m.Version)
		if err != nil {
			t.Fatalf("%s: %x: %v", m, body, err)
		}
		// With the trailing bytes: they are part of what bounds a count.
		if err := c.View.Parse(append(bytes.Clone(once), trailing...), m.Version); err != nil {
			t.Fatalf("%s: %x written as %x: %v", m, body, once, err)
		}
		c.Copy()
		if twice, err := c.Data.AppendTo(nil, m.Version); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s: %x written as %x, then %x (%v)", m, body, once, twice, err)
		}
	})
}
