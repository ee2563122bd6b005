// The reference buffers: what Kafka's own codec wrote, and what it reads in them. The
// comparison stands alone, so that a command can have it, too.

package records_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// refBuffer is a line of records.jsonl.gz.
type refBuffer struct {
	Magic   int8       `json:"magic"`
	Codec   string     `json:"codec"`
	Flavor  string     `json:"flavor"`
	Bytes   hexBytes   `json:"bytes"`
	Batches []refBatch `json:"batches"`
	Tail    int        `json:"tail"`
}

type refBatch struct {
	At            int         `json:"at"`
	Size          int         `json:"size"`
	Magic         int8        `json:"magic"`
	BaseOffset    int64       `json:"baseOffset"`
	LastOffset    int64       `json:"lastOffset"`
	Codec         string      `json:"codec"`
	CRC           uint32      `json:"crc"`
	Valid         bool        `json:"valid"`
	TimestampType string      `json:"timestampType"`
	MaxTimestamp  int64       `json:"maxTimestamp"`
	ProducerID    int64       `json:"producerId"`
	ProducerEpoch int16       `json:"producerEpoch"`
	BaseSequence  int32       `json:"baseSequence"`
	Transactional bool        `json:"transactional"`
	Control       bool        `json:"control"`
	LeaderEpoch   int32       `json:"leaderEpoch"`
	Count         *int32      `json:"count"` // magic 2 only
	Records       []refRecord `json:"records"`
}

type refRecord struct {
	Offset    int64       `json:"offset"`
	Timestamp int64       `json:"timestamp"`
	Key       hexBytes    `json:"key"`
	Value     hexBytes    `json:"value"`
	Headers   []refHeader `json:"headers"`
}

type refHeader struct {
	Key   string   `json:"key"`
	Value hexBytes `json:"value"`
}

// hexBytes is hex in JSON; null is nil.
type hexBytes []byte

func (h *hexBytes) UnmarshalJSON(text []byte) error {
	var s *string
	if err := json.Unmarshal(text, &s); err != nil || s == nil {
		*h = nil
		return err
	}
	b, err := hex.DecodeString(*s)
	*h = append([]byte{}, b...)
	return err
}

// tally counts what was compared.
type tally struct{ batches, records, rebuilt int }

// verifier compares reference lines; it is for one goroutine.
type verifier struct {
	reader, again records.Reader
	builder       records.Builder
	messages      records.MessageBuilder
	tally
}

// line compares one line of records.jsonl.gz: every field of every batch, every
// record and header, the bytes left over; then it writes each batch again from what
// was read.
func (v *verifier) line(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var want refBuffer
	if err := d.Decode(&want); err != nil {
		return err
	}
	batches := records.Batches(want.Bytes)
	for i := range want.Batches {
		if !batches.Next() {
			return fmt.Errorf("batch %d of %d is missing: %v", i, len(want.Batches), batches.Err())
		}
		w := &want.Batches[i]
		if batches.At() != w.At {
			return fmt.Errorf("batch %d: at byte %d, want %d", i, batches.At(), w.At)
		}
		if w.Magic != want.Magic {
			return fmt.Errorf("batch %d: magic %d in a buffer of magic %d", i, w.Magic, want.Magic)
		}
		if err := v.batch(batches.Batch(), w); err != nil {
			return fmt.Errorf("batch %d: %w", i, err)
		}
		v.batches++
	}
	if batches.Next() {
		return fmt.Errorf("a batch more than the %d of the reference", len(want.Batches))
	}
	if err := batches.Err(); err != nil {
		return err
	}
	if batches.Left() != want.Tail {
		return fmt.Errorf("%d bytes left over, want %d", batches.Left(), want.Tail)
	}
	return nil
}

