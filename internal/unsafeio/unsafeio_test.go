package unsafeio

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestString(t *testing.T) {
	for _, b := range [][]byte{nil, {}, []byte("name")} {
		if got := String(b); got != string(b) {
			t.Errorf("%q comes out as %q", b, got)
		}
	}
	b := []byte("name")
	s := String(b)
	b[0] = 'N'
	if (s == "name") != Safe {
		t.Errorf("after a write the string is %q", s)
	}
	if n := testing.AllocsPerRun(100, func() { sink = len(String(b)) }); n != 0 && !Safe {
		t.Errorf("%v allocations", n)
	}
}

var sink int

// faults reports whether f touches memory that it may not.
func faults(f func()) (fault bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() != nil }()
	f()
	return false
}

func TestGuarded(t *testing.T) {
	for _, n := range []int{0, 1, 4095, 4096, 4097, 100_000} {
		in := bytes.Repeat([]byte{7}, n)
		g, free := Guarded(in)
		if !bytes.Equal(g, in) || cap(g) != n {
			t.Errorf("%d bytes: %d with capacity %d", n, len(g), cap(g))
		}
		if Guards && n > 0 {
			if !faults(func() { sink = int(past(g)) }) {
				t.Errorf("%d bytes: reading past the end goes unnoticed", n)
			}
		}
		free()
	}
}

func TestProtected(t *testing.T) {
	if !Guards {
		t.Skip("this system has no guard pages")
	}
	p, protect, free := Protected([]byte("payload"))
	defer free()
	if faults(func() { sink = int(p[0]) }) {
		t.Error("reading faults before protect")
	}
	protect()
	if !faults(func() { sink = int(p[0]) }) || !faults(func() { p[6] = 1 }) {
		t.Error("reading or writing goes unnoticed after protect")
	}
	empty, protect, free := Protected(nil)
	protect()
	free()
	if len(empty) != 0 {
		t.Error("no bytes became some")
	}
}

func TestMap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, want := range [][]byte{{}, []byte("some bytes"), bytes.Repeat([]byte{1}, 100_000)} {
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		got, release, err := Map(path)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes: %d, %v", len(want), len(got), err)
		}
		if Guards && len(want) > 0 && !faults(func() { got[0] = 9 }) {
			t.Error("the file can be written to")
		}
		if err := release(); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := Map(path + "x"); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
	if _, _, err := Map(filepath.Dir(path)); err == nil {
		t.Error("a folder can be mapped")
	}
}
