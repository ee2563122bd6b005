//go:build linux || darwin

// Guard pages.

package unsafeio

import (
	"os"

	"golang.org/x/sys/unix"
)

// Guards reports whether this system has guard pages; without them Guarded and
// Protected give plain copies.
const Guards = true

// Guarded copies b so that its copy ends where a page begins that can't be read or
// written: whoever goes past the end faults. free unmaps the copy.
func Guarded(b []byte) (guarded []byte, free func()) {
	guarded, _, free = Protected(b)
	return guarded, free
}

// Protected is Guarded, with a function besides that takes the right to read or
// write the copy away, as if it had been released: whoever is still at it faults.
func Protected(b []byte) (guarded []byte, protect, free func()) {
	page := os.Getpagesize()
	size := (len(b) + page - 1) / page * page
	mem, err := unix.Mmap(-1, 0, size+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	check("mmap", err)
	check("mprotect", unix.Mprotect(mem[size:], unix.PROT_NONE))
	guarded = mem[size-len(b) : size : size]
	copy(guarded, b)
	protect = func() {
		if size > 0 {
			check("mprotect", unix.Mprotect(mem[:size], unix.PROT_NONE))
		}
	}
	free = func() { check("munmap", unix.Munmap(mem)) }
	return guarded, protect, free
}

// check panics: guards are for tests, where there is nothing to be done about it.
func check(call string, err error) {
	if err != nil {
		panic("unsafeio: " + call + ": " + err.Error())
	}
}
