// Request and response headers, written; whole frames.

package fastcodec

import (
	"encoding/binary"
	"math"
)

// RequestHeaderData is a request's header to write. The header's version follows
// from key and version.
type RequestHeaderData struct {
	Key              APIKey
	Version          int16 // of the request
	CorrelationID    int32
	ClientID         []byte // nil is null
	ClientInstanceID UUID   // header version 3 only (KIP-1313); zero is left out
	UnknownTags      []Tag  // written in ascending order
}

// ResponseHeaderData is a response's header to write. Key and Version are those of
// the request; they choose the version of header and body. (The answer to an
// ApiVersions request of an unsupported version is written at version 0.)
type ResponseHeaderData struct {
	Key           APIKey
	Version       int16
	CorrelationID int32
	UnknownTags   []Tag // written in ascending order
}

// AppendRequestHeader appends the header to dst. On an error, an *Error, it returns
// dst as it was: ErrUnknownAPI or ErrVersion where the table doesn't have key or
// version, ErrTooLong, ErrTagKnown, and ErrNotInVersion or ErrTagsNotSupported
// where the header's version lacks what is set.
func AppendRequestHeader(dst []byte, h *RequestHeaderData) ([]byte, error) {
	version, ok := h.Key.RequestHeaderVersion(h.Version)
	if !ok || !h.Key.HasVersion(h.Version) {
		return dst, UnsupportedVersion(h.Key, true, h.Version)
	}
	if field, err := h.check(version); err != nil {
		return dst, encodeError(requestHeader, version, field, err)
	}
	return h.append(dst, version), nil
}

// append writes a header that passed check.
func (h *RequestHeaderData) append(dst []byte, version int16) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(uint16(h.Key))<<48|uint64(uint16(h.Version))<<32|uint64(uint32(h.CorrelationID)))
	if version >= 1 {
		dst = AppendNullableString(dst, h.ClientID)
	}
	if version < 2 {
		return dst
	}
	if h.ClientInstanceID.IsZero() {
		return AppendTags(dst, h.UnknownTags)
	}
	dst = AppendUvarint(dst, uint32(len(h.UnknownTags)+1))
	var m TagMerge
	m.Start(h.UnknownTags)
	dst = append(dst, clientInstanceTag, SizeUUID) // the lowest number: nothing goes before it
	dst = AppendUUID(dst, h.ClientInstanceID)
	return m.AppendRest(dst)
}

// check finds the field that a version of the header can't carry. A client id that
// is null or empty counts as none, though Kafka's default is empty only.
func (h *RequestHeaderData) check(version int16) (field string, err error) {
	switch {
	case len(h.ClientID) > MaxString:
		return "ClientId", ErrTooLong
	case version < 1 && len(h.ClientID) > 0:
		return "ClientId", ErrNotInVersion
	case version < 3 && !h.ClientInstanceID.IsZero():
		return "ClientInstanceId", ErrNotInVersion
	case version < 2 && len(h.UnknownTags) > 0:
		return "", ErrTagsNotSupported
	}
	return "", CheckTags(h.UnknownTags, knownRequestTags(version))
}

// AppendResponseHeader appends the header to dst. Errors are as in
// AppendRequestHeader.
func AppendResponseHeader(dst []byte, h *ResponseHeaderData) ([]byte, error) {
	version, ok := h.Key.ResponseHeaderVersion(h.Version)
	if !ok || !h.Key.HasVersion(h.Version) {
		return dst, UnsupportedVersion(h.Key, false, h.Version)
	}
	if version < 1 && len(h.UnknownTags) > 0 {
		return dst, encodeError(responseHeader, version, "", ErrTagsNotSupported)
	}
	if err := CheckTags(h.UnknownTags, 0); err != nil {
		return dst, encodeError(responseHeader, version, "", err)
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(h.CorrelationID))
	if version < 1 {
		return dst, nil
	}
	return AppendTags(dst, h.UnknownTags), nil
}

// encodeError is the error of a header that can't be written.
func encodeError(message string, version int16, field string, err error) error {
	e := &Error{Message: message, Version: version, Offset: -1, Err: err}
	if field != "" {
		e.Path.Prepend(field, -1)
	}
	return e
}

// Appender is a body that can be written: a struct of package kdata, or *Raw. On an
// error AppendTo returns dst as it was.
type Appender interface {
	AppendTo(dst []byte, version int16) ([]byte, error)
}

// Raw is a body that is bytes already. As an Appender pass a *Raw: a Raw would have
// to be allocated.
type Raw []byte

// AppendTo appends the bytes; the version doesn't matter.
func (r Raw) AppendTo(dst []byte, version int16) ([]byte, error) { return append(dst, r...), nil }

// AppendRequest appends a whole frame to dst: size, header and body, the body at
// the header's version. On an error it returns dst at its old length: that of
// AppendRequestHeader, that of the body, or ErrFrameSize for a frame above 2^31-1
// bytes.
func AppendRequest(dst []byte, h *RequestHeaderData, body Appender) ([]byte, error) {
	start := len(dst)
	dst, err := AppendRequestHeader(append(dst, 0, 0, 0, 0), h)
	if err != nil {
		return dst[:start], err
	}
	return appendBody(dst, start, h.Version, body)
}

// AppendResponse is AppendRequest for a response.
func AppendResponse(dst []byte, h *ResponseHeaderData, body Appender) ([]byte, error) {
	start := len(dst)
	dst, err := AppendResponseHeader(append(dst, 0, 0, 0, 0), h)
	if err != nil {
		return dst[:start], err
	}
	return appendBody(dst, start, h.Version, body)
}

// AppendFrame appends a frame that holds payload as it is: a SASL token, or what is
// forwarded unread. The error is ErrFrameSize for more than 2^31-1 bytes.
func AppendFrame(dst, payload []byte) ([]byte, error) {
	if uint64(len(payload)) > math.MaxInt32 {
		return dst, tooLarge()
	}
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(payload))), payload...), nil
}

// appendBody appends the body of a frame that begins at start, then writes the
// size.
func appendBody(dst []byte, start int, version int16, body Appender) ([]byte, error) {
	dst, err := body.AppendTo(dst, version)
	if err != nil {
		return dst[:start], err
	}
	size := len(dst) - start - SizePrefix
	if uint64(size) > math.MaxInt32 {
		return dst[:start], tooLarge()
	}
	binary.BigEndian.PutUint32(dst[start:], uint32(size))
	return dst, nil
}

func tooLarge() error {
	return &Error{Message: "frame", Version: NoVersion, Offset: -1, Err: ErrFrameSize, Want: "at most 2147483647 bytes"}
}
