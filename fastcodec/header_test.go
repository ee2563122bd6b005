package fastcodec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// requestPayload writes a request of any key and version: the fixed fields, the
// client id (nil is null) and what follows, with no regard to header versions.
func requestPayload(key APIKey, version int16, id int32, client []byte, rest []byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(key))
	b = binary.BigEndian.AppendUint16(b, uint16(version))
	b = binary.BigEndian.AppendUint32(b, uint32(id))
	return append(AppendNullableString(b, client), rest...)
}

func TestParseRequest(t *testing.T) {
	tagged := section(tag(2, "two"), tag(0, ""))
	for _, c := range []struct {
		name    string
		payload []byte
		version int16 // of the header
		client  []byte
		tags    int
		body    string
		known   bool
	}{
		{"v0: no client id", append([]byte("\x00\x07\x00\x00\x00\x00\x00\x05"), "body"...), 0, nil, 0, "body", true},
		{"v1", requestPayload(Metadata, 8, 5, []byte("me"), []byte("body")), 1, []byte("me"), 0, "body", true},
		{"v1: null client id", requestPayload(Metadata, 8, 5, nil, []byte("body")), 1, nil, 0, "body", true},
		{"v1: empty client id", requestPayload(Metadata, 8, 5, []byte{}, nil), 1, []byte{}, 0, "", true},
		{"v1: client id length -2", []byte("\x00\x03\x00\x08\x00\x00\x00\x05\xff\xfebody"), 1, nil, 0, "body", true},
		{"v2", requestPayload(Metadata, 12, 5, []byte("me"), []byte("\x00body")), 2, []byte("me"), 0, "body", true},
		{"v2: tags", requestPayload(Metadata, 12, 5, []byte("me"), append(bytes.Clone(tagged), "body"...)), 2, []byte("me"), 2, "body", true},
		{"v2: overlong tag count", requestPayload(Metadata, 12, 5, nil, []byte("\x80\x00body")), 2, nil, 0, "body", true},
		{"v2: no body", requestPayload(Metadata, 12, 5, nil, []byte("\x00")), 2, nil, 0, "", true},
		{"unknown key", requestPayload(10000, 3, 5, []byte("me"), []byte("body")), UnknownHeader, []byte("me"), 0, "body", false},
		{"unknown key, 8 bytes", []byte("\x27\x10\x00\x03\x00\x00\x00\x05"), UnknownHeader, nil, 0, "", false},
		{"unknown key, client id past the end", []byte("\x27\x10\x00\x03\x00\x00\x00\x05\x00\x09body"), UnknownHeader, nil, 0, "\x00\x09body", false},
		{"version above the table", requestPayload(Metadata, 99, 5, []byte("me"), []byte("\x00body")), UnknownHeader, []byte("me"), 0, "\x00body", false},
		{"negative version", requestPayload(Metadata, -1, 5, nil, nil), UnknownHeader, nil, 0, "", false},
		{"negative key", requestPayload(-5, 0, 5, nil, nil), UnknownHeader, nil, 0, "", false},
		{"ApiVersions above the table", requestPayload(APIVersions, 9, 5, []byte("me"), append(bytes.Clone(tagged), "body"...)), 2, []byte("me"), 2, "body", false},
	} {
		guarded(c.payload, func(payload []byte) {
			h, body, err := ParseRequest(payload)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				return
			}
			if h.HeaderVersion() != c.version || !bytes.Equal(h.ClientID(), c.client) || (h.ClientID() == nil) != (c.client == nil) ||
				h.UnknownTags().Len() != c.tags || string(body) != c.body || h.Known() != c.known {
				t.Errorf("%s: header v%d, client %q, %d tags, body %q, known %v", c.name, h.HeaderVersion(), h.ClientID(), h.UnknownTags().Len(), body, h.Known())
			}
			if key := APIKey(binary.BigEndian.Uint16(payload)); h.Key() != key || h.CorrelationID() != 5 || h.Version() != int16(binary.BigEndian.Uint16(payload[2:])) {
				t.Errorf("%s: %v v%d, correlation id %d", c.name, h.Key(), h.Version(), h.CorrelationID())
			}
			if string(h.Bytes())+string(body) != string(payload) {
				t.Errorf("%s: header %x and body %x aren't the payload", c.name, h.Bytes(), body)
			}
			if cap(h.Bytes()) != len(h.Bytes()) || cap(h.ClientID()) != len(h.ClientID()) {
				t.Errorf("%s: header or client id isn't clipped", c.name)
			}
			if !c.known {
				return
			}
			var d RequestHeaderData
			h.CopyTo(&d)
			out, err := AppendRequestHeader(nil, &d)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			} else if again, rest, err := ParseRequest(out); err != nil || len(rest) > 0 || !bytes.Equal(again.ClientID(), h.ClientID()) ||
				again.UnknownTags().Len() != c.tags || (again.ClientID() == nil) != (h.ClientID() == nil) {
				t.Errorf("%s: written as %x", c.name, out)
			}
		})
	}
}

