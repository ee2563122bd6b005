// The edits that a caller asks for.

package rewrite

import "github.com/kafkawire/kafkawire/fastcodec"

// Edits is what to change. Every field is optional: what has no function is left as
// it is. The functions are called from every goroutine that uses the Rewriter.
type Edits struct {
	// Endpoints are the addresses of brokers and controllers.
	Endpoints Endpoints
	// Topics are topic names, Groups group ids, Transactions transactional ids.
	Topics, Groups, Transactions Names
	// Clusters are cluster ids. They can't be hidden.
	Clusters Names
	// Brokers are node ids of brokers and controllers, 0 to 2^31-1.
	Brokers IDs
	// Producers are producer ids, 0 to 2^63-1, also in the headers of record batches,
	// whose checksums stay as right or wrong as they were.
	Producers IDs
	// Versions is what ApiVersions responses say.
	Versions Versions
}

// Names edits names in both directions. Response is the inverse of Request: what
// Request makes of a client's name is what brokers know, and answer with.
type Names struct {
	Request, Response NameFunc
	// Prefixes says that the functions may be given the prefix of a name as well: for
	// every name that begins with p, what they make of the name begins with what they
	// make of p. That holds where a tenant's prefix is put in front, or taken off. Then
	// they are called for ACLs of every pattern type; else for those of type LITERAL
	// only, others are refused in requests and hidden in responses.
	Prefixes bool
}

// NameFunc edits one name. old is as it stands in the frame and must not be written
// to. The result may alias old or scratch, which is empty and has room for len(old)
// and at least 256 bytes more; it is used before the next call. A name above
// fastcodec.MaxString bytes is an error. Null is never given to a NameFunc.
type NameFunc func(old, scratch []byte) (new []byte, action Action)

// Action is what becomes of a name.
type Action uint8

const (
	// Keep leaves the name as it is; the bytes returned don't matter.
	Keep Action = iota
	// Replace puts the bytes returned in its place.
	Replace
	// Hide leaves out the element of the innermost array that the name stands in, or
	// is; the array's count follows. A name that stands in no array can't be hidden:
	// the frame is refused (ErrRefused).
	Hide
	// Refuse refuses the frame (ErrRefused).
	Refuse
)

// IDs edits numeric ids in both directions, each the inverse of the other. They are
// never called for a value below 0, which stands for "none". A result that is
// below 0 or that the field can't hold is an error (ErrResult). An id that comes
// again in a frame becomes the same again; whether the function is called again
// is not said.
type IDs struct {
	Request, Response func(id int64) int64
}

// Endpoints edits addresses: Response those in answers, which is what a proxy wants;
// Request those in the requests that brokers and controllers send each other, and
// in AddRaftVoter. They are not called where the host is empty, as in answers that
// carry an error instead of an address.
type Endpoints struct {
	Request, Response EndpointFunc
}

// EndpointFunc edits one address. The host returned may alias e.Host, and must stay
// as it is until the next call. A port above 65535 or below 0 is an error, unless it
// is e.Port.
type EndpointFunc func(e Endpoint) (host []byte, port int32)

// Endpoint is one address of a broker or controller, as it stands in the frame.
// Host, Listener and Rack alias the frame.
type Endpoint struct {
	Key      fastcodec.APIKey // of the request or response that the address stands in
	NodeID   int32            // -1 where the message says none
	Host     []byte
	Port     int32
	Listener []byte // nil where the message names none
	Rack     []byte // nil where there is none
}

// Versions edits ApiVersions responses. Feature versions and unknown tagged fields
// are not touched.
type Versions struct {
	// Clamp reduces the versions of each API to those that this build knows, so that
	// clients don't use others. An API of which none is left is hidden. Produce is
	// known from version 0 on, without which older librdkafka doesn't compress.
	Clamp bool
	// Hide are APIs to leave out. Their requests are refused (ErrRefused).
	Hide []fastcodec.APIKey
}

func (n *Names) active() bool { return n.Request != nil || n.Response != nil }
func (n *IDs) active() bool   { return n.Request != nil || n.Response != nil }

// isolates reports whether more is edited than addresses and versions: then what
// can't be read must not pass, as it could carry what should have been edited.
func (e *Edits) isolates() bool {
	return e.Topics.active() || e.Groups.active() || e.Transactions.active() || e.Clusters.active() ||
		e.Brokers.active() || e.Producers.active()
}
