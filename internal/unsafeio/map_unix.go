//go:build linux || darwin

// Files mapped into memory.

package unsafeio

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Map gives a file's bytes, mapped for reading: writing to them faults. release
// unmaps them, and ends the life of every slice of them. The file must not be cut
// while it is mapped, or reading what is gone faults.
func Map(path string) (data []byte, release func() error, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // the mapping lives on
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return readAll(f)
	}
	size := int(info.Size())
	if int64(size) != info.Size() {
		return nil, nil, fmt.Errorf("%s: %d bytes are more than can be mapped", path, info.Size())
	}
	data, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("map %s: %w", path, err)
	}
	return data, func() error { return unix.Munmap(data) }, nil
}
