// Command import writes the notation of Kafka's messages from the schemas in
// kafka-clients jars.
//
//	go run ./internal/schema/import [-only NAME,...] [-check] [-dir DIR] JAR...
//
// Jars come oldest release first; the newest that has a version defines it. It
// fails on keywords it doesn't know, on releases that disagree about a version's
// bytes and on renamed fields, unless decided.go lists them. -only takes API keys
// or names of APIs, headers and data messages, and leaves other files alone.
// -check writes nothing: it compares, prints the difference and exits 1 if there
// is one.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kafkawire/kafkawire/internal/schema"
)

func main() {
	only := flag.String("only", "", "comma-separated API keys or names of what to import (default all)")
	check := flag.Bool("check", false, "compare with the files, write nothing, exit 1 if they differ")
	dir := flag.String("dir", "internal/schema/apis", "folder of the notation")
	flag.Parse()
	if err := run(os.Stdout, *only, *check, *dir, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "import:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, only string, check bool, dir string, jars []string) error {
	if len(jars) == 0 {
		return errors.New("want jars, oldest release first")
	}
	var defs []*definition
	for i, jar := range jars {
		d, err := readJar(jar, i)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d schemas\n", d[0].release, len(d))
		defs = append(defs, d...)
	}
	apis, err := importAll(defs, only, func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) })
	if err != nil {
		return err
	}
	files := map[string]string{}
	for _, a := range apis {
		files[a.FileName()] = string(schema.Format(a))
	}
	return sync(out, files, only == "", check, dir)
}

// importAll merges the definitions into APIs.
func importAll(defs []*definition, only string, note func(string, ...any)) ([]*schema.API, error) {
	groups := map[string][]*definition{}
	var order []string
	for _, d := range defs {
		if d.valid.Empty() {
			continue
		}
		id := fmt.Sprintf("%03d", d.key)
		if d.key < 0 {
			id = d.name
		}
		if groups[id] == nil {
			order = append(order, id)
		}
		groups[id] = append(groups[id], d)
	}
	slices.Sort(order)
	wanted := map[string]bool{}
	for _, name := range strings.FieldsFunc(only, func(c rune) bool { return c == ',' }) {
		wanted[name] = false
	}
	var apis []*schema.API
	var problems []string
	for _, id := range order {
		a, wrong := importAPI(groups[id], func(a *schema.API) bool {
			for _, name := range []string{a.Name, strconv.Itoa(int(a.Key))} {
				if _, ok := wanted[name]; ok {
					wanted[name] = true
					return true
				}
			}
			return only == ""
		}, note)
		problems = append(problems, wrong...)
		if a != nil {
			apis = append(apis, a)
		}
	}
	for name, found := range wanted {
		if !found {
			problems = append(problems, "no API or message "+name)
		}
	}
	if problems != nil {
		return nil, errors.New(strings.Join(problems, "\n"))
	}
	return apis, nil
}

// importAPI merges one API, or returns nil if it isn't wanted. What it returns was
// written in the notation and read back.
func importAPI(defs []*definition, want func(*schema.API) bool, note func(string, ...any)) (*schema.API, []string) {
	slices.SortStableFunc(defs, func(a, b *definition) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.order, b.order))
	})
	newest := defs[len(defs)-1]
	a := &schema.API{Key: newest.key, Name: newest.name}
	if a.Key >= 0 {
		a.Name = strings.TrimSuffix(newest.name, "Response")
	}
	if !want(a) {
		return nil, nil
	}
	var problems []string
	for len(defs) > 0 {
		n := 1
		for n < len(defs) && defs[n].kind == defs[0].kind {
			n++
		}
		g := merge(a, defs[:n], note)
		if g.problems == nil {
			g.checkLayouts(defs[:n])
			g.addMarks()
		}
		if g.msg.Kind == schema.Request {
			a.Listeners, a.Unstable = defs[n-1].listeners, defs[n-1].unstable
		}
		a.Messages = append(a.Messages, g.msg)
		problems = append(problems, g.problems...)
		defs = defs[n:]
	}
	if problems != nil {
		return nil, problems
	}
	parsed, err := schema.ParseAPI(a.FileName(), schema.Format(a))
	if err != nil {
		return nil, []string{err.Error()}
	}
	return parsed, nil
}

// sync writes the files that changed, and removes others if all are given; or,
// to check, only says what differs.
func sync(out io.Writer, files map[string]string, all, check bool, dir string) error {
	names := make(map[string]bool)
	for name := range files {
		names[name] = true
	}
	there, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return err
	}
	for _, path := range there {
		if all {
			names[filepath.Base(path)] = true
		}
	}
	changed := 0
	for _, name := range slices.Sorted(maps.Keys(names)) {
		path := filepath.Join(dir, name)
		was, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		is, keep := files[name]
		if string(was) == is && keep {
			continue
		}
		changed++
		switch {
		case check:
			diff(out, name, string(was), is)
		case keep:
			fmt.Fprintln(out, "wrote", path)
			err = os.WriteFile(path, []byte(is), 0o644)
		default:
			fmt.Fprintln(out, "removed", path)
			err = os.Remove(path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	fmt.Fprintf(out, "%d files, %d differ\n", len(files), changed)
	if check && changed > 0 {
		return fmt.Errorf("%d files differ from the jars", changed)
	}
	return nil
}

// diff prints the lines that differ between the first and the last that do.
func diff(out io.Writer, name, was, is string) {
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	for len(a) > start && len(b) > start && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	fmt.Fprintf(out, "%s, from line %d:\n", name, start+1)
	for _, line := range a[start:] {
		fmt.Fprintln(out, "- "+line)
	}
	for _, line := range b[start:] {
		fmt.Fprintln(out, "+ "+line)
	}
}
