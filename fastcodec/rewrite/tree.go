// The tree of a message at one version: each place where a struct stands, and what
// is to be done with its fields. It is made from the schema notation, and programs
// are made from it.

package rewrite

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/kafkawire/kafkawire/internal/schema"
)

// place is a struct where it stands in a message.
type place struct {
	schema  *schema.Struct
	parent  *place
	at      int    // index in parent.items of the item that it is of; len(items) for a tagged one
	array   *item  // the array that it is the element of, or nil
	items   []item // the fields outside of the tag section, in wire order
	tags    []item // the known tagged fields
	touched bool   // something in it is edited or noted
	hides   bool   // as an element it may be hidden
}

// item is a field at one version.
type item struct {
	f       *schema.Field
	null    bool
	compact bool
	sub     *place

	// A field that another one depends on has its offset noted in a register: in
	// passing, or before, where it stands behind the field that depends on it.
	reg     int // noRegister: nobody needs it
	passing bool
	ahead   int // index of the last item to look ahead to before this one is read; -1

	rules    []rule
	anyType  *test
	endpoint *endpointEdit // to be asked for before the item is read
	host     bool
	port     bool
	refuse   string // what is accepted: anything else that isn't empty is refused
	embedded string // data message in the bytes
	batches  *rule
	indexed  bool
	context  bool
	protocol bool
	version  bool
}

const noRegister = -1

// maxRegisters is how many fields a message may have that others depend on.
const maxRegisters = 8

// grow makes the place of a struct and those inside it.
func (c *compiler) grow(s *schema.Struct, parent *place, at int, array *item) *place {
	p := &place{schema: s, parent: parent, at: at, array: array}
	for _, f := range s.Fields {
		if !f.Versions.Has(c.version) {
			continue
		}
		it := item{f: f, null: f.Nullable.Has(c.version), compact: c.flexible && !f.LegacyText, reg: noRegister, ahead: -1}
		switch {
		case f.Tagged.Has(c.version):
			p.tags = append(p.tags, it)
		case !f.IsTagged():
			p.items = append(p.items, it)
		}
	}
	for _, list := range [][]item{p.items, p.tags} {
		for i := range list {
			it := &list[i]
			if it.f.Type != schema.StructType {
				continue
			}
			at, array := i, (*item)(nil)
			if it.f.Tagged.Has(c.version) {
				at = len(p.items)
			}
			if it.f.Array {
				array = it
			}
			it.sub = c.grow(it.f.Struct, p, at, array)
		}
	}
	return p
}

// each calls f for every item of p and inside it; at is where it stands among
// p.items.
func (p *place) each(f func(p *place, at int, it *item)) {
	for i := range p.items {
		f(p, i, &p.items[i])
	}
	for i := range p.tags {
		f(p, len(p.items), &p.tags[i])
	}
	for _, list := range [][]item{p.items, p.tags} {
		for i := range list {
			if list[i].sub != nil {
				list[i].sub.each(f)
			}
		}
	}
}

// touch says that something in p needs reading.
func (p *place) touch() {
	for ; p != nil; p = p.parent {
		p.touched = true
	}
}

// mark puts the edits onto the items.
func (c *compiler) mark(root *place) {
	root.each(func(p *place, at int, it *item) {
		for _, e := range it.f.Entities {
			if e.Versions.Has(c.version) {
				c.entity(p, at, it, &e)
			}
		}
		if it.f.Endpoint == schema.EndpointHost {
			c.endpoint(root, p, at)
		}
	})
	c.remember(root)
	c.apiVersions(root)
}

