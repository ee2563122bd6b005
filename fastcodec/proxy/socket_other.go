//go:build !unix

// Where a socket can't be asked whether it has bytes, it is read into a small buffer
// first.

package proxy

import "errors"

const readsReady = false

var errDry = errors.New("nothing to read")

func readSocket(uintptr, []byte) (int, error) { return 0, errDry }
