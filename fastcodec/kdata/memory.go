package kdata

// Memory that structs keep, so that filling one again allocates nothing.

import "github.com/kafkawire/kafkawire/fastcodec"

// Message is a struct of this package that is a whole message.
type Message interface {
	fastcodec.Appender
	Hold(body []byte) []byte
}

// Resize returns s with n elements, in its own memory where that is large enough.
// Elements keep what they had, also those beyond the old length: overwrite them.
func Resize[T any](s []T, n int) []T {
	if n <= cap(s) && s != nil {
		return s[:n]
	}
	t := make([]T, n)
	copy(t, s[:cap(s)])
	return t
}

// resizeNullable is Resize for a field that can be null: n is negative then, and the
// memory is kept in spare.
func resizeNullable[T any](s, spare *[]T, n int) {
	if *s != nil {
		*spare = *s
	}
	if n < 0 {
		*s = nil
		return
	}
	*s = Resize(*spare, n)
}

// presentNullable makes a struct that can be null present or not, and keeps its
// memory in spare.
func presentNullable[T any](s, spare **T, present bool) *T {
	switch {
	case !present && *s != nil:
		*s, *spare = nil, *s
	case present && *s == nil:
		if *spare == nil {
			*spare = new(T)
		}
		*s, *spare = *spare, nil
	}
	return *s
}

func pointer[T any](v T) *T { return &v }

// held is a copy of the body that a message was filled from.
type held struct{ body []byte }

// Hold keeps a copy of a body until the next Hold, and returns it: memory for the
// strings and bytes of a message.
func (h *held) Hold(body []byte) []byte {
	h.body = append(h.body[:0], body...)
	return h.body
}
