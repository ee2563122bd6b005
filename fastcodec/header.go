// Request and response headers, read in place.

package fastcodec

import (
	"encoding/binary"

	"github.com/kafkawire/kafkawire/fastcodec/internal/fault"
	"github.com/kafkawire/kafkawire/fastcodec/internal/life"
)

// UnknownHeader is the header version where it can't be known.
const UnknownHeader int16 = -1

// Sizes of what every header begins with.
const (
	requestFixed  = 8 // RequestApiKey, RequestApiVersion, CorrelationId
	responseFixed = 4 // CorrelationId
)

// clientInstanceTag is ClientInstanceId of request header v3 (KIP-1313).
const clientInstanceTag = 0

// RequestHeader is a view of a request's header. It is valid as long as the
// payload that it was parsed from. The zero value has zeros and no client id.
type RequestHeader struct {
	life    life.Mark
	b       []byte // the header; of an unknown version, the fields that are certain
	version int16  // of the header, or UnknownHeader
}

// ParseRequest reads the header of a request and gives the body behind it. payload
// is a frame without its size prefix, which is also what Envelope carries.
//
// A key or version that the table doesn't have is no error: HeaderVersion is
// UnknownHeader then, and body is opaque: it begins behind the fields that are
// certain, so that a header's tagged fields may be its first bytes. (ApiVersions
// requests above the table keep the known form of the header; of them, only the
// body can't be read.)
//
// Errors are *Error: ErrShort, ErrVarint, ErrCount, ErrTagSize or ErrTagRepeated.
func ParseRequest(payload []byte) (h RequestHeader, body []byte, err error) {
	if len(payload) < requestFixed {
		return h, nil, headerShort(requestHeader, "RequestApiKey:2 RequestApiVersion:2 CorrelationId:4", payload)
	}
	head := binary.BigEndian.Uint64(payload)
	version, known := APIKey(head >> 48).RequestHeaderVersion(int16(head >> 32))
	at := requestFixed
	if !known {
		version = UnknownHeader
		if end, ok := clientIDEnd(payload); ok {
			at = end
		}
	} else if version >= 1 {
		end, ok := clientIDEnd(payload)
		if !ok {
			return h, nil, headerError(requestHeader, version, payload, requestFixed, fault.String16Nullable, 0, "ClientId")
		}
		at = end
		if version >= 2 {
			if at < len(payload) && payload[at] == 0 {
				at++ // no tagged fields, as nearly always
			} else if at, err = headerTags(requestHeader, version, payload, at); err != nil {
				return h, nil, err
			}
		}
	}
	return RequestHeader{life.Of(payload), payload[:at:at], version}, payload[at:], nil
}

// Key is the API that the request is for.
func (h *RequestHeader) Key() APIKey { return APIKey(h.head() >> 48) }

// Version is the version of the request, not of its header.
func (h *RequestHeader) Version() int16 { return int16(h.head() >> 32) }

// CorrelationID is what the response will carry. Clients repeat and wrap it, and
// may make it negative: it names a request only within the order of a connection.
func (h *RequestHeader) CorrelationID() int32 { return int32(h.head()) }

// ClientID is the client's name for itself: nil where it is null or where the
// header has none. It aliases the payload.
func (h *RequestHeader) ClientID() []byte {
	h.life.Check()
	return clientID(h.b)
}

// HeaderVersion is the version of the header, 0 to 3, or UnknownHeader.
func (h *RequestHeader) HeaderVersion() int16 { return h.version }

// Known reports whether key and version are in the table, so that the body can be
// parsed.
func (h *RequestHeader) Known() bool { return h.Key().HasVersion(h.Version()) }

// ClientInstanceID is the client's instance id in a header of version 3 (KIP-1313);
// zero where there is none.
func (h *RequestHeader) ClientInstanceID() (id UUID) {
	if h.version < 3 {
		return id
	}
	for number, data := range NewTags(h.tagSection(), 0).All() {
		if number == clientInstanceTag {
			id, _ = ConsumeUUID(data)
		}
	}
	return id
}

// UnknownTags are the header's tagged fields that the schema doesn't know.
func (h *RequestHeader) UnknownTags() Tags {
	return NewTags(h.tagSection(), knownRequestTags(h.version))
}

// Bytes is the header as it came; of an unknown version, the fields that are
// certain.
func (h *RequestHeader) Bytes() []byte {
	h.life.Check()
	return h.b
}

