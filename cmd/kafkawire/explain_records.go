// explain on records fields: the batches and records in them, as lines of the tree.
// Names are those of Kafka's protocol guide in the tree's spelling.

package main

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// batchTree makes the lines of a records field. It is used for one after another.
type batchTree struct {
	reader records.Reader
	lines  []layout.Branch
	// Of the next line: the bytes that it is in, its place and depth there.
	b        []byte
	at       int
	depth    int
	unpacked bool
}

// inside gives the lines of a node's content.
func (t *batchTree) inside(n *layout.Node) []layout.Branch {
	if n.Kind != layout.Records || beginsWithin(n) {
		return nil
	}
	t.lines = t.lines[:0]
	it := records.Batches(n.Content)
	for i := 0; ; i++ {
		more := it.Next()
		t.b, t.at, t.depth, t.unpacked = n.Content, it.At(), 0, false
		end := len(n.Content) - it.Left()
		switch {
		case more:
			t.batch(it.Batch(), i)
		case it.Err() == nil:
			if it.Left() > 0 {
				t.line(it.Left(), "left_over bytes = %s of a batch that isn't whole", count(it.Left(), "byte"))
			}
			return t.lines
		default:
			t.broken(end, it.Err())
			if end == it.At() { // nobody knows where the next one begins
				t.lines[len(t.lines)-1].Size = it.Left()
				return t.lines
			}
		}
	}
}

// line adds a line of some bytes.
func (t *batchTree) line(size int, format string, args ...any) {
	t.lines = append(t.lines, layout.Branch{Text: fmt.Sprintf(format, args...), Depth: t.depth, Offset: t.at, Size: size, Unpacked: t.unpacked})
	t.at += size
}

// open adds a line that others are inside of, up to the call of what it gives.
func (t *batchTree) open(format string, args ...any) (end func()) {
	i := len(t.lines)
	t.line(0, format, args...)
	t.depth++
	return func() {
		t.depth--
		t.lines[i].Size = t.at - t.lines[i].Offset
	}
}

// broken adds the line of bytes, up to a place, that can't be read.
func (t *batchTree) broken(end int, err error) { t.line(end-t.at, "broken bytes = %v", err) }

// integer adds a number of some bytes; what says more about it.
func (t *batchTree) integer(name string, size int, what string) {
	var v int64
	for i, c := range t.b[t.at : t.at+size] {
		if i == 0 {
			v = int64(int8(c))
		} else {
			v = v<<8 | int64(c)
		}
	}
	t.line(size, "%s int%d = %d%s", name, 8*size, v, what)
}

// varint adds a varint, and gives it.
func (t *batchTree) varint(name string) int {
	v, n := fastcodec.ConsumeVarint(t.b[t.at:])
	t.line(n, "%s varint = %d", name, v)
	return int(v)
}

// bytes adds bytes behind a length of some type and size; negative is null.
func (t *batchTree) bytes(name, prefix string, length, size int) {
	content := []byte(nil)
	if length >= 0 {
		content = t.b[t.at+size:][:length]
	}
	t.line(size+len(content), "%s = %s (%s len=%d)", name, appendContent(nil, content, shownInTree), prefix, length)
}

func (t *batchTree) varbytes(name string) {
	length, n := fastcodec.ConsumeVarint(t.b[t.at:])
	t.bytes(name, "varint", int(length), n)
}

func (t *batchTree) bytes32(name string) {
	t.bytes(name, "int32", int(int32(binary.BigEndian.Uint32(t.b[t.at:]))), 4)
}

// batch adds a batch.
func (t *batchTree) batch(b records.Batch, i int) {
	if b.Magic() != records.Magic2 {
		t.set(b, i)
		return
	}
	defer t.open("RecordBatch[%d] RecordBatch = offsets %d to %d, %s", i, b.BaseOffset(), b.LastOffset(), b.Codec())()
	end := t.at + b.Size()
	t.integer("BaseOffset", 8, "")
	t.integer("BatchLength", 4, "")
	t.integer("PartitionLeaderEpoch", 4, "")
	t.integer("Magic", 1, "")
	t.crc(b)
	t.line(2, "Attributes int16 = %#04x (%s)", uint16(b.Attributes()), strings.Join(attributes(b), ", "))
	t.integer("LastOffsetDelta", 4, "")
	base := timeText(b.BaseTimestamp())
	if _, ok := b.DeleteHorizon(); ok {
		base += ", delete horizon"
	}
	t.integer("BaseTimestamp", 8, " ("+base+")")
	t.integer("MaxTimestamp", 8, " ("+timeText(b.MaxTimestamp())+")")
	t.integer("ProducerId", 8, "")
	t.integer("ProducerEpoch", 2, "")
	t.integer("BaseSequence", 4, "")
	defer t.open("Records []Record = %s", count(int(b.Count()), "element"))()
	t.integer("length", 4, "")
	t.reader.Open(b)
	more := t.reader.Next()
	if b.Codec() != records.None && t.reader.Unpacked() != nil {
		t.packed(b.Codec(), end, func(end int) { t.records(more, end, b.Control()) })
		return
	}
	t.records(more, end, b.Control())
}

