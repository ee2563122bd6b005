// The offset index: what Parse leaves.

package layout

import (
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// keepWords is the most words (4 bytes each) that an Index keeps for the next
// Parse, so that one huge frame does not pin memory for good.
const keepWords = 1 << 20

// Index holds where the fields of a body are: one offset or position a word, laid
// out as package internal/slots describes. The zero Index is ready for use. Use it
// again for the next body, of any message: it keeps its memory, up to 4 MiB, and
// Parse then allocates nothing. It keeps nothing of a body.
type Index struct {
	root  []uint32 // the message's own words
	words []uint32 // entries and side blocks, from slots.First on
	next  int      // first free position in words
	need  uint64   // positions that a stopped parse wanted
	limit int
	end   int
	body  []byte // during Parse only
	fault walker
}

// SetLimit bounds the index of one body, in words of four bytes; 0 is
// fastcodec.DefaultLimits.Index. A body that needs more is refused with
// fastcodec.ErrIndexLimit before anything is reserved.
func (ix *Index) SetLimit(words int) { ix.limit = words }

// End is where the fields of the body end. What follows is trailing bytes: legal,
// and empty for nearly every frame.
func (ix *Index) End() int { return ix.end }

// Root gives the words of the message itself. They are valid until the next Parse.
func (ix *Index) Root() []uint32 { return ix.root }

// Words gives the words of everything inside the message by their position. The
// first two are not used: 0 and 1 stand for null and empty arrays.
func (ix *Index) Words() []uint32 { return ix.words[:ix.next] }

// start makes room for a message's own words.
func (ix *Index) start(words int) {
	if cap(ix.root) < words {
		ix.root = make([]uint32, words, max(words, 32))
	}
	ix.root = ix.root[:words]
	if len(ix.words) > min(keepWords, ix.most()) {
		ix.words = nil
	}
	if ix.words == nil {
		ix.words = make([]uint32, max(min(256, ix.most()), slots.First))
	}
}

// most is the limit in force.
func (ix *Index) most() int {
	if ix.limit == 0 {
		return fastcodec.DefaultLimits.Index
	}
	return ix.limit
}

// grow makes room for the positions that a parse of body wanted, and then some:
// the parse starts again, and must not do so often. It reports whether the limit
// allows it.
func (ix *Index) grow(body []byte) bool {
	limit := uint64(ix.most())
	if ix.need > limit {
		return false
	}
	ix.words = make([]uint32, min(limit, max(ix.need, 4*uint64(len(ix.words)), uint64(len(body)/8))))
	return true
}
