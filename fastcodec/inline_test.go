package fastcodec

import (
	"os/exec"
	"strings"
	"testing"
)

// TestFastPathsInline: these are worth nothing as calls. ConsumeUvarint is one
// under the compiler's budget.
func TestFastPathsInline(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("asks the compiler; once is enough")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Skipf("no compiler to ask: %v\n%s", err, out)
	}
	for _, name := range []string{
		"AppendUvarint", "ConsumeUvarint", "SizeUvarint", "ConsumeError", "AppendInt16Length", "AppendCompactLength",
		"AppendUUID", "ConsumeUUID", "Tags.All", "NewTags", "PeekRequest", "PeekCorrelationID",
		"(*RequestHeader).Key", "(*RequestHeader).Version", "(*RequestHeader).CorrelationID", "(*RequestHeader).ClientID",
		"(*ResponseHeader).CorrelationID",
	} {
		if !strings.Contains(string(out), ": can inline "+name+"\n") {
			t.Errorf("%s doesn't inline", name)
		}
	}
}
