// The interpreter: one pass over a body, in which most operations only move on.

package rewrite

import "encoding/binary"

// What run returns instead of an offset.
const (
	refused = -1 // something doesn't fit, or s.err is set
	hidden  = -2 // the innermost element around is to be left out
)

// state is one rewriting of one frame.
type state struct {
	src     []byte // the frame
	dst     []byte
	mark    int  // src up to here is in dst, or left out of it
	ahead   int  // bytes to copy beyond a number that is edited
	changed bool // dst differs from src
	force   bool // edit what is equal, too: for tests
	hosted  bool // host and port are new values
	port    int32
	host    []byte
	regs    [maxRegisters]int32
	ctx     *Context
	plan    *plan
	memory  *memory
	failure *failure
}

// run interprets p over n structs, one after the other from off on, and returns
// where they end. Nothing behind len(b) is read.
//
// Offsets may point past the end until the next check; they are never more than
// 40 KB beyond, as larger steps are compared with what is left first.
func (s *state) run(b []byte, p *program, off, n int) int {
	for {
		for i := 0; i < len(p.ops); i++ {
			o := &p.ops[i]
			off += int(o.run)
			switch o.code {
			case opRun:

			case opSpan:
				if off >= len(b) {
					return refused
				}
				if c := int(b[off]); uint(c)-1 < 127 {
					off += c
				} else if off = longSpan(b, off, o); off < 0 {
					return refused
				}

			case opSpan16:
				if off > len(b)-2 {
					return refused
				}
				c := int(int16(binary.BigEndian.Uint16(b[off : off+2])))
				off += 2
				if c >= 0 {
					off += c
				} else if !o.null {
					return refused
				}

			case opSpan32:
				if off > len(b)-4 {
					return refused
				}
				c := int(int32(binary.BigEndian.Uint32(b[off : off+4])))
				off += 4
				if c > len(b)-off || c < 0 && !o.null {
					return refused
				}
				off += max(c, 0)

			case opNumbers:
				if off >= len(b) {
					return refused
				}
				if c := int(b[off]); uint(c)-1 < 127 && !o.wide {
					off += 1 + (c-1)*int(o.size)
				} else {
					next, c := count(b, off, o)
					if next < 0 {
						return refused
					}
					off = next + max(c, 0)*int(o.size)
				}

			case opTexts:
				next, c := count(b, off, o)
				if next < 0 {
					return refused
				}
				if off = texts(b, next, c, o.wide); off < 0 {
					return refused
				}

			case opElements:
				next, c := count(b, off, o)
				if next < 0 {
					return refused
				}
				if off = next; c > 0 {
					if off = s.elements(b, o.sub, off, c); off < 0 {
						return refused
					}
				}

			case opStrided:
				next, c := count(b, off, o)
				if next < 0 {
					return refused
				}
				if off = next; c > 0 {
					if off = s.strided(b, o, off, c); off < 0 {
						return refused
					}
				}

			case opMarker:
				if off >= len(b) {
					return refused
				}
				if b[off] >= 0x80 {
					i += int(o.jump)
				}
				off++

			case opTagMarker:
				v, next := uvarint(b, off)
				if next < 0 {
					return refused
				}
				if off = next; v == 0 {
					i += int(o.jump)
				}

			case opSection:
				if off < len(b) && b[off] == 0 {
					off++
				} else if off = s.section(b, off, o.tags); off < 0 {
					return off
				}

			case opNote:
				s.regs[o.reg] = int32(off)

			case opPeek:
				if s.run(b, o.sub, off, 1) < 0 {
					return refused
				}

			case opEndpoint:
				s.ask(b, o.edit.endpoint)

			case opRefuse:
				if !s.allow(b, off, o) {
					return refused
				}

			case opContext:
				if !s.remember(b, off, int(o.size)) {
					return refused
				}

			case opProtocol:
				if !s.protocol(b, off, o.wide) {
					return refused
				}

			case opVersion:
				if r := s.versions(b, off); r < 0 {
					return r
				}

			case opName:
				if off = s.name(b, o, off); off < 0 {
					return off
				}

			case opNames:
				if off = s.names(b, o, off); off < 0 {
					return refused
				}

			case opID:
				if off = s.id(b, o, off); off < 0 {
					return refused
				}

			case opIDs:
				if off = s.ids(b, o, off); off < 0 {
					return refused
				}

			case opAddress:
				if off = s.address(b, o, off); off < 0 {
					return refused
				}

			case opHost:
				if off = s.newHost(b, o, off); off < 0 {
					return refused
				}

			case opPort:
				if off = s.newPort(b, o, off); off < 0 {
					return refused
				}

			case opEmbedded:
				if off = s.blob(b, o, off); off < 0 {
					return refused
				}

			case opBatches:
				if off = s.batches(b, o, off); off < 0 {
					return refused
				}

			case opArray:
				if off = s.array(b, o, off); off < 0 {
					return off
				}
			}
		}
		if off += int(p.tail); off > len(b) {
			return refused
		}
		if n--; n == 0 {
			return off
		}
	}
}
