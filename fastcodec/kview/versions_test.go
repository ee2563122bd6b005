package kview_test

// Rows H: versions.

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/fuzz/check"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// apiVersionsAnswers: a parse never changes the version; one function says which it
// should be.
func apiVersionsAnswers(t *testing.T) {
	for text, keys := range map[string]int{"0023" + "00000001" + "0012" + "0000" + "0003": 1, "0023" + "00000000": 0} {
		body := check.Hex(text)
		for _, version := range []int16{3, 4, 5} {
			var view kview.APIVersionsResponse
			if err := view.Parse(body, version); err == nil && (view.Version() != version || len(view.Trailing()) == 0) {
				t.Errorf("v%d: %s: parsed at v%d, %d bytes left", version, text, view.Version(), len(view.Trailing()))
			}
			got := fastcodec.ResponseBodyVersion(fastcodec.APIVersions, version, body, func(b []byte, v int16) bool {
				return view.Parse(b, v) == nil && len(view.Trailing()) == 0
			})
			if err := view.Parse(body, got); got != 0 || err != nil || view.ErrorCode() != fastcodec.CodeUnsupportedVersion || view.APIKeys().Len() != keys {
				t.Errorf("v%d: %s: at v%d: %v, %v, %d keys", version, text, got, err, view.ErrorCode(), view.APIKeys().Len())
			}
		}
	}
	// An answer of the version that was asked for stays.
	m := byName(t)("ApiVersionsResponse", 3)
	body := m.Layout.AppendSmallest(nil)
	body[1] = 35
	var view kview.APIVersionsResponse
	if got := fastcodec.ResponseBodyVersion(fastcodec.APIVersions, 3, body, func(b []byte, v int16) bool {
		return view.Parse(b, v) == nil && len(view.Trailing()) == 0
	}); got != 3 {
		t.Errorf("v%d, want 3", got)
	}
}

func versionsOutside(t *testing.T) {
	seen := map[*schema.Message]bool{}
	for _, m := range messages(t) {
		if seen[m.Schema] {
			continue
		}
		seen[m.Schema] = true
		valid := m.Schema.Valid
		view, body := m.New(), m.Layout.AppendSmallest(nil)
		lowest := fmt.Sprint(valid.Min)
		if valid.Min != valid.Max {
			lowest = fmt.Sprintf("%d-%d", valid.Min, valid.Max)
		}
		name := m.Schema.Name
		for _, kind := range []string{"Request", "Response"} {
			if api, ok := strings.CutSuffix(name, kind); ok {
				name = api + " " + strings.ToLower(kind)
			}
		}
		for _, version := range []int16{valid.Min - 1, valid.Max + 1, -1, math.MaxInt16, math.MinInt16} {
			want := fmt.Sprintf("unsupported version %d of %s: %s", version, name, lowest)
			errs := []error{view.Parse(body, version)}
			if m.Codec != nil {
				dst := append(make([]byte, 0, 64), "before"...)
				got, err := newStruct(m.Schema).AppendTo(dst, version)
				errs = append(errs, err)
				if string(got) != "before" {
					t.Errorf("%v: dst comes back as %q", m, got)
				}
				_, err = layout.Named(m.Schema.Name, version)
				errs = append(errs, err)
			}
			for i, err := range errs {
				var e *fastcodec.Error
				if !errors.Is(err, fastcodec.ErrVersion) || !errors.As(err, &e) || err.Error() != want {
					t.Errorf("%d: %v, want %s", i, err, want)
				}
			}
			if err := view.Parse(body, m.Version); err != nil || len(view.Trailing()) > 0 {
				t.Errorf("%v: can't be used again: %v", m, err)
			}
		}
	}
}
