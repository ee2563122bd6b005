package records_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/records"
)

func keep(records.Record, *records.Edit) {}

// TestMapKeeps: what nothing changed in is copied, whatever it is compressed with.
func TestMapKeeps(t *testing.T) {
	var m records.Mapper
	for _, line := range referenceLines(t) {
		field := fieldOf(t, line)
		got, changed, err := m.MapAll([]byte("before"), field, keep)
		if err != nil || changed || !bytes.Equal(got, append([]byte("before"), field...)) {
			t.Fatalf("%.100s: changed %v, %v", line, changed, err)
		}
	}
}

// TestMapChanges: every way to change a record, in every reference batch, against the
// same changes made to the records as read.
func TestMapChanges(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 9000)
	lines := referenceLines(t)
	if raceEnabled {
		lines = lines[:len(lines)/4]
	}
	for name, f := range map[string]func(r records.Record, e *records.Edit){
		"drop every third": func(r records.Record, e *records.Edit) {
			if r.Index()%3 == 0 {
				e.Drop()
			}
		},
		"drop all":  func(r records.Record, e *records.Edit) { e.Drop() },
		"drop last": func(r records.Record, e *records.Edit) { dropIf(e, r.Index() > 0) },
		"mask values": func(r records.Record, e *records.Edit) {
			if r.Value() != nil {
				e.SetValue(bytes.Repeat([]byte("*"), len(r.Value())))
			}
		},
		"key and value to null": func(r records.Record, e *records.Edit) {
			e.SetKey(nil)
			e.SetValue(nil)
		},
		"long value":   func(r records.Record, e *records.Edit) { e.SetValue(long) },
		"one long key": func(r records.Record, e *records.Edit) { setKeyIf(e, r.Index() == 1, long) },
		"drop and change": func(r records.Record, e *records.Edit) {
			dropIf(e, r.Index() == 0)
			setKeyIf(e, r.Index() == 2, []byte("k"))
		},
		"same value": func(r records.Record, e *records.Edit) { e.SetValue(r.Value()) },
	} {
		t.Run(name, func(t *testing.T) {
			var m records.Mapper
			var r records.Reader
			for _, line := range lines {
				it := records.Batches(fieldOf(t, line))
				for it.Next() {
					batch := it.Batch()
					want, dropped := mapped(t, batch, f)
					out, changed, err := m.Map([]byte("before"), batch, f)
					if err != nil {
						t.Fatalf("%.100s: %v", line, err)
					}
					out = out[len("before"):]
					if batch.Magic() < 2 && len(want) == 0 {
						if len(out) != 0 {
							t.Fatalf("%.100s: %x of no records", line, out)
						}
						continue
					}
					b := must(t, out)
					if err := r.Check(b); err != nil {
						t.Fatalf("%.100s: %v", line, err)
					}
					got, _ := read(b)
					sameRecords(t, got, want)
					if !changed {
						if !bytes.Equal(out, batch.Bytes()) {
							t.Errorf("%.100s: not changed, and yet", line)
						}
						continue
					}
					wantHeader := batch.Header()
					if dropped && batch.TimestampType() == records.CreateTime && len(want) > 0 {
						wantHeader.MaxTimestamp = slices.MaxFunc(want, func(a, b plainRecord) int { return int(a.timestamp - b.timestamp) }).timestamp
					}
					if len(want) == 0 {
						wantHeader.Attributes = wantHeader.Attributes.WithCodec(records.None) &^ records.DeleteHorizonBit
						wantHeader.BaseTimestamp = -1
					}
					if batch.Magic() == 2 && (b.Header() != wantHeader || int(b.Count()) != len(want)) {
						t.Errorf("%.100s: header %+v, want %+v", line, b.Header(), wantHeader)
					}
					if batch.Magic() == 1 && (b.Attributes() != wantHeader.Attributes || b.MaxTimestamp() != wantHeader.MaxTimestamp || b.BaseOffset() != want[len(want)-1].offset) {
						t.Errorf("%.100s: %+v", line, b.Header())
					}
				}
			}
		})
	}
}

func dropIf(e *records.Edit, yes bool) {
	if yes {
		e.Drop()
	}
}

func setKeyIf(e *records.Edit, yes bool, key []byte) {
	if yes {
		e.SetKey(key)
	}
}

// mapped does what f asks for to records as values.
func mapped(t *testing.T, batch records.Batch, f func(r records.Record, e *records.Edit)) (want []plainRecord, dropped bool) {
	all, err := read(batch)
	if err != nil {
		t.Fatal(err)
	}
	if batch.Control() {
		return all, false
	}
	var r records.Reader
	r.Open(batch)
	for i := 0; r.Next(); i++ {
		var e records.Edit
		f(r.Record(), &e)
		if records.Dropped(&e) {
			dropped = true
			continue
		}
		key, value, newKey, newValue := records.Edited(&e)
		if newKey {
			all[i].key = orNull(key)
		}
		if newValue {
			all[i].value = orNull(value)
		}
		want = append(want, all[i])
	}
	return want, dropped
}

