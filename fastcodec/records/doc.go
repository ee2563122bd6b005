// Package records reads and writes what stands in the records fields of Produce,
// Fetch, ShareFetch and FetchSnapshot, and in Kafka's log segment files: record
// batches (magic 2), and the messages of before Kafka 0.11 (magic 0 and 1).
//
// # Terms
//
// A records field holds batches, one behind the other; of a Fetch answer the last
// one may be cut. A batch of magic 2 is a header of 61 bytes and records. In magic 0
// and 1 a batch is one message: either a record itself, or a wrapper, whose value is
// a compressed set of messages. A codec compresses the records of a batch together;
// the header never is.
//
// A Batch is a view of one whole batch in place, checked only as far as its size and
// magic. A Reader walks the records of a Batch. A Record is a view of the record
// that its Reader stands at:
//
//	var r records.Reader // one a goroutine, reused
//	batches := records.Batches(field)
//	for batches.Next() {
//		for r.Open(batches.Batch()); r.Next(); {
//			record := r.Record()
//			total += len(record.Value())
//		}
//		if err := r.Err(); err != nil { ... } // of this batch; the next ones can be read
//	}
//	if err := batches.Err(); err != nil { ... }
//	cut := batches.Left()
//
// (Declare the BatchIter in front of the loop, not in its head: Go copies a variable of
// the head in each round.) A Builder writes batches, a MessageBuilder the messages of
// before; a Mapper rewrites a batch record by record; the Set methods of a Batch change
// its header in place.
//
// # Lifetimes
//
// A Batch aliases the field that it was found in. Key, value and headers of a Record
// alias the batch, or the Reader's buffer where the batch is compressed: copy what is
// kept beyond the next Open or Release of the Reader. The Record itself is that of
// the last Next. The bytes of a Builder live until it is written to again, or
// released.
//
// # Trust
//
// Nothing here panics on what comes from the wire, or reserves memory because a
// number in the input says so. What a batch may unpack to is limited. Errors say the
// batch, the record in it and the byte; they wrap a sentinel and keep nothing of the
// input. Open looks at nothing that isn't asked for; Check reads the whole batch,
// its checksum included.
//
// What is accepted is what Kafka's own reader accepts, but for this: refused are varints
// with bits beyond their type, bytes behind the value of a message, behind the messages
// of a wrapper and behind a compressed stream, of all of which Kafka takes no notice;
// and messages in a wrapper of another magic.
package records
