package fastcodec

import "testing"

// TestNothingAllocates asserts what the hot paths promise.
func TestNothingAllocates(t *testing.T) {
	if raceEnabled || debugBuild {
		t.Skip("promised without the race detector and kafkawiredebug only: the one drops from pools at random, the other keeps books")
	}
	tags := section(tag(3, "three"), tag(9, "nine"))
	request := requestPayload(Produce, 13, 5, []byte("client"), append(tags, "\x03tx\xff\xffbody"...))
	response := append([]byte("\x00\x00\x00\x05"), tags...)
	frames, _ := AppendFrame(nil, request)
	header := RequestHeaderData{Key: Metadata, Version: 12, ClientID: []byte("client"), UnknownTags: []Tag{tag(9, "nine"), tag(3, "three")}}
	reply := ResponseHeaderData{Key: Metadata, Version: 12}
	body := Raw("body")
	var copied RequestHeaderData
	var e Encoder
	dst := make([]byte, 0, 1000)
	var ok bool
	for name, f := range map[string]func(){
		"ParseRequest and all fields": func() {
			h, body, err := ParseRequest(request)
			if err != nil {
				panic(err)
			}
			sinkInt = int(h.Key()) + int(h.Version()) + int(h.CorrelationID()) + len(h.ClientID()) + len(body) + h.UnknownTags().Len()
			for number, data := range h.UnknownTags().All() {
				sinkInt += int(number) + len(data)
			}
		},
		"ParseResponse": func() {
			h, _, err := ParseResponse(response, Produce, 13)
			if err != nil {
				panic(err)
			}
			sinkInt = int(h.CorrelationID()) + h.UnknownTags().Len()
		},
		"CopyTo": func() {
			h, _, _ := ParseRequest(request)
			h.CopyTo(&copied)
		},
		"peeks": func() {
			_, _, _, _, ok = PeekRequest(request)
			_, ok = PeekCorrelationID(response)
			_, ok = PeekProduceAcks(request)
		},
		"Split":          func() { _, _, sinkInt, _ = Split(frames) },
		"AppendRequest":  func() { dst, _ = AppendRequest(dst[:0], &header, &body) },
		"AppendResponse": func() { dst, _ = AppendResponse(dst[:0], &reply, &body) },
		"Encoder": func() {
			if e.Request(&header, &body) != nil || e.Response(&reply, &body) != nil {
				panic("encoder")
			}
			e.Release()
		},
		"ResponseBodyVersion": func() {
			limit := len(request)
			sinkInt = int(ResponseBodyVersion(APIVersions, 3, response, func(b []byte, v int16) bool { return len(b) > limit }))
		},
		"Shard and Fingerprint": func() { sinkInt = Shard(request, 7) + int(Fingerprint(request)) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if !ok {
		t.Error("no acks")
	}
}

// TestErrorsAllocateOneValue: a refused header costs its error and nothing else.
func TestErrorsAllocateOneValue(t *testing.T) {
	bad := requestPayload(Metadata, 12, 5, []byte("client"), []byte("\x01\x05\x7f"))
	if n := testing.AllocsPerRun(100, func() {
		if _, _, err := ParseRequest(bad); err == nil {
			panic("accepted")
		}
	}); n != 1 && !debugBuild {
		t.Errorf("%v allocations", n)
	}
}
