// Uses of a fast, stable hash (MetroHash). It is not keyed: none of these may grow
// slow or large because somebody chose keys that collide.

package fastcodec

import (
	"math/bits"

	"github.com/dgryski/go-metro"
)

// Seeds keep the three uses apart. They are part of what stays stable.
const (
	internSeed      = 0x6b77_0001
	shardSeed       = 0x6b77_0002
	fingerprintSeed = 0x6b77_0003
)

// Shard gives one of n shards, 0 to n-1, for a key: a topic, a client id, a
// connection. It is the same in every process, on every system, in every release
// of this module. n below 2 gives 0. Keys that an attacker chose may all fall into
// one shard: use it to spread work, not to bound it.
func Shard(key []byte, n int) int {
	if n < 2 {
		return 0
	}
	shard, _ := bits.Mul64(metro.Hash64(key, shardSeed), uint64(n))
	return int(shard)
}

// Fingerprint is a short name for bytes, a frame or a body, to find equal ones in
// logs and captures. It is as stable as Shard. Unequal bytes can have equal
// fingerprints, on purpose even: compare the bytes where that matters.
func Fingerprint(frame []byte) uint64 { return metro.Hash64(frame, fingerprintSeed) }

// maxInterned is the longest name that an Interner keeps: topics have at most 249
// bytes.
const maxInterned = 255

// Interner turns name bytes into strings and remembers those that it made, so that
// a name seen before costs no allocation. It holds a fixed number of names, of at
// most 255 bytes each; a name that falls on another's place takes it over, so that
// names which collide on purpose cost no more than names which are new. It is for
// one goroutine.
type Interner struct {
	slots []string
	shift uint8
}

// NewInterner gives an Interner that holds about size names, rounded up to a power
// of two; at least 16, at most 2^20.
func NewInterner(size int) *Interner {
	log := min(max(bits.Len(uint(max(size, 1)-1)), 4), 20)
	return &Interner{make([]string, 1<<log), uint8(64 - log)}
}

// String is the name as a string. A longer one than an Interner keeps is allocated
// each time.
func (t *Interner) String(name []byte) string {
	if len(name) == 0 {
		return ""
	}
	if len(name) > maxInterned {
		return string(name)
	}
	slot := &t.slots[metro.Hash64(name, internSeed)>>t.shift]
	if *slot != string(name) { // compares in place
		*slot = string(name)
	}
	return *slot
}
