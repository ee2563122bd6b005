// This file adds the marks that the schemas don't have: entities by condition and
// endpoints. They come from marks.tsv, so that every import has them.
package main

import (
	_ "embed"
	"strings"

	"github.com/kafkawire/kafkawire/internal/schema"
)

//go:embed marks.tsv
var marksTable string

// mark is a row of marks.tsv: a field by its path, and the marks as the notation
// writes them.
type mark struct {
	message, path string
	marks         []string
}

func readMarks(table string) []mark {
	var all []mark
	lines := strings.Split(strings.TrimSpace(table), "\n")
	for _, line := range lines[1:] {
		c := strings.Split(line, "\t")
		all = append(all, mark{c[0], c[1], strings.Split(c[2], ", ")})
	}
	return all
}

// addMarks gives the message's fields their marks.
func (g *merger) addMarks() {
	for _, row := range readMarks(marksTable) {
		if row.message != g.msg.Name {
			continue
		}
		f := fieldAt(g.msg.Root, row.path)
		if f == nil {
			g.problem("marks.tsv: no field %s", row.path)
			continue
		}
		for _, text := range row.marks {
			if err := f.Mark(text); err != nil {
				g.problem("marks.tsv: %s: %v", row.path, err)
			}
		}
	}
}

// fieldAt finds the field at a path such as Topics[].Partitions[].LeaderId, or nil.
func fieldAt(s *schema.Struct, path string) *schema.Field {
	name, rest, deeper := strings.Cut(path, ".")
	plain, array := strings.CutSuffix(name, "[]")
	for _, f := range s.Fields {
		if f.Name != plain || f.Array != array {
			continue
		}
		if !deeper {
			return f
		}
		if f.Struct != nil {
			return fieldAt(f.Struct, rest)
		}
	}
	return nil
}