// TestMapHeaders: headers change, and only where there are any.
func TestMapHeaders(t *testing.T) {
	h := records.NewBatchHeader()
	h.Attributes = records.Attributes(records.LZ4)
	batch := build(t, h, func(b *records.Builder) {
		b.Append(1, []byte("k"), []byte("v"), records.Header{Key: []byte("a"), Value: []byte("1")}, records.Header{Key: []byte("b")})
		b.Append(2, nil, nil)
	})
	var m records.Mapper
	var headers []records.Header
	add := func(r records.Record, e *records.Edit) {
		headers = append(r.Headers().AppendTo(headers[:0]), records.Header{Key: []byte("seen"), Value: []byte("yes")})
		e.SetHeaders(headers)
	}
	out, changed, err := m.Map(nil, batch, add)
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	wantRead(t, out, plainRecord{0, 1, "k", "v", []string{"a=1", "b=null", "seen=yes"}}, plainRecord{1, 2, "null", "null", []string{"seen=yes"}})
	out, _, err = m.Map(nil, batch, func(r records.Record, e *records.Edit) { e.SetHeaders(nil) })
	if err != nil {
		t.Fatal(err)
	}
	wantRead(t, out, plainRecord{offset: 0, timestamp: 1, key: "k", value: "v"}, plainRecord{offset: 1, timestamp: 2, key: "null", value: "null"})

	if _, _, err := m.Map(nil, must(t, rawMessage(1, 0, 5, nil)), add); !errors.Is(err, records.ErrMagic) {
		t.Error(err)
	}
}

// TestMapKeepsBytes: of a record that changes, the rest stays as it was written,
// overlong lengths and attributes included; and so do attributes of the batch that
// have no meaning.
func TestMapKeepsBytes(t *testing.T) {
	odd := "\x18\x7f\x80\x00\x82\x00\x82\x00k\x02v\x80\x00"
	odd = string([]byte{byte(len(odd)-1) << 1}) + odd[1:]
	other := string(record("\x02k\x02w\x00"))
	batch := must(t, rawBatch(-1<<8|records.TransactionalBit, 2, []byte(odd+other)))
	var m records.Mapper
	out, changed, err := m.Map(nil, batch, func(r records.Record, e *records.Edit) {
		if r.Index() == 0 {
			e.SetValue([]byte("V"))
		}
	})
	want := bytes.Clone(batch.Bytes())
	want[61+len(odd)-3] = 'V'
	if err != nil || !changed || !bytes.Equal(out, seal(want)) {
		t.Errorf("%x, %v\nwant %x", out, err, want)
	}
}

// TestMapErrors: dst stays as it was.
func TestMapErrors(t *testing.T) {
	var m records.Mapper
	drop := func(r records.Record, e *records.Edit) { e.Drop() }
	wrong := rawBatch(0, 1, record("\x01\x02a\x00"))
	wrong[17]++
	for name, c := range map[string]struct {
		b    []byte
		f    func(records.Record, *records.Edit)
		want error
	}{
		"wrong checksum":                       {wrong, drop, records.ErrCRC},
		"bytes after the last record":          {rawBatch(0, 1, append(record("\x01\x02a\x00"), 0)), drop, records.ErrLeftover},
		"bytes after the last record, changed": {rawBatch(0, 1, append(record("\x01\x02a\x00"), 0)), keep, records.ErrLeftover},
		"codec":                                {rawBatch(5, 1, record("\x01\x02a\x00")), keep, records.ErrCodec},
	} {
		dst := make([]byte, 6, 1000)
		copy(dst, "before")
		got, _, err := m.Map(dst, must(t, c.b), c.f)
		if !errors.Is(err, c.want) || string(got) != "before" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if got, _, err = m.MapAll(dst, append(rawBatch(0, 1, record("\x01\x02a\x00")), c.b...), c.f); !errors.Is(err, c.want) || string(got) != "before" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	// Nothing is changed: nobody asks for the checksum. Or for whom it is no matter.
	if out, changed, err := m.Map(nil, must(t, wrong), keep); err != nil || changed || !bytes.Equal(out, wrong) {
		t.Error(err)
	}
	m.TrustCRC = true
	if _, changed, err := m.Map(nil, must(t, wrong), drop); err != nil || !changed {
		t.Error(err)
	}
}
