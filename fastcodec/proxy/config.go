// Config: what the sessions of a proxy have in common.

package proxy

import "github.com/kafkawire/kafkawire/fastcodec"

// Limits bound what one connection can cost. A zero field means the default. Only
// what is held counts: a frame that passes streams, whatever its size.
type Limits struct {
	// Request is the largest request that is held whole for a handler, in bytes
	// without the size prefix. Default 100 MiB, as Kafka's socket.request.max.bytes.
	Request int
	// Response is the largest response that is held whole. Default 100 MiB.
	Response int
	// Unauthenticated is the largest frame of a client, passing or not, while SASL is
	// required or under way. Default 512 KiB, as Kafka's sasl.server.max.receive.size.
	Unauthenticated int
	// InFlight is the number of requests that may wait for their answers; a client
	// with more isn't read. Default 65,536.
	InFlight int
	// Answers is how many bytes of answers made here may wait for their turn; a
	// client with more isn't read. Default 1 MiB.
	Answers int
}

// DefaultLimits are the limits that stand for zero fields.
var DefaultLimits = Limits{Request: 100 << 20, Response: 100 << 20, Unauthenticated: 512 << 10, InFlight: 1 << 16, Answers: 1 << 20}

// WithDefaults gives the limits with their zero fields filled in.
func (l Limits) WithDefaults() Limits {
	for _, f := range []struct {
		value *int
		or    int
	}{
		{&l.Request, DefaultLimits.Request},
		{&l.Response, DefaultLimits.Response},
		{&l.Unauthenticated, DefaultLimits.Unauthenticated},
		{&l.InFlight, DefaultLimits.InFlight},
		{&l.Answers, DefaultLimits.Answers},
	} {
		if *f.value == 0 {
			*f.value = f.or
		}
	}
	return l
}

// Policy says what becomes of a frame that a handler wanted and couldn't read.
type Policy uint8

const (
	// Close ends the connection: forwarding could leak what was to be edited.
	Close Policy = iota
	// Forward sends the frame as it is, and reports it.
	Forward
)

// String is "close" or "forward".
func (p Policy) String() string {
	if p == Forward {
		return "forward"
	}
	return "close"
}

// Options are what Compile makes a Config of. The zero value is a proxy that passes
// everything.
type Options struct {
	// Handler is shown the frames that it asks for; nil asks for none.
	Handler Handler
	Limits  Limits
	// SASL says that clients must authenticate first.
	SASL bool
	// OnError is for frames that the Handler fails on, and for those that it wants
	// whole and that are above the limit.
	OnError Policy
	// Report is told of frames that were forwarded despite an error; nil is nobody.
	// It is called as a Handler is.
	Report func(*FrameError)
}

// Rule says how much of the requests of one API and version, and of their answers, a
// Handler wants to see. Rules may be combined; zero lets both pass unseen.
type Rule uint8

const (
	// AskHead: the Handler decides on the request from its first bytes.
	AskHead Rule = 1 << iota
	// WholeRequest: the Handler is shown the request whole. With AskHead it is asked
	// twice.
	WholeRequest
	// WholeResponse: the Handler is shown the answer whole.
	WholeResponse

	// The session's own reasons to look closer.

	// produce: whether there is an answer stands inside.
	produce
	// authenticates: SaslHandshake and SaslAuthenticate.
	authenticates
	// noClientID: the header may have none.
	noClientID

	asked = AskHead | WholeRequest | WholeResponse
)

// The table of rules has a row for each API key and column for each version that is
// below these; all that Kafka has are.
const (
	tableKeys     = 128
	tableVersions = 32
)

// Config is what the sessions of a proxy have in common. It never changes: any
// number of sessions and goroutines may use one.
type Config struct {
	options Options
	limits  Limits
	rules   [tableKeys * tableVersions]Rule
}

// Compile makes a Config. It asks the Handler for its rules of every API key and
// version below 128 and 32.
func Compile(o Options) *Config {
	c := &Config{options: o, limits: o.Limits.WithDefaults()}
	for i := range c.rules {
		c.rules[i] = c.ask(fastcodec.APIKey(i/tableVersions), int16(i%tableVersions))
	}
	return c
}

// rule is that of a key and version.
func (c *Config) rule(key fastcodec.APIKey, version int16) Rule {
	if uint16(key) < tableKeys && uint16(version) < tableVersions {
		return c.rules[int(key)*tableVersions+int(version)]
	}
	return c.ask(key, version)
}

func (c *Config) ask(key fastcodec.APIKey, version int16) (r Rule) {
	if h := c.options.Handler; h != nil {
		r = h.Rule(key, version) & asked
	}
	switch key {
	case fastcodec.Produce:
		r |= produce
	case fastcodec.SaslHandshake, fastcodec.SaslAuthenticate:
		r |= authenticates
	case fastcodec.ControlledShutdown:
		if version == 0 {
			r |= noClientID
		}
	}
	return r
}

// NewSession gives the Session of a new connection.
func (c *Config) NewSession() *Session {
	s := &Session{config: c}
	s.sasl.open(c.options.SASL)
	return s
}