func TestParseRequestRejects(t *testing.T) {
	for _, c := range []struct {
		name, payload, want string
		is                  error
	}{
		{"nothing", "", "RequestHeader: RequestApiKey: offset 0: short input: want 2 bytes", ErrShort},
		{"1 byte", "\x00", "RequestHeader: RequestApiKey: offset 0: short input: want 2 bytes", ErrShort},
		{"3 bytes", "\x00\x03\x00", "RequestHeader: RequestApiVersion: offset 2: short input: want 2 bytes", ErrShort},
		{"7 bytes", "\x27\x10\x00\x00\x00\x00\x00", "RequestHeader: CorrelationId: offset 4: short input: want 4 bytes", ErrShort},
		{"no client id", "\x00\x03\x00\x01\x00\x00\x00\x05", "RequestHeader v1: ClientId: offset 8: short input: want 2 bytes of string length", ErrShort},
		{"client id past the end", "\x00\x03\x00\x0c\x00\x00\x00\x05\x00\x03me", "RequestHeader v2: ClientId: offset 8: short input: want as many bytes as the string's length says", ErrShort},
		{"no tag section", "\x00\x03\x00\x0c\x00\x00\x00\x05\xff\xff", "RequestHeader v2: offset 10: short input: want a uvarint of tag count", ErrShort},
		{"tag count", "\x00\x03\x00\x0c\x00\x00\x00\x05\xff\xff\xff\xff\xff\xff\x0f", "RequestHeader v2: offset 10: count larger than the bytes left allow: want a tag count that the bytes left can hold", ErrCount},
		{"tag number", "\x00\x03\x00\x0c\x00\x00\x00\x05\xff\xff\x01\x80\x80\x80\x80\x80\x00", "RequestHeader v2: offset 11: malformed varint: want a uvarint of tag number", ErrVarint},
		{"tag size", "\x00\x03\x00\x0c\x00\x00\x00\x05\xff\xff\x01\x05\x02x", "RequestHeader v2: offset 12: wrong size of a tagged field: want as many bytes as the tag's size says", ErrTagSize},
	} {
		guarded([]byte(c.payload), func(payload []byte) {
			h, body, err := ParseRequest(payload)
			if fmt.Sprint(err) != c.want || !errors.Is(err, c.is) || body != nil || h.Bytes() != nil {
				t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
			}
		})
	}
}

