// SASL as a session sees it: which frames are tokens and no requests, and whether
// the client has authenticated.

package proxy

import (
	"bytes"
	"encoding/binary"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// sasl is where a connection stands. An authentication begins with SaslHandshake,
// which names the mechanism: from version 1 on SaslAuthenticate requests follow,
// after version 0 bare tokens in both directions until the mechanism is done. GSSAPI
// tokens may also come with no handshake at all.
type sasl struct {
	required      bool // and not done: nothing but the authentication is legal
	begun         bool // by a handshake or a token, and not done
	authenticated bool // once; a re-authentication doesn't take it back
	raw           bool // frames of the client may be tokens
	unsettled     bool // required or begun, and the client sent nothing else since
	mechanism     mechanism
	tokens        uint8 // of a counted mechanism: that the client may yet send
	rounds        uint8 // answers yet to come that mean success
	pending       int   // answers under way that an authentication depends on
}

// mechanism is a SASL mechanism, as far as it matters here.
type mechanism uint8

const (
	otherMechanism mechanism = iota
	// The client sends a known number of tokens, each of which is answered.
	onceMechanism  // PLAIN, OAUTHBEARER: one
	scramMechanism // SCRAM: two
	// The tokens are told by their first bytes; the last one has no answer.
	gssapiMechanism
)

func mechanismOf(name []byte) mechanism {
	switch {
	case string(name) == "PLAIN" || string(name) == "OAUTHBEARER":
		return onceMechanism
	case bytes.HasPrefix(name, []byte("SCRAM-")):
		return scramMechanism
	case string(name) == "GSSAPI":
		return gssapiMechanism
	}
	return otherMechanism
}

// open is the state of a new connection.
func (a *sasl) open(required bool) { a.required, a.unsettled = required, required }

// limited reports whether the small limit holds.
func (a *sasl) limited() bool { return (a.required || a.begun || a.raw) && !a.authenticated }

// handshake is a SaslHandshake request that goes to the broker.
func (a *sasl) handshake(version int16, name []byte) {
	a.begun, a.unsettled = true, true
	a.mechanism = mechanismOf(name)
	a.rounds = 1
	if a.mechanism == scramMechanism {
		a.rounds = 2
	}
	a.raw = version == 0
	a.tokens = a.rounds
}

// bare is a first frame that is a GSSAPI token.
func (a *sasl) bare() {
	a.begun, a.unsettled, a.raw, a.mechanism, a.rounds = true, true, true, gssapiMechanism, 1
}

// isToken reports whether a frame of the client is a token, where it may be one.
// payload is what is there of size bytes; need, if not 0, is how many must be.
func (a *sasl) isToken(payload []byte, size int) (token bool, need int) {
	if size < requestLeast {
		return true, 0
	}
	if a.tokens == 0 && a.counted() {
		return false, 0
	}
	if need = min(size, requestHead); len(payload) < need {
		return false, need
	}
	switch {
	case a.counted():
		return true, 0
	case a.mechanism == gssapiMechanism:
		return gssapiToken(payload), 0
	}
	return !likeRequest(payload, size), 0
}

func (a *sasl) counted() bool { return a.mechanism == onceMechanism || a.mechanism == scramMechanism }

// sent is a token that goes to the broker.
func (a *sasl) sent() {
	if a.tokens > 0 {
		a.tokens--
	}
}

// tokensEnd is a request where a token might have been: the client has done with
// them, and whoever isn't counted has authenticated, or the broker closes.
func (a *sasl) tokensEnd() {
	a.raw = false
	if !a.counted() {
		a.succeed()
	}
}

// round is an answer of the broker that isn't an error.
func (a *sasl) round() {
	if a.rounds > 0 {
		a.rounds--
	}
	if a.rounds == 0 && (!a.raw || a.counted()) {
		a.succeed()
	}
}

func (a *sasl) succeed() { a.required, a.begun, a.authenticated = false, false, true }

// gssapiToken reports whether a frame is a GSSAPI token: empty, the framed form of
// RFC 2743, or a wrap token of RFC 4121. As API keys these would be 24,576 and above,
// and 1,284; as correlation ids above 84,000,000.
func gssapiToken(payload []byte) bool {
	return len(payload) == 0 || payload[0] == gssapiFirst || len(payload) >= 2 && payload[0] == 5 && payload[1] == 4
}

// gssapiFirst begins a GSSAPI token that has no handshake before it.
const gssapiFirst = 0x60

// likeRequest reports whether a frame begins as a known request does.
func likeRequest(payload []byte, size int) bool {
	key, version, _, _, ok := fastcodec.PeekRequest(payload)
	if !ok || !key.HasVersion(version) {
		return false
	}
	return int(int16(binary.BigEndian.Uint16(payload[requestLeast:]))) <= size-requestHead
}
