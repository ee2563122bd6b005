// Where messages come from.

package layout

import (
	"errors"
	"sync"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// TestFor: H8 and H9, unknown keys and versions outside the range.
func TestFor(t *testing.T) {
	for _, c := range []struct {
		get  func() (*Message, error)
		want error
		text string
	}{
		{func() (*Message, error) { return For(fastcodec.Fetch, false, 19) }, fastcodec.ErrVersion, "unsupported version 19 of Fetch request: 0-18"},
		{func() (*Message, error) { return For(fastcodec.Fetch, true, -1) }, fastcodec.ErrVersion, "unsupported version -1 of Fetch response: 0-18"},
		{func() (*Message, error) { return Named("FetchRequest", 19) }, fastcodec.ErrVersion, "unsupported version 19 of Fetch request: 0-18"},
		{func() (*Message, error) { return Named("RequestHeader", 7) }, fastcodec.ErrVersion, "unsupported version 7 of RequestHeader: 0-2"},
		{func() (*Message, error) { return For(10000, false, 0) }, fastcodec.ErrUnknownAPI, "APIKey(10000) v0: unknown API key"},
		{func() (*Message, error) { return For(-1, true, 0) }, fastcodec.ErrUnknownAPI, ""},
		{func() (*Message, error) { return Named("Fetch", 0) }, fastcodec.ErrUnknownAPI, ""},
		{func() (*Message, error) { return Named("", 0) }, fastcodec.ErrUnknownAPI, ""},
	} {
		m, err := c.get()
		if m != nil || !errors.Is(err, c.want) || c.text != "" && err.Error() != c.text {
			t.Errorf("%v, %v, want %s", m, err, c.text)
		}
	}
}

// TestForAll: every key of the table at every version, from many goroutines at
// once; each asks for the same message and gets the same one.
func TestForAll(t *testing.T) {
	type place struct {
		key      fastcodec.APIKey
		response bool
		version  int16
	}
	var all []place
	for key := range fastcodec.APIKeys() {
		low, high, _ := key.Versions()
		for v := low; v <= high; v++ {
			all = append(all, place{key, false, v}, place{key, true, v})
		}
	}
	if len(all) != 736 {
		t.Errorf("%d bodies, want 736", len(all))
	}
	var group sync.WaitGroup
	found := make([][]*Message, 4)
	for g := range found {
		found[g] = make([]*Message, len(all))
		group.Go(func() {
			for i := range all {
				i = (i + g*200) % len(all)
				p := all[i]
				m, err := For(p.key, p.response, p.version)
				if err != nil {
					t.Error(err)
					return
				}
				if key, ok := m.Key(); !ok || key != p.key || m.Version() != p.version {
					t.Errorf("%v: %s v%d", p, m.Name(), m.Version())
				}
				found[g][i] = m
			}
		})
	}
	group.Wait()
	for i := range all {
		for g := range found {
			if found[g][i] != found[0][i] {
				t.Fatalf("%v: compiled twice", all[i])
			}
		}
	}
}
