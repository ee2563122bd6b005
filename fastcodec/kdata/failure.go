package kdata

// Errors of AppendTo. They are made out of line, innermost field first; functions
// on the way out put what the field is in before it.

import (
	"math"
	"strings"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// tagSection is what the tag section of a struct is called in a path.
const tagSection = "tagged_fields"

// failure is an error on its way out of an encoder.
type failure struct {
	err   *fastcodec.Error
	index int // of the array element that the path begins in, or -1
}

// fail makes a failure in a field of element index (-1: of no array).
//
//go:noinline
func fail(err error, want, field string, index int) *failure {
	f := &failure{&fastcodec.Error{Offset: -1, Err: err, Want: want}, index}
	f.err.Path.Prepend(field, -1)
	return f
}

// in puts a field of element index before the path.
//
//go:noinline
func (f *failure) in(field string, index int) *failure {
	f.err.Path.Prepend(field, f.index)
	f.index = index
	return f
}

// element says that the struct that failed is element index.
func (f *failure) element(index int) *failure {
	f.index = index
	return f
}

// of ends the error.
//
//go:noinline
func (f *failure) of(message string, version int16) error {
	f.err.Message, f.err.Version = message, version
	return f.err
}

// lacking is the error of a field that the version has no place for.
//
//go:noinline
func lacking(field string, index int) *failure {
	return fail(fastcodec.ErrNotInVersion, "the default", field, index)
}

// noTags is the error of unknown tags at a version without tag sections.
//
//go:noinline
func noTags(index int) *failure { return fail(fastcodec.ErrTagsNotSupported, "", tagSection, index) }

// badTags is the error of unknown tags that can't be written.
//
//go:noinline
func badTags(err error, index int) *failure { return fail(err, "", tagSection, index) }

// nullStruct is the error of a struct that is null at a version that doesn't allow it.
//
//go:noinline
func nullStruct(field string, index int) *failure {
	return fail(fastcodec.ErrNull, "a struct", field, index)
}

// tooMany reports whether a number of bytes or elements, or one of several that
// were or'ed, is above what a length can say.
func tooMany(n int) bool { return uint64(n) > math.MaxInt32 }

// tooLong finds which of several lengths is too long. Strings have ":text" behind
// their names.
//
//go:noinline
func tooLong(index int, fields string, lengths ...int) *failure {
	for i, field := range strings.Fields(fields) {
		name, text := strings.CutSuffix(field, ":text")
		switch {
		case text && lengths[i] > fastcodec.MaxString:
			return fail(fastcodec.ErrTooLong, "at most 32767 bytes", name, index)
		case tooMany(lengths[i]):
			return fail(fastcodec.ErrTooLong, "at most 2147483647", name, index)
		}
	}
	panic("kdata: no length is too long")
}
