// schema: the fields of a message.

package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"strings"

	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/internal/schema"
)

var schemaCommand = command{
	name:     "schema",
	synopsis: "[-version V] NAME",
	short:    "list the fields of a message",
	help: `Lists the fields of a message, such as MetadataResponse, RequestHeader or
VotersRecord, or of request and response of an API, such as Metadata or 3: types,
versions, versions in which null is legal, defaults, tags, and what a field holds
(topics, groups, transactional ids, producer, broker and cluster ids, parts of
addresses). A key is what tells the elements of an array apart; an ignorable field
is dropped when written at a version that lacks it, any other is an error then.
Defaults are shown where they aren't zero, empty or false. Without -version it has
the fields of all versions.`,
	define: func(fs *flag.FlagSet) func(*env, []string) error {
		version := fs.Int("version", noVersion, "list the fields of `VERSION` only, in the order of the wire")
		return func(e *env, args []string) error { return listSchema(e, args, *version) }
	},
}

func listSchema(e *env, args []string, version int) error {
	if len(args) != 1 {
		return errors.New("want one NAME; see kafkawire schema -h")
	}
	messages, err := findMessages(args[0])
	if err != nil {
		return err
	}
	for i, m := range messages {
		if i > 0 {
			e.out.WriteByte('\n')
		}
		if err := listMessage(e, m, version); err != nil {
			return err
		}
	}
	return nil
}

// findMessages finds one message, or request and response of an API.
func findMessages(name string) ([]*schema.Message, error) {
	if key, err := parseKey(name); err == nil {
		api, err := schema.ByKey(int16(key))
		if err != nil {
			return nil, unknownName(name)
		}
		return api.Messages, nil
	}
	if m, err := schema.ByName(name); err == nil {
		return []*schema.Message{m}, nil
	}
	return nil, unknownName(name)
}

func listMessage(e *env, m *schema.Message, version int) error {
	title := m.Name
	if m.API.Key >= 0 {
		title += fmt.Sprintf(", API %d", m.API.Key)
	}
	title += ", versions " + m.Valid.String()
	if m.Flexible.Empty() {
		title += ", never flexible"
	} else {
		title += ", flexible " + m.Flexible.String()
	}
	if version != noVersion {
		if version < 0 || version > math.MaxInt16 || !m.Valid.Has(int16(version)) {
			return fmt.Errorf("%s has no version %d: its versions are %s", m.Name, version, m.Valid)
		}
		title += fmt.Sprintf("; fields of version %d", version)
	}
	fmt.Fprintln(e.out, title)
	fmt.Fprintln(e.out)
	t := newTable("field", "type", "versions", "null", "default", "tag", "holds", "marks")
	l := lister{t, m, version}
	l.list(m.Root, m.Valid, "")
	t.write(e.out)
	return nil
}

type lister struct {
	*table
	m       *schema.Message
	version int
}

// list adds the fields of a struct, which is there in the versions within.
func (l *lister) list(s *schema.Struct, within schema.Versions, indent string) {
	fields := s.Fields
	if l.version != noVersion {
		fields = schema.FieldsAt(s, int16(l.version))
	}
	for _, f := range fields {
		versions := f.Versions.And(within)
		if versions.Empty() || l.version != noVersion && !versions.Has(int16(l.version)) {
			continue
		}
		nullable := f.Nullable.And(within)
		row := []string{indent + f.Name, fieldType(f), l.shown(versions), l.shown(nullable), f.Default, tag(f), l.holds(f), marks(f)}
		if l.version != noVersion {
			row[2], row[3] = "", ""
			if nullable.Has(int16(l.version)) {
				row[3] = "yes"
			}
		}
		l.add(row...)
		if f.Struct != nil {
			l.list(f.Struct, versions, indent+"  ")
		}
	}
}

// shown is a range as a reader knows it: open where it reaches the last version.
func (l *lister) shown(r schema.Versions) string {
	if r.Empty() {
		return ""
	}
	if r.Max == l.m.Valid.Max {
		r.Max = schema.Forever
	}
	return r.String()
}

func tag(f *schema.Field) string {
	if !f.IsTagged() {
		return ""
	}
	return fmt.Sprint(f.Tag)
}

func fieldType(f *schema.Field) string {
	name := layout.Kind(f.Type).String()
	if f.Struct != nil {
		name = f.Struct.Name
	}
	if f.Array {
		name = "[]" + name
	}
	return name
}

// endpointRoles says which part of an address a field is.
var endpointRoles = map[schema.Endpoint]string{
	schema.EndpointHost: "host of an address", schema.EndpointPort: "port of an address", schema.EndpointNode: "node of an address",
	schema.EndpointRack: "rack of an address", schema.EndpointListener: "listener of an address",
}

// holds says what a field means to others.
func (l *lister) holds(f *schema.Field) string {
	var all []string
	for _, e := range f.Entities {
		text := e.Kind
		switch {
		case l.version != noVersion && !e.Versions.Has(int16(l.version)):
			continue
		case l.version == noVersion && e.Versions != f.Versions:
			text += " " + l.shown(e.Versions)
		}
		if e.Condition != "" {
			text += " " + e.Condition
		}
		all = append(all, text)
	}
	if role := endpointRoles[f.Endpoint]; role != "" {
		all = append(all, role)
	}
	return strings.Join(all, ", ")
}

func marks(f *schema.Field) string {
	var all []string
	if f.MapKey {
		all = append(all, "key")
	}
	if f.Ignorable {
		all = append(all, "ignorable")
	}
	if f.LegacyText {
		all = append(all, "never compact")
	}
	if f.GoName != schema.GoName(f.Name) {
		all = append(all, "in Go "+f.GoName)
	}
	return strings.Join(all, ", ")
}
