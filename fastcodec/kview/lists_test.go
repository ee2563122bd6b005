package kview_test

// Lists: what is the same for all of them.

import (
	"reflect"
	"slices"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec/kview"
)

// panics reports whether f does.
func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// TestLists: At panics outside of a list as a slice does, iterators can be left
// early, AppendTo appends what At gives, and what aliases the body is clipped.
func TestLists(t *testing.T) {
	m := byName(t)("ShapeNumbers", 3)
	v := m.Naive.Full()
	body := m.Naive.Write(&v, nil)
	view := kview.NewShape("ShapeNumbers").(*kview.ShapeNumbers)
	if err := view.Parse(body, 3); err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string]any{
		"Int8s": view.Int8s(), "Int16s": view.Int16s(), "Int32s": view.Int32s(), "Int64s": view.Int64s(),
		"UUIDs": view.Uuids(), "Strings": view.Strings(),
	} {
		l := reflect.ValueOf(list)
		call := func(method string, args ...any) []reflect.Value {
			var in []reflect.Value
			for _, a := range args {
				in = append(in, reflect.ValueOf(a))
			}
			return l.MethodByName(method).Call(in)
		}
		if n := call("Len")[0].Int(); n != 2 {
			t.Errorf("%s: %d elements", name, n)
		}
		for _, i := range []int{-1, 2, 1 << 30} {
			if !panics(func() { call("At", i) }) {
				t.Errorf("%s: At(%d) gives something", name, i)
			}
		}
		seen := 0
		yield := reflect.MakeFunc(call("All")[0].Type().In(0), func([]reflect.Value) []reflect.Value {
			seen++
			return []reflect.Value{reflect.ValueOf(false)}
		})
		if call("All")[0].Call([]reflect.Value{yield}); seen != 1 {
			t.Errorf("%s: the iterator goes on after %d", name, seen)
		}
		if name == "Strings" {
			continue
		}
		at := reflect.MakeSlice(reflect.SliceOf(l.MethodByName("At").Type().Out(0)), 0, 0)
		for i := range 2 {
			at = reflect.Append(at, call("At", i)[0])
		}
		if got := call("AppendTo", at.Interface())[0]; got.Len() != 4 || !reflect.DeepEqual(got.Slice(0, 2).Interface(), at.Interface()) || !reflect.DeepEqual(got.Slice(2, 4).Interface(), at.Interface()) {
			t.Errorf("%s: %v appended to %v", name, got, at)
		}
	}
	for s := range view.Strings().All() {
		if cap(s) != len(s) {
			t.Errorf("%q has room for %d", s, cap(s))
		}
	}
}

// TestStructLists: the same for lists of structs with entries, and of fixed size.
func TestStructLists(t *testing.T) {
	m := byName(t)("MetadataResponse", 12)
	v := m.Naive.Full()
	view := new(kview.MetadataResponse)
	if err := view.Parse(m.Naive.Write(&v, nil), 12); err != nil {
		t.Fatal(err)
	}
	quorum := new(kview.DescribeQuorumResponse)
	q := byName(t)("DescribeQuorumResponse", 2)
	w := q.Naive.Full()
	if err := quorum.Parse(q.Naive.Write(&w, nil), 2); err != nil {
		t.Fatal(err)
	}
	voters := quorum.Topics().At(0).Partitions().At(0).CurrentVoters()
	for _, i := range []int{-1, view.Topics().Len(), 1 << 30} {
		if !panics(func() { view.Topics().At(i) }) {
			t.Errorf("topic %d is there", i)
		}
	}
	for _, i := range []int{-1, voters.Len(), 1 << 30} {
		if !panics(func() { voters.At(i).ReplicaID() }) {
			t.Errorf("voter %d is there", i)
		}
	}
	var names []string
	for topic := range view.Topics().All() {
		names = append(names, string(topic.Name()))
		break
	}
	if !slices.Equal(names, []string{"xx"}) {
		t.Errorf("%q", names)
	}
}
