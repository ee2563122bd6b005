package fastcodec

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/internal/life"
)

const debugBuild = life.Debug

// panics gives the text of f's panic, "" where there is none.
func panics(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = p.(string)
		}
	}()
	f()
	return ""
}

func TestUseAfterReleaseIsFound(t *testing.T) {
	if !debugBuild {
		t.Skip("found with the build tag kafkawiredebug only")
	}
	payload := requestPayload(Metadata, 12, 7, []byte("me"), []byte{0})
	b, _ := AppendFrame(nil, payload)
	f, err := NewReader(bytes.NewReader(b), Limits{}).Next()
	if err != nil {
		t.Fatal(err)
	}
	p := f.Payload()
	h, _, err := ParseRequest(p)
	if err != nil || string(h.ClientID()) != "me" {
		t.Fatal(err)
	}
	f.Release()
	for name, use := range map[string]func(){
		"Key": func() { h.Key() }, "ClientID": func() { h.ClientID() }, "UnknownTags": func() { h.UnknownTags() }, "Bytes": func() { h.Bytes() },
	} {
		if text := panics(use); !strings.Contains(text, "read after release") {
			t.Errorf("%s after Release: %q", name, text)
		}
	}
	for name, use := range map[string]func(){"Payload": func() { f.Payload() }, "Release": f.Release} {
		if text := panics(use); !strings.Contains(text, "frame used after its release") {
			t.Errorf("%s after Release: %q", name, text)
		}
	}
	for _, c := range p {
		if c != life.Poison {
			t.Fatalf("bytes after Release are %x", p)
		}
	}
}

func TestEncoderBytesDieAtRelease(t *testing.T) {
	if !life.Poisons {
		t.Skip("bytes are overwritten with kafkawiredebug or the race detector only")
	}
	var e Encoder
	if err := e.Frame([]byte("payload")); err != nil {
		t.Fatal(err)
	}
	b := e.Bytes()
	e.Release()
	if !bytes.Equal(b, bytes.Repeat([]byte{life.Poison}, len(b))) {
		t.Errorf("bytes after Release are %x", b)
	}
}
