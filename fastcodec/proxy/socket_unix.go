//go:build unix

// Reading a socket only when it has bytes, so that nobody waits with a buffer.

package proxy

import (
	"os"
	"syscall"
)

// readsReady: readSocket works here.
const readsReady = true

// errDry: a socket has nothing to read now.
const errDry = syscall.EAGAIN

// readSocket reads from a socket that doesn't block.
func readSocket(fd uintptr, p []byte) (int, error) {
	for {
		n, err := syscall.Read(int(fd), p)
		switch {
		case err == syscall.EINTR:
		case err == nil || err == syscall.EAGAIN:
			return max(n, 0), err
		default:
			return 0, os.NewSyscallError("read", err)
		}
	}
}
