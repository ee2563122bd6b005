// Package readall reads every field of any message through the accessors of its
// view, without reflection. It is test code: what it allocates is what the
// accessors and iterators allocate, and what it collects is compared with what the
// other readers found. Its functions are generated from the schemas.
package readall
