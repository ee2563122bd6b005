package fastcodec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"
)

// stream has a frame of each size, with bytes that tell them apart.
func stream(sizes ...int) (b []byte, payloads [][]byte) {
	for i, size := range sizes {
		p := make([]byte, size)
		for j := range p {
			p[j] = byte(i + j)
		}
		b, _ = AppendFrame(b, p)
		payloads = append(payloads, p)
	}
	return b, payloads
}

func TestSplitAtEveryPoint(t *testing.T) {
	b, payloads := stream(0, 1, 7, 300)
	for cut := range b {
		guarded(b[:cut], func(b []byte) {
			rest, at := b, 0
			for i := 0; ; i++ {
				payload, r, need, err := Split(rest)
				if err != nil {
					t.Fatalf("cut at %d: %v", cut, err)
				}
				if payload == nil {
					want := SizePrefix - len(rest)
					if want <= 0 {
						want = SizePrefix + len(payloads[i]) - len(rest)
					}
					if need != want || !bytes.Equal(r, rest) {
						t.Fatalf("cut at %d: frame %d needs %d, want %d", cut, i, need, want)
					}
					return
				}
				if need != 0 || !bytes.Equal(payload, payloads[i]) || cap(payload) != len(payload) {
					t.Fatalf("cut at %d: frame %d is %x, need %d", cut, i, payload, need)
				}
				rest, at = r, at+SizePrefix+len(payload)
			}
		})
	}
}

// readers are ways in which bytes arrive.
var readers = map[string]func([]byte) io.Reader{
	"at once":       func(b []byte) io.Reader { return bytes.NewReader(b) },
	"byte by byte":  func(b []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(b)) },
	"data with EOF": func(b []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(b)) },
	"ragged": func(b []byte) io.Reader {
		return &raggedReader{bytes.NewReader(b), rand.New(rand.NewPCG(1, 2))}
	},
}

// raggedReader reads 0 to 999 bytes at a time.
type raggedReader struct {
	r   io.Reader
	rnd *rand.Rand
}

func (r *raggedReader) Read(p []byte) (int, error) {
	n := min(len(p), r.rnd.IntN(1000))
	if n == 0 {
		return 0, nil
	}
	return r.r.Read(p[:n])
}

func TestReaderReadsFrames(t *testing.T) {
	b, payloads := stream(0, 1, 7, 63, 64, 65, 4091, 4092, 4095, 4096, 4097, 5000, 0, 8192, 100_000, 12, 1<<20, 3)
	for name, arrive := range readers {
		r := NewReader(arrive(b), Limits{})
		for i, want := range payloads {
			f, err := r.Next()
			if err != nil {
				t.Fatalf("%s: frame %d: %v", name, i, err)
			}
			if p := f.Payload(); !bytes.Equal(p, want) || cap(p) != len(p) {
				t.Fatalf("%s: frame %d of %d bytes differs (%d bytes)", name, i, len(want), len(p))
			}
			f.Release()
		}
		for range 2 {
			if f, err := r.Next(); err != io.EOF || f != nil {
				t.Errorf("%s: at the end: %v", name, err)
			}
		}
	}
}

func TestReaderEndsInsideAFrame(t *testing.T) {
	for _, size := range []int{1, 300, 5000, 20_000} {
		b, _ := stream(3, size)
		for _, cut := range []int{7 + 1, 7 + 2, 7 + 3, 7 + 4, 7 + 5, len(b) - size/2, len(b) - 1} {
			if cut >= len(b) {
				continue
			}
			for name, arrive := range readers {
				r := NewReader(arrive(b[:cut]), Limits{})
				if f, err := r.Next(); err != nil {
					t.Fatal(err)
				} else {
					f.Release()
				}
				if _, err := r.Next(); err != io.ErrUnexpectedEOF {
					t.Errorf("%s: %d of %d bytes: %v", name, cut, len(b), err)
				}
			}
		}
	}
}

func TestReaderGoesOnAfterAnErrorThatPasses(t *testing.T) {
	b, payloads := stream(10, 6000, 10)
	errPassing := errors.New("deadline")
	for _, at := range []int{0, 2, 4, 9, 14, 16, 18, 100, 4200, 5999} {
		r := NewReader(io.MultiReader(bytes.NewReader(b[:at]), iotest.ErrReader(errPassing)), Limits{})
		var got [][]byte
		var err error
		for err == nil {
			var f *Frame
			if f, err = r.Next(); err == nil {
				got = append(got, bytes.Clone(f.Payload()))
				f.Release()
			}
		}
		if err != errPassing {
			t.Errorf("error at %d: %v", at, err)
		}
		r.r = bytes.NewReader(b[at:])
		for len(got) < len(payloads) {
			f, err := r.Next()
			if err != nil {
				t.Fatalf("error at %d: after it %v", at, err)
			}
			got = append(got, bytes.Clone(f.Payload()))
			f.Release()
		}
		for i := range got {
			if !bytes.Equal(got[i], payloads[i]) {
				t.Errorf("error at %d: frame %d differs", at, i)
			}
		}
	}
}

