// SASL: rows S4 and S5 of the faults that proxies had, and the small limit of S0.

package proxy

import (
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// handshake is a SaslHandshake request.
func handshake(version int16, correlation int32, mechanism string) []byte {
	return request(fastcodec.SaslHandshake, version, correlation, "me", fastcodec.AppendString(nil, []byte(mechanism))...)
}

// handshakeAnswer is the answer to one.
func handshakeAnswer(correlation int32) []byte {
	return response(correlation, 0, 0, 0, 0, 0, 0)
}

// authenticate is a SaslAuthenticate request.
func authenticate(version int16, correlation int32, token string) []byte {
	if version >= 2 {
		return request(fastcodec.SaslAuthenticate, version, correlation, "me", join([]byte{0}, fastcodec.AppendCompactBytes(nil, []byte(token)), []byte{0})...)
	}
	return request(fastcodec.SaslAuthenticate, version, correlation, "me", fastcodec.AppendBytes(nil, []byte(token))...)
}

// authenticateAnswer is the answer to one.
func authenticateAnswer(version int16, correlation int32, code byte) []byte {
	if version >= 2 {
		return response(correlation, 0, 0, code, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	return response(correlation, 0, code, 0xff, 0xff, 0, 0, 0, 0)
}

func token(text string) []byte { return frame([]byte(text)) }

func isAuthenticated(t *testing.T, s *Session) {
	t.Helper()
	quiet(t, s)
	if !s.Authenticated() {
		t.Error("not authenticated")
	}
}

// TestS4: after SaslHandshake v0 tokens go both ways, which are no requests; the
// requests behind them are.
func TestS4(t *testing.T) {
	after := func(turns ...turn) []turn {
		return append(turns,
			client(request(fastcodec.Metadata, 1, 7, "me", 0, 0, 0, 0), request(fastcodec.Produce, 3, 8, "me", produceBody(3, 0, "null")...), request(fastcodec.Heartbeat, 0, 9, "me")),
			broker(response(7, 1), response(9)))
	}
	versions := []turn{client(request(fastcodec.APIVersions, 3, 1, "me", 0)), broker(response(1, 0, 0))}
	hello := func(mechanism string) []turn {
		return append(versions, client(handshake(0, 2, mechanism)), broker(handshakeAnswer(2)))
	}
	for _, x := range []script{
		{name: "PLAIN", turns: after(append(hello("PLAIN"), client(token("\x00alice\x00secret")), broker(token("")))...)},
		// As a request this would be DescribeTransactions, but it is a token.
		{name: "PLAIN that looks like a request", turns: after(append(hello("PLAIN"), client(token("\x00\x41\x00\x00\x00\x00\x00\x01\x00\x00")), broker(token("")))...)},
		{name: "PLAIN, empty token", turns: after(append(hello("PLAIN"), client(token("")), broker(token("")))...)},
		{name: "SCRAM", turns: after(append(hello("SCRAM-SHA-256"), client(token("n,,n=alice,r=1")), broker(token("r=12,s=QQ==,i=4096")),
			client(token("c=biws,r=12,p=x")), broker(token("v=zz")))...)},
		{name: "OAUTHBEARER", turns: after(append(hello("OAUTHBEARER"), client(token("n,,\x01auth=Bearer x\x01\x01")), broker(token("")))...)},
		{name: "GSSAPI", turns: after(append(hello("GSSAPI"), client(token("\x60\x82token")), broker(token("\x60\x81answer")), client(token("")),
			broker(token("\x05\x04\x05\xff\x00\x0c\x00\x00wrapped!")), client(token("\x05\x04\x04\xff\x00\x0c\x00\x00wrapped?")))...)},
		{name: "GSSAPI without a handshake", turns: after(client(token("\x60\x82token")), broker(token("\x60\x81answer")), client(token("")),
			broker(token("\x05\x04\x05\xff\x00\x0c\x00\x00wrapped!")), client(token("\x05\x04\x04\xff\x00\x0c\x00\x00wrapped?")))},
		{name: "another mechanism", turns: after(append(hello("X-OURS"), client(token("whatever")), broker(token("and so on")), client(token("\x00\x03\x01\x00more of it")),
			broker(token("that's it")), client(token("")))...)},
		{name: "all at once", turns: []turn{
			client(handshake(0, 1, "PLAIN"), token("\x00a\x00b"), request(fastcodec.Metadata, 1, 7, "me")),
			broker(handshakeAnswer(1), token(""), response(7, 1, 2)),
		}},
		{name: "GSSAPI, all at once", turns: []turn{
			client(handshake(0, 1, "GSSAPI"), token("\x60\x82token"), token(""), token("\x05\x04wrap"), request(fastcodec.Metadata, 1, 7, "me")),
			broker(handshakeAnswer(1), token("\x60\x81answer"), token("\x05\x04wrapped!"), response(7, 1, 2)),
		}},
	} {
		for _, required := range []bool{false, true} {
			x.options.SASL, x.check = required, isAuthenticated
			x.run(t)
		}
	}
}

// TestS4Failure: a client that gives up, and one that is refused.
func TestS4Failure(t *testing.T) {
	x := script{name: "OAUTHBEARER, the dummy that ends a failure", turns: []turn{
		client(handshake(0, 1, "OAUTHBEARER")), broker(handshakeAnswer(1)), client(token("n,,\x01auth=Bearer x\x01\x01")), broker(token("{\"status\":\"invalid_token\"}")),
		client(token("\x01")),
	}}
	x.run(t)
}

// TestS5: authentication from SaslHandshake v1 on, and again in mid-stream.
func TestS5(t *testing.T) {
	for version := int16(0); version <= 2; version++ {
		turns := []turn{
			client(request(fastcodec.APIVersions, 3, 1, "me", 0)), broker(response(1, 0, 0)),
			client(handshake(1, 2, "SCRAM-SHA-512")), broker(handshakeAnswer(2)),
			client(authenticate(version, 3, "n,,n=alice")), broker(authenticateAnswer(version, 3, 0)),
			client(authenticate(version, 4, "c=biws")), broker(authenticateAnswer(version, 4, 0)),
			client(request(fastcodec.Metadata, 1, 5, "me")), broker(response(5, 1)),
		}
		again := append(turns,
			// Requests that are under way when the client begins again are answered as ever.
			client(request(fastcodec.Fetch, 4, 6, "me"), handshake(1, 7, "SCRAM-SHA-512")), broker(response(6, 1), handshakeAnswer(7)),
			client(authenticate(version, 8, "n,,n=alice")), broker(authenticateAnswer(version, 8, 0)),
			client(authenticate(version, 9, "c=biws")), broker(authenticateAnswer(version, 9, 0)),
			client(request(fastcodec.Metadata, 1, 10, "me")), broker(response(10, 1)))
		for _, required := range []bool{false, true} {
			x := script{name: "once", options: Options{SASL: required}, turns: turns, check: isAuthenticated}
			x.run(t)
			x = script{name: "again", options: Options{SASL: required}, turns: again, check: isAuthenticated}
			x.run(t)
		}
	}
}

// TestS0Unauthenticated: the small limit holds where SASL is required or under way,
// and nowhere else.
func TestS0Unauthenticated(t *testing.T) {
	large := func(correlation int32) []byte {
		return request(fastcodec.Produce, 3, correlation, "me", append(produceBody(3, 1, "null"), make([]byte, 600<<10)...)...)
	}
	login := func(code byte) []turn {
		return []turn{client(handshake(1, 1, "PLAIN")), broker(handshakeAnswer(1)), client(authenticate(1, 2, "\x00a\x00b")), broker(authenticateAnswer(1, 2, code))}
	}
	produces := []turn{client(large(3)), broker(response(3, 1))}
	for _, x := range []script{
		{name: "no SASL", turns: produces, check: quiet},
		{name: "no SASL, another limit", options: Options{Limits: Limits{Unauthenticated: 10}}, turns: produces, check: quiet},
		{name: "required", options: Options{SASL: true}, turns: produces, err: fastcodec.ErrFrameSize, from: Client},
		{name: "required, a larger limit", options: Options{SASL: true, Limits: Limits{Unauthenticated: 1 << 20}}, turns: produces, check: quiet},
		{name: "done", options: Options{SASL: true}, turns: append(login(0), produces...), check: isAuthenticated},
		{name: "done, not required", turns: append(login(0), produces...), check: isAuthenticated},
		{name: "failed", turns: append(login(58), produces...), err: fastcodec.ErrFrameSize, from: Client},
		{name: "under way", turns: append(login(0)[:2], produces...), err: fastcodec.ErrFrameSize, from: Client},
		{name: "a token", turns: []turn{client(handshake(0, 1, "PLAIN")), broker(handshakeAnswer(1)), client(token(string(make([]byte, 600<<10))))},
			err: fastcodec.ErrFrameSize, from: Client},
		{name: "again", options: Options{SASL: true}, turns: append(append(login(0), login(0)...), produces...), check: isAuthenticated},
		// What comes behind a login that isn't answered waits for how it ends.
		{name: "before the answer", options: Options{SASL: true}, turns: []turn{
			client(handshake(1, 1, "PLAIN"), authenticate(1, 2, "\x00a\x00b"), large(3)),
			broker(handshakeAnswer(1), authenticateAnswer(1, 2, 0)), broker(response(3, 1)),
		}, check: isAuthenticated},
		{name: "before the refusal", options: Options{SASL: true}, turns: []turn{
			client(handshake(1, 1, "PLAIN"), authenticate(1, 2, "\x00a\x00b"), large(3)),
			broker(handshakeAnswer(1), authenticateAnswer(1, 2, 58)),
		}, err: fastcodec.ErrFrameSize, from: Client},
		{name: "half of SCRAM", turns: []turn{
			client(handshake(1, 1, "SCRAM-SHA-256")), broker(handshakeAnswer(1)), client(authenticate(1, 2, "n,,n=a")), broker(authenticateAnswer(1, 2, 0)), client(large(3)),
		}, err: fastcodec.ErrFrameSize, from: Client},
	} {
		x.runOnce(t)
	}
}
