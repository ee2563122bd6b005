package kview_test

// What the tests share: the messages as all readers know them, and the reference
// inputs.

import (
	"fmt"
	"sync"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fuzz/check"
	"github.com/kafkawire/kafkawire/internal/unsafeio"
)

// kafkas is Kafka's messages at all versions, shapes those of the tests' own.
var kafkas = sync.OnceValues(check.Messages)
var shapes = sync.OnceValues(func() ([]*check.Message, error) { return check.Shapes(kview.NewShape, kview.AppendShape) })

// messages is all of them.
func messages(t testing.TB) []*check.Message {
	t.Helper()
	a, err := kafkas()
	if err != nil {
		t.Fatal(err)
	}
	b, err := shapes()
	if err != nil {
		t.Fatal(err)
	}
	return append(a[:len(a):len(a)], b...)
}

// byName finds messages by name and version.
func byName(t testing.TB) func(name string, version int16) *check.Message {
	t.Helper()
	all := map[string]*check.Message{}
	for _, m := range messages(t) {
		all[m.String()] = m
	}
	return func(name string, version int16) *check.Message {
		m := all[fmt.Sprintf("%s v%d", name, version)]
		if m == nil {
			t.Fatalf("no %s v%d", name, version)
		}
		return m
	}
}

// input is a body and the message that it is of.
type input struct {
	*check.Message
	check.Line
	body []byte
}

func (in *input) String() string { return in.Line.String() }

// inputs is the bodies of a file of vectors.
func inputs(t testing.TB, file string) []input {
	t.Helper()
	lines, err := check.Lines(file)
	if err != nil {
		t.Fatal(err)
	}
	find := byName(t)
	all := make([]input, len(lines))
	for i, l := range lines {
		name := l.Name
		switch l.Kind {
		case "request":
			name += "Request"
		case "response":
			name += "Response"
		}
		all[i] = input{find(name, l.Version), l, l.Body()}
	}
	return all
}

// checkers keeps a Checker for each message, so that views and indexes are used
// for many inputs.
type checkers map[*check.Message]*check.Checker

func (c checkers) of(m *check.Message) *check.Checker {
	if c[m] == nil {
		c[m] = m.Checker()
	}
	return c[m]
}

// guard is memory with a page behind it that faults when it is touched.
type guard struct {
	b    []byte
	free func()
}

func newGuard(size int) *guard {
	g := &guard{}
	g.b, g.free = unsafeio.Guarded(make([]byte, size))
	return g
}

// end gives a copy of body that ends at that page. It is gone with the next one.
func (g *guard) end(body []byte) []byte {
	b := g.b[len(g.b)-len(body):]
	copy(b, body)
	return b
}
