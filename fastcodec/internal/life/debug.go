//go:build kafkawiredebug

// The variant that finds uses after release.

package life

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
)

// Debug reports whether uses after release are found.
const Debug = true

// Mark ties a message to the bytes that it was parsed from.
type Mark struct{ owner *owner }

// owner is one life of one buffer. Ended buffers are never handed out again, so
// that a life needs no number.
type owner struct {
	low, high uintptr // addresses, high one past the end; numbers only, they keep nothing alive
	ended     atomic.Bool
}

// living has the owners that didn't end, by address. A buffer that was dropped
// without a release stays in it until its addresses are handed out again.
var (
	mu     sync.RWMutex
	living []*owner
)

// Of gives the mark of the buffer that b lies in. Bytes that no Begin covers get a
// mark that is always good.
func Of(b []byte) Mark {
	mu.RLock()
	defer mu.RUnlock()
	if i, ok := find(b); ok {
		return Mark{living[i]}
	}
	return Mark{}
}

// Check panics if the buffer was released.
func (m Mark) Check() {
	if m.owner != nil && m.owner.ended.Load() {
		panic("kafkawire: read after release: the frame that this message was parsed from was released")
	}
}

// Begin says that buf, up to its capacity, is handed out.
func Begin(buf []byte) {
	if cap(buf) == 0 {
		return
	}
	o := &owner{low: address(buf)}
	o.high = o.low + uintptr(cap(buf))
	mu.Lock()
	defer mu.Unlock()
	living = slices.DeleteFunc(living, func(p *owner) bool { return p.low < o.high && o.low < p.high })
	i, _ := slices.BinarySearchFunc(living, o.low, byAddress)
	living = slices.Insert(living, i, o)
}

// End says that buf is released.
func End(buf []byte) {
	mu.Lock()
	defer mu.Unlock()
	if i, ok := find(buf); ok {
		living[i].ended.Store(true)
		living = slices.Delete(living, i, i+1)
	}
	overwrite(buf)
}

// find gives the place of the owner that b lies in.
func find(b []byte) (int, bool) {
	if cap(b) == 0 {
		return 0, false
	}
	a := address(b)
	i, ok := slices.BinarySearchFunc(living, a, byAddress)
	if !ok {
		i-- // the one that begins before a
	}
	return i, i >= 0 && a < living[i].high
}

func byAddress(o *owner, a uintptr) int {
	switch {
	case o.low < a:
		return -1
	case o.low > a:
		return 1
	}
	return 0
}

// address is that of b's first byte; reflect knows it without package unsafe.
func address(b []byte) uintptr { return reflect.ValueOf(b).Pointer() }
