package fastcodec

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// section writes a tag section of number, payload pairs, in the order given.
func section(tags ...Tag) []byte {
	b := AppendUvarint(nil, uint32(len(tags)))
	for i := range tags {
		b = appendTag(b, &tags[i])
	}
	return b
}

func tag(number uint32, data string) Tag { return Tag{number, []byte(data)} }

func TestTagsInPlace(t *testing.T) {
	s := section(tag(3, "three"), tag(0, "known"), tag(7, ""), tag(3, "again"), tag(40, "large"), tag(1<<32-1, "last"))
	for _, c := range []struct {
		name    string
		section []byte
		known   uint32
		want    string
	}{
		{"none known", s, 0, "3=three 0=known 7= 3=again 40=large 4294967295=last"},
		{"0 known", s, 1, "3=three 7= 3=again 40=large 4294967295=last"},
		{"all below 32 known", s, 1<<32 - 1, "40=large 4294967295=last"},
		{"more bytes behind", append(bytes.Clone(s), "rest"...), 1, "3=three 7= 3=again 40=large 4294967295=last"},
		{"empty", []byte{0}, 0, ""},
		{"zero value", nil, 0, ""},
	} {
		tags := NewTags(c.section, c.known)
		var got string
		for number, data := range tags.All() {
			got += fmt.Sprintf(" %d=%s", number, data)
			if cap(data) != len(data) {
				t.Errorf("%s: tag %d isn't clipped", c.name, number)
			}
		}
		list := tags.AppendTo(nil)
		copies := tags.CopyTo(nil)
		var fromList, fromCopies string
		for i := range list {
			fromList += fmt.Sprintf(" %d=%s", list[i].Number, list[i].Data)
			fromCopies += fmt.Sprintf(" %d=%s", copies[i].Number, copies[i].Data)
		}
		if c.want != "" {
			c.want = " " + c.want
		}
		if got != c.want || fromList != c.want || fromCopies != c.want || tags.Len() != len(list) || len(copies) != len(list) {
			t.Errorf("%s: All%s\nAppendTo%s\nCopyTo%s\nLen %d, want%s", c.name, got, fromList, fromCopies, tags.Len(), c.want)
		}
	}
	for range NewTags(s, 0).All() {
		break // stops without another yield
	}
}

func TestTagsCopyToReuses(t *testing.T) {
	tags := NewTags(section(tag(1, "one"), tag(2, "two")), 0)
	dst := tags.CopyTo(nil)
	if n := testing.AllocsPerRun(100, func() { dst = tags.CopyTo(dst) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestConsumeTags(t *testing.T) {
	good := section(tag(5, "five"), tag(1, "one"), tag(1, ""))
	guarded(good, func(b []byte) {
		tags, n := ConsumeTags(b)
		if n != len(b) || tags.Len() != 3 {
			t.Errorf("%d bytes, %d tags", n, tags.Len())
		}
	})
	for cut := range good {
		guarded(good[:cut], func(b []byte) {
			if _, n := ConsumeTags(b); n >= 0 {
				t.Errorf("cut to %d: accepted", cut)
			}
		})
	}
	for _, c := range []struct {
		name, in string
		err      error
	}{
		{"count that can't fit", "\x02\x00\x00\x01", ErrCount},
		{"count of 2^32-1", "\xff\xff\xff\xff\x0f\x00\x00", ErrCount},
		{"bad count", "\xff\xff\xff\xff\xff\x01", ErrVarint},
		{"bad number", "\x01\xff\xff\xff\xff\x1f\x00", ErrVarint},
		{"size past the end", "\x01\x00\x01", ErrTagSize},
		{"size of 2^32-1", "\x01\x00\xff\xff\xff\xff\x0f", ErrTagSize},
		{"size cut", "\x01\x00\x80", ErrShort},
		{"nothing", "", ErrShort},
	} {
		guarded([]byte(c.in), func(b []byte) {
			if _, n := ConsumeTags(b); ConsumeError(n) != c.err {
				t.Errorf("%s: %v, want %v", c.name, ConsumeError(n), c.err)
			}
		})
	}
}

func TestAppendTagsAscending(t *testing.T) {
	in := []Tag{tag(9, "a"), tag(2, "b"), tag(9, "c"), tag(1<<32-1, "d"), tag(2, "e"), tag(0, "f")}
	want := section(tag(0, "f"), tag(2, "b"), tag(2, "e"), tag(9, "a"), tag(9, "c"), tag(1<<32-1, "d"))
	got := AppendTags(nil, in)
	if !bytes.Equal(got, want) || len(got) != SizeTags(in) {
		t.Errorf("%x\nwant %x, size %d", got, want, SizeTags(in))
	}
	if string(in[0].Data) != "a" || string(in[5].Data) != "f" {
		t.Error("the caller's tags moved")
	}
}

func TestTagMergeInterleaves(t *testing.T) {
	var m TagMerge
	m.Start([]Tag{tag(7, "u7"), tag(1, "u1"), tag(3, "u3"), tag(3, "v3")})
	dst := m.AppendBelow(nil, 0)
	dst = append(dst, 0, 1, 'K')
	dst = m.AppendBelow(dst, 2)
	dst = append(dst, 2, 1, 'K')
	dst = m.AppendRest(dst)
	want := section(tag(0, "K"), tag(1, "u1"), tag(2, "K"), tag(3, "u3"), tag(3, "v3"), tag(7, "u7"))[1:]
	if !bytes.Equal(dst, want) {
		t.Errorf("%x\nwant %x", dst, want)
	}
}

func TestCheckTags(t *testing.T) {
	tags := []Tag{tag(3, ""), tag(40, "")}
	for known, want := range map[uint32]error{0: nil, 1: nil, 1 << 3: ErrTagKnown, 1 << 8: nil} {
		if err := CheckTags(tags, known); err != want {
			t.Errorf("known %b: %v", known, err)
		}
	}
}

// manyTags is 1 MB of tags of two bytes each.
func manyTags(ascending bool) []byte {
	const n = 1 << 19
	b := AppendUvarint(nil, n)
	for i := range n {
		number := byte(i / (n / 128))
		if !ascending {
			number = byte(i*37) & 0x7f
		}
		b = append(b, number, 0)
	}
	return b
}

func TestManyTagsAreLinear(t *testing.T) {
	for _, ascending := range []bool{true, false} {
		b := manyTags(ascending)
		start := time.Now()
		tags, n := ConsumeTags(b)
		list := tags.AppendTo(nil)
		out := AppendTags(nil, list)
		if n != len(b) || tags.Len() != 1<<19 || len(out) != len(b) {
			t.Errorf("ascending %v: %d bytes of %d, %d tags, %d bytes out", ascending, n, len(b), tags.Len(), len(out))
		}
		if ascending && !bytes.Equal(out, b) {
			t.Error("ascending tags don't come back as they were")
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("ascending %v: took %v", ascending, d)
		}
		if raceEnabled {
			continue
		}
		if n := testing.AllocsPerRun(5, func() {
			tags, _ := ConsumeTags(b)
			sinkInt = tags.Len()
			for number := range tags.All() {
				sinkInt += int(number)
			}
			out = AppendTags(out[:0], list)
		}); n != 0 {
			t.Errorf("ascending %v: %v allocations", ascending, n)
		}
	}
}

var sinkInt int
