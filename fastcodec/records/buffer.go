// Buffers: pooled memory for unpacked records and for batches that are written.

package records

import (
	"math/bits"

	"github.com/valyala/bytebufferpool"

	"github.com/kafkawire/kafkawire/fastcodec/internal/life"
)

// A pool learns one size, so that unpacked and packed bytes have a pool each.
var unpackedPool, batchPool bytebufferpool.Pool

// buffer is a buffer from unpackedPool, or none.
type buffer struct{ p *bytebufferpool.ByteBuffer }

// keptIdle is how large a buffer may be that is kept though it isn't needed.
const keptIdle = 16 << 20

// reserve empties the buffer and gives it room for n bytes. It takes more, to be done
// with it for the next time, but not more than most.
func (u *buffer) reserve(n, most int) []byte {
	if u.p == nil {
		u.p = unpackedPool.Get()
	}
	if c := cap(u.p.B); c < n || c > keptIdle && n < c/8 {
		size := 1 << bits.Len(uint(max(n, 1)-1))
		if size > most {
			size = n
		}
		life.End(u.p.B)
		u.p.B = make([]byte, 0, size)
	}
	u.p.B = u.p.B[:0]
	return u.p.B
}

// replace makes b the buffer's bytes: memory that reserve gave, or what took its place.
func (u *buffer) replace(b []byte) {
	if cap(b) != cap(u.p.B) {
		life.End(u.p.B)
	}
	u.p.B = b
}

func (u *buffer) bytes() []byte { return u.p.B }

// release gives the buffer back.
func (u *buffer) release() {
	p := u.p
	if p == nil {
		return
	}
	u.p = nil
	giveBack(&unpackedPool, p)
}

// giveBack ends the life of a buffer's bytes and puts it into its pool. A pool learns
// from lengths and drops what has more capacity than they need: it is shown the
// capacity, which is what the next user needs, too.
func giveBack(pool *bytebufferpool.Pool, p *bytebufferpool.ByteBuffer) {
	life.End(p.B)
	if life.Debug {
		return // what ended is never handed out again
	}
	p.B = p.B[:cap(p.B)]
	pool.Put(p)
}
