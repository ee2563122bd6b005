package fastcodec

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"testing"
	"time"
)

// faultRows are the faults of frames, headers and primitives, each named after its
// row in the list of faults that other codecs had. Rows of message bodies have
// their cases where bodies are parsed.
var faultRows = []struct {
	row, name string
	check     func(t *testing.T)
}{
	{"L1", "compact string past the end", func(t *testing.T) {
		wantConsume(t, "\x05abc", consumes(ConsumeCompactString), ErrShort)
		wantConsume(t, "\xff\x7fabc", consumes(ConsumeNullableCompactString), ErrShort)
	}},
	{"L2", "compact length of 2^32-2", func(t *testing.T) {
		const in = "\xff\xff\xff\xff\x0f"
		wantConsume(t, in, func(b []byte) int { _, n := ConsumeCompactLength(b); return n }, ErrCount)
		wantConsume(t, in, consumes(ConsumeNullableCompactBytes), ErrShort)
		wantConsume(t, in, consumes(ConsumeNullableCompactString), ErrTooLong)
		wantConsume(t, in, consumesTags, ErrCount)
	}},
	{"L3", "a header's tag count with nothing behind it", func(t *testing.T) {
		wantRequest(t, requestPayload(Metadata, 12, 1, nil, []byte("\x80\x80\x80\x40")), ErrCount)
	}},
	{"L5", "int32 length ffffffff", func(t *testing.T) {
		wantConsume(t, "\xff\xff\xff\xff", consumes(ConsumeBytes), ErrNull)
		if p, n := ConsumeNullableBytes([]byte("\xff\xff\xff\xff")); p != nil || n != 4 {
			t.Errorf("nullable: %q, %d", p, n)
		}
		if length, _ := ConsumeInt32Length([]byte("\xff\xff\xff\xff")); length != -1 {
			t.Errorf("length %d", length)
		}
	}},
	{"L6", "lengths of -2", func(t *testing.T) {
		wantConsume(t, "\xff\xfe", consumes(ConsumeString), ErrNull)
		wantConsume(t, "\xff\xff\xff\xfe", consumes(ConsumeBytes), ErrNull)
		if p, n := ConsumeNullableString([]byte("\xff\xfe")); p != nil || n != 2 {
			t.Errorf("nullable string: %q, %d", p, n)
		}
		if p, n := ConsumeNullableBytes([]byte("\xff\xff\xff\xfe")); p != nil || n != 4 {
			t.Errorf("nullable bytes: %q, %d", p, n)
		}
		h, _, err := ParseRequest([]byte("\x00\x03\x00\x01\x00\x00\x00\x01\xff\xfe"))
		if err != nil || h.ClientID() != nil {
			t.Errorf("client id: %q, %v", h.ClientID(), err)
		}
		var d RequestHeaderData
		h.CopyTo(&d)
		if b, _ := AppendRequestHeader(nil, &d); !bytes.HasSuffix(b, []byte("\xff\xff")) {
			t.Errorf("written as %x, want -1", b)
		}
	}},
	{"L7", "varint of 6 bytes, fifth byte above 0f", func(t *testing.T) {
		for _, in := range []string{"\x81\x80\x80\x80\x80\x00", "\x81\x80\x80\x80\x10"} {
			wantConsume(t, in, consumes(ConsumeCompactString), ErrVarint)
			wantConsume(t, in, consumesTags, ErrVarint)
			wantRequest(t, requestPayload(Metadata, 12, 1, nil, []byte(in)), ErrVarint)
		}
	}},
	{"L8", "overlong varint", func(t *testing.T) {
		if p, n := ConsumeCompactString([]byte("\x81\x00")); p == nil || len(p) != 0 || n != 2 {
			t.Errorf("overlong empty string: %q, %d", p, n)
		}
		payload := requestPayload(Metadata, 12, 1, nil, []byte("\x81\x00\x85\x00\x81\x00xbody"))
		h, body, err := ParseRequest(payload)
		if err != nil || string(body) != "body" || h.UnknownTags().Len() != 1 || string(h.Bytes())+"body" != string(payload) {
			t.Errorf("header tags: %d, body %q, %v", h.UnknownTags().Len(), body, err)
		}
	}},
	{"L10", "frame size negative or above the limit", func(t *testing.T) {
		for _, prefix := range []string{"\xff\xff\xff\xff", "\x80\x00\x00\x00", "\x7f\xff\xff\xff", "\x06\x40\x00\x01"} {
			if _, _, _, err := Split([]byte(prefix)); !errors.Is(err, ErrFrameSize) {
				t.Errorf("%x: %v", prefix, err)
			}
			r := NewReader(&countingReader{r: bytes.NewReader([]byte(prefix + "behind"))}, Limits{})
			for range 2 {
				if _, err := r.Next(); !errors.Is(err, ErrFrameSize) {
					t.Errorf("%x: reader: %v", prefix, err)
				}
			}
			if n := r.r.(*countingReader).reads; n != 1 {
				t.Errorf("%x: %d reads", prefix, n)
			}
		}
	}},
	{"L10", "frames of 0 to 7 bytes", func(t *testing.T) {
		for size := range 8 {
			b, _ := AppendFrame(nil, make([]byte, size))
			payload, rest, need, err := Split(b)
			if err != nil || need != 0 || len(rest) != 0 || payload == nil || len(payload) != size {
				t.Errorf("%d bytes: payload %x, need %d, %v", size, payload, need, err)
			}
			f, err := NewReader(bytes.NewReader(b), Limits{}).Next()
			if err != nil || len(f.Payload()) != size {
				t.Fatalf("%d bytes: reader: %v", size, err)
			}
			wantRequest(t, f.Payload(), ErrShort)
			if _, _, err := ParseResponse(f.Payload(), Heartbeat, 0); (size < 4) != errors.Is(err, ErrShort) {
				t.Errorf("%d bytes: response: %v", size, err)
			}
			f.Release()
		}
	}},
	{"L12", "frame above 2^31-1", func(t *testing.T) {
		if strconv.IntSize == 32 || raceEnabled {
			t.Skip("a slice can't be that long on 32 bits; the race detector would touch all of it")
		}
		h := RequestHeaderData{Key: Metadata, Version: 1} // a header of 10 bytes
		if dst, err := AppendRequest([]byte("before"), &h, hugeBody(math.MaxInt32-9)); !errors.Is(err, ErrFrameSize) || len(dst) != len("before") {
			t.Errorf("%d bytes, %v", len(dst), err)
		}
	}},
	{"L13", "strings at varint boundaries inside tagged fields", func(t *testing.T) {
		for _, n := range []int{126, 127, 128, 16382, 16383, 16384} {
			p := bytes.Repeat([]byte{'x'}, n)
			in := []Tag{{5, AppendCompactString(nil, p)}}
			b := AppendTags(nil, in)
			tags, m := ConsumeTags(b)
			if m != len(b) || m != SizeTags(in) {
				t.Fatalf("%d: section of %d bytes, read %d, size %d", n, len(b), m, SizeTags(in))
			}
			for number, data := range tags.All() {
				if got, m := ConsumeCompactString(data); number != 5 || m != len(data) || !bytes.Equal(got, p) {
					t.Errorf("%d: tag %d, %d bytes of %d", n, number, m, len(data))
				}
			}
		}
	}},
	{"T1", "unknown tags in headers", func(t *testing.T) {
		tags := section(tag(7, "x"), tag(7, "y"), tag(3, ""))
		h, _, err := ParseRequest(requestPayload(Fetch, 13, 1, []byte("me"), tags))
		if err != nil || h.UnknownTags().Len() != 3 || !bytes.HasSuffix(h.Bytes(), tags) {
			t.Errorf("request: %d tags, %v", h.UnknownTags().Len(), err)
		}
		r, _, err := ParseResponse(append([]byte("\x00\x00\x00\x01"), tags...), Fetch, 13)
		if err != nil || r.UnknownTags().Len() != 3 || !bytes.HasSuffix(r.Bytes(), tags) {
			t.Errorf("response: %d tags, %v", r.UnknownTags().Len(), err)
		}
	}},
	{"T2", "tag count and tag size past the end", func(t *testing.T) {
		for in, want := range map[string]error{"\xff\xff\xff\xff\x0f": ErrCount, "\x03\x00\x00\x01\x00": ErrCount, "\x01\x00\x7f": ErrTagSize} {
			wantRequest(t, requestPayload(Fetch, 13, 1, nil, []byte(in)), want)
			if _, _, err := ParseResponse([]byte("\x00\x00\x00\x01"+in), Fetch, 13); !errors.Is(err, want) {
				t.Errorf("response %x: %v, want %v", in, err, want)
			}
		}
	}},
	{"T8", "unknown tags written in ascending order", func(t *testing.T) {
		h := RequestHeaderData{Key: Fetch, Version: 13, UnknownTags: []Tag{tag(9, "a"), tag(1, "b"), tag(9, "c")}}
		b, err := AppendRequestHeader(nil, &h)
		if err != nil || !bytes.HasSuffix(b, section(tag(1, "b"), tag(9, "a"), tag(9, "c"))) {
			t.Errorf("%x, %v", b, err)
		}
	}},
	{"T9", "tag size is the plain size", func(t *testing.T) {
		if got := AppendTags(nil, []Tag{tag(1, "abc")}); string(got) != "\x01\x01\x03abc" {
			t.Errorf("%x", got)
		}
	}},
	{"T10", "1 MB of two-byte tags in a header", func(t *testing.T) {
		for _, ascending := range []bool{true, false} {
			payload := requestPayload(Fetch, 13, 1, nil, manyTags(ascending))
			start := time.Now()
			h, _, err := ParseRequest(payload)
			if err != nil || h.UnknownTags().Len() != 1<<19 {
				t.Errorf("ascending %v: %v", ascending, err)
			}
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("ascending %v: took %v", ascending, d)
			}
			if n := testing.AllocsPerRun(10, func() { ParseRequest(payload) }); n != 0 && !debugBuild {
				t.Errorf("ascending %v: %v allocations", ascending, n)
			}
		}
	}},
	{"N7", "null client id", func(t *testing.T) {
		for _, version := range []int16{1, 13} {
			h, body, err := ParseRequest(requestPayload(Fetch, version, 1, nil, []byte("\x00")))
			if err != nil || h.ClientID() != nil || (version == 13) != (len(body) == 0) {
				t.Errorf("v%d: %q, %v", version, h.ClientID(), err)
			}
			var d RequestHeaderData
			h.CopyTo(&d)
			if b, _ := AppendRequestHeader(nil, &d); !bytes.Equal(b, h.Bytes()) {
				t.Errorf("v%d: written as %x", version, b)
			}
		}
	}},
	{"H1", "ApiVersions response", func(t *testing.T) {
		for _, version := range []int16{0, 2, 3, 5, 9, 32767} {
			h, body, err := ParseResponse([]byte("\x00\x00\x00\x01\x00\x00"), APIVersions, version)
			if err != nil || h.HeaderVersion() != 0 || len(body) != 2 {
				t.Errorf("v%d: header v%d, body %x, %v", version, h.HeaderVersion(), body, err)
			}
		}
	}},
	{"H2", "ApiVersions answered at version 0", func(t *testing.T) {
		const new, old = "\x00\x23\x00\x00\x00\x01\x00\x12\x00\x00\x00\x03", "\x00\x23\x00\x00\x00\x00"
		for _, c := range []struct {
			key     APIKey
			version int16
			body    string
			whole   bool
			want    int16
		}{
			{APIVersions, 3, new, false, 0}, {APIVersions, 4, old, false, 0}, {APIVersions, 9, new, false, 0},
			{APIVersions, 3, new, true, 3}, {APIVersions, 0, new, true, 0}, {APIVersions, 3, "\x00\x00\x01", false, 3},
			{APIVersions, 3, "\x00", false, 3}, {APIVersions, 3, "", false, 3}, {Metadata, 3, new, false, 3},
		} {
			if got := ResponseBodyVersion(c.key, c.version, []byte(c.body), func([]byte, int16) bool { return c.whole }); got != c.want {
				t.Errorf("%v v%d %x, whole %v: %d, want %d", c.key, c.version, c.body, c.whole, got, c.want)
			}
		}
	}},
	{"H3", "ApiVersions request above the table", func(t *testing.T) {
		h, body, err := ParseRequest(requestPayload(APIVersions, 9, 1, []byte("me"), []byte("\x01\x07\x00anything")))
		if err != nil || h.HeaderVersion() != 2 || h.Known() || h.UnknownTags().Len() != 1 || string(body) != "anything" {
			t.Errorf("header v%d, known %v, body %q, %v", h.HeaderVersion(), h.Known(), body, err)
		}
		reply := h.Reply()
		reply.Version = 0
		if b, err := AppendResponse(nil, &reply, Raw("\x00\x23\x00\x00\x00\x01\x00\x12\x00\x00\x00\x05")); err != nil || len(b) != 20 {
			t.Errorf("reply: %x, %v", b, err)
		}
	}},
	{"H4", "ControlledShutdown v0", func(t *testing.T) {
		const payload = "\x00\x07\x00\x00\x00\x00\x00\x01\x00\x01\x00\x01"
		h, body, err := ParseRequest([]byte(payload))
		if err != nil || h.HeaderVersion() != 0 || h.ClientID() != nil || len(body) != 4 {
			t.Errorf("header v%d, client id %q, body %x, %v", h.HeaderVersion(), h.ClientID(), body, err)
		}
		if _, _, _, client, ok := PeekRequest([]byte(payload)); client != nil || !ok {
			t.Errorf("peek: client id %q, %v", client, ok)
		}
	}},
	{"H5", "client id of header v2 isn't compact", func(t *testing.T) {
		h, body, err := ParseRequest(requestPayload(Metadata, 12, 1, []byte("me"), []byte("\x00body")))
		if err != nil || h.HeaderVersion() != 2 || string(h.ClientID()) != "me" || string(body) != "body" {
			t.Errorf("header v%d, client id %q, body %q, %v", h.HeaderVersion(), h.ClientID(), body, err)
		}
	}},
	{"H6", "ElectLeaders v1 response", func(t *testing.T) { wantHeaders(t, ElectLeaders, 1, 1, 0); wantHeaders(t, ElectLeaders, 2, 2, 1) }},
	{"H7", "BeginQuorumEpoch and EndQuorumEpoch v1", func(t *testing.T) {
		wantHeaders(t, BeginQuorumEpoch, 1, 2, 1)
		wantHeaders(t, EndQuorumEpoch, 1, 2, 1)
		wantHeaders(t, BeginQuorumEpoch, 0, 1, 0)
	}},
	{"H8", "unknown keys and versions", func(t *testing.T) {
		for _, c := range []struct {
			key     APIKey
			version int16
		}{{10000, 0}, {32767, 32767}, {-1, 0}, {-32768, -32768}, {95, 0}, {Fetch, 19}, {Fetch, -1}, {APIVersions, -1}} {
			for _, rest := range []string{"", "\x00", "\xff\xff\xff\xff\xff"} {
				h, body, err := ParseRequest(requestPayload(c.key, c.version, -7, []byte("me"), []byte(rest)))
				if err != nil || h.HeaderVersion() != UnknownHeader || h.Known() || h.Key() != c.key || h.Version() != c.version ||
					h.CorrelationID() != -7 || string(h.ClientID()) != "me" || string(body) != rest {
					t.Errorf("%v v%d: %v", c.key, c.version, err)
				}
				r, body, err := ParseResponse([]byte("\x00\x00\x00\x07"+rest), c.key, c.version)
				if err != nil || r.HeaderVersion() != UnknownHeader || r.CorrelationID() != 7 || string(body) != rest {
					t.Errorf("%v v%d: response: %v", c.key, c.version, err)
				}
			}
		}
	}},
	{"H9", "error of a version outside the range", func(t *testing.T) {
		err := UnsupportedVersion(Fetch, true, 19)
		if !errors.Is(err, ErrVersion) || err.Error() != "unsupported version 19 of Fetch request: 0-18" {
			t.Error(err)
		}
	}},
	{"H10", "response of fewer than 4 bytes", func(t *testing.T) {
		for size := range 4 {
			guarded(make([]byte, size), func(b []byte) {
				for _, key := range []APIKey{Metadata, APIVersions, 10000, -1} {
					if _, _, err := ParseResponse(b, key, 0); !errors.Is(err, ErrShort) {
						t.Errorf("%d bytes, %v: %v", size, key, err)
					}
				}
				if _, ok := PeekCorrelationID(b); ok {
					t.Errorf("%d bytes: peek finds a correlation id", size)
				}
			})
		}
	}},
	{"H11", "TLS ClientHello", func(t *testing.T) {
		for _, in := range []string{"\x16\x03\x01\x02", "\x16\x03\x03\x01\x00\x01\x00"} {
			if _, _, _, err := Split([]byte(in)); !errors.Is(err, ErrTLS) {
				t.Errorf("%x: %v", in, err)
			}
			if _, err := NewReader(bytes.NewReader([]byte(in)), Limits{}).Next(); !errors.Is(err, ErrTLS) {
				t.Errorf("%x: reader: %v", in, err)
			}
		}
	}},
	{"H12", "software names that brokers reject", func(t *testing.T) {
		for name, want := range map[string]bool{
			"apache-kafka-java": true, "4.4.0": true, "a": true, "0": true, "A.b-C": true, "a--b": true,
			"": false, "-a": false, "a-": false, ".": false, "a b": false, "a_b": false, "a/b": false, "caf\xc3\xa9": false, "a\x00": false,
		} {
			if ValidSoftwareName([]byte(name)) != want {
				t.Errorf("%q: want %v", name, want)
			}
		}
	}},
	{"S1", "acks of Produce", func(t *testing.T) {
		for _, c := range []struct {
			name    string
			payload []byte
			acks    int16
			ok      bool
		}{
			{"v0", requestPayload(Produce, 0, 1, []byte("me"), []byte("\x00\x00rest")), 0, true},
			{"v2", requestPayload(Produce, 2, 1, nil, []byte("\xff\xff")), -1, true},
			{"v3, null ids", requestPayload(Produce, 3, 1, nil, []byte("\xff\xff\x00\x00")), 0, true},
			{"v8", requestPayload(Produce, 8, 1, []byte("me"), []byte("\x00\x02tx\x00\x01")), 1, true},
			{"v9, null id", requestPayload(Produce, 9, 1, nil, []byte("\x00\x00\x00\x00")), 0, true},
			{"v13, header tags", requestPayload(Produce, 13, 1, []byte("me"), []byte("\x01\x05\x01x\x03tx\xff\xff")), -1, true},
			{"v13, cut in acks", requestPayload(Produce, 13, 1, nil, []byte("\x00\x00\x00")), 0, false},
			{"v13, cut in the id", requestPayload(Produce, 13, 1, nil, []byte("\x00\x09tx")), 0, false},
			{"v13, cut in the tags", requestPayload(Produce, 13, 1, nil, []byte("\x01\x05")), 0, false},
			{"v13, no tags", requestPayload(Produce, 13, 1, nil, nil), 0, false},
			{"v1, client id cut", []byte("\x00\x00\x00\x01\x00\x00\x00\x01\x00\x09me"), 0, false},
			{"version above the table", requestPayload(Produce, 99, 1, nil, []byte("\x00\x00\x00\x00")), 0, false},
			{"another API", requestPayload(Fetch, 1, 1, nil, []byte("\x00\x00\x00\x00")), 0, false},
			{"too short", []byte("\x00\x00\x00\x01"), 0, false},
		} {
			guarded(c.payload, func(b []byte) {
				if acks, ok := PeekProduceAcks(b); acks != c.acks || ok != c.ok {
					t.Errorf("%s: %d, %v", c.name, acks, ok)
				}
			})
		}
	}},
}

