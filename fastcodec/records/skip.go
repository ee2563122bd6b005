// Skipping: over records without a look at their fields, and to an offset.

package records

import (
	"encoding/binary"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// Skip goes over at most n records and reads nothing of them but their lengths. It
// gives how many it went over. If those are fewer than n, the batch has no more, or
// can't be read any further: Err says which. Skip(math.MaxInt) counts what is left.
func (r *Reader) Skip(n int) (skipped int) {
	if r.state == opened && !r.begin() {
		return 0
	}
	if r.state == messages {
		return r.skipMessages(n)
	}
	b, at := r.b, uint(r.pos)
	n = min(n, r.left)
	// Where the next record begins depends on the length of this one, so that the
	// processor would wait for each length in turn. It needn't where two bytes are
	// those of the record before: that is a branch, which it can guess.
	known, size := uint(noLength), uint(0)
	for skipped < n && at+1 < uint(len(b)) {
		low, high := uint(b[at]), uint(b[at+1])
		if both := low | high<<8; both != known {
			known = both
			switch {
			case low&1 != 0: // negative
				size = uint(len(b)) + 1
			case low < 0x80:
				size = 1 + low>>1
			case high < 0x80:
				size = 2 + low&0x7f>>1 + high<<6
			default:
				known, size = noLength, longSize(b[at:])
			}
		}
		if size > uint(len(b))-at {
			break
		}
		at += size
		skipped++
	}
	r.pos = int(at)
	r.left -= skipped
	if skipped < n && r.state == records2 {
		r.parse() // fails, and says why
	}
	return skipped
}

// noLength is what two bytes never are.
const noLength = 1 << 16

// longSize is the size of the record that b begins with, more than b has if its
// length is none.
func longSize(b []byte) uint {
	length, n := fastcodec.ConsumeVarint(b)
	if n < 0 || length < 0 {
		return uint(len(b)) + 1
	}
	return uint(n) + uint(length)
}

// SeekOffset goes over the records before an offset, so that Next gives the first one
// at or behind it. It reports whether there is one. It reads no more of a record than
// it needs for that, and goes only forward. Records come in the order of offsets.
func (r *Reader) SeekOffset(offset int64) bool {
	if r.state == opened && !r.begin() {
		return false
	}
	if r.state == messages {
		return r.seekMessage(offset)
	}
	for r.left > 0 {
		b := r.b[r.pos:]
		length, n := fastcodec.ConsumeVarint(b)
		if n < 0 || length < 0 || int(length) > len(b)-n {
			return r.parse() // fails
		}
		record := b[n : n+int(length)]
		_, m := int64(0), 0
		if len(record) > 0 {
			_, m = fastcodec.ConsumeVarlong(record[1:])
		}
		if len(record) == 0 || m < 0 {
			return r.parse() // fails
		}
		delta, k := fastcodec.ConsumeVarint(record[1+m:])
		if k < 0 {
			return r.parse() // fails
		}
		if r.record.offset+int64(delta) >= offset {
			return true
		}
		r.pos += n + int(length)
		r.left--
	}
	return false
}

// seekMessage is SeekOffset among messages.
func (r *Reader) seekMessage(offset int64) bool {
	for r.pos < len(r.b) {
		at := int64(0)
		if len(r.b)-r.pos >= 8 {
			at = int64(binary.BigEndian.Uint64(r.b[r.pos : r.pos+8]))
		}
		if r.base+at >= offset && len(r.b)-r.pos >= 8 {
			return true
		}
		if r.skipMessages(1) == 0 {
			return false
		}
	}
	return false
}
