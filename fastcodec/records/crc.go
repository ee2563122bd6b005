// Checksums: CRC-32C of record batches, CRC-32 of messages, and what they become
// when a few of the bytes change.

package records

import (
	"encoding/binary"
	"hash/crc32"
	"sync"
)

// polynomial is one of the two that are in use.
type polynomial struct {
	value uint32 // lowest power in the highest bit
	table *crc32.Table
	// powers[i] is x^(8*2^i) modulo the polynomial: what 2^i zero bytes multiply a
	// checksum with. Computed when first used.
	powers func() *[32]uint32
	from   int // what a batch's checksum covers from, up to its end
	at     int // where it stands
}

var (
	batchCRC = polynomial{
		value:  crc32.Castagnoli,
		table:  crc32.MakeTable(crc32.Castagnoli),
		powers: sync.OnceValue(func() *[32]uint32 { return powersOf(crc32.Castagnoli) }),
		from:   atAttributes,
		at:     atCRC,
	}
	messageCRC = polynomial{
		value:  crc32.IEEE,
		table:  crc32.IEEETable,
		powers: sync.OnceValue(func() *[32]uint32 { return powersOf(crc32.IEEE) }),
		from:   atMagic,
		at:     atMessageCRC,
	}
)

func (b Batch) polynomial() *polynomial {
	if b.old() {
		return &messageCRC
	}
	return &batchCRC
}

// CheckCRC compares the checksum with the bytes that it covers: all from the
// attributes on, or from the magic in a message. The error wraps ErrCRC.
func (b Batch) CheckCRC() error {
	p := b.polynomial()
	if crc32.Checksum(b.b[p.from:], p.table) != b.CRC() {
		return &Error{BaseOffset: b.BaseOffset(), Record: -1, Byte: p.at, Err: ErrCRC}
	}
	return nil
}

// seal writes the checksum of a batch that is complete.
func (p *polynomial) seal(batch []byte) {
	binary.BigEndian.PutUint32(batch[p.at:], crc32.Checksum(batch[p.from:], p.table))
}

// patch writes bytes at a place of a batch and keeps its checksum as right as it was:
// one that was wrong stays wrong, so that an edit never hides damage. It takes the
// same time however long the batch is.
func (p *polynomial) patch(batch []byte, at int, data []byte) {
	// A checksum is linear but for where it begins and ends: what it changes by is that
	// of the changed bits, with zeros up to the end of the batch behind them.
	var crc uint32
	old := batch[at : at+len(data)]
	for i, c := range data {
		crc = p.table[byte(crc)^old[i]^c] ^ crc>>8
		old[i] = c
	}
	crc = p.zeros(crc, len(batch)-at-len(data))
	binary.BigEndian.PutUint32(batch[p.at:], crc^binary.BigEndian.Uint32(batch[p.at:]))
}

// zeros is a checksum after n more zero bytes, n below 2^32.
func (p *polynomial) zeros(crc uint32, n int) uint32 {
	powers := p.powers()
	for i := 0; n > 0; i, n = i+1, n>>1 {
		if n&1 != 0 {
			crc = multiply(crc, powers[i], p.value)
		}
	}
	return crc
}

func powersOf(polynomial uint32) *[32]uint32 {
	var powers [32]uint32
	powers[0] = 1 << (31 - 8)
	for i := range powers[1:] {
		powers[i+1] = multiply(powers[i], powers[i], polynomial)
	}
	return &powers
}

// multiply gives the product of a and b modulo a polynomial.
func multiply(a, b, polynomial uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a&(1<<31) != 0 {
			product ^= b
		}
		low := b & 1
		b >>= 1
		if low != 0 {
			b ^= polynomial
		}
	}
	return product
}
