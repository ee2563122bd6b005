package kview_test

// Faults of the encoder: structs that are filled from a full instance of every
// message, with something else in one field.

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fuzz/check"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// field is a field of a struct, in one of a message's instances.
type field struct {
	t *testing.T
	*check.Message
	data   kdata.Message
	schema *schema.Field
	value  reflect.Value
	path   string // as errors show it
	there  bool   // the version has it
}

// structFields calls each for every field of every struct of every message of
// Kafka's, and puts the field back afterwards.
func structFields(t *testing.T, each func(*field)) {
	t.Helper()
	walkStructs(t, func(m *check.Message, data kdata.Message, s *schema.Struct, v reflect.Value, path string) {
		for _, f := range s.Fields {
			x := &field{t, m, data, f, v.FieldByName(f.GoName), path + f.Name, f.Versions.Has(m.Version)}
			old := reflect.New(x.value.Type()).Elem()
			old.Set(x.value)
			each(x)
			x.value.Set(old)
		}
	})
}

// walkStructs calls each for every struct that a full instance of a message has at
// a version, the message itself among them. path ends in a dot, or is empty.
func walkStructs(t *testing.T, each func(m *check.Message, data kdata.Message, s *schema.Struct, v reflect.Value, path string)) {
	t.Helper()
	for _, m := range everyVersion(t) {
		if m.Codec == nil {
			continue
		}
		c, v := m.Checker(), m.Naive.Full()
		wantAccepted(t, c, m.Naive.Write(&v, nil), nil)
		data := c.Struct().Data
		var walk func(s *schema.Struct, v reflect.Value, path string)
		walk = func(s *schema.Struct, v reflect.Value, path string) {
			for _, f := range s.Fields {
				g := v.FieldByName(f.GoName)
				switch {
				case f.Struct == nil || !f.Versions.Has(m.Version):
				case f.Array:
					for i := range g.Len() {
						walk(f.Struct, g.Index(i), fmt.Sprintf("%s%s[%d].", path, f.Name, i))
					}
				case g.Kind() == reflect.Pointer:
					walk(f.Struct, g.Elem(), path+f.Name+".")
				default:
					walk(f.Struct, g, path+f.Name+".")
				}
			}
			if !t.Failed() {
				each(m, data, s, v, path)
			}
		}
		walk(m.Schema.Root, reflect.ValueOf(data).Elem(), "")
		if t.Failed() {
			return
		}
	}
}

// set puts a value into the field.
func (f *field) set(v any) { f.value.Set(reflect.ValueOf(v)) }

// fails wants the encoder to fail in a field, and to leave dst as it was.
func (f *field) fails(want error, path string) {
	f.t.Helper()
	wantEncodeError(f.t, f.Message, f.data, want, path)
}

func wantEncodeError(t *testing.T, m *check.Message, data kdata.Message, want error, path string) {
	t.Helper()
	dst := append(make([]byte, 0, 64), "before"...)
	got, err := data.AppendTo(dst, m.Version)
	var e *fastcodec.Error
	switch {
	case !errors.Is(err, want) || !errors.As(err, &e):
		t.Errorf("%v: %s: %v, want %v", m, path, err, want)
	case e.Path.String() != path || e.Offset != -1 || e.Message != m.Schema.Name || e.Version != m.Version:
		t.Errorf("%v: %v: want it at %s", m, err, path)
	case len(got) != 6 || !bytes.Equal(got, []byte("before")):
		t.Errorf("%v: %s: dst comes back as %q", m, path, got)
	}
}

// encode is the struct as it is now.
func (f *field) encode() []byte {
	f.t.Helper()
	b, err := f.data.AppendTo(nil, f.Version)
	if err != nil {
		f.t.Errorf("%s: %v", f.path, err)
	}
	return b
}

// other is a value that is not the field's default. There is none of a struct that
// has no field.
func (f *field) other() reflect.Value {
	v := reflect.New(f.value.Type()).Elem()
	change(f.schema, v)
	return v
}

// change makes v, which is zero, something else than the default of f.
func change(f *schema.Field, v reflect.Value) {
	switch {
	case f.Array:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case f.Type == schema.StructType && v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		change(f.Struct.Fields[0], v.Elem().FieldByName(f.Struct.Fields[0].GoName))
	case f.Type == schema.StructType:
		change(f.Struct.Fields[0], v.FieldByName(f.Struct.Fields[0].GoName))
	case v.Kind() == reflect.Slice: // string, bytes, records
		v.Set(reflect.ValueOf([]byte("other")))
	case f.Type == schema.UUID:
		v.Set(reflect.ValueOf(fastcodec.UUID{Hi: 1}))
	case f.Type == schema.Bool:
		v.SetBool(f.Default != "true")
	case v.CanInt():
		v.SetInt(7)
	case v.CanUint():
		v.SetUint(7)
	default:
		v.SetFloat(7)
	}
}

// setDefault makes v the default of f.
func setDefault(f *schema.Field, v reflect.Value) {
	v.SetZero()
	null := f.Default == "null" || f.Type == schema.Records
	switch {
	case f.Array:
		if !null {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
	case f.Type == schema.StructType:
		if v.Kind() == reflect.Pointer {
			if null {
				return
			}
			v.Set(reflect.New(v.Type().Elem()))
			v = v.Elem()
		}
		for _, g := range f.Struct.Fields {
			setDefault(g, v.FieldByName(g.GoName))
		}
	case v.Kind() == reflect.Slice:
		if !null {
			v.Set(reflect.ValueOf([]byte{}))
		}
	case f.Default == "":
	case f.Type == schema.Bool:
		v.SetBool(true)
	case v.CanInt():
		n, _ := strconv.ParseInt(f.Default, 10, 64)
		v.SetInt(n)
	case v.CanUint():
		n, _ := strconv.ParseUint(f.Default, 10, 64)
		v.SetUint(n)
	case v.CanFloat():
		n, _ := strconv.ParseFloat(f.Default, 64)
		v.SetFloat(n)
	}
}