func TestReaderStopsOnEmptyReads(t *testing.T) {
	for _, b := range [][]byte{nil, {0, 0, 0x20, 0}, append([]byte{0, 0, 0x20, 0}, make([]byte, 5000)...)} {
		r := NewReader(io.MultiReader(bytes.NewReader(b), emptyReader{}), Limits{})
		if _, err := r.Next(); err != io.ErrNoProgress {
			t.Errorf("after %d bytes: %v", len(b), err)
		}
	}
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

func TestReaderReset(t *testing.T) {
	b, payloads := stream(6000, 5)
	r := NewReader(bytes.NewReader(b[:5500]), Limits{})
	if _, err := r.Next(); err != io.ErrUnexpectedEOF {
		t.Fatal(err)
	}
	r.Reset(bytes.NewReader(b))
	for i := range payloads {
		f, err := r.Next()
		if err != nil || !bytes.Equal(f.Payload(), payloads[i]) {
			t.Fatalf("frame %d after Reset: %v", i, err)
		}
		f.Release()
	}
}

// TestReaderMemoryFollowsArrival watches the size of the buffer at each Read.
func TestReaderMemoryFollowsArrival(t *testing.T) {
	const promised = 100 << 20
	b := AppendInt32Length(nil, promised)
	b = append(b, make([]byte, 200_000)...)
	r := NewReader(nil, Limits{})
	arrived, largest := 0, 0
	r.r = readFunc(func(p []byte) (int, error) {
		if r.frame != nil {
			if c := cap(r.frame.buf); c > max(2*arrived, 64) {
				t.Fatalf("%d bytes of buffer after %d bytes", c, arrived)
			}
			largest = max(largest, cap(r.frame.buf))
		}
		n := copy(p[:min(len(p), 700)], b[arrived:])
		arrived += n
		if n == 0 {
			return 0, io.EOF
		}
		return n, nil
	})
	if _, err := r.Next(); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	if largest < 131072 || largest > 400_000 {
		t.Errorf("the buffer grew to %d", largest)
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func TestFrameBuffersAreReused(t *testing.T) {
	if raceEnabled || debugBuild {
		t.Skip("frames are pooled without the race detector and kafkawiredebug only")
	}
	b, payloads := stream(10, 100, 5000, 70_000)
	src := bytes.NewReader(nil)
	r := NewReader(src, Limits{})
	if n := testing.AllocsPerRun(50, func() {
		src.Reset(b)
		for range payloads {
			f, err := r.Next()
			if err != nil {
				panic(err)
			}
			f.Release()
		}
	}); n != 0 {
		t.Errorf("%v allocations for %d frames", n, len(payloads))
	}
}

func TestLimits(t *testing.T) {
	l := Limits{Index: 7}.WithDefaults()
	if l.Frame != 100<<20 || l.Index != 7 || l.Decompressed != DefaultLimits.Decompressed {
		t.Error(l)
	}
	for _, c := range []struct {
		prefix uint32
		limit  int
		err    error
	}{
		{0, 0, nil}, {1, 1, nil}, {2, 1, ErrFrameSize}, {100 << 20, 0, nil}, {100<<20 + 1, 0, ErrFrameSize},
		{1 << 31, 0, ErrFrameSize}, {1<<32 - 1, 1<<31 - 1, ErrFrameSize}, {1<<31 - 1, 1<<31 - 1, nil},
		{0x16030102, 0, ErrTLS}, {0x15030300, 0, ErrTLS}, {0x16030102, 1<<31 - 1, nil}, {0x16020102, 0, ErrFrameSize},
	} {
		_, err := Limits{Frame: c.limit}.frameSize(c.prefix)
		if !errors.Is(err, c.err) {
			t.Errorf("%#x under %d: %v", c.prefix, c.limit, err)
		}
	}
	_, _, _, err := Limits{Frame: 1000}.Split([]byte{0xff, 0xff, 0xff, 0xfe})
	if want := "frame: offset 0: frame size out of range: want 0 to 1000, not -2"; fmt.Sprint(err) != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}
