// This file documents the notation and parses it.
//
// A file holds one API, or one header or data message. It reads like this:
//
//	api 55 DescribeQuorum  broker, controller
//
//	request 0-2, flexible 0+
//	  Topics              []TopicData
//	    TopicName         string       topic, key
//	    Partitions        []PartitionData
//	      PartitionIndex  int32
//
//	response 0-2, flexible 0+
//	  ...
//
//	struct ReplicaState
//	  ReplicaId  int32  broker
//	  ...
//
// Lines:
//
//	api KEY NAME [LISTENER, ...] [, unstable]    unstable: the highest version is not advertised by default
//	request VERSIONS [, flexible N+] [, header H for VERSIONS]...
//	response VERSIONS ...                        header: only where the rule "flexible or not" doesn't hold
//	header NAME VERSIONS [, flexible N+]         instead of api, request and response
//	data NAME VERSIONS [, flexible N+]           likewise
//	struct NAME [VERSIONS]                       a struct that several fields of the message above have
//	  FIELD TYPE [VERSIONS] [null VERSIONS] [= DEFAULT] [MARK, ...]
//
// A type is bool, int8, int16, uint16, int32, uint32, int64, float64, uuid,
// string, bytes, records or a struct's name, with [] in front for an array and ?
// behind if null is legal in all its versions (of the array, never of elements).
// "null VERSIONS" is for null in some versions only. A struct that one field has
// stands below it, two spaces deeper; one that more have stands in a section of
// its own behind the message.
//
// VERSIONS is "3", "3+" or "3-5". A field without is in all versions of its
// struct, a struct section without in all versions of its message. "3+" reaches
// the message's highest version, and a range that does is always written so. A
// range lies within that of its parent. Where a struct section is used in fewer
// versions at one place than at another, a field is there only in the versions
// that the field above it has too.
//
// A default is a number, true, or null; without one it is the type's zero (of
// records: null).
//
// Marks:
//
//	ignorable              a writer drops the field at versions without it, whatever its value
//	key                    part of the key of the array's elements
//	tag N [VERSIONS]       a tagged field (in these versions only)
//	never compact          int16 length in flexible versions too
//	go NAME                its frozen Go name, where GoName would give another
//	endpoint ROLE          part of a broker's or controller's address: host, port, node, rack or
//	                       listener; a node or rack goes with the hosts in the same struct or below,
//	                       or, if there are none (BeginQuorumEpoch), with those of the message
//	ENTITY [VERSIONS] [CONDITION]
//	                       topic, group, transaction, producer, broker or cluster, or any (a whole
//	                       message or log); versions if not all of the field's; a field may have several
//
// A condition is [if FIELD=VALUE] [as FORM], see Condition:
//
//	if KeyType=1                      field KeyType of this struct, or of the nearest one around it, is 1
//	if request.KeyType=1              ... of the request that this response answers
//	as decimal                        the number as text
//	as acl PatternType                an ACL's resource name, with its pattern type in that field
//	as share-key                      text GROUP:TOPICID:PARTITION
//	as pattern                        a regular expression over names
//	as index SourceTopics             positions in that array of an enclosing struct
//	as embedded VotersRecord          inside that data message; or in a whole request or response,
//	                                  in record batches or in the metadata log
//
// There are no comments: what was decided stands in the importer.
package schema

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var typeNames = []string{
	Bool: "bool", Int8: "int8", Int16: "int16", Uint16: "uint16", Int32: "int32", Uint32: "uint32", Int64: "int64",
	Float64: "float64", UUID: "uuid", String: "string", Bytes: "bytes", Records: "records",
}

var kindNames = []string{Request: "request", Response: "response", Header: "header", Data: "data"}

var endpointNames = []string{
	EndpointHost: "host", EndpointPort: "port", EndpointNode: "node", EndpointRack: "rack", EndpointListener: "listener",
}

var entityKinds = []string{"topic", "group", "transaction", "producer", "broker", "cluster", "any"}

var listenerNames = []string{"broker", "controller", "zkBroker"}

