package kview_test

// Rows N: null, empty, absent.

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/internal/naive"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// nullAndEmpty: Check compares IsNull and nil of every field with what the naive
// reader found.
func nullAndEmpty(t *testing.T) {
	places(t, and(isVarint, isNullableLength), func(p *place) {
		// A tagged field whose default it is is left out when it is written again.
		null, empty := p.again(p.with([]byte{0}, true), naive.OddDefault), p.again(p.with([]byte{1}, true), naive.OddDefault)
		if bytes.Equal(null, empty) {
			t.Errorf("%v: %s: null is empty: %x", p.Message, p.Path, null)
		}
		p.accepted(p.with([]byte{0x80, 0}, true), null)
		p.accepted(p.with([]byte{0x80, 0x80, 0x80, 0x80, 0}, true), null)
		p.accepted(p.with([]byte{0x81, 0}, true), empty)
		p.accepted(p.with([]byte{0x81, 0x80, 0x80, 0x80, 0}, true), empty)
	})
}

func nullWhereNoneIsLegal(t *testing.T) {
	places(t, and(kindIs(naive.Length, naive.Count), not(isNullableLength)), func(p *place) {
		p.refused(p.with(p.number(-1), true), fastcodec.ErrNull)
		if p.Varint() {
			p.refused(p.with([]byte{0x80, 0}, true), fastcodec.ErrNull)
		}
	})
}

// nullAndEmptyApart: as arrays and strings of every form, in both directions. The
// struct that Check fills writes each as it came.
func nullAndEmptyApart(t *testing.T) {
	places(t, isNullableLength, func(p *place) {
		null, empty := p.again(p.with(p.number(-1), true), naive.OddDefault), p.again(p.with(p.number(0), true), naive.OddDefault)
		if bytes.Equal(null, empty) {
			t.Errorf("%v: %s: null is empty: %x", p.Message, p.Path, null)
		}
	})
	find := byName(t)
	for version := int16(1); version <= 13; version++ {
		m := find("MetadataRequest", version)
		for _, null := range []bool{true, false} {
			v := m.Naive.Small()
			v.Fields[0] = naive.Value{Null: null}
			var view kview.MetadataRequest
			if err := view.Parse(m.Naive.Write(&v, nil), version); err != nil {
				t.Fatal(err)
			}
			if topics := view.Topics(); topics.Len() != 0 || topics.IsNull() != null {
				t.Errorf("v%d: want null %v: %d topics, null %v", version, null, topics.Len(), topics.IsNull())
			}
		}
	}
}

func metadataWithoutTopics(t *testing.T) {
	var view kview.MetadataRequest
	if err := view.Parse([]byte{0, 0, 0, 0}, 0); err != nil {
		t.Fatal(err)
	}
	if topics := view.Topics(); topics.Len() != 0 || topics.IsNull() {
		t.Errorf("%d topics, null %v", topics.Len(), topics.IsNull())
	}
	wantRefused(t, byName(t)("MetadataRequest", 0).Checker(), []byte{0xff, 0xff, 0xff, 0xff}, fastcodec.ErrNull, "Topics", 0)
}

func recordsNullAndEmpty(t *testing.T) {
	places(t, func(s *naive.Site) bool { return isNullableLength(s) && s.Field.Type == "records" }, func(p *place) {
		p.accepted(p.with(p.number(-1), true), nil)
		p.accepted(p.with(p.number(0), true), nil)
	})
	m := byName(t)("FetchResponse", 4)
	for _, null := range []bool{true, false} {
		v := m.Naive.Small()
		m.Naive.Each(&v, func(f *naive.Field, s *naive.Struct, leaf *naive.Value) {
			if s == nil && f.Type == "records" {
				leaf.Null = null
			}
		})
		var view kview.FetchResponse
		if err := view.Parse(m.Naive.Write(&v, nil), 4); err != nil {
			t.Fatal(err)
		}
		if records := view.Responses().At(0).Partitions().At(0).Records(); (records == nil) != null || len(records) != 0 {
			t.Errorf("null %v: %v", null, records)
		}
	}
}

