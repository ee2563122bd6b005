// Check: checksum and structure of a batch in one call.

package records

import (
	"encoding/binary"
	"hash/crc32"
)

// Check opens a batch, compares its checksum, and reads all of its records through:
// after a Check without error, Next begins with the first record and can't fail.
// Unpacking is done once for both. In wrappers the checksums of the messages in them
// are compared, too, as Kafka does. After an error there is nothing to read.
//
// Leave it out, with Open, where whoever gave the bytes is trusted with them.
func (r *Reader) Check(batch Batch) error {
	r.Open(batch)
	if err := batch.CheckCRC(); err != nil {
		r.err = err.(*Error)
		r.finish()
		return err
	}
	if !r.begin() {
		return r.err
	}
	pos, total, left, record, state := r.pos, r.total, r.left, r.record, r.state
	wrapped := state == messages && r.unpacked
	for r.Next() {
		if wrapped && !r.checkMessage() {
			break
		}
	}
	if r.err != nil {
		return r.err
	}
	r.pos, r.total, r.left, r.record, r.state = pos, total, left, record, state
	return nil
}

// checkMessage compares the checksum of the message that the Reader is at.
func (r *Reader) checkMessage() bool {
	m := r.Record().Bytes()
	if crc32.ChecksumIEEE(m[atMagic:]) == binary.BigEndian.Uint32(m[atMessageCRC:]) {
		return true
	}
	return r.fail(r.index(), r.record.at+atMessageCRC, ErrCRC, "")
}
