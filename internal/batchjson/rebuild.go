// Batches written again.

package batchjson

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// Rebuilder writes batches from what was read of them. It is for one goroutine.
type Rebuilder struct {
	reader, again records.Reader
	builder       records.Builder
	messages      records.MessageBuilder
}

// Check rebuilds a batch. Without a codec it must come out byte for byte, a wrong
// checksum aside; with one, whose bytes depend on the compressor, the new batch must
// be sound, and the same but for size and checksum.
func (w *Rebuilder) Check(b records.Batch) error {
	again, err := w.Rebuild(b)
	if err != nil {
		return err
	}
	a, err := records.ParseBatch(again)
	if err != nil {
		return err
	}
	if b.Codec() == records.None {
		if b.CheckCRC() != nil {
			again = bytes.Clone(again)
			at, end := crcPlace(b)
			copy(again[at:end], b.Bytes()[at:])
		}
		if !bytes.Equal(again, b.Bytes()) {
			return difference(again, b.Bytes())
		}
		return nil
	}
	if a.Size() != len(again) || a.Magic() != b.Magic() || a.Header() != b.Header() || a.Count() != b.Count() {
		return fmt.Errorf("written again it has another header: %+v, not %+v", a.Header(), b.Header())
	}
	if err := w.again.Check(a); err != nil {
		return err
	}
	got, err := Read(&w.again, a, 0)
	if err != nil {
		return err
	}
	want, err := Read(&w.reader, b, 0)
	if err != nil {
		return err
	}
	got.Size, got.CRC, got.Valid = want.Size, want.CRC, want.Valid
	if !reflect.DeepEqual(got, want) {
		return errors.New("written again it has other records")
	}
	// The deltas as written: of records with the broker's timestamp nothing else shows them.
	if b.Magic() == records.Magic2 && !bytes.Equal(w.again.Unpacked(), w.reader.Unpacked()) {
		return errors.New("written again its records have other bytes")
	}
	return nil
}

// crcPlace is where the checksum stands.
func crcPlace(b records.Batch) (at, end int) {
	if b.Magic() == records.Magic2 {
		return 17, 21
	}
	return 12, 16
}

func difference(got, want []byte) error {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Errorf("written again it is another: byte %d is %#02x, not %#02x", i, got[i], want[i])
		}
	}
	return fmt.Errorf("written again it is another: %d bytes, not %d", len(got), len(want))
}

// Rebuild writes a batch from its header and records as read. The bytes live until
// the next call.
func (w *Rebuilder) Rebuild(b records.Batch) ([]byte, error) {
	w.builder.Release()
	w.messages.Release()
	w.reader.Open(b)
	if b.Magic() == records.Magic2 {
		w.builder.BeginExact(b.Header())
		var d records.RecordData
		for w.reader.Next() {
			w.reader.Record().CopyTo(&d)
			w.builder.AppendRecord(&d)
		}
		if err := w.reader.Err(); err != nil {
			return nil, err
		}
		return w.builder.Finish()
	}
	w.messages.Begin(b.Magic(), b.Attributes())
	for w.reader.Next() {
		r := w.reader.Record()
		w.messages.Append(r.Offset(), r.Timestamp(), r.Key(), r.Value())
	}
	if err := w.reader.Err(); err != nil {
		return nil, err
	}
	return w.messages.Finish()
}