func TestFaults(t *testing.T) {
	done := map[string]bool{}
	for _, f := range faultRows {
		done[f.row] = true
		t.Run(f.row+"_"+f.name, f.check)
	}
	for _, row := range []string{
		"L1", "L2", "L3", "L5", "L6", "L7", "L8", "L10", "L12", "L13", "T1", "T2", "T8", "T9", "T10", "N7",
		"H1", "H2", "H3", "H4", "H5", "H6", "H7", "H8", "H9", "H10", "H11", "H12", "S1",
	} {
		if !done[row] {
			t.Errorf("row %s has no case", row)
		}
	}
}

// consumes drops what a Consume function read.
func consumes(f func([]byte) ([]byte, int)) func([]byte) int {
	return func(b []byte) int { _, n := f(b); return n }
}

func consumesTags(b []byte) int { _, n := ConsumeTags(b); return n }

func wantConsume(t *testing.T, in string, f func([]byte) int, want error) {
	t.Helper()
	guarded([]byte(in), func(b []byte) {
		if err := ConsumeError(f(b)); !errors.Is(err, want) {
			t.Errorf("%x: %v, want %v", in, err, want)
		}
	})
}

func wantRequest(t *testing.T, payload []byte, want error) {
	t.Helper()
	guarded(payload, func(b []byte) {
		var e *Error
		if _, _, err := ParseRequest(b); !errors.Is(err, want) || !errors.As(err, &e) {
			t.Errorf("%x: %v, want %v", b, err, want)
		}
	})
}

func wantHeaders(t *testing.T, key APIKey, version, request, response int16) {
	t.Helper()
	q, ok1 := key.RequestHeaderVersion(version)
	r, ok2 := key.ResponseHeaderVersion(version)
	if q != request || r != response || !ok1 || !ok2 {
		t.Errorf("%v v%d: headers %d and %d, want %d and %d", key, version, q, r, request, response)
	}
}

// hugeBody makes dst that many bytes long, in memory that nobody touches.
type hugeBody int

func (n hugeBody) AppendTo(dst []byte, version int16) ([]byte, error) {
	return make([]byte, len(dst)+int(n)), nil
}

// countingReader counts reads.
type countingReader struct {
	r     io.Reader
	reads int
}

func (c *countingReader) Read(p []byte) (int, error) {
	c.reads++
	return c.r.Read(p)
}