// entity puts one entity mark onto its field.
func (c *compiler) entity(p *place, at int, it *item, e *schema.Entity) {
	cond, err := schema.ParseCondition(e.Condition)
	if err != nil {
		c.fail(it.f, err.Error())
		return
	}
	names, ids, active := c.of(e.Kind)
	if !active {
		return
	}
	r := rule{form: cond.Form, response: c.response}
	if names != nil {
		r.name, r.prefixes = c.direction(names), names.Prefixes
	}
	if ids != nil {
		r.id = ids.Request
		if c.response {
			r.id = ids.Response
		}
	}
	switch cond.Form {
	case schema.Pattern:
		it.refuse = "no pattern of names"
		p.touch()
		return
	case schema.IndexForm:
		if q, i, _ := find(p.parent, p.at, cond.Arg); i >= 0 {
			q.items[i].indexed = true
		} else {
			c.fail(it.f, "no array "+cond.Arg)
		}
		return
	case schema.EmbeddedForm:
		if !isData(cond.Arg) && cond.Arg != "batches" {
			it.refuse = "no " + cond.Arg + " inside"
			p.touch()
			return
		}
	}
	if r.name == nil && r.id == nil {
		return
	}
	var possible bool
	if r.test, possible = c.test(p, at, it.f, &cond); !possible {
		return
	}
	switch cond.Form {
	case schema.EmbeddedForm:
		p.touch()
		if cond.Arg == "batches" {
			it.batches = &r
			return
		}
		it.embedded = cond.Arg
	case schema.ACLName:
		q, i, pos := find(p, at, cond.Arg)
		switch {
		case q == nil:
			c.fail(it.f, "no field "+cond.Arg)
		case i >= 0:
			r.pattern = c.demand(q, i, pos)
		}
		if r.test.how == byNumber {
			it.anyType = &test{how: byNumber, field: r.test.field, number: aclTypeAny}
		}
	}
	p.touch()
	// What an array of strings is made of is an element; else look for the element
	// of a struct around.
	r.element = it.f.Array
	for q := p; q != nil && !r.element && r.name != nil; q = q.parent {
		if q.array != nil {
			r.element, q.hides = true, true
		}
	}
	it.rules = append(it.rules, r)
}

// of are the edits of an entity kind; active says whether there are any.
func (c *compiler) of(kind string) (names *Names, ids *IDs, active bool) {
	e := &c.r.edits
	switch kind {
	case "topic":
		names = &e.Topics
	case "group":
		names = &e.Groups
	case "transaction":
		names = &e.Transactions
	case "cluster":
		names = &e.Clusters
	case "broker":
		ids = &e.Brokers
	case "producer":
		ids = &e.Producers
	case "any":
		return nil, nil, c.r.isolates
	}
	return names, ids, names != nil && names.active() || ids != nil && ids.active()
}

func (c *compiler) direction(n *Names) NameFunc {
	if c.response {
		return n.Response
	}
	return n.Request
}

// find looks for a field from p outwards; pos is where the way to the field that
// looks for it goes through the place it is found in. i is -1 where the version
// lacks the field, and q is nil where no version has it.
func find(p *place, at int, name string) (q *place, i, pos int) {
	for q, pos = p, at; q != nil; q, pos = q.parent, q.at {
		if slices.ContainsFunc(q.schema.Fields, func(f *schema.Field) bool { return f.Name == name }) {
			return q, slices.IndexFunc(q.items, func(it item) bool { return it.f.Name == name }), pos
		}
	}
	return nil, -1, 0
}

// demand has item i of q noted for something at pos of the same place.
func (c *compiler) demand(q *place, i, pos int) *source {
	it := &q.items[i]
	if it.reg == noRegister {
		it.reg = c.registers
		if c.registers++; c.registers > maxRegisters {
			c.fail(it.f, "too many fields that others depend on")
		}
	}
	if i < pos {
		it.passing = true
		q.touch()
	} else {
		q.items[pos].ahead = max(q.items[pos].ahead, i)
	}
	return &source{reg: uint8(it.reg), typ: it.f.Type, wide: !it.compact}
}

// test is the condition of a mark of field f; possible is false where it never holds
// at this version.
func (c *compiler) test(p *place, at int, f *schema.Field, cond *schema.Condition) (t test, possible bool) {
	if cond.Field == "" {
		return test{how: always}, true
	}
	number, err := strconv.ParseInt(cond.Value, 10, 32)
	t.number, t.text = number, []byte(cond.Value)
	if cond.OfRequest {
		if err != nil {
			c.fail(f, "the request's field is no number")
		}
		t.how = byRequest
		return t, true
	}
	q, i, pos := find(p, at, cond.Field)
	if q == nil {
		c.fail(f, "no field "+cond.Field)
		return t, false
	}
	if i < 0 {
		// A version without the field counts with its default.
		i := slices.IndexFunc(q.schema.Fields, func(f *schema.Field) bool { return f.Name == cond.Field })
		d := q.schema.Fields[i]
		switch {
		case d.Versions.Has(c.version):
			c.fail(f, "the field "+cond.Field+" is tagged")
			return t, false
		case d.Default == "null":
			t.how = byProtocol
			return t, cond.Value == consumer
		case d.Type == schema.String:
			return test{how: always}, d.Default == cond.Value
		}
		n, _ := strconv.ParseInt(d.Default, 10, 32)
		return test{how: always}, n == number
	}
	t.field = *c.demand(q, i, pos)
	switch {
	case t.field.typ == schema.String:
		t.how = byText
	case err == nil && t.field.typ.FixedSize() > 0:
		t.how = byNumber
	default:
		c.fail(f, "can't compare "+cond.Field)
	}
	return t, true
}

