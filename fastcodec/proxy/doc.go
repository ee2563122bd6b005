// Package proxy is what every proxy of the Kafka protocol must get right, in three
// layers: a Session, which does no I/O; a Conn, which runs one over two net.Conns;
// a Server, which has a listener for each broker of a cluster.
//
// # Session
//
// A Session follows one client connection and the broker connection behind it.
// Bytes go in as they arrive, in pieces of any size, and bytes to send come out:
//
//	step, err := session.FromClient(in) // what the client sent and wasn't taken before
//	send(step.Send)                     // to the broker, before the next call
//	in = in[step.Taken:]                // done with; keep the rest and add to it
//	// step.Need more bytes are wanted; 0: call again with what is left
//
// Frames that nobody wants to see pass in place, unbuffered, as many in one Send as
// there are, and cost no allocation. What a Handler asks for comes to it from the
// first bytes of a request, or as a whole frame. It may let it pass, replace it,
// answer it in the client's order, hold it, and ask the broker things of its own.
//
// Requests and responses are paired by their order alone, as brokers answer in
// order; a correlation id is compared, never looked up. SASL tokens that are no
// requests, Produce requests that nobody answers, and TLS that is no Kafka are told
// apart on the way.
//
// # Who may call what
//
// A Session is for one goroutine at a time; a Handler is called by the methods of
// the Session that it belongs to, must not block, and keeps nothing of what it is
// shown. A Config, and a Topics, may be shared by any number of sessions at once.
// Conn and Server say themselves what may be called when.
package proxy
