// Reader: the records of a batch, one after another.
//
// Next is a fast path for records of magic 2 whose lengths have the usual sizes, and
// that have some bytes behind their front; parse.go has the form that reads all of
// them and says what is wrong, message.go that for magic 0 and 1.

package records

import (
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/internal/life"
)

// Reader walks the records of a batch. The zero value is ready for Open; a Reader
// keeps its buffer of unpacked bytes for the next batch, until Release. It is for one
// goroutine.
type Reader struct {
	// MaxDecompressed is the most bytes that a batch may unpack to; the Reader needs
	// no more than that, and 256 KiB. Zero is fastcodec.DefaultLimits.Decompressed.
	MaxDecompressed int

	// The bytes that records are read from: the batch, or what it unpacked to.
	b []byte

	pos  int // of the next record in b
	left int // records to come; 0 before the first Next, and of messages always or less

	record fields
	total  int   // records that the batch has, if its header says so
	time   int64 // what timestamp deltas count from, or stands for every timestamp
	base   int64 // of messages: what their offsets count from
	deltas int64 // -1 where timestamp deltas count, 0 where they don't

	state    state
	unpacked bool // b is what the batch unpacked to
	batch    Batch
	err      *Error
	buf      buffer
	mark     life.Mark
	_        byte // a mark of no size can't be last
}

// fields of the record that the Reader is at. Places are in Reader.b; a place that is
// 0 is null.
type fields struct {
	at, end    int
	key, value span
	headers    headerSpan
	offset     int64 // what the offset delta counts from
	delta      uint64
	offsets    uint32
}

// span is a start and, in the upper half, an end. One word is quicker than two.
type span uint64

func newSpan(start, end uint) span { return span(start) | span(end)<<32 }

func (s span) of(b []byte) []byte {
	if s == 0 {
		return nil
	}
	return b[uint32(s) : s>>32 : s>>32]
}

// headerSpan is where the headers begin, and in the upper half how many there are.
type headerSpan uint64

// state of a Reader between Nexts, for whenever the fast path doesn't apply.
type state uint8

const (
	closed   state = iota // nothing open, or read to the end, or failed
	opened                // nothing was looked at yet
	records2              // among the records of magic 2
	messages              // among the messages of magic 0 and 1
)

// Open turns the Reader to the records of a batch. It looks at nothing, and unpacks
// nothing: Next does. What earlier Records of this Reader gave may be gone.
func (r *Reader) Open(batch Batch) {
	r.batch = batch
	r.state = opened
	r.unpacked = false
	r.left = 0
	r.err = nil
}

// Next goes to the next record, and reports whether there is one. It is false at the
// end of the batch, and where it can't be read: Err says which. A record that was
// given is sound in all its fields.
func (r *Reader) Next() bool {
	b := r.b
	at := r.pos
	if r.left <= 0 || len(b)-at < frontSize {
		return r.next()
	}
	front := (*[frontSize]byte)(b[at:])

	// Varints of one and two bytes here, deltas also of three; others are rare.
	u := uint(front[0])
	i := uint(1)
	if u >= 0x80 {
		c := uint(front[1])
		if c >= 0x80 {
			return r.next()
		}
		u = u&0x7f | c<<7
		i = 2
	}
	end := uint(at) + i + u>>1
	if u&1 != 0 || end > uint(len(b)) {
		return r.next()
	}
	i++ // attributes

	u = uint(front[i&(frontSize-1)])
	i++
	if u >= 0x80 {
		c := uint(front[i&(frontSize-1)])
		i++
		u = u&0x7f | c&0x7f<<7
		if c >= 0x80 {
			c = uint(front[i&(frontSize-1)])
			i++
			u |= c << 14
			if c >= 0x80 {
				return r.next()
			}
		}
	}
	r.record.delta = uint64(u)

	u = uint(front[i&(frontSize-1)])
	i++
	if u >= 0x80 {
		c := uint(front[i&(frontSize-1)])
		i++
		u = u&0x7f | c&0x7f<<7
		if c >= 0x80 {
			c = uint(front[i&(frontSize-1)])
			i++
			u |= c << 14
			if c >= 0x80 {
				return r.next()
			}
		}
	}
	r.record.offsets = uint32(u)

	// An odd length is a negative one: null.
	u = uint(front[i&(frontSize-1)])
	i++
	if u >= 0x80 {
		c := uint(front[i&(frontSize-1)])
		i++
		u = u&0x7f | c<<7
		if c >= 0x80 {
			return r.next()
		}
	}
	i += uint(at)
	var key span
	if u&1 == 0 {
		key = newSpan(i, i+u>>1)
		i += u >> 1
	}
	r.record.key = key

	if i >= end || i >= uint(len(b)) {
		return r.next()
	}
	u = uint(b[i])
	i++
	if u >= 0x80 {
		if i >= uint(len(b)) {
			return r.next()
		}
		c := uint(b[i])
		i++
		u = u&0x7f | c<<7
		if c >= 0x80 {
			return r.next()
		}
	}
	var value span
	if u&1 == 0 {
		value = newSpan(i, i+u>>1)
		i += u >> 1
	}
	r.record.value = value

	if i >= end || i >= uint(len(b)) {
		return r.next()
	}
	r.record.headers = 0
	if b[i] != 0 {
		return r.nextHeaders(b[:end], i)
	}
	if i+1 != end {
		return r.next()
	}
	r.record.at = at
	r.record.end = int(end)
	r.pos = int(end)
	r.left--
	return true
}

