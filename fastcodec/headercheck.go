// The checks of a header's tagged fields, and the errors of headers.

package fastcodec

import "github.com/kafkawire/kafkawire/fastcodec/internal/fault"

// Names of the headers in errors, as Kafka has them.
const (
	requestHeader  = "RequestHeader"
	responseHeader = "ResponseHeader"
)

// headerTags validates the tag section at offset at and gives its end.
func headerTags(message string, version int16, payload []byte, at int) (int, error) {
	n, kind, code := walkTags(payload[at:])
	if code < 0 {
		return 0, headerError(message, version, payload, at+n, kind, 0, "")
	}
	if message == requestHeader && knownRequestTags(version) != 0 {
		if err := checkClientInstance(payload, at, version); err != nil {
			return 0, err
		}
	}
	return at + n, nil
}

// checkClientInstance checks the known tag in a section that is well-formed: that
// it comes once, and that its size is that of a uuid.
func checkClientInstance(payload []byte, at int, version int16) error {
	count, n := ConsumeUvarint(payload[at:])
	seen := false
	for at += n; count > 0; count-- {
		number, _, rest := nextTag(payload[at:])
		end := len(payload) - len(rest)
		if number == clientInstanceTag {
			_, n := ConsumeUvarint(payload[at:])
			size, m := ConsumeUvarint(payload[at+n:])
			content := at + n + m
			switch {
			case seen:
				return headerError(requestHeader, version, payload, at, fault.TagTwice, 0, "ClientInstanceId")
			case len(payload)-content < SizeUUID:
				return headerError(requestHeader, version, payload, content, fault.Fixed, SizeUUID, "ClientInstanceId")
			case size != SizeUUID:
				return headerError(requestHeader, version, payload, at+n, fault.TagMismatch, 0, "ClientInstanceId")
			}
			seen = true
		}
		at = end
	}
	return nil
}

// headerShort is the error of a payload that ends within the fixed fields, which
// are described as for fault.FixedRun.
func headerShort(message, fields string, payload []byte) error {
	field, at, size := fault.FixedRun(fields, 0, 0, len(payload))
	return headerError(message, NoVersion, payload, at, fault.Fixed, size, field)
}

// headerError is the error of a header's field, "" for its tag section.
func headerError(message string, version int16, payload []byte, at int, kind fault.Kind, arg int, field string) error {
	e := &Error{Message: message, Version: version, Offset: at}
	e.Err, e.Want = fault.Diagnose(payload, at, kind, arg)
	if field != "" {
		e.Path.Prepend(field, -1)
	}
	return e
}
