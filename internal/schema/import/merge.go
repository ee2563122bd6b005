// This file merges what the releases say of a message: the newest release that has
// a version defines it.
package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kafkawire/kafkawire/internal/schema"
)

// merger builds one message. Ranges are bounded by the highest version until openStruct.
type merger struct {
	msg      *schema.Message
	structs  map[string]*schema.Struct
	entities map[*schema.Field]string
	renames  map[rename]bool // seen so far
	note     func(format string, args ...any)
	problems []string
}

func (g *merger) problem(format string, args ...any) {
	g.problems = append(g.problems, g.msg.Name+": "+fmt.Sprintf(format, args...))
}

// definer is the newest release that has the version.
func definer(defs []*definition, v int16) *definition {
	for _, d := range slices.Backward(defs) {
		if d.valid.Has(v) {
			return d
		}
	}
	return nil
}

// merge builds the message that the definitions, oldest release first, have in
// common. All of them are valid somewhere.
func merge(api *schema.API, defs []*definition, note func(string, ...any)) *merger {
	newest := defs[len(defs)-1]
	g := &merger{
		msg:      &schema.Message{API: api, Name: newest.name, Kind: newest.kind, Valid: schema.None, Flexible: schema.None},
		structs:  map[string]*schema.Struct{},
		entities: map[*schema.Field]string{},
		renames:  map[rename]bool{},
		note:     note,
	}
	m := g.msg
	for _, d := range defs {
		g.join(&m.Valid, d.valid, "validVersions")
	}
	if g.problems != nil {
		return g
	}
	m.Root = &schema.Struct{Name: m.Name, Versions: m.Valid}
	// Newest first: what a field is apart from its versions comes from there.
	for to := m.Valid.Max; to >= m.Valid.Min; {
		d, from := definer(defs, to), to
		for from > m.Valid.Min && definer(defs, from-1) == d {
			from--
		}
		run := schema.Versions{Min: from, Max: to}
		g.add(m.Root, d.fields, d, run)
		g.join(&m.Flexible, d.flexible.And(run), "flexibleVersions")
		to = from - 1
	}
	if !m.Flexible.Empty() && m.Flexible.Max != m.Valid.Max {
		g.problem("the highest version isn't flexible, lower ones are")
	}
	g.open(&m.Flexible)
	g.openStruct(m.Root)
	for _, s := range g.structs {
		g.openStruct(s)
	}
	g.headers(newest)
	return g
}

func (g *merger) join(to *schema.Versions, r schema.Versions, what string) {
	var ok bool
	if *to, ok = to.Join(r); !ok {
		g.problem("%s: a gap in %s", what, *to)
	}
}

// add merges the fields that a definition has in the versions r into s. Places
// stay in the order of the definition; checkLayouts sees where that fails.
func (g *merger) add(s *schema.Struct, fields []*fieldDef, d *definition, r schema.Versions) {
	at := 0
	for _, fd := range fields {
		i := slices.IndexFunc(s.Fields, func(f *schema.Field) bool { return f.Name == fd.Name })
		present := fd.Versions.And(r)
		if i < 0 {
			if present.Empty() {
				continue
			}
			i = at
			s.Fields = slices.Insert(s.Fields, i, g.newField(fd))
		}
		at = i + 1
		if present.Empty() {
			continue
		}
		f := s.Fields[i]
		if f.Type != fd.Type || f.Array != fd.Array || f.Tag != fd.Tag {
			g.problem("%s has another type or tag in %s", f.Name, d.release)
			continue
		}
		g.join(&f.Versions, present, f.Name)
		g.join(&f.Nullable, fd.Nullable.And(present), f.Name)
		g.join(&f.Tagged, fd.Tagged.And(present), f.Name)
		if f.Struct == nil {
			continue
		}
		below := fd.fields
		if shared := d.structs[fd.structName]; shared != nil {
			below, present = shared.fields, present.And(shared.versions)
		}
		g.join(&f.Struct.Versions, present, f.Struct.Name)
		g.add(f.Struct, below, d, present)
	}
}

func (g *merger) newField(fd *fieldDef) *schema.Field {
	f := fd.Field
	f.GoName = schema.GoName(f.Name)
	f.Versions, f.Nullable, f.Tagged = schema.None, schema.None, schema.None
	if fd.structName != "" {
		if g.structs[fd.structName] == nil {
			g.structs[fd.structName] = &schema.Struct{Name: fd.structName, Versions: schema.None}
		}
		f.Struct = g.structs[fd.structName]
	}
	if fd.entity != "" {
		g.entities[&f] = fd.entity
	}
	return &f
}

