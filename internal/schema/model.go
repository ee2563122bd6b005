// Package schema is what kafkawire knows of Kafka's messages: a compact
// notation (one file an API, under apis/), its parser, and the model that the
// parser fills. The generator and the layout engine read the model; the
// importer (internal/schema/import) writes the notation.
//
// This file is the model. Terms are those of Kafka's protocol documents; a
// version range is always inclusive.
package schema

// Kind tells what a message is for.
type Kind uint8

const (
	Request Kind = iota
	Response
	Header // RequestHeader and ResponseHeader
	Data   // a message that lives inside a bytes field, a record key or a record value
)

// Type is the type of a field, or of the elements where the field is an array.
type Type uint8

const (
	Bool Type = iota
	Int8
	Int16
	Uint16
	Int32
	Uint32
	Int64
	Float64
	UUID
	String
	Bytes
	Records
	StructType
)

// Versions is an inclusive range of versions. An empty range has Min > Max.
type Versions struct{ Min, Max int16 }

// Forever is the Max of an open-ended range ("3+").
const Forever = 32767

// None is the empty range.
var None = Versions{0, -1}

// API is one notation file: a request and its response, or one header or data message.
type API struct {
	Key       int16 // -1 for headers and data messages
	Name      string
	Listeners []string // of the newest release that still serves the API
	Unstable  bool     // the highest version is not advertised by default ("latestVersionUnstable")
	Messages  []*Message
}

// Message is one request, response, header or data message over all its versions.
type Message struct {
	API      *API
	Name     string // Kafka's: "DescribeQuorumRequest"
	Kind     Kind
	Valid    Versions
	Flexible Versions // None, or open-ended
	// HeaderVersions says which header version each message version has, where the
	// rule "flexible or not" does not (ControlledShutdown v0, ApiVersions responses)
	// or where a schema states it (KIP-1313). Nil: the rule holds.
	HeaderVersions []HeaderRange
	Root           *Struct   // the message itself; Root.Name is Name
	Structs        []*Struct // every nested struct type, each once, in order of first use
}

// HeaderRange gives the header version of a range of message versions.
type HeaderRange struct {
	Versions Versions
	Header   int16
}

// Struct is a struct type: the message itself, an inline struct or a common struct.
type Struct struct {
	Name     string // Kafka's: "TopicData"
	GoName   string // message-qualified, unique in a package: "DescribeQuorumResponseTopicData"
	Versions Versions
	Fields   []*Field // in wire order; tagged fields stand where Kafka declares them
}

// Field is one field of a struct.
type Field struct {
	Name   string // Kafka's newest name: "GenerationIdOrMemberEpoch"; JSON names derive from it
	GoName string // frozen Go name: "GenerationID"
	Type   Type   // of the elements where Array is set
	Array  bool
	Struct *Struct // where Type is StructType

	Versions Versions // versions of the message that have the field
	Nullable Versions // versions in which null is legal: None, or a part of Versions
	Tag      int      // tag number, or -1 where the field is not tagged
	// Tagged is the range in which the field is tagged; None, or (in every Kafka
	// message so far) equal to Versions.
	Tagged Versions

	Default    string // as text: a number, true, false, "null"; "" is the type's zero
	Ignorable  bool   // dropped silently by a writer whose version lacks it
	MapKey     bool
	LegacyText bool // int16-prefixed also in flexible versions (RequestHeader.ClientId)

	Entities []Entity
	Endpoint Endpoint
}

// Entity says that a field names a topic, group, transactional id, producer id,
// broker id or cluster id.
type Entity struct {
	Kind      string // topic, group, transaction, producer, broker, cluster
	Versions  Versions
	Condition string // "" always; else as in the notation's grammar
}

// Endpoint is the role of a field in a broker's or controller's address.
type Endpoint uint8

const (
	NotEndpoint Endpoint = iota
	EndpointHost
	EndpointPort
	EndpointNode
	EndpointRack
	EndpointListener
)

// Has reports whether v lies in the range.
func (r Versions) Has(v int16) bool { return r.Min <= v && v <= r.Max }

// Empty reports whether the range has no version.
func (r Versions) Empty() bool { return r.Min > r.Max }

// And is the intersection of two ranges.
func (r Versions) And(o Versions) Versions {
	r = Versions{max(r.Min, o.Min), min(r.Max, o.Max)}
	if r.Empty() {
		return None
	}
	return r
}

// Covers reports whether every version of o lies in r.
func (r Versions) Covers(o Versions) bool { return o.Empty() || r.Min <= o.Min && o.Max <= r.Max }

// FixedSize is the encoded size of a type in bytes, or 0 where it varies.
func (t Type) FixedSize() int {
	switch t {
	case Bool, Int8:
		return 1
	case Int16, Uint16:
		return 2
	case Int32, Uint32:
		return 4
	case Int64, Float64:
		return 8
	case UUID:
		return 16
	}
	return 0
}

// IsTagged reports whether the field is written in the tagged-field section.
func (f *Field) IsTagged() bool { return f.Tag >= 0 }
