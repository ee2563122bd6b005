package rewrite

import (
	"bytes"
	"errors"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// Edits that change nothing leave every byte as it is: through the splice path, and
// where the rewriter finds out that nothing changed.
func TestIdentity(t *testing.T) {
	edited, refused := 0, 0
	for _, forced := range []bool{true, false} {
		r := compiled(t, same(), forced)
		for _, v := range vectors(t) {
			if v.API == fastcodec.APIVersions && v.response() {
				continue // unknown keys are hidden from it: see TestVersions
			}
			frame := v.frame()
			out, changed, err := r.run(frame, v.response(), contextOf(&v, 0))
			switch {
			case errors.Is(err, ErrRefused):
				refused++
			case err != nil:
				t.Fatalf("%v: %v", &v, err)
			case changed && !forced:
				t.Fatalf("%v: changed", &v)
			case changed && !bytes.Equal(out, frame):
				t.Fatalf("%v: forced %v\n got %x\nwant %x", &v, forced, out, frame)
			case changed:
				edited++
			}
		}
	}
	t.Logf("%d frames went through the splice path, %d were refused", edited, refused)
	if edited < 2000 || refused > 200 {
		t.Errorf("%d frames went through the splice path, %d were refused", edited, refused)
	}
}