func markers(t *testing.T) {
	places(t, kindIs(naive.Marker), func(p *place) {
		null, there := p.with([]byte{0xff}, true), p.with([]byte{1}, false)
		for b := range 256 {
			want, odd := there, naive.OddMarker
			if b >= 0x80 {
				want = null
			}
			if b == 1 || b == 0xff {
				odd = 0
			}
			if v := p.accepted(p.with([]byte{byte(b)}, b >= 0x80), want); v.Odd != odd {
				t.Errorf("%v: %s: marker %#x: odd %v", p.Message, p.Path, b, v.Odd.Names())
			}
		}
		if !p.nested() {
			p.refused(null[:p.Offset], fastcodec.ErrShort)
		}
	})
}

func tagMarkers(t *testing.T) {
	places(t, kindIs(naive.TagMarker), func(p *place) {
		p.accepted(p.with([]byte{1}, false), p.body)
		for _, marker := range [][]byte{{2}, {0x7f}, {0x81, 0}, {0xff, 0xff, 0xff, 0xff, 0x0f}} {
			p.accepted(p.with(marker, false), p.body)
		}
		for _, marker := range [][]byte{{0}, {0x80, 0}} {
			v, err := p.Check(p.with(marker, true))
			if err != nil || !v.Accepted {
				t.Errorf("%v: %s: null: %v, %v", p.Message, p.Path, v.Err, err)
			}
			// Where null is the default, a writer leaves the tag out.
			if null := p.Field.Default == "null"; null != (v.Odd&naive.OddDefault != 0) {
				t.Errorf("%v: %s: null: odd %v", p.Message, p.Path, v.Odd.Names())
			}
		}
		p.refused(p.with([]byte{0x80, 0x80, 0x80, 0x80, 0x10}, false), fastcodec.ErrVarint)
	})
}

// defaults: Check compares fields that a version lacks with their defaults, in
// every struct. Some known ones besides.
func defaults(t *testing.T) {
	absent, other := 0, 0
	for _, m := range everyVersion(t) {
		c, v := m.Checker(), m.Naive.Full()
		wantAccepted(t, c, m.Naive.Write(&v, nil), nil)
		wantAccepted(t, c, m.Layout.AppendSmallest(nil), nil)
		for _, s := range append([]*schema.Struct{m.Schema.Root}, m.Schema.Structs...) {
			for _, f := range s.Fields {
				if s.Versions.Has(m.Version) && !f.Versions.Has(m.Version) {
					absent++
					if f.Default != "" {
						other++
					}
				}
			}
		}
	}
	if absent == 0 || other == 0 {
		t.Errorf("%d absent fields, %d with a default of their own", absent, other)
	}
	t.Logf("%d absent fields, %d with a default of their own", absent, other)
	for version := int16(0); version <= 3; version++ {
		var view kview.MetadataRequest
		if err := view.Parse([]byte{0, 0, 0, 0}, version); err != nil || !view.AllowAutoTopicCreation() {
			t.Errorf("Metadata v%d: AllowAutoTopicCreation is false, %v", version, err)
		}
	}
	m := byName(t)("DescribeQuorumResponse", 0)
	var view kview.DescribeQuorumResponse
	if err := view.Parse(m.Layout.AppendSmallest(nil), 0); err != nil {
		t.Fatal(err)
	}
	if v := view.Topics().At(0).Partitions().At(0).CurrentVoters().At(0); v.LastFetchTimestamp() != -1 || v.LastCaughtUpTimestamp() != -1 {
		t.Errorf("DescribeQuorum v0: %d, %d, want -1", v.LastFetchTimestamp(), v.LastCaughtUpTimestamp())
	}
}

func notInVersion(t *testing.T) {
	dropped, refused := 0, 0
	structFields(t, func(f *field) {
		if f.there {
			return
		}
		before := f.encode()
		f.value.Set(f.other())
		if f.schema.Ignorable {
			dropped++
			if after := f.encode(); !bytes.Equal(before, after) {
				t.Errorf("%v: %s: ignorable, but %x becomes %x", f.Message, f.path, before, after)
			}
			return
		}
		refused++
		f.fails(fastcodec.ErrNotInVersion, f.path)
		// Null is no default where that is empty.
		if nullable := !f.schema.Nullable.Empty(); nullable && f.schema.Default != "null" && f.schema.Type != schema.Records {
			f.value.Set(reflect.Zero(f.value.Type()))
			f.fails(fastcodec.ErrNotInVersion, f.path)
		}
	})
	if dropped == 0 || refused == 0 {
		t.Errorf("%d fields dropped, %d refused", dropped, refused)
	}
	t.Logf("%d fields dropped, %d refused", dropped, refused)
}