func TestParseResponse(t *testing.T) {
	tags := section(tag(1, "x"))
	for _, c := range []struct {
		name    string
		key     APIKey
		version int16
		payload string
		header  int16
		tags    int
		body    string
	}{
		{"v0", Metadata, 8, "\x00\x00\x00\x05body", 0, 0, "body"},
		{"v1", Metadata, 12, "\x00\x00\x00\x05\x00body", 1, 0, "body"},
		{"v1: tags", Metadata, 12, "\x00\x00\x00\x05" + string(tags) + "body", 1, 1, "body"},
		{"v0, no body", SaslHandshake, 0, "\x00\x00\x00\x05", 0, 0, ""},
		{"ApiVersions", APIVersions, 3, "\x00\x00\x00\x05\x00body", 0, 0, "\x00body"},
		{"unknown key", 10000, 0, "\x00\x00\x00\x05body", UnknownHeader, 0, "body"},
		{"version above the table", Metadata, 99, "\x00\x00\x00\x05\x00body", UnknownHeader, 0, "\x00body"},
	} {
		guarded([]byte(c.payload), func(payload []byte) {
			h, body, err := ParseResponse(payload, c.key, c.version)
			if err != nil || h.HeaderVersion() != c.header || h.CorrelationID() != 5 || h.UnknownTags().Len() != c.tags || string(body) != c.body ||
				string(h.Bytes())+string(body) != c.payload {
				t.Errorf("%s: header v%d, id %d, %d tags, body %q, %v", c.name, h.HeaderVersion(), h.CorrelationID(), h.UnknownTags().Len(), body, err)
			}
			if c.header == UnknownHeader {
				return
			}
			d := ResponseHeaderData{Key: c.key, Version: c.version}
			h.CopyTo(&d)
			if out, err := AppendResponseHeader(nil, &d); err != nil || !bytes.Equal(out, h.Bytes()) {
				t.Errorf("%s: written as %x, %v", c.name, out, err)
			}
		})
	}
	for _, c := range []struct {
		payload, want string
		is            error
	}{
		{"\x00\x00\x00", "ResponseHeader: CorrelationId: offset 0: short input: want 4 bytes", ErrShort},
		{"\x00\x00\x00\x05", "ResponseHeader v1: offset 4: short input: want a uvarint of tag count", ErrShort},
		{"\x00\x00\x00\x05\x01\x00\x01", "ResponseHeader v1: offset 6: wrong size of a tagged field: want as many bytes as the tag's size says", ErrTagSize},
	} {
		guarded([]byte(c.payload), func(payload []byte) {
			if _, _, err := ParseResponse(payload, Metadata, 12); fmt.Sprint(err) != c.want || !errors.Is(err, c.is) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
}

// TestRequestHeaderV3 reads and writes the header of KIP-1313, which no API of the
// table has yet.
func TestRequestHeaderV3(t *testing.T) {
	id := UUID{1, 2}
	idBytes := string(AppendUUID(nil, id))
	view := func(tags []byte) (RequestHeader, error) {
		payload := requestPayload(Metadata, 12, 5, nil, tags)
		at, err := headerTags(requestHeader, 3, payload, requestFixed+2)
		return RequestHeader{b: payload[:at:at], version: 3}, err
	}
	h, err := view(section(tag(9, "x"), tag(0, idBytes)))
	if err != nil || h.ClientInstanceID() != id || h.UnknownTags().Len() != 1 {
		t.Errorf("%v, %d unknown tags, %v", h.ClientInstanceID(), h.UnknownTags().Len(), err)
	}
	if h, err := view([]byte{0}); err != nil || !h.ClientInstanceID().IsZero() {
		t.Errorf("left out: %v, %v", h.ClientInstanceID(), err)
	}
	for _, c := range []struct {
		tags []byte
		want string
	}{
		{section(tag(0, idBytes), tag(0, idBytes)), "ClientInstanceId: offset 29: tagged field repeated"},
		{append(section(tag(0, "15 bytes of uid")), 0), "ClientInstanceId: offset 12: wrong size of a tagged field"},
		{section(tag(0, "15 bytes of uid")), "ClientInstanceId: offset 13: short input: want 16 bytes"},
		{section(tag(0, idBytes+"x")), "ClientInstanceId: offset 12: wrong size of a tagged field"},
	} {
		if _, err := view(c.tags); err == nil || !strings.HasPrefix(err.Error(), "RequestHeader v3: "+c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}

	d := RequestHeaderData{Key: Metadata, Version: 12, CorrelationID: 5, ClientInstanceID: id, UnknownTags: []Tag{tag(9, "x"), tag(1, "y")}}
	got := d.append(nil, 3)
	if want := requestPayload(Metadata, 12, 5, nil, section(tag(0, idBytes), tag(1, "y"), tag(9, "x"))); !bytes.Equal(got, want) {
		t.Errorf("%x\nwant %x", got, want)
	}
	d.ClientInstanceID = UUID{}
	if got, want := d.append(nil, 3), requestPayload(Metadata, 12, 5, nil, section(tag(1, "y"), tag(9, "x"))); !bytes.Equal(got, want) {
		t.Errorf("a zero id: %x\nwant %x", got, want)
	}
	d.UnknownTags = append(d.UnknownTags, tag(0, ""))
	if _, err := d.check(3); err != ErrTagKnown {
		t.Errorf("unknown tag 0: %v", err)
	}
}

func TestAppendHeaderRejects(t *testing.T) {
	long := make([]byte, MaxString+1)
	tags := []Tag{tag(1, "x")}
	for _, c := range []struct {
		name string
		h    RequestHeaderData
		want string
		is   error
	}{
		{"unknown key", RequestHeaderData{Key: 10000}, "APIKey(10000) v0: unknown API key", ErrUnknownAPI},
		{"version", RequestHeaderData{Key: Fetch, Version: 19}, "unsupported version 19 of Fetch request: 0-18", ErrVersion},
		{"ApiVersions version", RequestHeaderData{Key: APIVersions, Version: 9}, "unsupported version 9 of ApiVersions request: 0-5", ErrVersion},
		{"client id", RequestHeaderData{Key: Fetch, ClientID: long}, "RequestHeader v1: ClientId: string too long", ErrTooLong},
		{"client id in v0", RequestHeaderData{Key: ControlledShutdown, ClientID: []byte("me")}, "RequestHeader v0: ClientId: field not in this version", ErrNotInVersion},
		{"tags in v1", RequestHeaderData{Key: Fetch, UnknownTags: tags}, "RequestHeader v1: tagged fields not supported in this version", ErrTagsNotSupported},
		{"instance id in v2", RequestHeaderData{Key: Fetch, Version: 18, ClientInstanceID: UUID{1, 1}}, "RequestHeader v2: ClientInstanceId: field not in this version", ErrNotInVersion},
	} {
		dst := []byte("before")
		dst, err := AppendRequestHeader(dst, &c.h)
		if fmt.Sprint(err) != c.want || !errors.Is(err, c.is) || string(dst) != "before" {
			t.Errorf("%s: %v, dst %q\nwant %s", c.name, err, dst, c.want)
		}
		dst, err = AppendRequest(dst, &c.h, Raw("body"))
		if fmt.Sprint(err) != c.want || string(dst) != "before" {
			t.Errorf("%s: in a frame: %v, dst %q", c.name, err, dst)
		}
	}
	for _, c := range []struct {
		h  ResponseHeaderData
		is error
	}{
		{ResponseHeaderData{Key: 10000}, ErrUnknownAPI},
		{ResponseHeaderData{Key: Fetch, Version: 19}, ErrVersion},
		{ResponseHeaderData{Key: Fetch, UnknownTags: tags}, ErrTagsNotSupported},
		{ResponseHeaderData{Key: APIVersions, Version: 4, UnknownTags: tags}, ErrTagsNotSupported},
	} {
		if dst, err := AppendResponse([]byte("before"), &c.h, Raw("body")); !errors.Is(err, c.is) || string(dst) != "before" {
			t.Errorf("%v v%d: %v, dst %q", c.h.Key, c.h.Version, err, dst)
		}
	}
}

func TestHeaderReply(t *testing.T) {
	h, _, err := ParseRequest(requestPayload(Metadata, 12, -5, nil, []byte{0}))
	if err != nil {
		t.Fatal(err)
	}
	reply := h.Reply()
	b, err := AppendResponse(nil, &reply, Raw("body"))
	if want := "\x00\x00\x00\x09\xff\xff\xff\xfb\x00body"; string(b) != want || err != nil {
		t.Errorf("%x, %v, want %x", b, err, want)
	}
}
