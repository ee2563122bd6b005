package kview_test

// Rows L: lengths and counts.

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/fuzz/check"
	"github.com/kafkawire/kafkawire/internal/naive"
	"github.com/kafkawire/kafkawire/internal/schema"
)

func itoa(n int) string { return strconv.Itoa(n) }

func pastTheEnd(t *testing.T) {
	places(t, isLength, func(p *place) {
		// In so many bytes that what is left does not depend on the number.
		number := func(n int) []byte {
			if p.Varint() {
				return naive.Padded(uint64(n+1), 4)
			}
			return p.number(n)
		}
		body := p.with(number(20000), false)
		p.refused(body, fastcodec.ErrShort)
		left := len(body) - p.Offset - len(number(0))
		p.refused(p.with(number(left+1), false), fastcodec.ErrShort)
	})
}

func largestVarint(t *testing.T) {
	places(t, and(isVarint, kindIs(naive.Length, naive.Count, naive.TagCount, naive.TagSize)), func(p *place) {
		p.refused(p.with([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, false), p.past(math.MaxUint32))
	})
}

func hugeCount(t *testing.T) {
	var last *check.Message
	places(t, isCount, func(p *place) {
		number := p.number(1 << 27)
		body := p.with(number, true)
		start := time.Now()
		p.refused(body, fastcodec.ErrCount)
		if !p.nested() {
			p.refused(body[:p.Offset+len(number)], fastcodec.ErrCount)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%v: took %v", p.Message, d)
		}
		if last != p.Message && !reduced {
			// The error is all that is allocated.
			last = p.Message
			if n := testing.AllocsPerRun(1, func() { p.View.Parse(body, p.Version) }); n > 1 {
				t.Errorf("%v: %v allocations", p.Message, n)
			}
			if n := testing.AllocsPerRun(1, func() { p.Layout.Parse(&p.Index, body) }); n > 1 {
				t.Errorf("%v: engine: %v allocations", p.Message, n)
			}
		}
	})
}

func hugeCountFrame(t *testing.T) {
	payload, _, _, err := fastcodec.Split(check.Hex("000000080000000108000000"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, err := fastcodec.ParseResponse(payload, fastcodec.Metadata, 1)
	if err != nil {
		t.Fatal(err)
	}
	wantRefused(t, byName(t)("MetadataResponse", 1).Checker(), body, fastcodec.ErrCount, "Brokers", 0)
}

// manyElements makes 140,000 elements of each array that stands in a message
// itself, at one version of each encoding.
func manyElements(t *testing.T) {
	const n = 140_000
	arrays := 0
	last := ""
	for _, m := range everyVersion(t) {
		if name := m.Schema.Name + strconv.FormatBool(m.Flexible()); name == last {
			continue
		} else {
			last = name
		}
		v := m.Naive.Small()
		var ix layout.Index
		view := m.New()
		for i, f := range m.Naive.Fields {
			if !f.Array {
				continue
			}
			arrays++
			all := v.Fields[i].Items
			write := func(items []naive.Value) (body []byte, at int) {
				v.Fields[i].Items = items
				body, sites := m.Naive.Sites(&v, nil)
				for _, s := range sites {
					if s.Path == f.Name && s.Kind == naive.Count {
						at = s.Offset
					}
				}
				return body, at
			}
			none, at := write(all[:0])
			one, _ := write(all)
			v.Fields[i].Items = all
			size := len(one) - len(none)
			zero := naive.LengthBytes(0, f.CountCompact, false)
			element := one[at+len(zero) : at+len(zero)+size]
			body := slices.Concat(none[:at], naive.LengthBytes(n, f.CountCompact, false), bytes.Repeat(element, n), none[at+len(zero):])
			if err := view.Parse(body, m.Version); err != nil {
				t.Errorf("%v: %s: %v", m, f.Name, err)
			}
			if err := m.Layout.Parse(&ix, body); err != nil {
				t.Errorf("%v: %s: engine: %v", m, f.Name, err)
			}
			if end := len(body) - len(view.Trailing()); end != ix.End() || end != len(body) {
				t.Errorf("%v: %s: ends at %d of %d, engine at %d", m, f.Name, end, len(body), ix.End())
			}
		}
	}
	t.Logf("%d arrays", arrays)
	body := append(check.Hex("00000000"+"00000000"), check.Hex("000222e0")...)
	topic := check.Hex("0000" + "0001" + "61" + "00" + "00000000")
	body = append(body, bytes.Repeat(topic, 0x222e0)...)
	view := byName(t)("MetadataResponse", 1).New()
	if err := view.Parse(body, 1); err != nil || len(view.Trailing()) != 0 {
		t.Errorf("Metadata v1: %v, %d bytes left", err, len(view.Trailing()))
	}
}

// minusOne is for legacy forms; compact ones have no -1.
func minusOne(t *testing.T) {
	places(t, and(not(isVarint), not(isString), kindIs(naive.Length, naive.Count)), func(p *place) {
		body := p.with([]byte{0xff, 0xff, 0xff, 0xff}, true)
		if p.Nullable() {
			p.accepted(body, nil)
		} else {
			p.refused(body, fastcodec.ErrNull)
		}
	})
}

func belowMinusOne(t *testing.T) {
	places(t, and(not(isVarint), kindIs(naive.Length, naive.Count)), func(p *place) {
		for _, n := range []int{-2, math.MinInt16, -256} {
			body := p.with(p.number(n), true)
			if p.Nullable() {
				v := p.accepted(body, p.with(p.number(-1), true))
				if v.Odd != naive.OddLength {
					t.Errorf("%v: odd %v", p.Message, v.Odd.Names())
				}
			} else {
				p.refused(body, fastcodec.ErrNull)
			}
		}
	})
}

func badVarint(t *testing.T) {
	places(t, isVarint, func(p *place) {
		for _, in := range [][]byte{{0x81, 0x80, 0x80, 0x80, 0x80, 0x00}, {0x81, 0x80, 0x80, 0x80, 0x10}, {0xff, 0xff, 0xff, 0xff, 0xff}} {
			p.refused(p.with(in, false), fastcodec.ErrVarint)
		}
	})
}

func overlongVarint(t *testing.T) {
	places(t, isVarint, func(p *place) {
		n := uint64(p.N)
		if p.Kind == naive.Length || p.Kind == naive.Count {
			n++
		}
		for _, size := range []int{len(naive.Uvarint(n)) + 1, 5} {
			v := p.accepted(p.with(naive.Padded(n, size), false), p.body)
			if v.Odd != naive.OddVarint {
				t.Errorf("%v: odd %v", p.Message, v.Odd.Names())
			}
		}
	})
}

func elementsWithoutBytes(t *testing.T) {
	find := byName(t)
	const all = "7fffffff"
	for _, c := range []struct {
		version int16
		body    string
		want    error // nil: accepted
		path    string
		at      int
	}{
		// Fixed, Entries, Inline and InlineFixed have no bytes at v0.
		{0, all + "00000000" + "01", fastcodec.ErrCount, "Fixed", 0},
		{0, all + "00000000" + "01" + "0000000000000000", fastcodec.ErrCount, "Fixed", 0},
		{0, "00000000" + all + "01", fastcodec.ErrCount, "Entries", 4},
		{0, "00000001" + "00000000" + "01", nil, "", 0},
		{0, "00000000" + "00000001" + "01", nil, "", 0},
		{0, "00000000" + "00000002" + "01", fastcodec.ErrCount, "Entries", 4},
		{0, "00000000" + "00000002" + "01" + "ff", nil, "", 0}, // bound by the bytes left
		{0, "ffffffff" + "00000000" + "ff", nil, "", 0},
		{1, "00000000" + "00000000" + "ff" + all, fastcodec.ErrCount, "Nested", 9},
		{1, "00000000" + "00000000" + "ff" + "00000003" + "aabbcc", nil, "", 0},
		{1, "00000000" + "00000000" + "ff" + "00000004" + "aabbcc", fastcodec.ErrCount, "Nested", 9},
		// With tag sections an element has a byte.
		{3, "ffffffff07" + "01" + "0100" + "00" + "01" + "00", fastcodec.ErrCount, "Fixed", 0},
		{3, "01" + "ffffffff07" + "0100" + "00" + "01" + "00", fastcodec.ErrCount, "Entries", 1},
		{3, "03" + "0000" + "03" + "0000" + "0100" + "00" + "01" + "00", nil, "", 0},
	} {
		m := find("ShapeEmpty", c.version)
		body, start := check.Hex(c.body), time.Now()
		if c.want != nil {
			wantRefused(t, m.Checker(), body, c.want, c.path, c.at)
		} else {
			wantAccepted(t, m.Checker(), body, nil)
		}
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("%s: took %v", c.body, d)
		}
	}
}

// boundaryLengths puts strings and bytes of each such length in every place,
// inside of tagged fields and nullable structs too.
func boundaryLengths(t *testing.T) {
	content := bytes.Repeat([]byte{'x'}, 16383)
	n := 0
	for _, m := range everyVersion(t) {
		c, v := m.Checker(), m.Naive.Full()
		m.Naive.Each(&v, func(f *naive.Field, s *naive.Struct, leaf *naive.Value) {
			if s != nil || t.Failed() {
				return
			}
			old := leaf.Bytes
			for _, size := range []int{0, 1, 126, 127, 128, 16382, 16383} {
				leaf.Bytes = content[:size]
				if v, err := c.Check(m.Naive.Write(&v, nil)); err != nil || !v.Accepted || v.Odd&^naive.OddDefault != 0 {
					t.Errorf("%v: %s of %d bytes: accepted %v, odd %v, %v", m, f.Name, size, v.Accepted, v.Odd.Names(), err)
				}
				n++
			}
			leaf.Bytes = old
		})
	}
	t.Logf("%d bodies", n)
}

func trailingBytes(t *testing.T) {
	for _, m := range everyVersion(t) {
		c, v := m.Checker(), m.Naive.Full()
		for _, body := range [][]byte{m.Naive.Write(&v, nil), m.Layout.AppendSmallest(nil)} {
			for n := range 4 {
				tail := []byte{1, 0, 0xff}[:n]
				got := wantAccepted(t, c, append(bytes.Clone(body), tail...), nil)
				if got.End != len(body) || !bytes.Equal(c.View.Trailing(), tail) || cap(c.View.Trailing()) != n {
					t.Errorf("%v: ends at %d of %d, trailing %x", m, got.End, len(body), c.View.Trailing())
				}
			}
		}
	}
}

func longestString(t *testing.T) {
	content := bytes.Repeat([]byte{'x'}, fastcodec.MaxString+1)
	for _, m := range everyVersion(t) {
		c, v := m.Checker(), m.Naive.Full()
		m.Naive.Each(&v, func(f *naive.Field, s *naive.Struct, leaf *naive.Value) {
			if s != nil || f.Type != "string" || t.Failed() {
				return
			}
			old := leaf.Bytes
			leaf.Bytes = content[:fastcodec.MaxString]
			wantAccepted(t, c, m.Naive.Write(&v, nil), nil)
			leaf.Bytes = content
			if f.Compact {
				body, sites := m.Naive.Sites(&v, nil)
				i := slices.IndexFunc(sites, func(s naive.Site) bool { return isString(&s) && s.N == len(content) })
				wantRefused(t, c, body, fastcodec.ErrTooLong, sites[i].Path, sites[i].Offset)
			}
			leaf.Bytes = old
		})
	}
	// Behind an int16 there is no such length: it reads as a negative one.
	places(t, and(isString, not(isVarint)), func(p *place) {
		if body := p.with([]byte{0x80, 0}, true); p.Nullable() {
			p.accepted(body, p.with([]byte{0xff, 0xff}, true))
		} else {
			p.refused(body, fastcodec.ErrNull)
		}
	})
}

func countAboveBytes(t *testing.T) {
	places(t, kindIs(naive.Count, naive.TagCount), func(p *place) {
		number := func(n int) []byte {
			switch {
			case p.Kind == naive.TagCount:
				return naive.Padded(uint64(n), 4)
			case p.Varint():
				return naive.Padded(uint64(n+1), 4)
			}
			return p.number(n)
		}
		body := p.with(number(0), false)
		left := len(body) - p.Offset - len(number(0))
		p.refused(p.with(number(left+1), false), fastcodec.ErrCount)
	})
}

func above31Bits(t *testing.T) {
	places(t, and(isVarint, kindIs(naive.Length, naive.Count, naive.TagCount, naive.TagSize)), func(p *place) {
		for _, n := range []uint64{1 << 31, 1<<31 + 1, 3 << 30} {
			p.refused(p.with(binary.AppendUvarint(nil, n), false), p.past(n))
		}
	})
}

func notUTF8(t *testing.T) {
	n := 0
	for _, m := range everyVersion(t) {
		c, v := m.Checker(), m.Naive.Full()
		m.Naive.Each(&v, func(f *naive.Field, s *naive.Struct, leaf *naive.Value) {
			if s == nil && f.Type == "string" {
				leaf.Bytes = []byte{0xff, 0xc0, 0x80, byte(n)}
				n++
			}
		})
		wantAccepted(t, c, m.Naive.Write(&v, nil), nil)
	}
	if n == 0 {
		t.Error("no strings")
	}
}

// hugeFields gives bytes of more than 2^31-1 to the encoder, in memory that nobody
// touches.
func hugeFields(t *testing.T) {
	if strconv.IntSize == 32 || reduced || runtime.GOOS != "linux" {
		t.Skip("needs a slice of 2^31 bytes that takes no memory")
	}
	size := math.MaxInt32
	size++
	text, n := make([]byte, size), 0
	structFields(t, func(f *field) {
		if f.there && !f.schema.Array && (f.schema.Type == schema.Bytes || f.schema.Type == schema.Records) {
			n++
			f.set(text)
			f.fails(fastcodec.ErrTooLong, f.path)
		}
	})
	if n == 0 {
		t.Error("no such field")
	}
}

// longStrings gives strings that no version can carry to the encoder.
func longStrings(t *testing.T) {
	text := bytes.Repeat([]byte{'x'}, 40_000)
	n := 0
	structFields(t, func(f *field) {
		if !f.there || f.schema.Type != schema.String {
			return
		}
		n++
		for _, size := range []int{fastcodec.MaxString + 1, len(text)} {
			if f.schema.Array {
				f.set([][]byte{{}, text[:size]})
				f.fails(fastcodec.ErrTooLong, f.path+"[1]")
			} else {
				f.set(text[:size])
				f.fails(fastcodec.ErrTooLong, f.path)
			}
		}
	})
	if n == 0 {
		t.Error("no strings")
	}
}

func anyBool(t *testing.T) {
	places(t, func(s *naive.Site) bool { return s.Kind == naive.Fixed && s.Field.Type == "bool" }, func(p *place) {
		// What is written for true: nothing, where the tag's default is true.
		if _, err := p.Check(p.with([]byte{1}, false)); err != nil {
			t.Fatal(err)
		}
		yes := bytes.Clone(p.Canonical())
		for _, b := range []byte{2, 0x7f, 0x80, 0xff} {
			if v := p.accepted(p.with([]byte{b}, false), yes); v.Odd&naive.OddBool == 0 {
				t.Errorf("%v: %s: odd %v", p.Message, p.Path, v.Odd.Names())
			}
		}
	})
}
