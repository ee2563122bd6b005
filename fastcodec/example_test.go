package fastcodec_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// Frames from a connection, one after another.
func ExampleReader() {
	conn := bytes.NewReader([]byte("\x00\x00\x00\x0e\x00\x12\x00\x03\x00\x00\x00\x07\x00\x02me\x00\x01\x00\x00\x00\x08\x00\x03\x00\x01\x00\x00\x00\x08"))

	r := fastcodec.NewReader(conn, fastcodec.Limits{Frame: 1 << 20})
	for {
		frame, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		if h, body, err := fastcodec.ParseRequest(frame.Payload()); err != nil {
			fmt.Println(err)
		} else {
			fmt.Printf("%v v%d, correlation id %d, from %q, body %x\n", h.Key(), h.Version(), h.CorrelationID(), h.ClientID(), body)
		}
		frame.Release() // h and body are gone
	}
	// Output:
	// ApiVersions v3, correlation id 7, from "me", body 01
	// RequestHeader v1: ClientId: offset 8: short input: want 2 bytes of string length
}

// An event loop has no io.Reader, but a buffer with what has come so far.
func ExampleSplit() {
	buf := []byte("\x00\x00\x00\x04\x00\x00\x00\x07\x00\x00\x00\x09\x00\x00")
	for {
		payload, rest, need, err := fastcodec.Split(buf)
		if err != nil {
			fmt.Println("broken:", err) // close the connection
			return
		}
		if payload == nil {
			fmt.Printf("%d bytes kept, %d more needed\n", len(rest), need)
			return
		}
		fmt.Printf("payload %x\n", payload)
		buf = rest
	}
	// Output:
	// payload 00000007
	// 6 bytes kept, 7 more needed
}

// A key or version that the table doesn't have is not an error: what is certain of
// the header can be read, the body is opaque.
func ExampleParseRequest_unknown() {
	payload := []byte("\x27\x10\x00\x01\x00\x00\x00\x07\x00\x02mebody of a vendor's own API")
	h, body, err := fastcodec.ParseRequest(payload)
	fmt.Println(h.Key(), h.Known(), h.HeaderVersion() == fastcodec.UnknownHeader, string(h.ClientID()), len(body), err)
	// Output: APIKey(10000) false true me 26 <nil>
}

// A router looks at the beginning of each request and forwards the rest unread.
func ExamplePeekRequest() {
	payload := []byte("\x00\x00\x00\x07\x00\x00\x00\x05\x00\x02me\xff\xff\x00\x00")
	key, version, id, client, ok := fastcodec.PeekRequest(payload)
	fmt.Println(key, version, id, string(client), ok)
	acks, ok := fastcodec.PeekProduceAcks(payload)
	fmt.Println("acks", acks, ok)
	// Output:
	// Produce 7 5 me true
	// acks 0 true
}

// Whole frames: the header's version follows from key and version.
func ExampleEncoder() {
	body := fastcodec.Raw("\x00\x00") // usually a struct of package kdata
	e := fastcodec.Encoder{Class: fastcodec.Control}
	h := fastcodec.RequestHeaderData{Key: fastcodec.ListGroups, Version: 0, CorrelationID: 7, ClientID: []byte("me")}
	if err := e.Request(&h, &body); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%x\n", e.Bytes()) // write them to the connection
	e.Release()
	// Output: 0000000e001000000000000700026d650000
}

// A proxy answers requests of versions that it doesn't have.
func ExampleUnsupportedVersion() {
	err := error(fastcodec.UnsupportedVersion(fastcodec.Fetch, true, 19))
	fmt.Println(err)
	fmt.Println(errors.Is(err, fastcodec.ErrVersion))
	// Output:
	// unsupported version 19 of Fetch request: 0-18
	// true
}

// Names as strings, without an allocation for each.
func ExampleInterner() {
	names := fastcodec.NewInterner(1000)
	count := map[string]int{}
	for _, name := range [][]byte{[]byte("orders"), []byte("users"), []byte("orders")} {
		count[names.String(name)]++
	}
	fmt.Println(count)
	// Output: map[orders:2 users:1]
}

// Kafka writes uuids as base64.
func ExampleParseUUID() {
	id, err := fastcodec.ParseUUID("-w0d4aPFSw6PASNFZ4mrzQ")
	fmt.Println(id, id.Base64(), err)
	// Output: fb0d1de1-a3c5-4b0e-8f01-23456789abcd -w0d4aPFSw6PASNFZ4mrzQ <nil>
}
