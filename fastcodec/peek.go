// Peeks: the few fields that a router needs of each frame, without a parse.

package fastcodec

import "encoding/binary"

// PeekRequest reads what requests begin with. ok is false where the payload has
// fewer than 10 bytes, as no request has whose header carries a client id. The
// client id is nil where it is null, where the payload ends before it does, and in
// the one header that has none (ControlledShutdown v0); it aliases the payload,
// with its capacity clipped. It inlines, and is no slower than a loop over
// encoding/binary that is written for the purpose.
func PeekRequest(payload []byte) (key APIKey, version int16, correlationID int32, client []byte, ok bool) {
	if len(payload) < requestFixed+2 {
		return
	}
	head := binary.BigEndian.Uint64(payload)
	n := int(int16(binary.BigEndian.Uint16(payload[requestFixed:])))
	// One comparison for null (negative) and for a length past the end.
	if rest := payload[requestFixed+2:]; uint(n) <= uint(len(rest)) && head>>32 != uint64(ControlledShutdown)<<16 {
		client = rest[:n:n]
	}
	return APIKey(head >> 48), int16(head >> 32), int32(head), client, true
}

// PeekCorrelationID reads the correlation id of a response. ok is false where the
// payload has fewer than 4 bytes.
func PeekCorrelationID(payload []byte) (correlationID int32, ok bool) {
	if len(payload) < responseFixed {
		return 0, false
	}
	return int32(binary.BigEndian.Uint32(payload)), true
}

// PeekProduceAcks reads the acks of a Produce request, of which nobody answers one
// with acks 0. ok is false for other requests, for versions that the table doesn't
// have, and where the payload ends before acks does. The payload may be the
// beginning of a larger one.
func PeekProduceAcks(payload []byte) (acks int16, ok bool) {
	key, version, _, _, ok := PeekRequest(payload)
	if !ok || key != Produce || !Produce.HasVersion(version) {
		return 0, false
	}
	at, ok := clientIDEnd(payload)
	if !ok {
		return 0, false
	}
	flexible, _ := Produce.FlexibleFrom()
	var n int
	switch b := payload[at:]; {
	case version >= flexible:
		_, tags := ConsumeTags(b)
		if tags < 0 {
			return 0, false
		}
		at += tags
		_, n = ConsumeNullableCompactString(payload[at:]) // TransactionalId
	case version >= 3:
		_, n = ConsumeNullableString(b)
	}
	if n < 0 || len(payload)-at-n < 2 {
		return 0, false
	}
	return int16(binary.BigEndian.Uint16(payload[at+n:])), true
}
