package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
)

// uuidWords reads a default written as Kafka's schemas do: unpadded url-safe base64.
func uuidWords(s string) ([2]uint64, error) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) != 16 {
		return [2]uint64{}, fmt.Errorf("uuid default %q: want 16 bytes in base64", s)
	}
	return [2]uint64{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}, nil
}