// packed adds compressed bytes up to a place, with what they unpacked to inside.
func (t *batchTree) packed(codec records.Codec, end int, inside func(end int)) {
	unpacked := t.reader.Unpacked()
	t.line(end-t.at, "packed bytes = %s, %s unpacked", codec, count(len(unpacked), "byte"))
	b, depth := t.b, t.depth
	t.b, t.at, t.depth, t.unpacked = unpacked, 0, depth+1, true
	inside(len(unpacked))
	t.b, t.at, t.depth, t.unpacked = b, end, depth, false
}

// records adds the records that the reader finds up to a place, where more says that
// it is at the first, and control that they are control records.
func (t *batchTree) records(more bool, end int, control bool) {
	for ; more; more = t.reader.Next() {
		t.record(t.reader.Record(), control)
	}
	if err := t.reader.Err(); err != nil {
		t.broken(end, err)
	}
}

func (t *batchTree) record(r records.Record, control bool) {
	what := timeText(r.Timestamp())
	if control {
		what += ", " + controlText(r)
	}
	defer t.open("Record[%d] Record = offset %d, %s", r.Index(), r.Offset(), what)()
	t.varint("Length")
	t.integer("Attributes", 1, "")
	delta, n := fastcodec.ConsumeVarlong(t.b[t.at:])
	t.line(n, "TimestampDelta varlong = %d", delta)
	t.varint("OffsetDelta")
	t.varbytes("Key bytes")
	t.varbytes("Value bytes")
	defer t.open("Headers []Header = %s", count(r.Headers().Len(), "element"))()
	for i := range t.varint("length") {
		end := t.open("Header[%d] Header = struct", i)
		t.varbytes("Key string")
		t.varbytes("Value bytes")
		end()
	}
}

// set adds a message of magic 0 or 1, and those inside of it.
func (t *batchTree) set(b records.Batch, i int) {
	end := t.at + b.Size()
	t.reader.Open(b)
	more := t.reader.Next()
	wrapper := b.Codec() != records.None
	switch {
	case wrapper && t.reader.Unpacked() != nil, !wrapper && more:
		t.message(b, i, b.BaseOffset(), func() {
			t.integer("length", 4, "")
			t.packed(b.Codec(), end, func(end int) {
				for ; more; more = t.reader.Next() {
					r := t.reader.Record()
					if inner, err := records.ParseBatch(r.Bytes()); err == nil { // it is: Next found it sound
						t.message(inner, r.Index(), r.Offset(), nil)
					}
				}
				if err := t.reader.Err(); err != nil {
					t.broken(end, err)
				}
			})
		})
	default:
		t.broken(end, t.reader.Err())
	}
}

// message adds a message; packed adds the value of a wrapper.
func (t *batchTree) message(b records.Batch, i int, offset int64, packed func()) {
	defer t.open("Message[%d] Message = offset %d, %s", i, offset, b.Codec())()
	t.integer("Offset", 8, "")
	t.integer("MessageSize", 4, "")
	t.crc(b)
	t.integer("Magic", 1, "")
	t.line(1, "Attributes int8 = %#02x (%s)", uint8(b.Attributes()), strings.Join(attributes(b), ", "))
	if b.Magic() == records.Magic1 {
		t.integer("Timestamp", 8, " ("+timeText(b.MaxTimestamp())+")")
	}
	t.bytes32("Key bytes")
	if b.Codec() == records.None {
		t.bytes32("Value bytes")
		return
	}
	defer t.open("Value bytes = %s", "messages")()
	packed()
}

func (t *batchTree) crc(b records.Batch) {
	verdict := "right"
	if b.CheckCRC() != nil {
		verdict = "wrong"
	}
	t.line(4, "CRC uint32 = %#08x (%s)", b.CRC(), verdict)
}