// endpoint makes the edit of the address whose host is item host of p.
func (c *compiler) endpoint(root, p *place, host int) {
	f := c.r.edits.Endpoints.Request
	if c.response {
		f = c.r.edits.Endpoints.Response
	}
	port := slices.IndexFunc(p.items, func(it item) bool { return it.f.Endpoint == schema.EndpointPort })
	if f == nil || port < 0 {
		return
	}
	e := &endpointEdit{f: f, joined: port == host+1}
	first := host
	if e.joined {
		is := func(i int, role schema.Endpoint) bool {
			return i >= 0 && i < len(p.items) && p.items[i].f.Endpoint == role
		}
		e.nodeBefore = is(host-1, schema.EndpointNode)
		e.rackBehind = is(host+2, schema.EndpointRack)
		e.wide = e.rackBehind && !p.items[host+2].compact
	} else {
		first = min(host, port)
		e.host, e.port = c.demand(p, host, first), c.demand(p, port, first)
	}
	if !e.nodeBefore {
		e.node = c.role(p, first, schema.EndpointNode)
	}
	e.listener = c.role(p, first, schema.EndpointListener)
	if !e.rackBehind {
		e.rack = c.role(p, first, schema.EndpointRack)
	}
	if e.node == nil && !e.nodeBefore {
		// BeginQuorumEpoch: the node is further inside, but the only one of the message.
		root.each(func(q *place, i int, it *item) {
			if it.f.Endpoint == schema.EndpointNode && i < len(q.items) {
				e.node = c.demand(q, i, i+1)
			}
		})
	}
	p.items[first].endpoint = e
	p.items[host].host, p.items[port].port = true, true
	p.touch()
}

// role looks for the field with a role from p outwards.
func (c *compiler) role(p *place, at int, role schema.Endpoint) *source {
	for ; p != nil; p, at = p.parent, p.at {
		if i := slices.IndexFunc(p.items, func(it item) bool { return it.f.Endpoint == role }); i >= 0 {
			return c.demand(p, i, at)
		}
	}
	return nil
}

// remember marks, in a request, the fields that later messages depend on: one that
// a mark of the response looks at, and the protocol type of a group.
func (c *compiler) remember(root *place) {
	if c.response || c.m.Kind != schema.Request {
		return
	}
	for _, m := range c.m.API.Messages {
		for _, s := range append([]*schema.Struct{m.Root}, m.Structs...) {
			for _, f := range s.Fields {
				for _, e := range f.Entities {
					cond, err := schema.ParseCondition(e.Condition)
					_, _, active := c.of(e.Kind)
					if err != nil || !active || !e.Versions.Has(c.version) {
						continue
					}
					i := slices.IndexFunc(root.items, func(it item) bool { return it.f.Name == cond.Field })
					switch {
					case cond.OfRequest && m.Kind == schema.Response:
						c.requestField(root, i, cond.Field)
					case cond.Value == consumer && m == c.m && i >= 0:
						root.items[i].protocol = true
						root.touch()
					}
				}
			}
		}
	}
}

// requestField marks the field that the response depends on.
func (c *compiler) requestField(root *place, i int, name string) {
	if i >= 0 {
		root.items[i].context = true
		root.touch()
	} else if j := slices.IndexFunc(root.schema.Fields, func(f *schema.Field) bool { return f.Name == name }); j >= 0 {
		n, _ := strconv.ParseInt(root.schema.Fields[j].Default, 10, 32)
		c.plan.known, c.plan.field = true, int32(n)
	}
	if c.field != "" && c.field != name {
		c.fail(root.schema.Fields[0], "the response depends on two fields of the request")
	}
	c.field = name
}

// apiVersions marks the elements of an ApiVersions response.
func (c *compiler) apiVersions(root *place) {
	if !c.response || c.m.API.Key != apiVersionsKey || !c.r.versions {
		return
	}
	for i := range root.items {
		p := root.items[i].sub
		if p != nil && len(p.items) >= 3 && p.items[0].f.Name == "ApiKey" && p.items[1].f.Name == "MinVersion" && p.items[2].f.Name == "MaxVersion" {
			p.items[0].version, p.hides = true, true
			p.touch()
		}
	}
}

// fail says that the notation asks for what this build can't do. A test holds that
// it never does.
func (c *compiler) fail(f *schema.Field, why string) {
	if c.plan.err == nil {
		c.plan.err = fmt.Errorf("%s v%d: %s: %s", c.m.Name, c.version, f.Name, why)
	}
}
