// verify on record data: buffers of batches, and what Kafka reads in them.

package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kafkawire/kafkawire/fastcodec/records"
	"github.com/kafkawire/kafkawire/internal/batchjson"
)

// batchVerifier is what a verifier needs for batches.
type batchVerifier struct {
	reader                    records.Reader
	rebuilder                 batchjson.Rebuilder
	batches, records, rebuilt int
}

func (v *verifier) printBuffers() {
	b := &v.batches
	fmt.Fprintf(v.e.out, "verify: %d buffers, batches %d, records %d, rebuilt %d, failed %d\n",
		v.buffers.lines, b.batches, b.records, b.rebuilt, v.buffers.failed)
}

// records checks a buffer of batches.
func (v *verifier) records(l *line) error {
	var want []json.RawMessage
	magic, codec, field, tail := l.int("magic"), l.text("codec"), l.hex("bytes"), l.int("tail")
	l.text("flavor") // how the buffer was made
	l.read("batches", &want)
	if l.err != nil {
		return l.err
	}
	v.title = fmt.Sprintf("magic %d, %s", magic, codec)
	if _, ok := records.ParseCodec(codec); !ok {
		return fmt.Errorf("member %q: there is no codec %q", "codec", codec)
	}
	it := records.Batches(field)
	n := 0
	for it.Next() {
		b := it.Batch()
		place := fmt.Sprintf("batch %d at byte %d, base offset %d", n, it.At(), b.BaseOffset())
		if n == len(want) {
			v.problem(place, fmt.Errorf("the reference has only %d", n))
			return nil
		}
		if int(b.Magic()) != magic {
			v.problem(place, fmt.Errorf("magic: %d, not %d as of the buffer", b.Magic(), magic))
		}
		// Markers and what log cleaning leaves empty aren't compressed.
		if b.Codec().String() != codec && (b.Codec() != records.None || !b.Control() && b.Count() != 0) {
			v.problem(place, fmt.Errorf("codec: %s, not %s as of the buffer", b.Codec(), codec))
		}
		if err := v.batch(place, b, it.At(), want[n]); err != nil {
			return fmt.Errorf("member %q: batch %d: %w", "batches", n, err)
		}
		n++
	}
	place := fmt.Sprintf("batch %d at byte %d", n, it.At())
	switch {
	case it.Err() != nil:
		v.problem(place, it.Err())
	case n < len(want):
		v.problem(place, fmt.Errorf("it isn't there whole, and the reference has %d", len(want)))
	case it.Left() != tail:
		v.problem("tail", fmt.Errorf("%s left over, not %d as in the reference", count(it.Left(), "byte"), tail))
	}
	return nil
}

// batch checks a batch, which stands at a place, and its records. An error is of the
// reference's form.
func (v *verifier) batch(place string, b records.Batch, at int, text json.RawMessage) error {
	problems := v.problems
	read, readErr := batchjson.Read(&v.batches.reader, b, at)
	ours, err := asValues(&read)
	if err != nil {
		return err
	}
	want, err := parseJSON(text)
	if err != nil {
		return err
	}
	wanted, ok := want.(map[string]any)
	if !ok {
		return errors.New("want an object")
	}
	wantedRecords, ok := wanted["records"].([]any)
	if !ok {
		return errors.New(`no member "records"`)
	}
	ourRecords := ours["records"].([]any)
	delete(ours, "records")
	delete(wanted, "records")
	v.sameAs(place, ours, wanted)
	for i := range min(len(ourRecords), len(wantedRecords)) {
		if v.sameAs(fmt.Sprintf("%s, record %d", place, i), ourRecords[i], wantedRecords[i]) {
			v.batches.records++
		}
	}
	switch {
	case readErr != nil:
		v.problem(place, readErr)
	case len(ourRecords) != len(wantedRecords):
		v.problem(place, fmt.Errorf("%s, not %d as in the reference", count(len(ourRecords), "record"), len(wantedRecords)))
	}
	if v.problems == problems {
		v.batches.batches++
	}
	if readErr != nil {
		return nil
	}
	if err := v.batches.rebuilder.Check(b); err != nil {
		v.problem(place+", rebuilt", err)
	} else {
		v.batches.rebuilt++
	}
	return nil
}

// asValues is a batch as parsed JSON.
func asValues(b *batchjson.Batch) (map[string]any, error) {
	text, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	v, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	return v.(map[string]any), nil
}

// sameAs compares values with those of the reference.
func (v *verifier) sameAs(place string, ours, want any) bool {
	d := compareJSON(ours, want)
	if d != nil {
		v.problem(place, fmt.Errorf("%s: %s", pathText(d.path), d.text))
	}
	return d == nil
}
