package records_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// TestEdits: fields change, and the checksum with them where it covers them; one that
// was wrong stays wrong.
func TestEdits(t *testing.T) {
	edits := []struct {
		name string
		edit func(b records.Batch) error
		read func(b records.Batch) bool
		all  bool // in magic 0 and 1, too
	}{
		{"base offset", func(b records.Batch) error { return b.SetBaseOffset(1 << 40) }, func(b records.Batch) bool { return b.BaseOffset() == 1<<40 }, true},
		{"leader epoch", func(b records.Batch) error { return b.SetLeaderEpoch(77) }, func(b records.Batch) bool { return b.LeaderEpoch() == 77 }, false},
		{"attributes", func(b records.Batch) error { return b.SetAttributes(records.LogAppendTimeBit | 0x80 | 7) },
			func(b records.Batch) bool {
				return b.Attributes() == (records.LogAppendTimeBit|0x80).WithCodec(b.Codec()) && b.Codec().Known()
			}, true},
		{"append time", func(b records.Batch) error { return b.SetMaxTimestamp(records.LogAppendTime, 1800000000000) },
			func(b records.Batch) bool {
				return b.MaxTimestamp() == 1800000000000 && b.TimestampType() == records.LogAppendTime
			}, true},
		{"create time", func(b records.Batch) error { return b.SetMaxTimestamp(records.CreateTime, -1) },
			func(b records.Batch) bool { return b.MaxTimestamp() == -1 && b.TimestampType() == records.CreateTime }, true},
		{"base timestamp", func(b records.Batch) error { return b.SetBaseTimestamp(1800000000000) }, func(b records.Batch) bool { return b.BaseTimestamp() == 1800000000000 }, false},
		{"producer", func(b records.Batch) error { return b.SetProducer(1<<50, 9, 1<<30) },
			func(b records.Batch) bool {
				return b.ProducerID() == 1<<50 && b.ProducerEpoch() == 9 && b.BaseSequence() == 1<<30
			}, false},
	}
	n := 0
	for _, line := range referenceLines(t) {
		b, ok := firstBatch(t, line)
		if !ok {
			continue
		}
		for _, e := range edits {
			for _, wrong := range []byte{0, 1} {
				own := bytes.Clone(b)
				own[21] ^= wrong // attributes without a meaning, a timestamp or a key length
				batch := must(t, own)
				if batch.Magic() == 0 && wrong != 0 {
					continue // a message that isn't one
				}
				before := batch.CheckCRC() == nil
				err := e.edit(batch)
				if batch.Magic() < 2 && (!e.all || batch.Magic() == 0) {
					if err == nil && e.name != "base offset" || err != nil && !errors.Is(err, records.ErrMagic) {
						t.Errorf("magic %d: %s: %v", batch.Magic(), e.name, err)
					}
					continue
				}
				if err != nil || !e.read(batch) {
					t.Errorf("magic %d: %s: %v, %+v", batch.Magic(), e.name, err, batch.Header())
				}
				if after := batch.CheckCRC() == nil; after != before || before != (wrong == 0) {
					t.Errorf("%s: checksum right: %v, then %v", e.name, before, after)
				}
				n++
			}
		}
	}
	if n < 1000 {
		t.Errorf("%d edits only", n)
	}
	// A codec is no matter of the header alone, bits above the eighth are none of magic 1.
	if err := must(t, rawMessage(1, 0, 5, nil)).SetAttributes(0x100); !errors.Is(err, records.ErrMagic) {
		t.Error(err)
	}
	if err := must(t, rawMessage(1, 0, 5, nil)).SetMaxTimestamp(records.NoTimestampType, 0); !errors.Is(err, records.ErrMagic) {
		t.Error(err)
	}
}
