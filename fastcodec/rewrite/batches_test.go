package rewrite

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// The producer ids of record batches are edited; checksums are right after it where
// they were right before, and wrong where they were wrong. Other formats, and bytes
// that are no batches, stay.
func TestBatches(t *testing.T) {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	r, forced := compiled(t, Edits{Producers: IDs{turned, turned}}, false), compiled(t, same(), true)
	edited := 0
	lines(t, "vectors/records.jsonl.gz", func(line []byte) {
		var d struct {
			Magic         int8
			Codec, Flavor string
			Bytes         string
			Batches       []struct {
				At, Size int
				Valid    bool
			}
		}
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		for _, damage := range []bool{false, true} {
			records := unhex(d.Bytes)
			if damage && len(d.Batches) > 0 {
				records[d.Batches[0].At+d.Batches[0].Size-1] ^= 1
			}
			want := bytes.Clone(records)
			changes := 0
			for _, b := range d.Batches {
				batch := want[b.At : b.At+b.Size]
				id := int64(0)
				if d.Magic == 2 {
					id = int64(binary.BigEndian.Uint64(batch[43:]))
				}
				if d.Magic != 2 || id < 0 {
					continue
				}
				changes++
				was := crc32.Checksum(batch[21:], castagnoli)
				binary.BigEndian.PutUint64(batch[43:], uint64(turned(id)))
				is := crc32.Checksum(batch[21:], castagnoli)
				binary.BigEndian.PutUint32(batch[17:], binary.BigEndian.Uint32(batch[17:])^was^is)
			}
			frame := fetched(t, records)
			out, changed, err := r.Response(nil, frame, &Context{Key: fastcodec.Fetch, Version: 11})
			if err != nil || changed != (changes > 0) {
				t.Fatalf("magic %d, %s, %s: changed %v, %v; %d batches", d.Magic, d.Codec, d.Flavor, changed, err, changes)
			}
			if changed && !bytes.Equal(out, fetched(t, want)) {
				t.Fatalf("magic %d, %s, %s", d.Magic, d.Codec, d.Flavor)
			}
			edited += changes
			if out, changed, err = forced.Response(nil, frame, &Context{Key: fastcodec.Fetch, Version: 11}); err != nil || !changed || !bytes.Equal(out, frame) {
				t.Fatalf("magic %d, %s, %s: forced: %v", d.Magic, d.Codec, d.Flavor, err)
			}
		}
	})
	if edited < 10 {
		t.Errorf("%d batches edited", edited)
	}
}

// fetched is a Fetch v11 response with one partition that has these records.
func fetched(t testing.TB, records []byte) []byte {
	b := []byte{0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 't', 0, 0, 0, 1}
	b = append(b, make([]byte, 4+2+8+8+8)...)
	b = append(b, 0xff, 0xff, 0xff, 0xff) // no aborted transactions
	b = append(b, 0xff, 0xff, 0xff, 0xff) // no preferred replica
	b = fastcodec.AppendBytes(b, records)
	return frameOf(b, len(b), nil)
}
