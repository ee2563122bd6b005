package inflate

// Tables of codes. A code is looked up by the bits that come next, as many as the table
// is for; if it has more bits, the entry leads to a second table, for the rest of them.

import "math/bits"

const (
	maxLiterals  = 288 // of which 286 and 287 mean nothing
	maxDistances = 32  // of which 30 and 31 mean nothing
	maxBits      = 15

	literalBits  = 11
	literalMore  = maxBits - literalBits
	distanceBits = 8
	distanceMore = maxBits - distanceBits

	// A second table has two codes at least.
	literalsSize  = 1<<literalBits + maxLiterals/2<<literalMore
	distancesSize = 1<<distanceBits + maxDistances/2<<distanceMore
)

// entry is what a code stands for:
//
//	literal:          isLiteral, its value, how many bits the code has
//	length, distance: base value, bits of the code, bits of code and extra bits
//	end of block:     isSpecial, isEnd, bits of the code
//	longer code:      isSpecial, isTable, place of the second table
//	no code:          isSpecial alone
type entry uint32

const (
	isLiteral  entry = 1 << 31
	isSpecial  entry = 1 << 15
	isTable    entry = 1 << 14
	isEnd      entry = 1 << 13
	noCode           = isSpecial
	valueShift       = 16 // 8 to 11: bits of the code; 0 to 7: bits in all
)

// order is that of the lengths of the code in which lengths are written.
var order = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// Bases and extra bits of lengths, from symbol 257 on, and distances.
var (
	lengthBase = [maxLiterals - 257]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthMore = [maxLiterals - 257]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}

	distanceBase     = [maxDistances]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distanceMoreBits = [maxDistances]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)

// literalEntry is the entry of a symbol without its code's bits.
func literalEntry(symbol int) entry {
	switch {
	case symbol < 256:
		return isLiteral | entry(symbol)<<valueShift
	case symbol == 256:
		return isSpecial | isEnd
	case lengthBase[symbol-257] == 0:
		return noCode
	}
	return entry(lengthBase[symbol-257])<<valueShift | entry(lengthMore[symbol-257])
}

func distanceEntry(symbol int) entry {
	if distanceBase[symbol] == 0 {
		return noCode
	}
	return entry(distanceBase[symbol])<<valueShift | entry(distanceMoreBits[symbol])
}

// plainEntry is that of the code in which lengths are written.
func plainEntry(symbol int) entry { return entry(symbol) << valueShift }

// setFixed sets the tables of fixed codes.
func (d *Decoder) setFixed() {
	if d.fixed {
		return
	}
	lengths := &d.lengths
	for i := range maxLiterals {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	build(d.literals[:], literalBits, lengths[:maxLiterals], literalEntry, false)
	for i := range maxDistances {
		lengths[i] = 5
	}
	build(d.distances[:], distanceBits, lengths[:maxDistances], distanceEntry, false)
	d.fixed = true
}

// readCodes reads the codes of a dynamic block and sets their tables.
func (d *Decoder) readCodes(s *state) error {
	d.fixed = false
	s.fill()
	literals, distances, plain := int(s.take(5))+257, int(s.take(5))+1, int(s.take(4))+4
	if literals > 286 || distances > 30 {
		return ErrCorrupt
	}
	lengths := &d.lengths
	for i, symbol := range order {
		if i >= plain {
			lengths[symbol] = 0
			continue
		}
		s.fill()
		lengths[symbol] = uint8(s.take(3))
	}
	const plainBits = 7
	var table [1 << plainBits]entry
	if !build(table[:], plainBits, lengths[:len(order)], plainEntry, false) {
		return ErrCorrupt
	}
	for i := 0; i < literals+distances; {
		s.fill()
		e := table[s.bits&(1<<plainBits-1)]
		s.take(uint(e & 0xff))
		symbol := uint8(e >> valueShift)
		if symbol < 16 {
			lengths[i] = symbol
			i++
			continue
		}
		var again uint8
		var times int
		switch symbol {
		case 16:
			if i == 0 {
				return ErrCorrupt
			}
			again, times = lengths[i-1], 3+int(s.take(2))
		case 17:
			times = 3 + int(s.take(3))
		default:
			times = 11 + int(s.take(7))
		}
		if times > literals+distances-i {
			return ErrCorrupt
		}
		for range times {
			lengths[i] = again
			i++
		}
	}
	if s.n < 8*s.past || lengths[256] == 0 {
		return ErrCorrupt
	}
	if !build(d.literals[:], literalBits, lengths[:literals], literalEntry, true) ||
		!build(d.distances[:], distanceBits, lengths[literals:literals+distances], distanceEntry, true) {
		return ErrCorrupt
	}
	return nil
}

// build fills a table for codes of the given lengths. It reports false if there are too
// many codes, or too few. A single code of one bit, or none at all, will do if one is
// enough.
func build(table []entry, tableBits uint, lengths []uint8, symbolEntry func(int) entry, one bool) bool {
	var count [maxBits + 1]int
	for _, n := range lengths {
		count[n]++
	}
	count[0] = 0
	var next [maxBits + 2]uint // the next code of each length
	longest := 0
	left := 1 << maxBits // of all that codes can stand for
	for n := 1; n <= maxBits; n++ {
		next[n+1] = (next[n] + uint(count[n])) << 1
		left -= count[n] << (maxBits - n)
		if count[n] > 0 {
			longest = n
		}
	}
	if left < 0 || left > 0 && !(one && longest <= 1) {
		return false
	}
	if left > 0 || longest > int(tableBits) {
		for i := range table[:1<<tableBits] {
			table[i] = noCode
		}
	}
	free := 1 << tableBits
	more := maxBits - tableBits
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		length := uint(n)
		// Codes are written from their highest bit on.
		code := uint(bits.Reverse16(uint16(next[length]))) >> (16 - length)
		next[length]++
		e := symbolEntry(symbol)
		if length <= tableBits {
			// Lengths and distances: their extra bits are there already.
			e += entry(length)<<8 | entry(length)
			for i := code; i < 1<<tableBits; i += 1 << length {
				table[i] = e
			}
			continue
		}
		first := &table[code&(1<<tableBits-1)]
		if *first&isTable == 0 {
			*first = isSpecial | isTable | entry(free)<<valueShift
			free += 1 << more
		}
		length -= tableBits
		e += entry(length)<<8 | entry(length)
		second := table[*first>>valueShift:][:1<<more]
		for i := code >> tableBits; i < 1<<more; i += 1 << length {
			second[i] = e
		}
	}
	return true
}
