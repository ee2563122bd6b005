// Command run runs the module's fuzz targets, each by a count of executions, and
// writes what became of them to a file, one target a line.
//
//	go run ./fuzz/run -count 1000000 -out FILE           # guided by coverage
//	go run ./fuzz/run -count 10000000 -blind -out FILE   # then many more from there
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	count := flag.Int("count", 300_000, "executions of each target")
	out := flag.String("out", "", "file to write the counts to, too")
	only := flag.String("only", "", "run only the targets that match this `PATTERN`")
	blind := flag.Bool("blind", false, "don't let coverage guide: many times as fast. It starts from what earlier runs that were guided found")
	flag.Parse()
	if err := run(*count, *out, *only, *blind); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

// target is a fuzz function and the folder of its package.
type target struct{ dir, name string }

var declaration = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`)

// targets finds the fuzz functions of the module, the nested ones left out.
func targets(only *regexp.Regexp) ([]target, error) {
	var all []target
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, nested := os.Stat(filepath.Join(path, "go.mod")); path != "." && (nested == nil || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range declaration.FindAllSubmatch(text, -1) {
			if name := string(m[1]); only.MatchString(name) {
				all = append(all, target{"./" + filepath.ToSlash(filepath.Dir(path)), name})
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b target) int { return strings.Compare(a.dir+a.name, b.dir+b.name) })
	return all, err
}

func run(count int, out, only string, blind bool) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	all, err := targets(pattern)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("no fuzz target here: run it in the module's root")
	}
	to := io.Writer(os.Stdout)
	if out != "" {
		f, err := os.Create(out)
		if err != nil {
			return err
		}
		defer f.Close()
		to = io.MultiWriter(os.Stdout, f)
	}
	failed := 0
	for _, t := range all {
		start := time.Now()
		result := "passed"
		last, err := t.run(count, blind)
		if err != nil {
			result = "FAILED: " + err.Error()
			failed++
		}
		fmt.Fprintf(to, "%-40s %-18s %s, %.0f s: %s\n", t.dir, t.name, result, time.Since(start).Seconds(), last)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d targets failed", failed, len(all))
	}
	return nil
}

// run executes one target and returns Go's last line of counts.
func (t target) run(count int, blind bool) (string, error) {
	args := []string{"fuzz", "^" + t.name + "$", "fuzztime", fmt.Sprintf("%dx", count), "fuzzminimizetime", "200x", "run", "^$"}
	cmd := exec.Command("go", "test")
	prefix := "-"
	if blind {
		// A test program that is built on its own has no counters.
		program, cache, err := t.build()
		if err != nil {
			return "", err
		}
		defer os.Remove(program)
		cmd = exec.Command(program, "-test.fuzzcachedir", cache)
		cmd.Dir, prefix = t.dir, "-test."
	}
	for i := 0; i < len(args); i += 2 {
		cmd.Args = append(cmd.Args, prefix+args[i], args[i+1])
	}
	if !blind {
		cmd.Args = append(cmd.Args, t.dir)
	}
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	last := ""
	for lines := bufio.NewScanner(bytes.NewReader(output.Bytes())); lines.Scan(); {
		if text := lines.Text(); strings.Contains(text, "execs:") {
			_, last, _ = strings.Cut(text, "execs: ")
		}
	}
	if err != nil {
		os.Stderr.Write(output.Bytes())
	}
	return "execs " + last, err
}

// build builds the test program of a target's package, and finds what guided runs of
// it have found.
func (t target) build() (program, cache string, err error) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}}", t.dir).Output()
	if err != nil {
		return "", "", err
	}
	root, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return "", "", err
	}
	f, err := os.CreateTemp("", "kafkawire-fuzz-*")
	if err != nil {
		return "", "", err
	}
	f.Close()
	cache = filepath.Join(strings.TrimSpace(string(root)), "fuzz", strings.TrimSpace(string(out)))
	return f.Name(), cache, exec.Command("go", "test", "-c", "-o", f.Name(), t.dir).Run()
}
