package records_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestInlines: what is called for every record or batch costs no call.
func TestInlines(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("asks the compiler")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Skipf("%v: %.300s", err, out)
	}
	inlines := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if _, name, ok := strings.Cut(line, ": can inline "); ok {
			inlines[strings.Fields(name)[0]] = true
		}
	}
	for _, name := range strings.Fields(`
		Batches (*BatchIter).Batch (*BatchIter).At (*BatchIter).Left
		Batch.Bytes Batch.Size Batch.Magic Batch.BaseOffset Batch.LastOffset Batch.NextOffset Batch.LastOffsetDelta Batch.LeaderEpoch
		Batch.CRC Batch.Attributes Batch.Codec Batch.TimestampType Batch.Transactional Batch.Control Batch.BaseTimestamp Batch.MaxTimestamp
		Batch.ProducerID Batch.ProducerEpoch Batch.BaseSequence Batch.Count
		(*Reader).Open (*Reader).Record (*Reader).Err
		Record.Offset Record.OffsetDelta Record.Timestamp Record.TimestampDelta Record.Key Record.Value Record.Headers Record.Index Record.At Record.Bytes
		Headers.Len Headers.All
		(*Builder).AppendRecord
	`) {
		if !inlines[name] {
			t.Errorf("%s doesn't inline", name)
		}
	}
}