// frontSize is how many bytes Next wants to have before it. It is a power of two, as
// places are masked with it, so that the compiler knows them to be in reach. No way
// through the lengths in front of a key reads more: 2+1+3+3+2.
const frontSize = 16

// nextHeaders is the rest of Next for a record with headers, whose count is at i and
// whose end is that of b.
func (r *Reader) nextHeaders(b []byte, i uint) bool {
	n := uint(b[i])
	i++
	if n >= 0x80 || n&1 != 0 {
		return r.next()
	}
	n >>= 1
	r.record.headers = headerSpan(i) | headerSpan(n)<<32
	for ; n > 0; n-- {
		if i >= uint(len(b)) {
			return r.next()
		}
		u := uint(b[i])
		if u >= 0x80 || u&1 != 0 {
			return r.next()
		}
		i += 1 + u>>1
		if i >= uint(len(b)) {
			return r.next()
		}
		u = uint(b[i])
		i++
		if u >= 0x80 {
			if i >= uint(len(b)) {
				return r.next()
			}
			c := uint(b[i])
			i++
			u = u&0x7f | c<<7
			if c >= 0x80 {
				return r.next()
			}
		}
		if u&1 == 0 {
			i += u >> 1
		}
	}
	if i != uint(len(b)) {
		return r.next()
	}
	r.record.at = r.pos
	r.record.end = len(b)
	r.pos = len(b)
	r.left--
	return true
}

// next is Next for whatever the fast path can't do.
func (r *Reader) next() bool {
	if r.state == opened && !r.begin() {
		return false
	}
	switch r.state {
	case messages:
		return r.nextMessage()
	case records2:
		if r.left > 0 {
			return r.parse()
		}
		if r.pos != len(r.b) {
			return r.fail(r.index()+1, r.pos, ErrLeftover, "as many records as the batch says")
		}
	}
	r.finish()
	return false
}

// begin looks at the header and finds the records, unpacking them if need be.
func (r *Reader) begin() bool {
	r.mark = r.batch.mark
	b := r.batch.bytes()
	codec := r.batch.Codec()
	if !codec.in(r.batch.Magic()) {
		at := atAttributes + 1
		if r.batch.old() {
			at = atMessageAttributes
		}
		return r.fail(-1, at, ErrCodec, "")
	}
	if r.batch.old() {
		return r.beginMessages(codec)
	}
	count := r.batch.Count()
	if count < 0 {
		return r.fail(-1, atCount, ErrRecordCount, "")
	}
	r.b, r.pos = b, HeaderSize
	// A batch without records may have nothing to unpack.
	if codec != None && (count > 0 || len(b) > HeaderSize) && !r.unpack(codec, b[HeaderSize:], HeaderSize) {
		return false
	}
	r.record = fields{offset: r.batch.BaseOffset()}
	r.time, r.deltas = r.batch.BaseTimestamp(), -1
	if r.batch.TimestampType() == LogAppendTime {
		r.time, r.deltas = r.batch.MaxTimestamp(), 0
	}
	r.total, r.left = int(count), int(count)
	r.state = records2
	return true
}

// unpack decompresses src, which stands at a place in the batch, and makes that what
// records are read from.
func (r *Reader) unpack(codec Codec, src []byte, at int) bool {
	limit := r.MaxDecompressed
	if limit == 0 {
		limit = fastcodec.DefaultLimits.Decompressed
	}
	if err := r.buf.unpack(codec, r.batch.Magic(), src, limit); err != nil {
		e := &Error{BaseOffset: r.batch.BaseOffset(), Record: -1, Byte: at, Err: err}
		if err != ErrDecompressedSize {
			e.Err, e.Cause = ErrCompressed, err
		}
		r.err = e
		r.finish()
		return false
	}
	r.b, r.pos = r.buf.bytes(), 0
	r.unpacked = true
	r.mark = life.Mark{} // these bytes are the Reader's own
	return true
}

// index is that of the record that the Reader is at; -1 before the first.
func (r *Reader) index() int { return r.total - r.left - 1 }

// fail ends the reading of the batch with an error.
func (r *Reader) fail(record, at int, err error, want string) bool {
	r.err = &Error{BaseOffset: r.batch.BaseOffset(), Record: record, Byte: at, Unpacked: r.unpacked, Want: want, Err: err}
	r.finish()
	return false
}

// finish leaves nothing to read, and no record.
func (r *Reader) finish() {
	r.state = closed
	r.total, r.left = 0, 0
	r.record = fields{}
}

// Record is the record that the last Next went to. It is a view of the Reader: it
// changes with the next Next. After a Next that was false it is empty.
func (r *Reader) Record() Record { return Record{r} }

// Unpacked is what a compressed batch was unpacked to, which is where the At of its
// records counts from. It is nil before the first Next, and for a batch without a codec.
func (r *Reader) Unpacked() []byte {
	if !r.unpacked {
		return nil
	}
	return r.bytes()
}

// Err is why the records of the batch ended before their time; nil if they didn't. It
// is an *Error.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// Release gives the buffer of unpacked bytes back, and ends the life of what it held.
// The Reader can go on with other batches.
func (r *Reader) Release() {
	r.buf.release()
	r.b, r.batch, r.unpacked = nil, Batch{}, false
	r.finish()
}
