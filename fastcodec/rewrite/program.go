// Programs: what is interpreted over a body. A struct at one version becomes a flat
// list of operations; fields of fixed size are part of the operation behind them,
// as a number of bytes to step over.

package rewrite

import (
	"github.com/kafkawire/kafkawire/internal/schema"
)

// program reads a struct type, one instance after the other.
type program struct {
	ops  []op
	tail int32 // fixed bytes behind the last operation
	slot uint8 // where its shape is kept
}

// op is one operation.
type op struct {
	code  opcode
	null  bool  // null is legal
	wide  bool  // lengths are int16 or int32, not uvarints
	size  uint8 // of a number, in bytes
	reg   uint8 // register that takes where the field stands
	run   int32 // fixed bytes before the operation
	limit int32 // strings and bytes: the most bytes
	least int32 // arrays: bytes of the smallest element
	jump  int32 // markers: operations to pass over where the struct is null
	sub   *program
	tags  *tagTable
	edit  *edit
}

type opcode uint8

const (
	opRun       opcode = iota // only the run
	opSpan                    // compact string, bytes or records
	opSpan16                  // string behind an int16
	opSpan32                  // bytes or records behind an int32
	opNumbers                 // array of numbers
	opTexts                   // array of strings
	opElements                // array of structs
	opStrided                 // array of structs of fixed size
	opMarker                  // null marker of a struct
	opTagMarker               // ... in a tagged field
	opSection                 // tag section

	// Operations that do not move on.

	opNote     // a register takes the offset
	opPeek     // the operations of sub, for what they note
	opEndpoint // asks for the new address of fields that don't stand together
	opRefuse   // refuses a field that is neither null nor empty
	opContext  // the request field that the response needs
	opProtocol // the protocol type of the group that the connection is about
	opVersion  // an element of ApiVersions

	// Operations that edit the field they read.

	opName     // string
	opNames    // array of strings
	opID       // number
	opIDs      // array of numbers
	opAddress  // host and port, one behind the other
	opHost     // string that an opEndpoint has the new value of
	opPort     // number likewise
	opEmbedded // bytes that hold a message
	opBatches  // records
	opArray    // array of structs with edits inside
)

// tagTable is what a tag section needs to know of the known tags.
type tagTable struct {
	known    uint32       // bit n: tag n is known
	edited   uint32       // bit n: something in it is edited
	programs [32]*program // of the payloads, by tag number
}

// edit is what an operation that edits needs beyond its op.
type edit struct {
	rules    []rule
	plain    bool // one rule that always holds, of form Plain
	anyType  *test
	endpoint *endpointEdit
	embedded *embedded
	skip     *program // arrays: an element without edits
	hides    bool     // arrays: elements may be hidden
	indexed  bool     // arrays: others point at the elements by position
	want     string   // opRefuse: what would be accepted
}

// rule is an entity mark of a field.
type rule struct {
	test     test
	form     schema.Form
	name     NameFunc
	id       func(int64) int64
	element  bool // stands in an array, so that it can be hidden
	prefixes bool // Names.Prefixes
	response bool
	pattern  *source // ACLName: the pattern type; nil where the version has literal names only
}

// test is the condition of a rule.
type test struct {
	how    tester
	field  source
	number int64
	text   []byte
}

type tester uint8

const (
	always     tester = iota
	byNumber          // the field has a number
	byText            // the field has a text; null is byProtocol
	byProtocol        // the protocol type that the caller knows
	byRequest         // the field of the request
)

// source is a field that a register points to.
type source struct {
	reg  uint8
	typ  schema.Type
	wide bool
}

// endpointEdit is one address: its parts, as far as the message has them.
type endpointEdit struct {
	f                                EndpointFunc
	host, port, node, listener, rack *source
	// joined says that the port stands right behind the host. Then node and rack, if
	// they stand right before and behind those, have no source.
	joined, nodeBefore, rackBehind bool
	wide                           bool // of the rack's length
}
