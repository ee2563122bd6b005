// Package kdata writes Kafka messages from plain structs: one type a message and
// one a struct inside it, generated from the schema notation.
//
//	req := kdata.NewMetadataRequest()
//	req.Topics = []kdata.MetadataRequestTopic{{Name: []byte("orders")}}
//	body, err := req.AppendTo(buf[:0], 12)
//
// # Fields
//
// Fields have Kafka's names with Go's initialisms, in the order of the wire.
// Strings, bytes and records are []byte, arrays slices, structs values, and structs
// that can be null pointers. Null is nil where the version allows null; where it
// doesn't, nil is empty. UnknownTags, last in every struct of a message with
// flexible versions, has the tagged fields that the schema doesn't know.
//
// NewX returns a value with Kafka's defaults, which are not always zero (nor null);
// so do the constructors of structs inside a message, which exist where Go's zero
// value differs from the default. An X{} written out has Go's zeroes.
//
// # AppendTo
//
// AppendTo appends a body at a version, byte for byte as Kafka writes it. A field
// that the version lacks is dropped where Kafka calls it ignorable; else, if it
// differs from its default, it is an error: fastcodec.ErrNotInVersion. Tagged
// fields at their default are left out; tags stand in ascending order, unknown ones
// among the known, those with equal numbers in the order of UnknownTags. Other
// errors are ErrVersion; ErrTooLong for a string of more than 32,767 bytes, or bytes
// or an array of 2^31 and more; ErrTagKnown for an unknown tag that the version
// knows; ErrTagsNotSupported for UnknownTags at a version that isn't flexible.
// Each is an *fastcodec.Error that says where. After an error dst is what it was.
//
// AppendTo allocates only to grow dst, and may write to all of dst's capacity behind
// its length, also behind what it returns. It reads the struct and nothing else, so
// that any number of goroutines may encode one struct at once.
//
// # Memory
//
// CopyTo of package kview fills a struct from a view. It reuses what the struct has:
// once its slices have grown it allocates nothing. To that end a message keeps one
// copy of the last body, which its strings and bytes point into (they live until the
// next CopyTo), and arrays and structs that turn null leave their memory aside.
// ResizeX and PresentX do the same for fields that can be null, Resize for others.
// Two structs, one assigned from the other, share all of that: let only one be
// filled again.
package kdata
