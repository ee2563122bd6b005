// Errors: sentinels that say what is wrong, and the one type that says where.

package fastcodec

import (
	"strconv"
	"strings"

	"github.com/kafkawire/kafkawire/fastcodec/internal/fault"
)

// Sentinels. Every error of this module that speaks of bytes or fields wraps one
// of them: test with errors.Is.
var (
	// ErrShort: the input ends inside a field.
	ErrShort = fault.Short
	// ErrVarint: a varint has more bytes or bits than its type allows.
	ErrVarint = fault.Varint
	// ErrNull: null where this version allows none.
	ErrNull = fault.Null
	// ErrTooLong: a string of more than MaxString bytes, or a length or count
	// above 2^31-1 given to an encoder.
	ErrTooLong = fault.TooLong
	// ErrCount: an array or a tag section claims more elements than the bytes
	// left could hold.
	ErrCount = fault.Count
	// ErrTagRepeated: a known tagged field stands twice in one struct.
	ErrTagRepeated = fault.TagRepeated
	// ErrTagSize: the size of a tagged field runs past the end, or is not that of
	// the known field's payload.
	ErrTagSize = fault.TagSize
	// ErrTagKnown: an encoder was given an unknown tagged field with a number that
	// the schema knows at this version.
	ErrTagKnown = fault.TagKnown
	// ErrVersion: the version is outside the range that this codec knows.
	ErrVersion = fault.Version
	// ErrUnknownAPI: the API key is not in the table.
	ErrUnknownAPI = fault.UnknownAPI
	// ErrTrailing: bytes after the last field, where the caller asked for none.
	ErrTrailing = fault.Trailing
	// ErrIndexLimit: the message needs more index entries than the limit allows.
	ErrIndexLimit = fault.IndexLimit
	// ErrFrameSize: a frame's size is negative or above the limit.
	ErrFrameSize = fault.FrameSize
	// ErrTLS: what should be a frame begins like a TLS record.
	ErrTLS = fault.TLS
	// ErrNotInVersion: an encoder was given a value that the version can't carry.
	ErrNotInVersion = fault.NotInVersion
	// ErrTagsNotSupported: an encoder was given tagged fields at a version without
	// tag sections.
	ErrTagsNotSupported = fault.TagsNotSupported
)

// MaxString is the most bytes that a Kafka string may have, in compact encodings
// too.
const MaxString = fault.MaxString

// NoVersion stands in Error.Version where a version means nothing.
const NoVersion int16 = -1

// Error says where a sentinel applies. It keeps nothing of the frame: names come
// from the schema, the rest are numbers.
type Error struct {
	Message string // Kafka's name of the message: "MetadataResponse"
	Version int16  // of the message, or NoVersion
	Path    Path   // from the message down to the field; empty for the message itself
	Offset  int    // in the body, of the first byte of the field; -1 where there is none (encoding)
	Want    string // what was expected; may be empty
	Err     error  // a sentinel

	// The versions that would have done, where Err is ErrVersion.
	lowest, highest int16
}

// VersionError is the error of a typed parse or append at a version outside
// lowest to highest. The message's name is Kafka's: "FetchRequest".
func VersionError(message string, version, lowest, highest int16) *Error {
	return &Error{Message: message, Version: version, Offset: -1, Err: ErrVersion, lowest: lowest, highest: highest}
}

// Error gives one line:
//
//	MetadataResponse v12: Topics[3].Partitions[1].LeaderId: offset 812: short input: want 4 bytes
//	unsupported version 19 of Fetch request: 0-18
func (e *Error) Error() string {
	b := make([]byte, 0, 128)
	if e.Err == ErrVersion {
		b = append(b, "unsupported version "...)
		b = strconv.AppendInt(b, int64(e.Version), 10)
		b = append(b, " of "...)
		b = append(b, spokenName(e.Message)...)
		b = append(b, ": "...)
		b = strconv.AppendInt(b, int64(e.lowest), 10)
		if e.highest != e.lowest {
			b = append(b, '-')
			b = strconv.AppendInt(b, int64(e.highest), 10)
		}
		return string(b)
	}
	b = append(b, e.Message...)
	if e.Version != NoVersion {
		b = append(b, " v"...)
		b = strconv.AppendInt(b, int64(e.Version), 10)
	}
	b = append(b, ": "...)
	if e.Path.Len() > 0 {
		b = e.Path.appendText(b)
		b = append(b, ": "...)
	}
	if e.Offset >= 0 {
		b = append(b, "offset "...)
		b = strconv.AppendInt(b, int64(e.Offset), 10)
		b = append(b, ": "...)
	}
	if e.Err != nil {
		b = append(b, e.Err.Error()...)
	}
	if e.Want != "" {
		b = append(b, ": want "...)
		b = append(b, e.Want...)
	}
	return string(b)
}

// Unwrap gives the sentinel.
func (e *Error) Unwrap() error { return e.Err }

// spokenName is "Fetch request" for "FetchRequest"; other names stay.
func spokenName(message string) string {
	if name, ok := strings.CutSuffix(message, "Request"); ok {
		return name + " request"
	}
	if name, ok := strings.CutSuffix(message, "Response"); ok {
		return name + " response"
	}
	return message
}

// MaxPath is the number of steps that a Path holds; no Kafka message nests
// deeper.
const MaxPath = 12

// Path leads from a message to one of its fields. It is a value, so that building
// an error costs no further allocation. The zero value is empty.
type Path struct {
	n    int8
	step [MaxPath]PathStep
}

// PathStep is a field, and the element of it that the path goes through.
type PathStep struct {
	Name  string // Kafka's name of the field
	Index int32  // of the array element, or -1
}

// Prepend puts a step in front, as parsers do on their way out: the innermost
// field comes first. index is that of the array element, or -1. Of a path that is
// full the innermost step is lost.
func (p *Path) Prepend(name string, index int) {
	if int(p.n) < MaxPath {
		p.n++
	}
	copy(p.step[1:p.n], p.step[:])
	p.step[0] = PathStep{name, int32(index)}
}

// Len is the number of steps.
func (p *Path) Len() int { return int(p.n) }

// At gives step i, counted from the message down.
func (p *Path) At(i int) PathStep { return p.step[:p.n][i] }

// String is the path as in "Topics[3].Partitions[1].LeaderId".
func (p Path) String() string { return string(p.appendText(nil)) }

func (p *Path) appendText(b []byte) []byte {
	for i, s := range p.step[:p.n] {
		if i > 0 {
			b = append(b, '.')
		}
		b = append(b, s.Name...)
		if s.Index >= 0 {
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(s.Index), 10)
			b = append(b, ']')
		}
	}
	return b
}
