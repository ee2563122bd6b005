// Package fastcodec reads and writes the frames of Kafka's wire protocol: sizes,
// headers, and the primitives that bodies are made of. Bodies themselves are read
// by package kview, written by package kdata, and walked without a generated type
// by package layout.
//
// # Terms
//
// A frame is an int32 size and that many bytes, the payload. A payload is a header
// and a body. A message is one request or response body at one version; API key
// and version are in a request's header, and a response has those of its request.
// A version is flexible where lengths are compact (a uvarint of length + 1) and
// every struct ends with a section of tagged fields. A tag is unknown where the
// schema doesn't have it at that version; unknown tags and bytes after the last
// field (trailing bytes) are never lost.
//
// A view reads in place: it is a few words that point into the frame. Strings and
// bytes are []byte everywhere, with their capacity clipped; nil is null, an empty
// slice is empty.
//
// # Lifetimes
//
// Whatever aliases a frame dies with it: payloads, headers, views, the strings and
// bytes that they return, unknown tags. A frame of a Reader dies at Release, the
// bytes of an Encoder at Release or when the next frame is written to it. A message
// object and the views of its fields die at its next Parse. A parsed message, a
// header and the payload below them may be read by many goroutines at once, as long
// as nobody releases the frame.
//
// To keep something longer, copy it. Functions that copy say so: CopyTo, AppendTo,
// Clone. A map keyed by string is where copies hide:
//
//	count[string(t.Name())]++       // allocates a string every time
//	count[names.String(t.Name())]++ // names is an Interner: a known name costs nothing
//
// With the build tag kafkawiredebug, Release overwrites the bytes and takes them out
// of use, and a view that is read afterwards panics and says so. Under the race
// detector Release counts as a write to the bytes.
//
// # Errors and limits
//
// Nothing here panics on what comes from the wire, reads more than is there, or
// reserves memory because a number in the input says so. Errors wrap a sentinel and
// say where; they keep nothing of the frame. An API key or version that the table
// doesn't have is not an error of frames and headers: the body is opaque then.
// Limits bound what one frame may cost.
//
// # Build tags
//
// kafkawiredebug finds uses after release; kafkawiresafe builds without any unsafe
// code.
package fastcodec
