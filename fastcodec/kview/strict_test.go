package kview_test

import (
	"errors"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
)

// L14: trailing bytes are legal and kept, and an error only where strictness is asked for.
func TestStrictRefusesTrailingBytes(t *testing.T) {
	body := []byte{0, 0, 0, 0, 0, 0, 0, 1, 2}
	var m kview.HeartbeatResponse
	if err := m.Parse(body, 4); err != nil || string(m.Trailing()) != "\x01\x02" {
		t.Fatalf("%v, trailing %x", err, m.Trailing())
	}
	m.SetStrict(true)
	var e *fastcodec.Error
	err := m.Parse(body, 4)
	if !errors.Is(err, fastcodec.ErrTrailing) || !errors.As(err, &e) || e.Offset != 7 || e.Path.Len() != 0 {
		t.Fatalf("strict: %v", err)
	}
	if err := m.Parse(body[:7], 4); err != nil {
		t.Fatalf("strict, nothing left: %v", err)
	}
}
