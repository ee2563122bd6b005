package kview_test

// Damaged bodies of all messages, those of the tests' own among them, before all
// readers. fuzz/differential does the same for Kafka's own, many more times.

import (
	"flag"
	"runtime"
	"strings"
	"testing"

	"github.com/kafkawire/kafkawire/fuzz/check"
	"github.com/kafkawire/kafkawire/internal/naive"
)

var executions = flag.Int("executions", 0, "how many damaged bodies TestDamagedBodies makes (0: a few)")

func TestDamagedBodies(t *testing.T) {
	n := 200_000
	switch {
	case *executions > 0:
		n = *executions
	case reduced || testing.Short():
		n = 20_000
	}
	all := messages(t)
	seeds, err := check.Seeds(all)
	if err != nil {
		t.Fatal(err)
	}
	counts := check.Loop(all, seeds, n, 1, runtime.GOMAXPROCS(0), nil)
	var text strings.Builder
	counts.WriteTo(&text)
	if counts.Differences > 0 || counts.Executions != n || counts.Accepted < n/10 || counts.Accepted > n*9/10 {
		t.Errorf("%s", text.String())
	}
	for _, name := range naive.AllOddities.Names() {
		if counts.Odd[name] == 0 {
			t.Errorf("no input was accepted with %s", name)
		}
	}
	for _, err := range check.Sentinels() {
		if counts.Refused[err.Error()] == 0 {
			t.Errorf("no input was refused for: %v", err)
		}
	}
	t.Logf("%s", strings.ReplaceAll(text.String(), "\n", "; "))
}
