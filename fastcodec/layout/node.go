// Nodes: what a walk shows of a message.

package layout

import (
	"strconv"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// Kind says what a Node is.
type Kind uint8

// The types of values, then the parts of the encoding around them.
const (
	Bool    = Kind(schema.Bool)
	Int8    = Kind(schema.Int8)
	Int16   = Kind(schema.Int16)
	Uint16  = Kind(schema.Uint16)
	Int32   = Kind(schema.Int32)
	Uint32  = Kind(schema.Uint32)
	Int64   = Kind(schema.Int64)
	Float64 = Kind(schema.Float64)
	UUID    = Kind(schema.UUID)
	String  = Kind(schema.String)
	Bytes   = Kind(schema.Bytes)
	Records = Kind(schema.Records)
	Struct  = Kind(schema.StructType) // opens
)

const (
	Array      = Struct + 1 + iota // opens
	Length                         // the count of an array; Value as it stands there: negative is null
	Marker                         // whether a nullable struct follows; Value as it stands there
	TagSection                     // the tagged fields of a struct; opens; Value is their number
	TagField                       // one tagged field; opens; Value is its number
	TagNumber                      // its number
	TagSize                        // its size
	UnknownTag                     // the payload of a tagged field that is not known; Value is its number
)

var kindNames = [...]string{
	Bool: "bool", Int8: "int8", Int16: "int16", Uint16: "uint16", Int32: "int32", Uint32: "uint32", Int64: "int64",
	Float64: "float64", UUID: "uuid", String: "string", Bytes: "bytes", Records: "records", Struct: "struct",
	Array: "array", Length: "length", Marker: "marker", TagSection: "tagged_fields", TagField: "tagged_field",
	TagNumber: "uvarint", TagSize: "uvarint", UnknownTag: "bytes",
}

// String is the name of a type as Kafka's schemas have it, or that of a part.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// Node is a field, an element or a part of the encoding, as a walk meets it.
type Node struct {
	Kind  Kind
	Name  string // Kafka's name of the field; of an element that is a struct, the struct's; else of the part
	Index int    // of an element in its array, or of a tagged field in its section; -1
	Type  string // as Kafka's schemas write it: "int32", "[]TopicData"
	// Path leads from the message to the field that the node is or belongs to.
	// It is valid during the visit only.
	Path   []fastcodec.PathStep
	Depth  int // how many nodes are open around it
	Offset int // of the first byte
	Size   int // in bytes; of a node that opens, known when it closes
	// Value is an integer, a bool as its byte, a count, a tag's number or size, and
	// of a string, bytes or records the length: negative where it is null.
	Value int64
	// Content is what a string, bytes, records, uuid, float64 or unknown tag holds.
	// It aliases the body.
	Content []byte
	Null    bool // of what can be null: it is
	Compact bool // the length or count is a uvarint of itself + 1
	Tagged  bool // the field stands in a tag section
	// Cut says that the input ended, or was refused, inside the node.
	Cut bool

	field *field // of a field, an element or a known tagged field
}

// Visitor is shown the nodes of a message in the order of the wire. The nodes are
// valid during the call only.
type Visitor interface {
	// Open begins a node with others inside.
	Open(n *Node)
	// Close ends it, also where the walk failed inside.
	Close(n *Node)
	// Leaf is a node without others inside.
	Leaf(n *Node)
}
