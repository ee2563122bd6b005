package main

// What the generated code costs: in a program, and in a build.

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// sizes are in bytes.
type sizes struct {
	without, one, all, copies binary
	build, cpu                time.Duration // 0: not timed
	lines, most               int           // of generated code, and of its largest file
}

// binary is the size of a program as `go build` makes it, and without symbols and
// debug information.
type binary struct{ whole, stripped int64 }

// program is a program whose main has the given statements.
func program(imports, statements string) string {
	return "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n" + imports + ")\n\nfunc main() {\n\tb, err := os.ReadFile(os.Args[1])\n" +
		statements + "\tfmt.Println(len(b), err)\n}\n"
}

const (
	oneImports = "\t\"github.com/kafkawire/kafkawire/fastcodec/kview\"\n"
	oneView    = `	var m kview.DescribeQuorumResponse
	if err = m.Parse(b, 2); err == nil {
		for t := range m.Topics().All() {
			for p := range t.Partitions().All() {
				fmt.Println(string(t.TopicName()), p.PartitionIndex(), p.LeaderID(), p.HighWatermark(), p.CurrentVoters().Len())
			}
		}
	}
`
	allImports = copyImports + "\t\"github.com/kafkawire/kafkawire/fastcodec/kdata\"\n"
	all        = `	key, version := fastcodec.APIKey(b[0]), int16(b[1])
	fmt.Println(kview.NewRequest(key).Parse(b, version), kview.NewResponse(key).Parse(b, version))
	b, err = kdata.NewRequest(key).AppendTo(b, version)
	b, err = kdata.NewResponse(key).AppendTo(b, version)
`
	copyImports = "\t\"github.com/kafkawire/kafkawire/fastcodec\"\n\t\"github.com/kafkawire/kafkawire/fastcodec/kview\"\n"
	allCopies   = `	key, version := fastcodec.APIKey(b[0]), int16(b[1])
	for _, c := range []*kview.Codec{kview.NewRequestCodec(key), kview.NewResponseCodec(key)} {
		if err = c.View.Parse(b[2:], version); err == nil {
			c.Copy()
			b, err = c.Data.AppendTo(nil, version)
		}
	}
`
)

func measureSize(root, temp string, cold bool) (s sizes, err error) {
	for i, p := range []struct {
		size *binary
		text string
	}{
		{&s.without, program("", "")},
		{&s.one, program(oneImports, oneView)},
		{&s.all, program(allImports, all)},
		{&s.copies, program(copyImports, allCopies)},
	} {
		if *p.size, err = buildSize(root, filepath.Join(temp, fmt.Sprint("size", i)), p.text); err != nil {
			return s, err
		}
	}
	if s.lines, s.most, err = generatedLines(root); err != nil || !cold {
		return s, err
	}
	start := time.Now()
	s.cpu, err = run(root, []string{"GOCACHE=" + filepath.Join(temp, "cache")}, "go", "build", "./...")
	s.build = time.Since(start)
	return s, err
}

// buildSize builds a program in a module of its own.
func buildSize(root, dir, text string) (size binary, err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return size, err
	}
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return size, err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return size, err
	}
	const path = "github.com/kafkawire/kafkawire"
	module = bytes.Replace(module, []byte("module "+path), []byte("module size"), 1)
	module = fmt.Appendf(module, "\nrequire %s v0.0.0\n\nreplace %s => %s\n", path, path, root)
	for name, data := range map[string][]byte{"go.mod": module, "go.sum": sums, "main.go": []byte(text)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return size, err
		}
	}
	build := func(out string, flags ...string) (int64, error) {
		args := append([]string{"build", "-mod=mod", "-trimpath", "-o", out}, flags...)
		if _, err := run(dir, nil, "go", args...); err != nil {
			return 0, err
		}
		info, err := os.Stat(filepath.Join(dir, out))
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	if size.whole, err = build("whole"); err != nil {
		return size, err
	}
	size.stripped, err = build("stripped", "-ldflags=-s")
	return size, err
}

// generatedLines counts the lines of all generated files, and of the longest.
func generatedLines(root string) (all, most int, err error) {
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_gen.go") {
			return err
		}
		text, err := os.ReadFile(path)
		n := bytes.Count(text, []byte("\n"))
		all, most = all+n, max(most, n)
		return err
	})
	return all, most, err
}

func (s sizes) markdown(p func(format string, args ...any)) {
	kb := func(n int64) string { return fmt.Sprintf("%d KB", (n+512)/1024) }
	p("")
	p("## Size")
	p("")
	p("Programs that read a file and print with `fmt`, built by `go build -trimpath`, and what they have more than one that does only this (%s; %s without symbols and debug information):", kb(s.without.whole), kb(s.without.stripped))
	p("")
	p("| program | more | bar | more, with `-ldflags=-s` |")
	p("|---|--:|--:|--:|")
	row := func(what string, b binary, bar string) {
		p("| %s | %s | %s | %s |", what, kb(b.whole-s.without.whole), bar, kb(b.stripped-s.without.stripped))
	}
	row("parses DescribeQuorum responses and reads some fields", s.one, "200 KB")
	row("parses, and writes, any message by key", s.all, "4096 KB")
	row("the same, and copies any message from one to the other", s.copies, "")
	p("")
	p("| build | | bar |")
	p("|---|--:|--:|")
	if s.build > 0 {
		p("| `go build ./...` from a cold cache, the standard library included | %.0f s, %.0f s of CPU | 90 s |", s.build.Seconds(), s.cpu.Seconds())
	}
	p("| lines of generated code | %d | 100000 |", s.lines)
	p("| lines of the longest generated file | %d | 2500 |", s.most)
}
