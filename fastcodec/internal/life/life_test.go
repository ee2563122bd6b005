package life

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// checkPanics reports whether Check finds a use after release.
func checkPanics(m Mark) (found bool) {
	defer func() {
		if p := recover(); p != nil {
			found = strings.Contains(p.(string), "read after release")
		}
	}()
	m.Check()
	return false
}

func TestMarksDieWithTheirBuffer(t *testing.T) {
	a, b := make([]byte, 0, 64), make([]byte, 64)
	Begin(a)
	Begin(b)
	inA, atEnd, inB, elsewhere := Of(a[:1]), Of(a[10:64]), Of(b[63:]), Of(make([]byte, 3))
	none, zero := Of(nil), Mark{}
	for _, m := range []Mark{inA, atEnd, inB, elsewhere, none, zero} {
		if checkPanics(m) {
			t.Fatal("a living buffer counts as released")
		}
	}
	End(a)
	for name, c := range map[string]struct {
		m    Mark
		dead bool
	}{"in a": {inA, true}, "at a's end": {atEnd, true}, "in b": {inB, false}, "elsewhere": {elsewhere, false}, "zero": {zero, false}} {
		if got := checkPanics(c.m); got != (c.dead && Debug) {
			t.Errorf("%s, after the end of a: found %v", name, got)
		}
	}
	Begin(a) // the same bytes in a new life
	if again := Of(a[:1]); checkPanics(again) || checkPanics(inA) != Debug {
		t.Error("lives of the same bytes are mixed up")
	}
	End(a)
	End(b)
	End(b)
	End(nil)
	Begin(nil)
}

func TestEndOverwrites(t *testing.T) {
	b := []byte("some bytes")
	Begin(b)
	End(b)
	if got := bytes.Equal(b, bytes.Repeat([]byte{Poison}, len(b))); got != Poisons {
		t.Errorf("bytes after the end: %x", b)
	}
}

func TestMarkCostsNothingInNormalBuilds(t *testing.T) {
	if size := reflect.TypeFor[Mark]().Size(); (size == 0) == Debug {
		t.Errorf("a mark has %d bytes", size)
	}
}
