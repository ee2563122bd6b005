// Tables with aligned columns.

package main

import (
	"fmt"
	"io"
	"strings"
)

// table is a head and rows of cells.
type table struct {
	right []bool // the column is flush right
	rows  [][]string
	rules []int // rows that a rule stands above
}

// newTable takes the heads of the columns; one that ends in ">" is flush right.
func newTable(heads ...string) *table {
	t := &table{}
	for i, h := range heads {
		name, right := strings.CutSuffix(h, ">")
		heads[i], t.right = name, append(t.right, right)
	}
	t.rows = [][]string{heads}
	return t
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// rule puts a rule above the next row.
func (t *table) rule() { t.rules = append(t.rules, len(t.rows)) }

// write prints the table, without columns that are empty in every row.
func (t *table) write(w io.Writer) {
	width := make([]int, len(t.right))
	used := make([]bool, len(t.right))
	for i, row := range t.rows {
		for c, cell := range row {
			width[c] = max(width[c], len(cell))
			used[c] = used[c] || i > 0 && cell != ""
		}
	}
	var b strings.Builder
	for i, row := range t.rows {
		if len(t.rules) > 0 && t.rules[0] == i || i == 1 {
			t.line(&b, width, used, nil)
		}
		if len(t.rules) > 0 && t.rules[0] == i {
			t.rules = t.rules[1:]
		}
		t.line(&b, width, used, row)
	}
	io.WriteString(w, b.String())
}

// line writes a row; nil is a rule.
func (t *table) line(b *strings.Builder, width []int, used []bool, row []string) {
	var out strings.Builder
	for c := range width {
		if !used[c] {
			continue
		}
		if out.Len() > 0 {
			out.WriteString("  ")
		}
		switch {
		case row == nil:
			out.WriteString(strings.Repeat("-", width[c]))
		case t.right[c]:
			fmt.Fprintf(&out, "%*s", width[c], row[c])
		default:
			fmt.Fprintf(&out, "%-*s", width[c], row[c])
		}
	}
	b.WriteString(strings.TrimRight(out.String(), " ") + "\n")
}
