package unsafeio

import "unsafe"

// past reads the byte behind b.
func past(b []byte) byte {
	return *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), len(b)))
}