// parser walks the lines of one file. line and indent are the current one's.
type parser struct {
	name   string
	rest   string
	number int
	indent int
	line   string
	done   bool

	api      *API
	msg      *Message
	structs  map[string]*Struct // all of the message, as found so far
	sections map[string]*Struct // those that have a section
	refs     []reference
}

// reference is a field whose struct has a section; its Struct is a stand-in until
// the message's end.
type reference struct {
	field  *Field
	number int
}

// ParseAPI reads one file of the notation. name is for errors, which read
// "NAME:LINE: what".
func ParseAPI(name string, text []byte) (*API, error) {
	p := &parser{name: name, rest: string(text), api: &API{Key: -1}}
	if err := p.parse(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, p.number, err)
	}
	return p.api, nil
}

// next goes to the next line that isn't empty.
func (p *parser) next() error {
	for p.rest != "" {
		p.number++
		line, rest, _ := strings.Cut(p.rest, "\n")
		p.rest = rest
		p.line = strings.TrimLeft(line, " ")
		p.indent = len(line) - len(p.line)
		if p.line == "" && p.indent == 0 {
			continue
		}
		if p.indent%2 != 0 || p.line != strings.TrimSpace(p.line) || strings.Contains(line, "\t") {
			return errors.New("bad indentation, tab or trailing space")
		}
		return nil
	}
	p.line, p.indent, p.done = "", 0, true
	return nil
}

func (p *parser) parse() error {
	if err := p.next(); err != nil {
		return err
	}
	word, rest, _ := strings.Cut(p.line, " ")
	if word == "api" && p.indent == 0 {
		if err := p.apiLine(rest); err != nil {
			return err
		}
		if err := p.next(); err != nil {
			return err
		}
		for _, kind := range []Kind{Request, Response} {
			word, rest, _ = strings.Cut(p.line, " ")
			if p.indent != 0 || word != kindNames[kind] {
				return fmt.Errorf("want the %s, not %q", kindNames[kind], p.line)
			}
			if err := p.message(kind, p.api.Name+strings.ToUpper(word[:1])+word[1:], rest); err != nil {
				return err
			}
		}
	} else {
		kind := Kind(slices.Index(kindNames, word))
		if p.indent != 0 || kind != Header && kind != Data {
			return fmt.Errorf("want api, header or data, not %q", word)
		}
		p.api.Name, rest, _ = strings.Cut(rest, " ")
		if !isName(p.api.Name) {
			return fmt.Errorf("bad name %q", p.api.Name)
		}
		if err := p.message(kind, p.api.Name, rest); err != nil {
			return err
		}
	}
	if !p.done {
		return fmt.Errorf("unexpected %q", p.line)
	}
	return nil
}

// apiLine reads what follows "api".
func (p *parser) apiLine(rest string) error {
	keyText, rest, _ := strings.Cut(rest, " ")
	name, rest, _ := strings.Cut(rest, " ")
	key, ok := parseVersion(keyText)
	if !ok || !isName(name) {
		return errors.New("want: api KEY NAME LISTENER, ...")
	}
	p.api.Key, p.api.Name = key, name
	if rest = strings.TrimSpace(rest); rest == "" {
		return nil
	}
	for _, word := range strings.Split(rest, ", ") {
		switch {
		case p.api.Unstable:
			return errors.New("unstable comes last")
		case word == "unstable":
			p.api.Unstable = true
		case slices.Contains(listenerNames, word):
			p.api.Listeners = append(p.api.Listeners, word)
		default:
			return fmt.Errorf("unknown listener %q", word)
		}
	}
	return nil
}

