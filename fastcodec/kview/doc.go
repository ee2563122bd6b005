// Package kview reads Kafka messages in place: one type a message and one a
// struct inside it, generated from the schema notation.
//
//	var req kview.ProduceRequest                 // one a goroutine; reused
//	if err := req.Parse(body, version); err != nil { ... }
//	for t := range req.TopicData().All() {
//		for p := range t.PartitionData().All() {
//			total += len(p.Records())
//		}
//	}
//
// # Parse once, then read
//
// Parse walks the body once, checks everything that Kafka's own reader checks
// and more (a known tag twice, a tag of another size than it says), and keeps
// the offsets of what it found. After it every accessor is total: it can't fail
// on any body, in any order, any number of times, and allocates nothing. A field
// that the version lacks reads as Kafka's default for it, which is not always
// zero. Null and empty are kept apart: a null string is a nil slice, an empty
// one is not; lists have IsNull.
//
// # Lifetimes
//
// A message does not copy the body: what its accessors return aliases it, with
// clipped capacity, so that an append can't write into the frame. A view (any
// type here but the messages themselves) also aliases the message that it came
// from. Both end at the message's next Parse, and when whoever owns the body
// writes to it or releases the frame. CopyTo detaches.
//
// After a good Parse any number of goroutines may read one message at once. A
// message that Parse failed on holds nothing: only Parse may be called next.
//
// # Names
//
// Types and accessors have Kafka's names with Go's initialisms (TopicId is
// TopicID). A struct is named after its message (FetchRequestTopic). A field
// with the name of a method that views have (Version, Body, Parse, ...) gets
// the suffix Field: VersionField.
//
// # Loops that allocate
//
// All is a range-over-func iterator and allocates nothing as long as the
// compiler inlines the loop's body; with bodies of more than some 25 accessors,
// nested loops included, it does not, and three nested ones then allocate. Loops
// over At never do. Likewise m[string(t.Name())] += n allocates for every new
// key only in a lookup, but for every call in an assignment: use
// fastcodec.Interner.
package kview
