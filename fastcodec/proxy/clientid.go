// The client id of a connection, kept for the requests that don't repeat it, and in a
// form that makes the same one cheap to recognise.

package proxy

import (
	"encoding/binary"
	"slices"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// idWords is how many words of a frame hold the length of a client id and its first
// bytes, as many as nearly all have.
const (
	idWords   = 3
	idWordsAt = fastcodec.SizePrefix + requestLeast
	idMost    = 8*idWords - 2
)

// clientID is the last client id of a client that wasn't null.
type clientID struct {
	id []byte // nil until there was one
	// The length and the id as words of a frame, where mask has bits. Of an id above
	// idMost the length can't be matched.
	words, mask [idWords]uint64
}

// set remembers an id.
func (c *clientID) set(id []byte) {
	if c.id != nil && string(c.id) == string(id) {
		return
	}
	c.id = append(slices.Grow(c.id[:0], 1), id...) // not nil, if empty
	var words, mask [8 * idWords]byte
	binary.BigEndian.PutUint16(words[:], uint16(len(id)))
	copy(words[2:], id)
	for i := range min(2+len(id), len(mask)) {
		mask[i] = 0xff
	}
	if len(id) > idMost {
		words[0] = 0x80
	}
	for i := range c.words {
		c.words[i] = binary.LittleEndian.Uint64(words[8*i:])
		c.mask[i] = binary.LittleEndian.Uint64(mask[8*i:])
	}
}