// Reply is the header of the answer: key and version, and the correlation id.
func (h *RequestHeader) Reply() ResponseHeaderData {
	return ResponseHeaderData{Key: h.Key(), Version: h.Version(), CorrelationID: h.CorrelationID()}
}

// CopyTo fills d with copies of all that the header holds. It uses what d has: once
// grown, nothing is allocated.
func (h *RequestHeader) CopyTo(d *RequestHeaderData) {
	d.Key, d.Version, d.CorrelationID = h.Key(), h.Version(), h.CorrelationID()
	if id := h.ClientID(); id == nil {
		d.ClientID = nil
	} else if d.ClientID = append(d.ClientID[:0], id...); d.ClientID == nil {
		d.ClientID = []byte{}
	}
	d.ClientInstanceID = h.ClientInstanceID()
	d.UnknownTags = h.UnknownTags().CopyTo(d.UnknownTags)
}

func (h *RequestHeader) head() uint64 {
	h.life.Check()
	if len(h.b) < requestFixed {
		return 0
	}
	return binary.BigEndian.Uint64(h.b)
}

func (h *RequestHeader) tagSection() []byte {
	h.life.Check()
	if h.version < 2 {
		return nil
	}
	end, _ := clientIDEnd(h.b)
	return h.b[end:]
}

// knownRequestTags is the bit mask of the tags that a version of the header knows.
func knownRequestTags(headerVersion int16) uint32 {
	if headerVersion >= 3 {
		return 1 << clientInstanceTag
	}
	return 0
}

// clientIDEnd is where the client id ends, a string with an int16 length in every
// version of the header, flexible or not, so that a broker can read the header of
// any ApiVersions request.
func clientIDEnd(payload []byte) (end int, ok bool) {
	const at = requestFixed + 2
	if len(payload) < at {
		return 0, false
	}
	n := int(int16(binary.BigEndian.Uint16(payload[requestFixed:])))
	if n < 0 {
		return at, true
	}
	return at + n, n <= len(payload)-at
}

// clientID is the client id in a header; nil where there is none.
func clientID(b []byte) []byte {
	const at = requestFixed + 2
	end, ok := clientIDEnd(b)
	if !ok || b[requestFixed] >= 0x80 {
		return nil
	}
	return b[at:end:end]
}

// ResponseHeader is a view of a response's header. It is valid as long as the
// payload that it was parsed from.
type ResponseHeader struct {
	life    life.Mark
	b       []byte
	version int16
}

// ParseResponse reads the header of a response to a request of the given key and
// version, and gives the body behind it. As in ParseRequest, an unknown key or
// version is no error; the body is opaque then and begins behind the correlation
// id.
//
// Errors are *Error: ErrShort, ErrVarint, ErrCount or ErrTagSize.
func ParseResponse(payload []byte, key APIKey, version int16) (h ResponseHeader, body []byte, err error) {
	if len(payload) < responseFixed {
		return h, nil, headerShort(responseHeader, "CorrelationId:4", payload)
	}
	headerVersion, known := key.ResponseHeaderVersion(version)
	at := responseFixed
	if !known {
		headerVersion = UnknownHeader
	} else if headerVersion >= 1 {
		if at < len(payload) && payload[at] == 0 {
			at++
		} else if at, err = headerTags(responseHeader, headerVersion, payload, at); err != nil {
			return h, nil, err
		}
	}
	return ResponseHeader{life.Of(payload), payload[:at:at], headerVersion}, payload[at:], nil
}

// CorrelationID is that of the request.
func (h *ResponseHeader) CorrelationID() int32 {
	h.life.Check()
	if len(h.b) < responseFixed {
		return 0
	}
	return int32(binary.BigEndian.Uint32(h.b))
}

// HeaderVersion is the version of the header, 0 or 1, or UnknownHeader.
func (h *ResponseHeader) HeaderVersion() int16 { return h.version }

// UnknownTags are the header's tagged fields; the schema knows none.
func (h *ResponseHeader) UnknownTags() Tags {
	h.life.Check()
	if h.version < 1 {
		return Tags{}
	}
	return NewTags(h.b[responseFixed:], 0)
}

// Bytes is the header as it came; of an unknown version, the correlation id.
func (h *ResponseHeader) Bytes() []byte {
	h.life.Check()
	return h.b
}

// CopyTo fills d with copies of all that the header holds; Key and Version stay,
// as a response doesn't carry them.
func (h *ResponseHeader) CopyTo(d *ResponseHeaderData) {
	d.CorrelationID = h.CorrelationID()
	d.UnknownTags = h.UnknownTags().CopyTo(d.UnknownTags)
}
