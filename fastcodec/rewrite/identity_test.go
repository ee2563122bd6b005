package rewrite

import (
	"bytes"
	"errors"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// Edits that change nothing leave every byte as it is: through the splice path, and
// where the rewriter finds out that nothing changed. A frame that one kind of edits
// refuses is rewritten by each of the others.
func TestIdentity(t *testing.T) {
	all := same()
	kinds := []Edits{
		{Endpoints: all.Endpoints}, {Topics: all.Topics}, {Groups: all.Groups}, {Transactions: all.Transactions},
		{Clusters: all.Clusters}, {Brokers: all.Brokers}, {Producers: all.Producers},
	}
	// Of ApiVersions responses names and ids hide unknown keys: see TestVersions.
	versions := []Edits{{Endpoints: all.Endpoints, Versions: Versions{Hide: []fastcodec.APIKey{-32000}}}}
	edited, refused := 0, 0
	pairs := map[[3]int]bool{}
	for _, forced := range []bool{true, false} {
		compileAll := func(list []Edits) (rewriters []*Rewriter) {
			for _, e := range list {
				rewriters = append(rewriters, compiled(t, e, forced))
			}
			return rewriters
		}
		whole, each, ofVersions := compiled(t, all, forced), compileAll(kinds), compileAll(versions)
		for _, v := range vectors(t) {
			frame := v.frame()
			passes := func(r *Rewriter) bool {
				out, changed, err := r.run(frame, v.response(), contextOf(&v, 0))
				switch {
				case errors.Is(err, ErrRefused):
					return false
				case err != nil:
					t.Fatalf("%v: %v", &v, err)
				case changed && !forced:
					t.Fatalf("%v: changed", &v)
				case changed && !bytes.Equal(out, frame):
					t.Fatalf("%v: forced %v\n got %x\nwant %x", &v, forced, out, frame)
				case changed:
					edited++
				}
				return true
			}
			pairs[[3]int{int(v.API), int(v.Version), len(v.Kind)}] = true
			list := each
			if v.API == fastcodec.APIVersions && v.response() {
				list = ofVersions
			} else if passes(whole) {
				continue
			} else {
				refused++
			}
			passed := 0
			for _, r := range list {
				if passes(r) {
					passed++
				}
			}
			if passed == 0 {
				t.Errorf("%v: refused by all", &v)
			}
		}
	}
	t.Logf("%d pairs; %d frames went through the splice path, %d were refused by some kind of edits", len(pairs), edited, refused)
	if *vectorsFile == "" && (len(pairs) != 736 || edited < 2000 || refused > 200) {
		t.Error("not what this is for")
	}
}