// openStruct opens all ranges of a struct, and gives its fields the entities that
// they have in all their versions, which are known now.
func (g *merger) openStruct(s *schema.Struct) {
	g.open(&s.Versions)
	for _, f := range s.Fields {
		g.open(&f.Versions)
		g.open(&f.Nullable)
		g.open(&f.Tagged)
		if kind := g.entities[f]; kind != "" {
			f.Entities = append(f.Entities, schema.Entity{Kind: kind, Versions: f.Versions})
		}
		if f.Name == "ClusterId" && f.Type == schema.String {
			f.Entities = append(f.Entities, schema.Entity{Kind: "cluster", Versions: f.Versions})
		}
	}
}

// open gives a range that reaches the highest version its open end.
func (g *merger) open(r *schema.Versions) {
	if !r.Empty() && r.Max == g.msg.Valid.Max {
		r.Max = schema.Forever
	}
}

// headers keeps the header versions that the rule doesn't give.
func (g *merger) headers(d *definition) {
	m := g.msg
	ranges := d.headers
	if h, ok := headerExceptions[m.Name]; ok && ranges == nil {
		ranges = []schema.HeaderRange{h}
	}
	for _, h := range ranges {
		h.Versions = h.Versions.And(m.Valid)
		rule := true
		for v := h.Versions.Min; v <= h.Versions.Max; v++ {
			rule = rule && m.HeaderVersion(v) == h.Header
		}
		if !rule {
			g.open(&h.Versions)
			m.HeaderVersions = append(m.HeaderVersions, h)
		}
	}
}

// checkLayouts compares the merged message with each release, version by version,
// and keeps the Go names of renamed fields. It notes what was decided and is
// strict about the rest.
func (g *merger) checkLayouts(defs []*definition) {
	m := g.msg
	for _, d := range defs {
		own := merge(g.msg.API, []*definition{d}, g.note)
		g.problems = append(g.problems, own.problems...)
		if d.name != m.Name {
			g.renamed(rename{message: m.Name, old: d.name}, nil, d.release)
		}
		for v := d.valid.Min; v <= d.valid.Max; v++ {
			was, is := own.msg.Layout(v, false), m.Layout(v, false)
			switch {
			case was == is:
				g.compareNames(own.msg.Root, m.Root, v, "", d.release)
			case definer(defs, v) == d:
				g.problem("v%d: merged to %s from %s of %s", v, is, was, d.release)
			case slices.ContainsFunc(decidedConflicts, func(c conflict) bool { return c.message == m.Name && c.version == v }):
				g.note("decided conflict: %s v%d is another in %s", m.Name, v, d.release)
			default:
				g.problem("v%d: conflict: %s in %s, %s in a newer release", v, was, d.release, is)
			}
		}
	}
}

// compareNames looks for renamed fields in two structs of the same layout.
func (g *merger) compareNames(was, is *schema.Struct, v int16, path, release string) {
	old := schema.FieldsAt(was, v)
	for i, f := range schema.FieldsAt(is, v) {
		at := path + f.Name
		if f.Array {
			at += "[]"
		}
		if old[i].Name != f.Name {
			g.renamed(rename{message: g.msg.Name, path: at, old: old[i].Name}, f, release)
		}
		if f.Struct != nil {
			g.compareNames(old[i].Struct, f.Struct, v, at+".", release)
		}
	}
}

func (g *merger) renamed(r rename, f *schema.Field, release string) {
	if g.renames[r] {
		return
	}
	g.renames[r] = true
	i := slices.IndexFunc(decidedRenames, func(d rename) bool {
		return d.message == r.message && d.path == r.path && d.old == r.old
	})
	if i < 0 {
		g.problem("%q is %s in %s: decide whether that is a rename", r.path, r.old, release)
		return
	}
	g.note("decided rename: %s was %s in %s", strings.TrimSpace(r.message+" "+r.path), r.old, release)
	// Oldest release first: the first name that is kept stays.
	if decidedRenames[i].keepGoName && f.GoName == schema.GoName(f.Name) {
		f.GoName = schema.GoName(r.old)
	}
}
