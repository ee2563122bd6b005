package fastcodec

import (
	"bytes"
	"errors"
	"testing"
)

func TestEncoderWritesFrames(t *testing.T) {
	for _, class := range []Class{Control, Medium, Bulk, 77} {
		e := Encoder{Class: class}
		if e.Bytes() != nil {
			t.Error("bytes before the first frame")
		}
		for range 3 {
			request := RequestHeaderData{Key: Metadata, Version: 12, CorrelationID: 5, ClientID: []byte("me")}
			response := ResponseHeaderData{Key: Metadata, Version: 12, CorrelationID: 5}
			body := Raw("body")
			if err := errors.Join(e.Request(&request, &body), e.Response(&response, &body), e.Frame(nil)); err != nil {
				t.Fatal(err)
			}
			want := "\x00\x00\x00\x11\x00\x03\x00\x0c\x00\x00\x00\x05\x00\x02me\x00body" + "\x00\x00\x00\x09\x00\x00\x00\x05\x00body" + "\x00\x00\x00\x00"
			if string(e.Bytes()) != want {
				t.Errorf("%x\nwant %x", e.Bytes(), want)
			}
			if err := e.Request(&request, failingBody{}); err != errBody {
				t.Errorf("error of the body: %v", err)
			}
			request.Version = 99
			if err := e.Request(&request, &body); !errors.Is(err, ErrVersion) {
				t.Errorf("version 99: %v", err)
			}
			if string(e.Bytes()) != want {
				t.Errorf("after errors: %x", e.Bytes())
			}
			e.Release()
			e.Release()
		}
	}
}

var errBody = errors.New("body")

// failingBody leaves bytes behind its error, as no body should.
type failingBody struct{}

func (failingBody) AppendTo(dst []byte, version int16) ([]byte, error) {
	return append(dst, "half a body"...), errBody
}

func TestFramesOnAnErrorReturnDstAsItWas(t *testing.T) {
	dst := append(make([]byte, 0, 100), "before"...)
	got, err := AppendRequest(dst, &RequestHeaderData{Key: Metadata}, failingBody{})
	if err != errBody || string(got) != "before" {
		t.Errorf("request: %q, %v", got, err)
	}
	got, err = AppendResponse(dst, &ResponseHeaderData{Key: Metadata}, failingBody{})
	if err != errBody || string(got) != "before" {
		t.Errorf("response: %q, %v", got, err)
	}
}

// TestEncoderKeepsBuffersThatGrew: buffers of usual frames stay in the pool after
// it has learned, though they grew by appends.
func TestEncoderKeepsBuffersThatGrew(t *testing.T) {
	if raceEnabled || debugBuild {
		t.Skip("buffers are pooled without the race detector and kafkawiredebug only")
	}
	small, large := Raw(bytes.Repeat([]byte{1}, 400)), Raw(bytes.Repeat([]byte{1}, 900))
	h := ResponseHeaderData{Key: Metadata}
	e := Encoder{Class: Medium}
	write := func() {
		for i := range 5 {
			body := &small
			if i >= 3 {
				body = &large
			}
			if err := e.Response(&h, body); err != nil {
				panic(err)
			}
			e.Release()
		}
	}
	for range 20_000 { // the pool learns every 42,000 buffers
		write()
	}
	if n := testing.AllocsPerRun(1000, write); n != 0 {
		t.Errorf("%v allocations for 5 frames", n)
	}
}
