package records_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fastcodec/records"
	"github.com/kafkawire/kafkawire/internal/batchjson"
)

// TestCaptures: what Produce requests and Fetch responses of real clients carry passes
// the check, and is written again as it was where it isn't compressed.
func TestCaptures(t *testing.T) {
	files, err := filepath.Glob("../../testdata/captures/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var produce kview.ProduceRequest
	var fetch kview.FetchResponse
	var r records.Reader
	var rebuilder batchjson.Rebuilder
	counts := map[string]int{}
	for _, name := range files {
		field := func(b []byte) {
			it := records.Batches(b)
			for it.Next() {
				batch := it.Batch()
				if err := r.Check(batch); err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				n := r.Skip(1 << 30)
				counts["records"] += n
				counts[batch.Codec().String()]++
				if batch.Magic() == 2 && n != int(batch.Count()) {
					t.Errorf("%s: %d records of %d", name, n, batch.Count())
				}
				if err := rebuilder.Check(batch); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if it.Err() != nil || it.Left() != 0 {
				t.Errorf("%s: %v, %d bytes left", name, it.Err(), it.Left())
			}
		}
		eachCaptured(t, name, func(request bool, key fastcodec.APIKey, version int16, payload []byte) {
			switch {
			case request && key == fastcodec.Produce:
				_, body, err := fastcodec.ParseRequest(payload)
				if err == nil {
					err = produce.Parse(body, version)
				}
				if err != nil {
					t.Fatal(err)
				}
				for topic := range produce.TopicData().All() {
					for p := range topic.PartitionData().All() {
						field(p.Records())
					}
				}
			case !request && key == fastcodec.Fetch:
				_, body, err := fastcodec.ParseResponse(payload, key, version)
				if err == nil {
					err = fetch.Parse(body, version)
				}
				if err != nil {
					t.Fatal(err)
				}
				for topic := range fetch.Responses().All() {
					for p := range topic.Partitions().All() {
						field(p.Records())
					}
				}
			}
		})
	}
	for _, codec := range codecsOf(2) {
		if counts[codec.String()] == 0 {
			t.Errorf("no batches with codec %s", codec)
		}
	}
	t.Log(counts)
}

// eachCaptured gives the frames of a capture.
func eachCaptured(t *testing.T, name string, f func(request bool, key fastcodec.APIKey, version int16, payload []byte)) {
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var l struct {
			Dir     string
			Key     fastcodec.APIKey
			Version int16
			Frame   batchjson.Hex
		}
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		f(l.Dir == "c2s", l.Key, l.Version, l.Frame[fastcodec.SizePrefix:])
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
}