// message reads a message from the rest of its first line to its last struct section.
func (p *parser) message(kind Kind, name, rest string) error {
	m := &Message{API: p.api, Name: name, Kind: kind, Flexible: None}
	p.api.Messages = append(p.api.Messages, m)
	p.msg, p.refs, p.structs, p.sections = m, nil, map[string]*Struct{}, map[string]*Struct{}
	for i, part := range strings.Split(rest, ", ") {
		words := strings.Fields(part)
		var err error
		switch {
		case i == 0 && len(words) == 1:
			m.Valid, err = parseRange(words[0])
			if err == nil && m.Valid.Max == Forever {
				err = errors.New("a message's versions are bounded")
			}
		case i == 0:
			err = fmt.Errorf("bad versions %q", part)
		case len(words) == 2 && words[0] == "flexible" && m.Flexible.Empty():
			m.Flexible, err = parseRange(words[1])
			if err == nil && (m.Flexible.Max != Forever || m.Flexible.Min > m.Valid.Max) {
				err = errors.New("flexible reaches the highest version")
			}
		case len(words) == 4 && words[0] == "header" && words[2] == "for":
			h := HeaderRange{}
			var ok bool
			if h.Header, ok = parseVersion(words[1]); !ok {
				return fmt.Errorf("bad header version %q", words[1])
			}
			h.Versions, err = p.within(words[3], m.open())
			m.HeaderVersions = append(m.HeaderVersions, h)
		default:
			err = fmt.Errorf("unknown %q", part)
		}
		if err != nil {
			return err
		}
	}
	m.Root = &Struct{Name: name, Versions: m.open()}
	if err := p.next(); err != nil {
		return err
	}
	if err := p.fields(m.Root, 2); err != nil {
		return err
	}
	for p.indent == 0 && strings.HasPrefix(p.line, "struct ") {
		if err := p.section(); err != nil {
			return err
		}
	}
	return p.finish()
}

// section reads a struct section.
func (p *parser) section() error {
	words := strings.Fields(p.line)[1:]
	if len(words) == 0 || len(words) > 2 {
		return errors.New("want: struct NAME VERSIONS")
	}
	versions, err := p.msg.open(), error(nil)
	if len(words) == 2 {
		if versions, err = p.within(words[1], versions); err != nil {
			return err
		}
	}
	s, err := p.define(words[0], versions)
	if err != nil {
		return err
	}
	p.sections[s.Name] = s
	if err = p.next(); err != nil {
		return err
	}
	return p.fields(s, 2)
}

// define adds a struct to the message.
func (p *parser) define(name string, versions Versions) (*Struct, error) {
	if !isName(name) || !isUpper(name[0]) {
		return nil, fmt.Errorf("bad struct name %q", name)
	}
	if p.structs[name] != nil {
		return nil, fmt.Errorf("struct %s twice", name)
	}
	s := &Struct{Name: name, Versions: versions}
	p.structs[name] = s
	return s, nil
}

// fields reads the fields of s, which stand at the given indentation.
func (p *parser) fields(s *Struct, indent int) error {
	for !p.done && p.indent == indent {
		f, structName, err := p.field(s)
		if err != nil {
			return err
		}
		for _, other := range s.Fields {
			if other.Name == f.Name || other.GoName == f.GoName {
				return fmt.Errorf("field %s twice", f.Name)
			}
			if f.IsTagged() && other.Tag == f.Tag {
				return fmt.Errorf("tag %d twice", f.Tag)
			}
		}
		s.Fields = append(s.Fields, f)
		number := p.number
		if err = p.next(); err != nil {
			return err
		}
		switch {
		case structName == "":
		case p.indent > indent:
			if f.Struct, err = p.define(structName, f.Versions); err != nil {
				return err
			}
			err = p.fields(f.Struct, indent+2)
		default:
			f.Struct = &Struct{Name: structName}
			p.refs = append(p.refs, reference{f, number})
		}
		if err != nil {
			return err
		}
	}
	if p.indent > indent {
		return errors.New("indented too far")
	}
	return nil
}

