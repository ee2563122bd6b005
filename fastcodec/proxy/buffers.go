// Buffers: byte slices of power-of-two sizes, a pool each. A connection holds one
// only while it has something in it.

package proxy

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

const (
	minBuffer = 6  // 64 bytes
	maxBuffer = 26 // 64 MiB; larger ones are left to the garbage collector
)

// buffer is a slice of bytes from a pool; a pointer to it can be put back without an
// allocation.
type buffer struct{ b []byte }

var bufferPools [maxBuffer - minBuffer + 1]sync.Pool

// held counts the buffers that are out, for tests.
var held atomic.Int64

// takeBuffer gives a buffer with len(b) at least size.
func takeBuffer(size int) *buffer {
	held.Add(1)
	class := max(bits.Len(uint(max(size, 1)-1)), minBuffer)
	if class > maxBuffer {
		return &buffer{make([]byte, size)}
	}
	if x, ok := bufferPools[class-minBuffer].Get().(*buffer); ok {
		return x
	}
	return &buffer{make([]byte, 1<<class)}
}

// release puts the buffer back. Nobody may look at its bytes any more.
func (x *buffer) release() {
	held.Add(-1)
	// A slice that was grown by append has a capacity of its own: it goes where all of
	// its class are at most as large.
	n := cap(x.b)
	if n < 1<<minBuffer || n > 1<<maxBuffer {
		return
	}
	class := bits.Len(uint(n)) - 1
	x.b = x.b[:1<<class]
	bufferPools[class-minBuffer].Put(x)
}