func (v *verifier) batch(b records.Batch, want *refBatch) error {
	var err error
	same := func(name string, got, want any) {
		if got != want && err == nil {
			err = fmt.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	same("size", b.Size(), want.Size)
	same("magic", b.Magic(), want.Magic)
	same("baseOffset", b.BaseOffset(), want.BaseOffset)
	same("lastOffset", b.LastOffset(), want.LastOffset)
	same("next offset", b.NextOffset(), want.LastOffset+1)
	same("codec", b.Codec().String(), want.Codec)
	same("crc", b.CRC(), want.CRC)
	same("valid", b.CheckCRC() == nil, want.Valid)
	same("timestampType", b.TimestampType().String(), want.TimestampType)
	same("maxTimestamp", b.MaxTimestamp(), want.MaxTimestamp)
	same("producerId", b.ProducerID(), want.ProducerID)
	same("producerEpoch", b.ProducerEpoch(), want.ProducerEpoch)
	same("baseSequence", b.BaseSequence(), want.BaseSequence)
	same("transactional", b.Transactional(), want.Transactional)
	same("control", b.Control(), want.Control)
	same("leaderEpoch", b.LeaderEpoch(), want.LeaderEpoch)
	if want.Count != nil {
		same("count", b.Count(), *want.Count)
	} else {
		same("count given", b.Magic() < records.Magic2, true)
	}
	if err != nil {
		return err
	}
	v.reader.Open(b)
	for i := range want.Records {
		if !v.reader.Next() {
			return fmt.Errorf("record %d of %d is missing: %v", i, len(want.Records), v.reader.Err())
		}
		if err := sameRecord(v.reader.Record(), &want.Records[i]); err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
		v.records++
	}
	if v.reader.Next() {
		return fmt.Errorf("a record more than the %d of the reference", len(want.Records))
	}
	if err := v.reader.Err(); err != nil {
		return err
	}
	if err := v.rebuild(b, want); err != nil {
		return fmt.Errorf("rebuilt: %w", err)
	}
	v.rebuilt++
	return nil
}

func sameRecord(r records.Record, want *refRecord) error {
	switch {
	case r.Offset() != want.Offset:
		return fmt.Errorf("offset is %d, want %d", r.Offset(), want.Offset)
	case r.Timestamp() != want.Timestamp:
		return fmt.Errorf("timestamp is %d, want %d", r.Timestamp(), want.Timestamp)
	case !sameBytes(r.Key(), want.Key):
		return fmt.Errorf("key is %x, want %x", r.Key(), want.Key)
	case !sameBytes(r.Value(), want.Value):
		return fmt.Errorf("value is %x, want %x", r.Value(), want.Value)
	case r.Headers().Len() != len(want.Headers):
		return fmt.Errorf("%d headers, want %d", r.Headers().Len(), len(want.Headers))
	}
	i := 0
	for key, value := range r.Headers().All() {
		w := &want.Headers[i]
		// JSON has no bytes that aren't UTF-8.
		if strings.ToValidUTF8(string(key), "\ufffd") != w.Key || !sameBytes(value, w.Value) {
			return fmt.Errorf("header %d is %q: %x, want %q: %x", i, key, value, w.Key, w.Value)
		}
		i++
	}
	return nil
}

// sameBytes keeps null and empty apart.
func sameBytes(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }

// rebuild writes the batch again from its header and records as read. Uncompressed it
// must be the same bytes; compressed it must have the same header, size and checksum
// aside, and records.
func (v *verifier) rebuild(b records.Batch, want *refBatch) error {
	again, err := v.write(b)
	if err != nil {
		return err
	}
	if b.Codec() == records.None {
		if !bytes.Equal(again, b.Bytes()) {
			return fmt.Errorf("%x\nwant %x", again, b.Bytes())
		}
		return nil
	}
	a, err := records.ParseBatch(again)
	if err != nil {
		return err
	}
	if a.Size() != len(again) || a.Magic() != b.Magic() || a.Header() != b.Header() || a.Count() != b.Count() {
		return fmt.Errorf("header is %+v, want %+v", a.Header(), b.Header())
	}
	if err := v.again.Check(a); err != nil {
		return err
	}
	for i := range want.Records {
		if !v.again.Next() {
			return fmt.Errorf("record %d is missing", i)
		}
		if err := sameRecord(v.again.Record(), &want.Records[i]); err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
	}
	if v.again.Next() {
		return fmt.Errorf("a record too many")
	}
	return nil
}

// write writes a batch again. The bytes live until the next write.
func (v *verifier) write(b records.Batch) ([]byte, error) {
	v.builder.Release()
	v.messages.Release()
	v.reader.Open(b)
	if b.Magic() == records.Magic2 {
		v.builder.BeginExact(b.Header())
		var d records.RecordData
		for v.reader.Next() {
			v.reader.Record().CopyTo(&d)
			v.builder.AppendRecord(&d)
		}
		if err := v.reader.Err(); err != nil {
			return nil, err
		}
		return v.builder.Finish()
	}
	v.messages.Begin(b.Magic(), b.Attributes())
	for v.reader.Next() {
		r := v.reader.Record()
		v.messages.Append(r.Offset(), r.Timestamp(), r.Key(), r.Value())
	}
	if err := v.reader.Err(); err != nil {
		return nil, err
	}
	return v.messages.Finish()
}
