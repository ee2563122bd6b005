//go:build !linux && !darwin

// The stand-in for mapped files on other systems.

package unsafeio

import "os"

// Map gives a file's bytes, read into memory; release does nothing.
func Map(path string) (data []byte, release func() error, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return readAll(f)
}
