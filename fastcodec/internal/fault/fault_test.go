package fault

import (
	"errors"
	"testing"

	"github.com/kafkawire/kafkawire/internal/unsafeio"
)

func TestDiagnose(t *testing.T) {
	for _, c := range []struct {
		in   string
		kind Kind
		arg  int
		is   error
		want string
	}{
		{"\x00", Fixed, 2, Short, "2 bytes"},
		{"", Fixed, 1, Short, "1 byte"},
		{"", Fixed, 16, Short, "16 bytes"},
		{"\x80", Uvarint, 0, Short, "a uvarint"},
		{"\xff\xff\xff\xff\x1f", Uvarint, 0, Varint, "a uvarint"},
		{"\x00", String16, 0, Short, "2 bytes of string length"},
		{"\x00\x03ab", String16, 0, Short, "as many bytes as the string's length says"},
		{"\xff\xff", String16, 0, Null, "a string, not null"},
		{"\x00\x03ab", String16Nullable, 0, Short, "as many bytes as the string's length says"},
		{"\x00\x00\x00", Bytes32, 0, Short, "4 bytes of length"},
		{"\xff\xff\xff\xfe", Bytes32, 0, Null, "bytes, not null"},
		{"\x00\x00\x00\x01", Bytes32Nullable, 0, Short, "as many bytes as the length says"},
		{"\x00\x00\x00", Count32, 4, Short, "4 bytes of array count"},
		{"\xff\xff\xff\xff", Count32, 4, Null, "an array, not null"},
		{"\x08\x00\x00\x00", Count32, 4, Count, "an array count that the bytes left can hold"},
		{"\x08\x00\x00\x00", Count32Nullable, 0, Count, "an array count that the bytes left can hold"},
		{"", CompactString, 0, Short, "a uvarint of string length"},
		{"\x00", CompactString, 0, Null, "a string, not null"},
		{"\x80\x00", CompactString, 0, Null, "a string, not null"},
		{"\x04ab", CompactString, 0, Short, "as many bytes as the string's length says"},
		{"\x81\x80\x02ab", CompactString, 0, TooLong, "a string of at most 32767 bytes"},
		{"\xff\xff\xff\xff\x0f", CompactStringNullable, 0, TooLong, "a string of at most 32767 bytes"},
		{"\x80\x80\x02ab", CompactStringNullable, 0, Short, "as many bytes as the string's length says"},
		{"\x00", CompactBytes, 0, Null, "bytes, not null"},
		{"\xff\xff\xff\xff\x0f", CompactBytesNullable, 0, Short, "as many bytes as the length says"},
		{"\x80\x80\x80\x80\x80\x00", CompactBytes, 0, Varint, "a uvarint of length"},
		{"\x00", CompactCount, 1, Null, "an array, not null"},
		{"\xff\xff\xff\xff\x0f", CompactCount, 1, Count, "an array count that the bytes left can hold"},
		{"\x03\x00", CompactCountNullable, 0, Count, "an array count that the bytes left can hold"},
		{"\x80", CompactCount, 0, Short, "a uvarint of array count"},
		{"\x02\x00\x00", TagCount, 0, Count, "a tag count that the bytes left can hold"},
		{"", TagCount, 0, Short, "a uvarint of tag count"},
		{"\x80", TagNumber, 0, Short, "a uvarint of tag number"},
		{"\x80", TagPayloadSize, 0, Short, "a uvarint of tag size"},
		{"\x05abcd", TagPayloadSize, 0, TagSize, "as many bytes as the tag's size says"},
		{"\x05abcde", TagMismatch, 0, TagSize, "a payload of exactly the tag's size"},
		{"", TagTwice, 0, TagRepeated, "a known tag at most once"},
		{"", Index, 0, IndexLimit, "fewer index entries"},
		{"x", Left, 0, Trailing, "the end of the message"},
	} {
		in := append([]byte("before"), c.in...)
		b, free := unsafeio.Guarded(in)
		err, want := Diagnose(b, len("before"), c.kind, c.arg)
		if err != c.is || want != c.want {
			t.Errorf("kind %d of %x: %v, want %s; expected %v, want %s", c.kind, c.in, err, want, c.is, c.want)
		}
		if n := testing.AllocsPerRun(10, func() { Diagnose(b, len("before"), c.kind, c.arg) }); n != 0 {
			t.Errorf("kind %d: %v allocations", c.kind, n)
		}
		free()
	}
}

func TestDiagnoseIsTotal(t *testing.T) {
	for k := range Kind(255) {
		for _, in := range []string{"", "\x00", "\x01", "\x7f\xff\xff\xff\xff", "\xff\xff\xff\xff\x0f"} {
			for off := -1; off <= len(in)+1; off++ {
				b, free := unsafeio.Guarded([]byte(in))
				if err, want := Diagnose(b, off, k, -1); err == nil || want == "" {
					t.Errorf("kind %d of %x at %d: %v, %q", k, in, off, err, want)
				}
				free()
			}
		}
	}
}

func TestFixedRun(t *testing.T) {
	const run = "PartitionIndex:4 ErrorCode:2 LeaderEpoch:4@5+ Old:4@0-2 One:1@3 Id:16"
	for _, c := range []struct {
		version   int16
		have      int
		field     string
		at, sizes int
	}{
		{0, 0, "PartitionIndex", 100, 4}, {0, 3, "PartitionIndex", 100, 4}, {0, 4, "ErrorCode", 104, 2}, {0, 6, "Old", 106, 4},
		{2, 10, "Id", 110, 16}, {3, 6, "One", 106, 1}, {3, 7, "Id", 107, 16}, {4, 6, "Id", 106, 16}, {5, 9, "LeaderEpoch", 106, 4},
		{5, 25, "Id", 110, 16}, {5, 26, "", 126, 0}, {0, 26, "", 126, 0}, {32767, 6, "LeaderEpoch", 106, 4},
	} {
		field, at, size := FixedRun(run, c.version, 100, c.have)
		if field != c.field || at != c.at || size != c.sizes {
			t.Errorf("v%d, %d bytes: %s at %d, %d bytes; want %s at %d, %d", c.version, c.have, field, at, size, c.field, c.at, c.sizes)
		}
	}
}

func TestReason(t *testing.T) {
	for code, want := range map[int]error{
		0: nil, 5: nil, CodeShort: Short, CodeVarint: Varint, CodeNull: Null, CodeTooLong: TooLong, CodeCount: Count, CodeTagSize: TagSize,
		-100: Varint,
	} {
		if got := Reason(code); !errors.Is(got, want) {
			t.Errorf("%d: %v, want %v", code, got, want)
		}
	}
}
