package slots

import (
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/internal/schema"
)

func parse(t *testing.T, fields string) *schema.Message {
	t.Helper()
	a, err := schema.ParseAPI("data-A.txt", []byte("data A 0-3, flexible 1+\n"+fields))
	if err != nil {
		t.Fatal(err)
	}
	return a.Messages[0]
}

func TestEveryKafkaMessageIsSupported(t *testing.T) {
	apis, err := schema.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range apis {
		for _, m := range a.Messages {
			if err := Supported(m); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestUnsupportedShapesAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ fields, want string }{
		"tagged in some versions": {"  X  int8  tag 0 2+\n", "some of its versions"},
		"large tag":               {"  X  int8 1+  tag 32\n", "above 31"},
		"array of bool":           {"  X  []bool\n", "array of such elements"},
		"array of bytes":          {"  X  []bytes\n", "array of such elements"},
	} {
		if err := Supported(parse(t, c.fields)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
}

// The words of an entry are distinct: nothing is stored over something else.
func TestWordsDoNotOverlap(t *testing.T) {
	apis, err := schema.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range apis {
		for _, m := range a.Messages {
			for _, s := range Of(m).Structs {
				used, side := map[int]bool{}, map[int]bool{}
				take := func(in map[int]bool, first, n int) {
					for w := first; w < first+n; w++ {
						if in[w] {
							t.Errorf("%s.%s: word %d twice", m.Name, s.Schema.Name, w)
						}
						in[w] = true
					}
				}
				for _, w := range []int{s.Start, s.Tags} {
					if w != None && !s.Fixed {
						take(used, w, 1)
					}
				}
				for _, f := range s.Fields {
					switch {
					case f.Schema.IsTagged():
						take(side, f.Word, max(f.words(), 1))
					case f.Shape != InRun:
						take(used, f.Word, f.words())
						if f.End >= f.Word+f.words() {
							take(used, f.End, 1)
						}
					}
				}
				if len(used) != s.Words || len(side) != s.TagWords {
					t.Errorf("%s.%s: %d words of %d, %d of %d in the side block", m.Name, s.Schema.Name, len(used), s.Words, len(side), s.TagWords)
				}
			}
		}
	}
}
