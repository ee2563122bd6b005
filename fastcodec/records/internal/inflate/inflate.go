// Package inflate unpacks deflate (RFC 1951) from memory to memory, in one call. The
// libraries for streams, which bring a byte at a time into a window and copy from
// there, take more than twice the time.
//
// What is accepted is what zlib accepts, as Java's Inflater is made of it.
//
// table.go builds the tables that codes are looked up in; here they are used, first
// by a loop that has room on all sides and then by one that looks where it goes.
package inflate

import (
	"encoding/binary"
	"errors"
)

var (
	// ErrCorrupt: the input is no deflate stream, or ends before the stream does.
	ErrCorrupt = errors.New("inflate: malformed deflate stream")
	// ErrLimit: the output would be longer than the limit.
	ErrLimit = errors.New("inflate: output too long")
)

const (
	// Slack is how much room behind the output the fast loop wants: give dst that much
	// more than what is expected to come out.
	Slack = maxMatch + 2 + 2*chunk

	maxMatch = 258
	chunk    = 16 // what matches are copied by
)

// Decoder holds the tables of a block. The zero value is ready; it is for one goroutine.
type Decoder struct {
	fixed     bool // the tables are those of fixed blocks
	literals  [literalsSize]entry
	distances [distancesSize]entry
	lengths   [maxLiterals + maxDistances]uint8
}

// state is where the reading and writing is.
type state struct {
	src  []byte
	at   int    // next byte of src
	bits uint64 // taken from src, low ones first
	n    uint   // how many of them count
	past uint   // zero bytes taken from behind the end

	dst   []byte // its whole capacity
	out   int    // next byte of dst
	start int    // what matches may not go back before
	limit int    // most that out may be
}

// Append unpacks the stream that src begins with and appends what it holds to dst, of
// which there will be at most limit bytes in all. It gives the extended dst, which is
// new memory if dst had not enough, and how many bytes of src the stream takes. dst is
// never longer than the limit, Slack aside.
func (d *Decoder) Append(dst, src []byte, limit int) (out []byte, used int, err error) {
	s := state{src: src, dst: dst[:cap(dst)], out: len(dst), start: len(dst), limit: limit}
	for last := false; !last; {
		s.fill()
		last = s.take(1) != 0
		switch s.take(2) {
		case 0:
			err = s.stored()
		case 1:
			d.setFixed()
			err = d.block(&s)
		case 2:
			if err = d.readCodes(&s); err == nil {
				err = d.block(&s)
			}
		default:
			err = ErrCorrupt
		}
		if err == nil && s.n < 8*s.past {
			err = ErrCorrupt // bits were used that aren't there
		}
		if err != nil {
			return s.dst[:s.out], 0, err
		}
	}
	// Whole bytes that were taken and not used go back.
	return s.dst[:s.out], s.at - int(s.n/8-s.past), nil
}

// fill takes bytes until there are at least 56 bits; zeros once there are no more.
func (s *state) fill() {
	if len(s.src)-s.at >= 8 {
		s.bits |= binary.LittleEndian.Uint64(s.src[s.at:]) << (s.n & 63)
		s.at += int(63-s.n) >> 3
		s.n |= 56
		return
	}
	for ; s.n < 56; s.n += 8 {
		if s.at < len(s.src) {
			s.bits |= uint64(s.src[s.at]) << (s.n & 63)
			s.at++
		} else {
			s.past++
		}
	}
}

// take uses up to 32 bits, which are there.
func (s *state) take(n uint) uint {
	v := uint(s.bits & (1<<(n&63) - 1))
	s.bits >>= n & 63
	s.n -= n
	return v
}

// reserve makes room for n more bytes of output, Slack included, as far as the limit
// allows. It doubles what there is.
func (s *state) reserve(n int) error {
	if n > s.limit-s.out {
		return ErrLimit
	}
	if n+Slack > len(s.dst)-s.out {
		size := min(max(2*len(s.dst), s.out+n), s.limit) + Slack
		dst := make([]byte, size)
		copy(dst, s.dst[:s.out])
		s.dst = dst
	}
	return nil
}

// stored copies a block that isn't compressed.
func (s *state) stored() error {
	s.take(s.n & 7)
	s.fill()
	length := s.take(16)
	if length != ^s.take(16)&0xffff {
		return ErrCorrupt
	}
	// Back to bytes.
	if s.n/8 < s.past {
		return ErrCorrupt
	}
	s.at -= int(s.n/8 - s.past)
	s.bits, s.n, s.past = 0, 0, 0
	if int(length) > len(s.src)-s.at {
		return ErrCorrupt
	}
	if err := s.reserve(int(length)); err != nil {
		return err
	}
	s.out += copy(s.dst[s.out:], s.src[s.at:s.at+int(length)])
	s.at += int(length)
	return nil
}

// block unpacks a compressed block with the codes that are set.
func (d *Decoder) block(s *state) error {
	for {
		ended, err := d.fast(s)
		if ended || err != nil {
			return err
		}
		if ended, err = d.careful(s); ended || err != nil {
			return err
		}
	}
}