// field reads one field line; structName is set where the type is a struct.
func (p *parser) field(s *Struct) (f *Field, structName string, err error) {
	name, rest, _ := strings.Cut(p.line, " ")
	if !isName(name) {
		return nil, "", fmt.Errorf("bad field name %q", name)
	}
	f = &Field{Name: name, GoName: GoName(name), Versions: s.Versions, Nullable: None, Tag: -1, Tagged: None}
	typeName, rest := cutWord(rest)
	typeName, f.Array = strings.CutPrefix(typeName, "[]")
	typeName, nullable := strings.CutSuffix(typeName, "?")
	if t, ok := ParseType(typeName); ok {
		f.Type = t
	} else if isName(typeName) && isUpper(typeName[0]) {
		f.Type, structName = StructType, typeName
	} else {
		return nil, "", fmt.Errorf("unknown type %q", typeName)
	}
	word, after := cutWord(rest)
	if word != "" && '0' <= word[0] && word[0] <= '9' {
		if f.Versions, err = p.within(word, s.Versions); err != nil {
			return nil, "", err
		}
		rest = after
		word, after = cutWord(rest)
	}
	if nullable {
		f.Nullable = f.Versions
	} else if word == "null" {
		word, rest = cutWord(after)
		if f.Nullable, err = p.within(word, f.Versions); err != nil {
			return nil, "", err
		}
		if f.Nullable == f.Versions {
			return nil, "", errors.New("null in all versions is written as ?")
		}
		word, after = cutWord(rest)
	}
	if !f.Nullable.Empty() && !f.canBeNull() {
		return nil, "", fmt.Errorf("%s can't be null", typeName)
	}
	if word == "=" {
		f.Default, rest = cutWord(after)
		if err = f.checkDefault(); err != nil {
			return nil, "", err
		}
	}
	if rest == "" {
		return f, structName, nil
	}
	for _, mark := range strings.Split(rest, ", ") {
		if err = f.Mark(mark); err != nil {
			return nil, "", err
		}
	}
	if f.IsTagged() && (f.MapKey || f.Type == Records || f.Tagged.Min < p.msg.Flexible.Min || p.msg.Flexible.Empty()) {
		return nil, "", errors.New("a tagged field is flexible, no key and no records")
	}
	if f.MapKey && s == p.msg.Root {
		return nil, "", errors.New("a key is a field of an array's elements")
	}
	return f, structName, nil
}

// Mark adds one mark, as the notation writes it, to a field whose Versions are set.
func (f *Field) Mark(mark string) error {
	words := strings.Fields(mark)
	bad := fmt.Errorf("unknown mark %q", mark)
	switch {
	case mark == "ignorable" && !f.Ignorable:
		f.Ignorable = true
	case mark == "key" && !f.MapKey:
		f.MapKey = true
	case mark == "never compact" && !f.LegacyText && f.Type == String && !f.Array:
		f.LegacyText = true
	case len(words) == 0:
		return bad
	case words[0] == "go" && len(words) == 2:
		if !isName(words[1]) || words[1] == f.GoName {
			return bad
		}
		f.GoName = words[1]
	case words[0] == "endpoint" && len(words) == 2 && f.Endpoint == NotEndpoint:
		role := slices.Index(endpointNames, words[1])
		if role <= 0 {
			return bad
		}
		f.Endpoint = Endpoint(role)
	case words[0] == "tag" && len(words) >= 2 && f.Tag < 0:
		tag, ok := parseVersion(words[1])
		if !ok {
			return bad
		}
		var err error
		f.Tag = int(tag)
		if f.Tagged, words, err = f.markVersions(words[2:]); err != nil || len(words) > 0 {
			return bad
		}
	case slices.Contains(entityKinds, words[0]):
		e := Entity{Kind: words[0]}
		var err error
		if e.Versions, words, err = f.markVersions(words[1:]); err != nil {
			return bad
		}
		c, err := ParseCondition(strings.Join(words, " "))
		if err != nil {
			return err
		}
		e.Condition = c.String()
		if slices.Contains(f.Entities, e) {
			return fmt.Errorf("mark %q twice", mark)
		}
		f.Entities = append(f.Entities, e)
	default:
		return bad
	}
	return nil
}

// markVersions takes a mark's versions from its words; without any, they are the field's.
func (f *Field) markVersions(words []string) (Versions, []string, error) {
	if len(words) == 0 || words[0][0] < '0' || words[0][0] > '9' {
		return f.Versions, words, nil
	}
	r, err := parseRange(words[0])
	if err != nil || r == f.Versions || !f.Versions.Covers(r) {
		return None, nil, fmt.Errorf("bad versions %q", words[0])
	}
	return r, words[1:], nil
}

