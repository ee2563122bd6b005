package rewrite

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/internal/schema"
)

// The package comment names every field that can't be edited, and no entity in a form
// that it doesn't know.
func TestDocumentedRefusals(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.Join(strings.Fields(regexp.MustCompile(`(?m)^//`).ReplaceAllString(string(text), "")), " ")
	apis, err := schema.Load()
	if err != nil {
		t.Fatal(err)
	}
	fields := 0
	for _, a := range apis {
		for _, m := range a.Messages {
			for _, s := range append([]*schema.Struct{m.Root}, m.Structs...) {
				for _, f := range s.Fields {
					for _, e := range f.Entities {
						c, err := schema.ParseCondition(e.Condition)
						if err != nil {
							t.Fatal(err)
						}
						name := f.Name
						switch {
						case c.Form == schema.Pattern, c.Form == schema.EmbeddedForm && e.Kind == "any":
						case c.Form == schema.IndexForm:
							name = s.Name + "s"
						default:
							continue
						}
						fields++
						if !strings.Contains(doc, m.Name) || !strings.Contains(doc, name) {
							t.Errorf("%s %s isn't documented", m.Name, name)
						}
					}
				}
			}
		}
	}
	if fields < 8 {
		t.Errorf("%d fields", fields)
	}
}
