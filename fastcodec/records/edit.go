// Edits of a header in place: of a batch whose bytes the caller owns.

package records

import "encoding/binary"

// SetBaseOffset gives the batch other offsets. The checksum doesn't cover them. The
// messages in a wrapper of magic 0 have offsets of their own: ErrMagic.
func (b Batch) SetBaseOffset(offset int64) error {
	if b.Magic() == Magic0 && b.Codec() != None {
		return b.noRoom(atMagic)
	}
	binary.BigEndian.PutUint64(b.bytes()[atBaseOffset:], uint64(offset))
	return nil
}

// SetLeaderEpoch sets the leader epoch, which the checksum doesn't cover. Magic 0 and
// 1 have none: ErrMagic.
func (b Batch) SetLeaderEpoch(epoch int32) error {
	if b.old() {
		return b.noRoom(atMagic)
	}
	binary.BigEndian.PutUint32(b.bytes()[atLeaderEpoch:], uint32(epoch))
	return nil
}

// The edits below keep the checksum as right or wrong as it was.

// SetAttributes sets all attributes but the codec, which is a matter of the records.
// Those that the magic has no bits for are ErrMagic.
func (b Batch) SetAttributes(a Attributes) error {
	a = a.WithCodec(b.Codec())
	if !b.old() {
		batchCRC.patch(b.bytes(), atAttributes, []byte{byte(a >> 8), byte(a)})
		return nil
	}
	if a != a&0xff || b.Magic() == Magic0 && a.Has(LogAppendTimeBit) {
		return b.noRoom(atMagic)
	}
	messageCRC.patch(b.bytes(), atMessageAttributes, []byte{byte(a)})
	return nil
}

// SetMaxTimestamp sets the largest timestamp, and whose clock it is of: what a broker
// does to a batch that it appends. With LogAppendTime it is every record's timestamp.
// Magic 0 has no timestamps: ErrMagic.
func (b Batch) SetMaxTimestamp(t TimestampType, ms int64) error {
	if b.Magic() == Magic0 || t == NoTimestampType {
		return b.noRoom(atMagic)
	}
	a := b.Attributes() &^ LogAppendTimeBit
	if t == LogAppendTime {
		a |= LogAppendTimeBit
	}
	if err := b.SetAttributes(a); err != nil {
		return err
	}
	b.patch64(atMaxTimestamp, ms)
	return nil
}

// SetBaseTimestamp moves the timestamps of all records that have their own, as these
// are written as differences to it; MaxTimestamp stays. Magic 0 and 1 have no base:
// ErrMagic.
func (b Batch) SetBaseTimestamp(ms int64) error {
	if b.old() {
		return b.noRoom(atMagic)
	}
	b.patch64(atBaseTimestamp, ms)
	return nil
}

// SetProducer sets producer id, epoch and base sequence. Magic 0 and 1 have none:
// ErrMagic.
func (b Batch) SetProducer(id int64, epoch int16, sequence int32) error {
	if b.old() {
		return b.noRoom(atMagic)
	}
	var p [atCount - atProducerID]byte
	binary.BigEndian.PutUint64(p[:], uint64(id))
	binary.BigEndian.PutUint16(p[8:], uint16(epoch))
	binary.BigEndian.PutUint32(p[10:], uint32(sequence))
	batchCRC.patch(b.bytes(), atProducerID, p[:])
	return nil
}

// patch64 writes a field of magic 2, or the one timestamp of a message.
func (b Batch) patch64(at int, v int64) {
	var p [8]byte
	binary.BigEndian.PutUint64(p[:], uint64(v))
	if b.old() {
		at = atMessageTimestamp
	}
	b.polynomial().patch(b.bytes(), at, p[:])
}

func (b Batch) noRoom(at int) error {
	return &Error{BaseOffset: b.BaseOffset(), Record: -1, Byte: at, Err: ErrMagic, Want: "a magic that has the field"}
}
