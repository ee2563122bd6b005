// Package layout reads and writes any Kafka message by (key, version), from the
// schema notation and without generated code: it checks a body and indexes it,
// walks it field by field, prints it as a tree or as JSON, and writes it from
// JSON.
//
//	m, err := layout.For(fastcodec.Metadata, true, 12)      // compiled on first use, then shared
//	var ix layout.Index                                      // one a goroutine; reused
//	if err := m.Parse(&ix, body); err != nil { ... }         // checks all of it, allocates nothing
//	text, end, err := m.AppendJSON(nil, body)              // what is behind end are trailing bytes
//
// There are two readers. Parse interprets a flat list of operations and only
// notices that something is wrong; its index is, word for word, that of the typed
// views of package kview. Walk reads one field after the other as a person would,
// and is what trees, JSON and errors are made of: where Parse refuses a body, Walk
// finds out where and why. The tests hold them to each other.
//
// What is accepted is the same everywhere: what Kafka's own reader accepts, but
// for a length or count of 2^31 and above, a known tagged field whose size is not
// its payload's, and a known tagged field that comes twice, which are errors, and
// a known tag at a version below those that have it, which is kept as unknown.
package layout