func (f *Field) canBeNull() bool {
	return f.Array || f.Type == String || f.Type == Bytes || f.Type == Records || f.Type == StructType
}

// checkDefault wants a default that the type has, written in the one way: not the
// zero, and numbers in decimal.
func (f *Field) checkDefault() error {
	d, ok := f.Default, false
	switch {
	case d == "null":
		ok = f.Nullable == f.Versions
	case f.canBeNull():
	case f.Type == Bool:
		ok = d == "true"
	case f.Type == Float64:
		n, err := strconv.ParseFloat(d, 64)
		ok = err == nil && n != 0
	case f.Type == Uint16 || f.Type == Uint32:
		n, err := strconv.ParseUint(d, 10, 8*f.Type.FixedSize())
		ok = err == nil && n != 0 && d == strconv.FormatUint(n, 10)
	case f.Type != UUID:
		n, err := strconv.ParseInt(d, 10, 8*f.Type.FixedSize())
		ok = err == nil && n != 0 && d == strconv.FormatInt(n, 10)
	}
	if !ok {
		return fmt.Errorf("bad default %q", d)
	}
	return nil
}

// within reads a range that must lie in outer, written in the one way.
func (p *parser) within(text string, outer Versions) (Versions, error) {
	r, err := parseRange(text)
	switch {
	case err != nil:
	case !outer.Covers(r):
		err = fmt.Errorf("versions %s are not within %s", text, outer)
	case r.Max != Forever && r.Max >= p.msg.Valid.Max || r.Min > p.msg.Valid.Max:
		err = fmt.Errorf("versions %s: the highest version is %d and is written N+", text, p.msg.Valid.Max)
	}
	return r, err
}

// parseRange is ParseVersions for a range that isn't empty, written in the one way.
func parseRange(text string) (Versions, error) {
	r, err := ParseVersions(text)
	if err == nil && (r.Empty() || r.String() != text) {
		err = fmt.Errorf("bad versions %q", text)
	}
	return r, err
}

// cutWord splits the first word off.
func cutWord(text string) (word, rest string) {
	word, rest, _ = strings.Cut(strings.TrimLeft(text, " "), " ")
	return word, strings.TrimLeft(rest, " ")
}

// finish resolves the references to struct sections and sets what follows from
// the whole message.
func (p *parser) finish() error {
	end := p.number
	used := map[string]Versions{}
	uses := map[string]int{}
	for _, ref := range p.refs {
		p.number = ref.number
		name := ref.field.Struct.Name
		s := p.sections[name]
		if s == nil {
			return fmt.Errorf("no fields below, and no section struct %s", name)
		}
		ref.field.Struct = s
		if uses[name]++; uses[name] == 1 {
			used[name] = None
		}
		var ok bool
		if used[name], ok = used[name].Join(ref.field.Versions); !ok {
			return fmt.Errorf("struct %s has a gap in its versions", name)
		}
	}
	p.number = end
	for name, s := range p.sections {
		if uses[name] < 2 {
			return fmt.Errorf("struct %s: a struct that one field has stands below it", name)
		}
		if used[name] != s.Versions {
			return fmt.Errorf("struct %s is in versions %s, its fields in %s", name, s.Versions, used[name])
		}
	}
	if err := p.msg.collect(p.msg.Root, nil); err != nil {
		return err
	}
	p.msg.nameStructs()
	return nil
}

// collect lists the structs below s in m.Structs.
func (m *Message) collect(s *Struct, above []*Struct) error {
	if slices.Contains(above, s) {
		return fmt.Errorf("struct %s contains itself", s.Name)
	}
	above = append(above, s)
	for _, f := range s.Fields {
		if f.Struct == nil {
			continue
		}
		if !slices.Contains(m.Structs, f.Struct) {
			m.Structs = append(m.Structs, f.Struct)
		}
		if err := m.collect(f.Struct, above); err != nil {
			return err
		}
	}
	return nil
}

// ParseType is the primitive type with the name, as Kafka's schemas have it.
func ParseType(name string) (Type, bool) {
	t := slices.Index(typeNames, name)
	return Type(max(t, 0)), t >= 0
}
