// Parse: the fast reader. It interprets a message's program over the body and
// fills the index. It does not know why a body is refused, only that it is.

package layout

import (
	"encoding/binary"
	"math"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/slots"
)

const maxString = fastcodec.MaxString

// Parse checks body, all of it, and fills ix. Bytes behind the last field are
// legal: see Index.End. An error is a *fastcodec.Error that wraps one of the
// sentinels; ix can be used for the next Parse after it, but holds nothing.
func (m *Message) Parse(ix *Index, body []byte) error {
	if len(body) > math.MaxInt32 {
		return &fastcodec.Error{Message: m.schema.Name, Version: m.version, Offset: -1, Err: fastcodec.ErrFrameSize, Want: "at most 2147483647 bytes"}
	}
	if m.check(ix, body) {
		return nil
	}
	return m.explain(ix, body)
}

// check is Parse without the reason why not.
func (m *Message) check(ix *Index, body []byte) bool {
	ix.start(m.program.words)
	for {
		ix.body, ix.next, ix.need = body, slots.First, 0
		ix.end = ix.instances(m.program, 0, ix.root, 1)
		ix.body = nil
		if ix.end >= 0 {
			return true
		}
		if ix.need == 0 || !ix.grow(body) {
			ix.end, ix.next = 0, slots.First
			return false
		}
	}
}

// instances parses n structs, one after the other from off on, into their entries
// e. It returns where they end, or -1 where something doesn't fit or, if ix.need
// is set, the index has too little room. n is at least 1.
//
// Offsets stay below 2^31, since every step is compared with what is left before
// it is taken, or is less than 2 KB.
func (ix *Index) instances(p *program, off int, e []uint32, n int) int {
	b := ix.body
	for {
		if len(b)-off < p.head {
			return -1
		}
		if p.start >= 0 {
			e[p.start] = uint32(off)
		}
		for i := 0; i < len(p.ops); i++ {
			o := &p.ops[i]
			off += int(o.run)
			w := int(o.word)
			switch o.code {
			case opRun:

			case opMark:
				e[w] = uint32(off)

			case opSpan:
				s := (*[2]uint32)(e[w : w+2])
				c := int(b[off])
				if uint(c)-1 < 127 {
					s[0], off = uint32(off+1), off+c
					s[1] = uint32(off)
				} else if c == 0 && o.null {
					off++
					s[0], s[1] = 0, uint32(off)
				} else if off = longSpan(b, off, o, s); off < 0 {
					return -1
				}

			case opSpan16:
				s := (*[2]uint32)(e[w : w+2])
				c := int(int16(binary.BigEndian.Uint16(b[off : off+2])))
				off += 2
				if c >= 0 {
					s[0], off = uint32(off), off+c
				} else if s[0] = 0; !o.null {
					return -1
				}
				s[1] = uint32(off)

			case opSpan32:
				s := (*[2]uint32)(e[w : w+2])
				c := int(int32(binary.BigEndian.Uint32(b[off : off+4])))
				off += 4
				if c > len(b)-off {
					return -1
				} else if c >= 0 {
					s[0], off = uint32(off), off+c
				} else if s[0] = 0; !o.null {
					return -1
				}
				s[1] = uint32(off)

			case opNumbers:
				s := (*[2]uint32)(e[w : w+2])
				if c := int(b[off]); uint(c)-1 < 127 && !o.wide {
					s[0], off = uint32(off+1), off+1+(c-1)<<o.shift
					s[1] = uint32(off)
				} else if off = longNumbers(b, off, o, s); off < 0 {
					return -1
				}

			case opStrings, opEntries, opStrided:
				s := (*[2]uint32)(e[w : w+2])
				c := int(b[off]) - 1
				if uint(c) < 127 && !o.wide {
					off++
					if c*int(o.least) > len(b)-off {
						return -1
					}
				} else if off, c = count(b, off, o); off < 0 {
					return -1
				}
				switch {
				case c <= 0:
					// Base 0 is null, 1 empty.
					s[0], s[1] = 0, uint32(c+1)
				case o.code == opStrided:
					if off = ix.strided(o, off, c, s); off < 0 {
						return -1
					}
				default:
					words := slots.StringWords
					if o.code == opEntries {
						words = o.sub.words
					}
					at := ix.reserve(c, words)
					if at < 0 {
						return -1
					}
					s[0], s[1] = uint32(c), uint32(at)
					if o.code == opEntries {
						off = ix.instances(o.sub, off, ix.words[at:], c)
					} else {
						off = texts(b, off, ix.words[at:], c, o.wide)
					}
					if off < 0 {
						return -1
					}
				}
				if o.end >= 0 {
					e[o.end] = uint32(off)
				}

			case opMarker, opTagMarker:
				null := false
				if o.code == opMarker {
					null = b[off] >= 0x80
					e[w] = 0
					off++
				} else {
					v, next := uvarint(b, off)
					if next < 0 {
						return -1
					}
					null = v == 0
					e[w] = slots.ExplicitNull
					off = next
				}
				if null {
					if o.end >= 0 {
						e[o.end] = uint32(off)
					}
					i++
					if len(b)-off < int(o.least) {
						return -1
					}
					continue
				}

			case opStruct:
				at := ix.reserve(1, o.sub.words)
				if at < 0 {
					return -1
				}
				if off = ix.instances(o.sub, off, ix.words[at:], 1); off < 0 {
					return -1
				}
				e[w] = uint32(at)
				if o.end >= 0 {
					e[o.end] = uint32(off)
				}

			case opFixedStruct:
				if off = ix.instances(o.sub, off, e[w:], 1); off < 0 {
					return -1
				}
				if o.end >= 0 {
					e[o.end] = uint32(off)
				}

			case opSection:
				if b[off] == 0 {
					off++
				} else if off = ix.section(&noTags, off, nil); off < 0 {
					return -1
				}

			case opKnownSection:
				e[w] = 0
				if b[off] == 0 {
					off++
				} else if off = ix.section(o.tags, off, &e[w]); off < 0 {
					return -1
				}
			}
			if len(b)-off < int(o.follow) {
				return -1
			}
		}
		if n--; n == 0 {
			return off
		}
		e = e[p.words:]
	}
}
