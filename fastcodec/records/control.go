// Control records: what brokers write among the records of a log (Kafka's
// ControlRecordType, EndTransactionMarker).

package records

import (
	"encoding/binary"
	"strconv"
)

// ControlType is the type of a control record.
type ControlType int16

const (
	Abort          ControlType = iota // of a transaction
	Commit                            // of a transaction
	LeaderChange                      // LeaderChangeMessage
	SnapshotHeader                    // SnapshotHeaderRecord
	SnapshotFooter                    // SnapshotFooterRecord
	KRaftVersion                      // KRaftVersionRecord
	KRaftVoters                       // VotersRecord
)

var controlNames = [...]string{"abort", "commit", "leader change", "snapshot header", "snapshot footer", "KRaft version", "KRaft voters"}

// String is the type in words.
func (t ControlType) String() string {
	if t >= 0 && int(t) < len(controlNames) {
		return controlNames[t]
	}
	return "control type " + strconv.Itoa(int(t))
}

// ParseControlKey reads the key of a control record. ok is false where it is too
// short. Types that aren't listed here are to be passed over, and so is what stands
// behind the type.
func ParseControlKey(key []byte) (version int16, t ControlType, ok bool) {
	if len(key) < 4 {
		return 0, 0, false
	}
	return int16(binary.BigEndian.Uint16(key)), ControlType(binary.BigEndian.Uint16(key[2:])), true
}

// ParseEndTxn reads the value of an Abort or Commit. ok is false where it is too
// short. The values of the other types are messages of package kview.
func ParseEndTxn(value []byte) (version int16, coordinatorEpoch int32, ok bool) {
	if len(value) < 6 {
		return 0, 0, false
	}
	return int16(binary.BigEndian.Uint16(value)), int32(binary.BigEndian.Uint32(value[2:])), true
}

// AppendEndTxn adds the marker that ends a transaction: the one record of a batch whose
// attributes have TransactionalBit and ControlBit. t is Abort or Commit.
func (b *Builder) AppendEndTxn(timestamp int64, t ControlType, coordinatorEpoch int32) {
	var key [4]byte
	var value [6]byte
	binary.BigEndian.PutUint16(key[2:], uint16(t))
	binary.BigEndian.PutUint32(value[2:], uint32(coordinatorEpoch))
	b.Append(timestamp, key[:], value[:])
}
