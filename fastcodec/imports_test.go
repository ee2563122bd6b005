package fastcodec

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/kafkawire/kafkawire/"

// TestImports: the package and what it is made of import the standard library, the
// module's three dependencies, and nothing of the module but these.
func TestImports(t *testing.T) {
	allowed := map[string]bool{
		"github.com/valyala/bytebufferpool": true,
		"github.com/dgryski/go-metro":       true,
		"golang.org/x/sys/unix":             true,
		module + "fastcodec/internal/fault": true,
		module + "fastcodec/internal/life":  true,
		module + "internal/unsafeio":        true,
	}
	for _, dir := range []string{".", "internal/fault", "internal/life", "../internal/unsafeio"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range f.Imports {
				path, _ := strconv.Unquote(spec.Path.Value)
				if strings.Contains(path, ".") && !allowed[path] {
					t.Errorf("%s imports %s", name, path)
				}
				if path == "unsafe" && filepath.Base(dir) != "unsafeio" {
					t.Errorf("%s imports unsafe", name)
				}
			}
		}
	}
}