// fast unpacks while there are at least 16 bytes of input and Slack of output. It
// reports whether the block ended.
func (d *Decoder) fast(s *state) (ended bool, err error) {
	src, dst := s.src, s.dst
	at, out, bits, n := s.at, s.out, s.bits, s.n
	start := s.start
	lastAt, lastOut := len(src)-16, min(len(dst)-Slack, s.limit-maxMatch-2)
	literals, distances := &d.literals, &d.distances
	for at <= lastAt && out <= lastOut {
		bits |= binary.LittleEndian.Uint64(src[at:at+8]) << (n & 63)
		at += int(63-n) >> 3
		n |= 56
		// 56 bits are three literals, or two and the front of a match.
		e := literals[bits&(1<<literalBits-1)]
		if e&isLiteral != 0 {
			dst[out] = byte(e >> valueShift)
			out++
			bits >>= e & 63
			n -= uint(e & 0xff)
			e = literals[bits&(1<<literalBits-1)]
			if e&isLiteral != 0 {
				dst[out] = byte(e >> valueShift)
				out++
				bits >>= e & 63
				n -= uint(e & 0xff)
				continue
			}
		}
		if e&isSpecial != 0 {
			if e&isTable != 0 {
				bits >>= literalBits
				n -= literalBits
				e = literals[uint(e>>valueShift)+uint(bits&(1<<literalMore-1))]
				if e&isLiteral != 0 {
					dst[out] = byte(e >> valueShift)
					out++
					bits >>= e & 63
					n -= uint(e & 0xff)
					continue
				}
			}
			if e&isSpecial != 0 {
				if e&isEnd != 0 {
					bits >>= e & 63
					n -= uint(e & 0xff)
					ended = true
				} else {
					err = ErrCorrupt
				}
				break
			}
		}
		length := int(e>>valueShift) + int(bits&(1<<(e&63)-1)>>(e>>8&15))
		bits >>= e & 63
		n -= uint(e & 0xff)

		bits |= binary.LittleEndian.Uint64(src[at:at+8]) << (n & 63)
		at += int(63-n) >> 3
		n |= 56
		e = distances[bits&(1<<distanceBits-1)]
		if e&isSpecial != 0 {
			if e&isTable == 0 {
				err = ErrCorrupt
				break
			}
			bits >>= distanceBits
			n -= distanceBits
			e = distances[uint(e>>valueShift)+uint(bits&(1<<distanceMore-1))]
			if e&isSpecial != 0 {
				err = ErrCorrupt
				break
			}
		}
		distance := int(e>>valueShift) + int(bits&(1<<(e&63)-1)>>(e>>8&15))
		bits >>= e & 63
		n -= uint(e & 0xff)
		from := out - distance
		if from < start {
			err = ErrCorrupt
			break
		}
		end := out + length
		switch {
		case distance >= chunk:
			*(*[chunk]byte)(dst[out:]) = *(*[chunk]byte)(dst[from:])
			for length > chunk {
				out += chunk
				from += chunk
				length -= chunk
				*(*[chunk]byte)(dst[out:]) = *(*[chunk]byte)(dst[from:])
			}
		case distance == 1:
			fill := uint64(dst[from]) * 0x0101010101010101
			for ; out < end; out += chunk {
				binary.LittleEndian.PutUint64(dst[out:], fill)
				binary.LittleEndian.PutUint64(dst[out+8:], fill)
			}
		case distance >= 8:
			for ; out < end; out += 8 {
				*(*[8]byte)(dst[out:]) = *(*[8]byte)(dst[out-distance:])
			}
		case length < 4*chunk:
			for ; out < end; out++ {
				dst[out] = dst[out-distance]
			}
		default: // what is there already is copied, each time twice as much
			for out < end {
				out += copy(dst[out:end], dst[from:out])
			}
		}
		out = end
	}
	s.at, s.out, s.bits, s.n = at, out, bits, n
	return ended, err
}

// careful unpacks the end of the input, and what would go past the room that there is:
// it makes more, and gives up after a while so that the fast loop can go on.
func (d *Decoder) careful(s *state) (ended bool, err error) {
	for range 300 {
		s.fill()
		e := d.literals[s.bits&(1<<literalBits-1)]
		if e&isTable != 0 {
			s.take(literalBits)
			e = d.literals[uint(e>>valueShift)+uint(s.bits&(1<<literalMore-1))]
		}
		if s.n-uint(e&0xff) < 8*s.past {
			return false, ErrCorrupt
		}
		if e&isSpecial != 0 {
			if e&isEnd == 0 {
				return false, ErrCorrupt
			}
			s.take(uint(e & 0xff))
			return true, nil
		}
		if e&isLiteral != 0 {
			if err := s.reserve(1); err != nil {
				return false, err
			}
			s.take(uint(e & 0xff))
			s.dst[s.out] = byte(e >> valueShift)
			s.out++
			continue
		}
		length := s.value(e)
		s.fill()
		if e = d.distances[s.bits&(1<<distanceBits-1)]; e&isTable != 0 {
			s.take(distanceBits)
			e = d.distances[uint(e>>valueShift)+uint(s.bits&(1<<distanceMore-1))]
		}
		if e&isSpecial != 0 {
			return false, ErrCorrupt
		}
		distance := s.value(e)
		if s.n < 8*s.past || distance > s.out-s.start {
			return false, ErrCorrupt
		}
		if err := s.reserve(length); err != nil {
			return false, err
		}
		for end := s.out + length; s.out < end; s.out++ {
			s.dst[s.out] = s.dst[s.out-distance]
		}
	}
	return false, nil
}

// value uses the code and the extra bits of a length or distance.
func (s *state) value(e entry) int {
	v := int(e>>valueShift) + int(s.bits&(1<<(e&63)-1)>>(e>>8&15))
	s.take(uint(e & 0xff))
	return v
}
