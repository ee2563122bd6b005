package fastcodec

import "testing"

func TestUUIDText(t *testing.T) {
	u := UUID{0xfb0d1de1a3c54b0e, 0x8f0123456789abcd}
	const hexForm, base64Form = "fb0d1de1-a3c5-4b0e-8f01-23456789abcd", "-w0d4aPFSw6PASNFZ4mrzQ"
	if u.String() != hexForm || u.Base64() != base64Form {
		t.Fatalf("texts are %s and %s", u, u.Base64())
	}
	for _, text := range []string{hexForm, base64Form, "fb0d1de1a3c54b0e8f0123456789abcd", "FB0D1DE1-A3C5-4B0E-8F01-23456789ABCD"} {
		if got, err := ParseUUID(text); got != u || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "-w0d4aPFSw6PASNFZ4mrz", "-w0d4aPFSw6PASNFZ4mrzQ==", "+w0d4aPFSw6PASNFZ4mrzQ", "-w0d4aPFSw6PASNFZ4mrzR",
		"-w0d4aPFSw6PASNFZ4mr\nz", "fb0d1de1a3c54b0e8f0123456789abcg", "fb0d1de1a3c5-4b0e-8f01-23456789abcd-",
		"fb0d1de1-a3c5-4b0e-8f01-23456789abc", "fb0d1de1a3c54b0e8f0123456789abcdef01",
	} {
		if got, err := ParseUUID(text); err != ErrUUID || !got.IsZero() {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if UUIDFrom(u.Bytes()) != u {
		t.Error("bytes don't come back")
	}
	if (UUID{}).Base64() != "AAAAAAAAAAAAAAAAAAAAAA" {
		t.Error("zero is", UUID{}.Base64())
	}
}
