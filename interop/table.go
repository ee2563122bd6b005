// The table of clients and scenarios.

package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
)

type table struct {
	mu      sync.Mutex
	clients []string
	cells   map[[2]string]bool
	details []string // of what failed
}

// lacking are the scenarios that a client has no means for.
var lacking = map[string][]string{
	"tools": {"stream"}, "franz": {"consumer", "share"}, "sarama": {"consumer", "share"}, "python": {"consumer", "share"},
}

func newTable(clients []string) *table { return &table{clients: clients, cells: map[[2]string]bool{}} }

func (t *table) set(client, scenario string, ok bool, detail string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := [2]string{client, scenario}
	if was, there := t.cells[at]; !there || was {
		t.cells[at] = ok
	}
	if !ok {
		t.details = append(t.details, fmt.Sprintf("%s, %s: %s", client, scenario, detail))
	}
}

func (t *table) passed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.clients {
		for _, s := range scenarios {
			if _, ran := t.cells[[2]string{c, s}]; !ran && !slices.Contains(lacking[c], s) {
				return false
			}
		}
	}
	return len(t.details) == 0
}

// String is the table, with what failed below it.
func (t *table) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "client\t"+strings.Join(scenarios, "\t"))
	for _, c := range t.clients {
		fmt.Fprint(w, c)
		for _, s := range scenarios {
			cell := "-"
			if ok, ran := t.cells[[2]string{c, s}]; ran {
				if cell = "ok"; !ok {
					cell = "FAIL"
				}
			} else if !slices.Contains(lacking[c], s) {
				cell = "DIDN'T RUN"
			}
			fmt.Fprint(w, "\t"+cell)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	b.WriteString(legend)
	for _, d := range t.details {
		b.WriteString("\n  " + d)
	}
	return b.String()
}
