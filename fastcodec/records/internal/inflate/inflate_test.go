package inflate

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	kflate "github.com/klauspost/compress/flate"

	"github.com/kafkawire/kafkawire/internal/unsafeio"
)

// texts are inputs of many kinds: what they have in common is their sizes.
func texts(n int) map[string][]byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	random, skewed, words := make([]byte, n), make([]byte, n), []byte{}
	for i := range random {
		random[i] = byte(r.Uint32())
		skewed[i] = byte(r.ExpFloat64() * 6) // long codes
	}
	for len(words) < n {
		words = fmt.Appendf(words, "%s=%d;", []string{"alpha", "beta", "gamma", "delta", "order", "customer"}[r.IntN(6)], r.IntN(1000))
	}
	return map[string][]byte{
		"zeros": make([]byte, n), "random": random, "skewed": skewed, "words": words[:n],
		"short period": bytes.Repeat([]byte("abc"), n/3+1)[:n], "middle period": bytes.Repeat([]byte("0123456789"), n/10+1)[:n],
		"long period": bytes.Repeat(random[:min(n, 20000)], 5)[:n],
	}
}

// pack writes deflate of all kinds, by two libraries.
func pack(t testing.TB, plain []byte) (all [][]byte) {
	for _, level := range []int{-2, 0, 1, 5, 9} {
		var a, b bytes.Buffer
		w, err := flate.NewWriter(&a, level)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(plain[:len(plain)/2])
		w.Flush()
		w.Write(plain[len(plain)/2:])
		w.Close()
		k, err := kflate.NewWriter(&b, level)
		if err != nil {
			t.Fatal(err)
		}
		k.Write(plain)
		k.Close()
		all = append(all, a.Bytes(), b.Bytes())
	}
	return all
}

// TestAppend: what was packed comes out, whatever room there is, and the stream's end
// is found.
func TestAppend(t *testing.T) {
	var d Decoder
	for _, n := range []int{0, 1, 2, 10, 257, 300, 1000, 70000} {
		for name, plain := range texts(n) {
			for i, packed := range pack(t, plain) {
				src, free := unsafeio.Guarded(packed)
				for _, room := range []int{0, 1, n, n + Slack, 3*n + 1000} {
					dst := append(make([]byte, 0, 6+room), "before"...)
					out, used, err := d.Append(dst, src, 6+n)
					if err != nil || used != len(src) || string(out[:6]) != "before" || !bytes.Equal(out[6:], plain) {
						t.Fatalf("%s of %d, pack %d, room %d: %v, %d of %d bytes used, %d out", name, n, i, room, err, used, len(src), len(out))
					}
					if room == n+Slack && &out[0] != &dst[0] {
						t.Fatalf("%s of %d, pack %d: new memory", name, n, i)
					}
					if cap(out) > 6+max(n, room)+Slack {
						t.Fatalf("%s of %d, room %d: capacity %d", name, n, room, cap(out))
					}
				}
				out, used, err := d.Append(nil, append(bytes.Clone(packed), "behind"...), n)
				if err != nil || used != len(packed) || !bytes.Equal(out, plain) {
					t.Fatalf("%s of %d, pack %d: %v, %d of %d bytes used", name, n, i, err, used, len(packed))
				}
				if n > 0 {
					if _, _, err := d.Append(nil, packed, n-1); !errors.Is(err, ErrLimit) {
						t.Fatalf("%s of %d, pack %d: %v", name, n, i, err)
					}
				}
				free()
			}
		}
	}
}

// TestCut: a stream that is cut is an error at every place.
func TestCut(t *testing.T) {
	var d Decoder
	for name, plain := range texts(700) {
		for _, packed := range pack(t, plain) {
			for cut := range packed {
				src, free := unsafeio.Guarded(packed[:cut])
				if _, _, err := d.Append(nil, src, 1<<20); !errors.Is(err, ErrCorrupt) {
					t.Fatalf("%s: cut at %d of %d: %v", name, cut, len(packed), err)
				}
				free()
			}
		}
	}
}

// TestDamaged: the verdict on damaged streams is that of the standard library, but for a
// block without an end, and so is what comes out.
func TestDamaged(t *testing.T) {
	n := 10000
	if testing.Short() {
		n = 2000
	}
	var d Decoder
	r := rand.New(rand.NewPCG(3, 4))
	var packed [][]byte
	for _, size := range []int{20, 700, 5000} {
		for _, plain := range texts(size) {
			packed = append(packed, pack(t, plain)...)
		}
	}
	accepted := 0
	for range n {
		b := bytes.Clone(packed[r.IntN(len(packed))])
		for range 1 + r.IntN(3) {
			at := r.IntN(len(b))
			if r.IntN(2) == 0 {
				at = r.IntN(min(len(b), 80))
			}
			b[at] ^= 1 << r.IntN(8)
		}
		if compare(t, &d, b) {
			accepted++
		}
	}
	if accepted < n/50 || accepted > n*3/4 {
		t.Errorf("%d of %d accepted", accepted, n)
	}
}

// compare holds a stream against the standard library.
func compare(t testing.TB, d *Decoder, b []byte) (accepted bool) {
	const limit = 1 << 20
	src := bytes.NewReader(b)
	want, wantErr := io.ReadAll(io.LimitReader(flate.NewReader(src), limit+1))
	got, used, err := d.Append(nil, b, limit)
	switch {
	case len(want) > limit:
		if !errors.Is(err, ErrLimit) {
			t.Fatalf("%x: %v, want too much", b, err)
		}
	case wantErr != nil:
		if !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%x: %v, want %v", b, err, wantErr)
		}
	case err != nil && len(got) <= len(want):
		return false // zlib knows more ways to be wrong
	case err != nil || !bytes.Equal(got, want) || used != len(b)-src.Len():
		t.Fatalf("%x: %v, %d bytes, %d used, want %d and %d", b, err, len(got), used, len(want), len(b)-src.Len())
	}
	return err == nil
}

func FuzzInflate(f *testing.F) {
	for _, n := range []int{0, 20, 300} {
		for _, plain := range texts(n) {
			for _, packed := range pack(f, plain) {
				f.Add(packed)
			}
		}
	}
	var d Decoder
	f.Fuzz(func(t *testing.T, b []byte) { compare(t, &d, b) })
}

func BenchmarkInflate(b *testing.B) {
	for name, plain := range texts(70000) {
		var buf bytes.Buffer
		w, _ := kflate.NewWriter(&buf, -1)
		w.Write(plain)
		w.Close()
		packed := buf.Bytes()
		b.Run(name+"/here", func(b *testing.B) {
			b.SetBytes(int64(len(plain)))
			var d Decoder
			dst := make([]byte, 0, len(plain)+Slack)
			for b.Loop() {
				if _, _, err := d.Append(dst, packed, len(plain)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/klauspost", func(b *testing.B) {
			b.SetBytes(int64(len(plain)))
			src := bytes.NewReader(packed)
			r := kflate.NewReader(src)
			dst := make([]byte, len(plain))
			for b.Loop() {
				src.Reset(packed)
				r.(kflate.Resetter).Reset(src, nil)
				if _, err := io.ReadFull(r, dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
