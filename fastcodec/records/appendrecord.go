// Writing one record of magic 2.

package records

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// RecordData is a record of magic 2 as it is written: its place in time and in the
// batch as differences to the batch's header. Record.CopyTo fills it.
type RecordData struct {
	Attributes     int8  // no bit has a meaning yet
	TimestampDelta int64 // ms
	OffsetDelta    int32
	Key, Value     []byte // nil is null
	Headers        []Header
}

const (
	// mostFront is a power of two that is more than what stands in front of a key: 3
	// numbers of 5 bytes, one of 10, and a byte.
	mostFront = 32
	// mostOverhead is more than all that stands around key and value, headers aside.
	mostOverhead = mostFront + 16
	// mostContent is more than a batch can hold, and may yet be added to.
	mostContent = math.MaxInt32 - 1<<20
)

// AppendRecord adds a record as it stands in d. Its timestamp counts from the header's
// BaseTimestamp, which the first record of the batch no longer changes then.
func (b *Builder) AppendRecord(d *RecordData) {
	b.dated = true
	b.add(d)
}

// add adds a record. Copies are calls, and what is known before a call has to be put
// aside for it: hence the pointer, and the copy of the value at the end.
func (b *Builder) add(d *RecordData) {
	size := len(d.Key) + len(d.Value)
	if len(d.Headers) > 0 {
		size += mostHeaders(d.Headers)
	}
	if len(b.to)-b.n < size+mostOverhead && !b.reserve(size) {
		return
	}
	b.count++
	b.next = int64(d.OffsetDelta) + 1
	b.latest = max(b.latest, d.TimestampDelta)
	to := b.to[b.n:]
	front := (*[mostFront]byte)(to)

	// The length comes first and is known last: as many bytes are left for it as it will
	// need, but for few sizes.
	left := uint(2)
	if uint(size-53) >= 8000 {
		left = uint(fastcodec.SizeVarint(int32(size)))
	}
	front[left&(mostFront-1)] = byte(d.Attributes)
	i := left + 1
	delta := zigzag64(d.TimestampDelta)
	for ; delta >= 0x80; delta >>= 7 {
		front[i&(mostFront-1)] = byte(delta) | 0x80
		i++
	}
	front[i&(mostFront-1)] = byte(delta)
	i++
	offset := zigzag32(d.OffsetDelta)
	for ; offset >= 0x80; offset >>= 7 {
		front[i&(mostFront-1)] = byte(offset) | 0x80
		i++
	}
	front[i&(mostFront-1)] = byte(offset)
	i++
	i = putLength(to, i, d.Key)
	i = putShort(to, i, d.Key)
	i = putLength(to, i, d.Value)
	value := to[i:]
	i += uint(len(d.Value))
	if len(d.Headers) == 0 {
		to[i] = 0
		i++
	} else {
		i = putHeaders(to, i, d.Headers)
	}
	if length := i - left; left == 2 && length-64 < 8192-64 { // what has two bytes
		front[0] = byte(length<<1) | 0x80
		front[1] = byte(length >> 6)
		b.n += int(i)
		copy(value, d.Value)
		return
	}
	copy(value, d.Value)
	b.n += putFront(to, left, i)
}

// reserve makes room for a record whose content has some size. It reports false if no
// batch is open, or one that failed, and if the record can't be added.
func (b *Builder) reserve(size int) bool {
	if !b.open || b.err != nil {
		return false
	}
	if uint(size) > mostContent || b.n > mostContent {
		b.fail(ErrTooLarge)
		return false
	}
	to := slices.Grow(b.to[:b.n], size+mostOverhead)
	b.to = to[:cap(to)]
	return true
}

// fail makes the batch one that can't be finished.
func (b *Builder) fail(err error) {
	b.err = err
	b.to = b.to[:b.n] // no room: reserve sees to it
}

// putFront puts the length in front of a record that ends at a place and had some
// bytes left for it: as many as it needs or not. It gives the record's size.
func putFront(b []byte, left, end uint) int {
	length := end - left
	need := uint(fastcodec.SizeVarint(int32(length)))
	if need != left {
		copy(b[need:need+length], b[left:end])
	}
	return int(putUvarint(b, 0, length<<1) + length)
}

// mostHeaders is at least what headers take.
func mostHeaders(headers []Header) int {
	n := 5
	for i := range headers {
		n += 10 + len(headers[i].Key) + len(headers[i].Value)
	}
	return n
}

// putHeaders writes headers at a place that has room for them.
func putHeaders(b []byte, i uint, headers []Header) uint {
	i = putUvarint(b, i, uint(len(headers))<<1)
	for j := range headers {
		h := &headers[j]
		i = putUvarint(b, i, uint(len(h.Key))<<1)
		i = putShort(b, i, h.Key)
		i = putLength(b, i, h.Value)
		i = putShort(b, i, h.Value)
	}
	return i
}

// putLength writes the length of p, or that of null, at a place that has room for it.
func putLength(b []byte, i uint, p []byte) uint {
	if p == nil {
		b[i] = 1
		return i + 1
	}
	return putUvarint(b, i, uint(len(p))<<1)
}

// putUvarint writes u at a place that has room for it.
func putUvarint(b []byte, i, u uint) uint {
	for ; u >= 0x80; u >>= 7 {
		b[i] = byte(u) | 0x80
		i++
	}
	b[i] = byte(u)
	return i + 1
}

// putShort writes p at a place that has room for it. From 8 to 16 bytes, as keys often
// have, it does without a call.
func putShort(b []byte, i uint, p []byte) uint {
	n := uint(len(p))
	dst := b[i : i+n]
	if n-8 <= 8 {
		binary.LittleEndian.PutUint64(dst[:8], binary.LittleEndian.Uint64(p[:8]))
		binary.LittleEndian.PutUint64(dst[n-8:], binary.LittleEndian.Uint64(p[n-8:]))
	} else {
		copy(dst, p)
	}
	return i + n
}

func zigzag32(v int32) uint32 { return uint32(v<<1) ^ uint32(v>>31) }
func zigzag64(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }
