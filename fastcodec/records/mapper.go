// Mapper: batches rewritten record by record.
//
// As long as nothing changes, nothing is written. From the first change on, what lies
// between changed records is copied in one piece, and of a changed record what the
// change leaves alone.

package records

import (
	"math"

	"github.com/valyala/bytebufferpool"
)

// Mapper rewrites batches. The zero value is ready. It keeps the buffer of its Reader
// for the next batch, until Release. It is for one goroutine.
type Mapper struct {
	// Level is the compression level of batches that have changed: see Builder.
	Level int
	// MaxDecompressed is that of Reader.
	MaxDecompressed int
	// TrustCRC leaves the checksum of a batch that changes unread. Otherwise a wrong one
	// is ErrCRC, since the new one would hide it.
	TrustCRC bool

	r    Reader
	edit Edit
	raw  *bytebufferpool.ByteBuffer // records of a compressed batch
	to   []byte                     // what is written to: dst, or raw's
	mark int                        // in the Reader's bytes: those before it are written, or left out

	wrote, dropped bool  // something changed; a record was left out
	kept           int   // records
	latest         int64 // largest timestamp of those kept
	last           int64 // offset of the last one kept
}

// Map appends a batch to dst whose records f may drop or change. A batch in which f
// changes nothing is appended as it was, compressed bytes included. Otherwise records
// keep their offsets, their timestamps and the differences that these are written as;
// the batch keeps its codec, base and last offset, timestamps, producer fields and
// attributes, those without a meaning too. Where records were dropped, MaxTimestamp is
// that of those left, unless it is the time of the append.
//
// Without any records left, the batch is an empty one as log cleaning leaves them, so
// that consumers get past it: a header without a codec and with no base timestamp. Of
// messages of magic 0 and 1 nothing is left then; a wrapper of magic 1 has the offset
// of the last message that stays, as theirs count from it.
//
// A control batch is appended as it was, without a call: its records aren't the user's.
//
// With an error dst is as it was. Errors are those of a Reader; ErrCRC: see TrustCRC;
// ErrTooLarge.
func (m *Mapper) Map(dst []byte, batch Batch, f func(r Record, e *Edit)) (_ []byte, changed bool, err error) {
	if batch.Control() {
		return append(dst, batch.Bytes()...), false, nil
	}
	r := &m.r
	r.MaxDecompressed = m.MaxDecompressed
	r.Open(batch)
	m.wrote, m.dropped, m.kept, m.latest, m.last = false, false, 0, math.MinInt64, -1
	m.to = dst
	defer m.done()
	for first := true; r.Next(); first = false {
		if first {
			m.mark = r.record.at
		}
		e := &m.edit
		e.what = 0
		f(Record{r}, e)
		if e.what != 0 {
			if err := m.change(); err != nil {
				return dst, false, err
			}
		}
		if e.what&dropped == 0 {
			m.kept++
			m.latest = max(m.latest, Record{r}.Timestamp())
			m.last = Record{r}.Offset()
		}
	}
	if r.err != nil {
		return dst, false, r.err
	}
	if !m.wrote {
		return append(dst, batch.Bytes()...), false, nil
	}
	m.to = append(m.to, r.b[m.mark:]...)
	to, err := m.finish(dst)
	if err != nil {
		return dst, false, err
	}
	return to, true, nil
}

// MapAll appends a whole records field, each batch mapped. Bytes left over at its end
// are appended as they are.
func (m *Mapper) MapAll(dst, field []byte, f func(r Record, e *Edit)) (_ []byte, changed bool, err error) {
	to := dst
	batches := Batches(field)
	for batches.Next() {
		var c bool
		if to, c, err = m.Map(to, batches.Batch(), f); err != nil {
			return dst, false, err
		}
		changed = changed || c
	}
	if err := batches.Err(); err != nil {
		return dst, false, err
	}
	return append(to, field[len(field)-batches.Left():]...), changed, nil
}

// change writes what the edit makes of the record that the Reader is at, and what
// stands before it and isn't written yet.
func (m *Mapper) change() error {
	r := &m.r
	if !m.wrote {
		if err := m.begin(); err != nil {
			return err
		}
	}
	m.to = append(m.to, r.b[m.mark:r.record.at]...)
	m.mark = r.record.end
	if m.edit.what&dropped != 0 {
		m.dropped = true
		return nil
	}
	var ok bool
	if r.batch.old() {
		if m.edit.what&newHeaders != 0 {
			return r.batch.noRoom(atMagic)
		}
		m.to, ok = m.edit.appendMessage(m.to, Record{r})
	} else {
		m.to, ok = m.edit.appendRecord(m.to, Record{r})
	}
	if !ok {
		r.fail(r.index(), r.record.at, ErrTooLarge, "")
		return r.err
	}
	return nil
}

// begin readies the place that is written to, as something has changed.
func (m *Mapper) begin() error {
	batch := m.r.batch
	if !m.TrustCRC {
		if err := batch.CheckCRC(); err != nil {
			return err
		}
	}
	m.wrote = true
	switch {
	case batch.Codec() != None:
		m.raw = unpackedPool.Get()
		m.to = m.raw.B[:0]
	case !batch.old():
		m.to = append(m.to, batch.b[:HeaderSize]...)
	}
	return nil
}

// done gives back what a batch needed.
func (m *Mapper) done() {
	if m.raw != nil {
		m.raw.B = m.to
		giveBack(&unpackedPool, m.raw)
		m.raw = nil
	}
	m.to = nil
	m.edit = Edit{}
}

// finish packs what was written and puts the header in front of it.
func (m *Mapper) finish(dst []byte) (_ []byte, err error) {
	batch := m.r.batch
	codec := batch.Codec()
	at := len(dst)
	switch {
	case batch.old() && codec == None:
		return m.to, nil
	case batch.old():
		return m.finishWrapper(dst)
	case codec == None:
		dst = m.to
	default:
		dst = append(dst, batch.b[:HeaderSize]...)
		if m.kept > 0 {
			dst, err = pack(dst, m.to, codec, Magic2, m.Level)
		}
	}
	if err == nil && len(dst)-at-SizeOverhead > math.MaxInt32 {
		err = &Error{BaseOffset: batch.BaseOffset(), Record: -1, Byte: atSize, Err: ErrTooLarge}
	}
	if err != nil {
		return dst[:at], err
	}
	h := batch.Header()
	if m.dropped && m.kept > 0 && batch.TimestampType() == CreateTime {
		h.MaxTimestamp = m.latest
	}
	if m.kept == 0 {
		h.Attributes = h.Attributes.WithCodec(None) &^ DeleteHorizonBit
		h.BaseTimestamp = -1
	}
	h.put(dst[at:], m.kept)
	return dst, nil
}

// finishWrapper is finish for a wrapper.
func (m *Mapper) finishWrapper(dst []byte) ([]byte, error) {
	if m.kept == 0 {
		return dst, nil
	}
	batch := m.r.batch
	var p parser
	w := p.message(batch.b, 0)
	if w.magic == Magic1 && w.offset != 0 {
		w.offset = m.last
	}
	if m.dropped && batch.TimestampType() == CreateTime {
		w.timestamp = m.latest
	}
	return appendWrapper(dst, w.magic, w.attributes, w.offset, w.timestamp, w.key.of(batch.b), m.to, m.Level)
}

// Release gives the Reader's buffer back. The Mapper can go on with other batches.
func (m *Mapper) Release() { m.r.Release() }
