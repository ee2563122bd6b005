// JSON out, in the form of Kafka's own converters (its generated
// *JsonConverter classes).

package layout

import (
	"encoding/base64"
	"math"
	"strconv"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// AppendJSON appends body as one JSON object, in Kafka's form: member names in
// camelCase; numbers exact, float64 ones in the shortest form that reads back to
// the same value, with "NaN", "Infinity" and "-Infinity" as strings; bytes and
// records in padded base64; uuids in unpadded url-safe base64. Fields that the
// version lacks are not there, nor are known tagged fields at their default. A
// struct with unknown tagged fields has one member more than in Kafka's form:
//
//	"unknownTags": [{"tag": 9, "data": "AAE="}]
//
// A string that isn't UTF-8 comes out as Kafka reads it: with U+FFFD where bytes
// make no sense. end is where the fields end; what follows are trailing bytes. On
// an error dst comes back at its old length.
func (m *Message) AppendJSON(dst, body []byte) (text []byte, end int, err error) {
	j := jsonWriter{m: m, dst: append(dst, '{'), body: body, comma: []bool{false}}
	end, err = m.Walk(body, &j)
	if err != nil {
		return dst, 0, err
	}
	return append(j.dst, '}'), end, nil
}

// jsonWriter is the visitor that writes.
type jsonWriter struct {
	m       *Message
	dst     []byte
	body    []byte
	comma   []bool // for each open object or array: a member or element was written
	at      []int  // for each open tagged field: where its member starts in dst, and whether a comma came before
	unknown []fastcodec.Tag
	first   []int // for each open section: where its unknown fields start in unknown
	scratch []byte
}

// separate writes what goes before a member or an element.
func (j *jsonWriter) separate() {
	top := &j.comma[len(j.comma)-1]
	if *top {
		j.dst = append(j.dst, ',')
	}
	*top = true
}

// name writes the name of a field; elements have none.
func (j *jsonWriter) name(n *Node) {
	j.separate()
	if n.Index < 0 {
		j.member(n.field.json)
	}
}

func (j *jsonWriter) member(name string) {
	j.dst = append(append(append(j.dst, '"'), name...), '"', ':')
}

func (j *jsonWriter) begin(bracket byte) {
	j.dst = append(j.dst, bracket)
	j.comma = append(j.comma, false)
}

func (j *jsonWriter) end(bracket byte) {
	j.dst = append(j.dst, bracket)
	j.comma = j.comma[:len(j.comma)-1]
}

func (j *jsonWriter) Open(n *Node) {
	switch n.Kind {
	case Array, Struct:
		j.name(n)
		switch {
		case n.Null:
			j.dst = append(j.dst, "null"...)
		case n.Kind == Array:
			j.begin('[')
		default:
			j.begin('{')
		}
	case TagSection:
		j.first = append(j.first, len(j.unknown))
	case TagField:
		comma := 0
		if j.comma[len(j.comma)-1] {
			comma = 1
		}
		j.at = append(j.at, len(j.dst), comma)
	}
}

func (j *jsonWriter) Close(n *Node) {
	switch n.Kind {
	case Array:
		if !n.Null {
			j.end(']')
		}
	case Struct:
		if !n.Null {
			j.end('}')
		}
	case TagField:
		at, comma := j.at[len(j.at)-2], j.at[len(j.at)-1]
		j.at = j.at[:len(j.at)-2]
		if n.field != nil && !n.Cut && j.atDefault(n) {
			j.dst = j.dst[:at]
			j.comma[len(j.comma)-1] = comma == 1
		}
	case TagSection:
		j.unknownTags(j.unknown[j.first[len(j.first)-1]:])
		j.unknown = j.unknown[:j.first[len(j.first)-1]]
		j.first = j.first[:len(j.first)-1]
	}
}

// atDefault reports whether a known tagged field says no more than its default.
func (j *jsonWriter) atDefault(n *Node) bool {
	section := j.body[n.Offset : n.Offset+n.Size]
	_, number := fastcodec.ConsumeUvarint(section)
	_, size := fastcodec.ConsumeUvarint(section[number:])
	c := canonical{m: j.m, dst: j.scratch[:0]}
	w := walker{m: j.m, b: section[number+size:], full: len(section) - number - size, v: &c, limit: math.MaxInt, path: []fastcodec.PathStep{{}}}
	w.field(n.field, 0)
	j.scratch = c.dst
	return n.field.isDefault(c.dst)
}

func (j *jsonWriter) unknownTags(tags []fastcodec.Tag) {
	if len(tags) == 0 {
		return
	}
	j.separate()
	j.member("unknownTags")
	j.begin('[')
	for _, t := range tags {
		j.separate()
		j.dst = strconv.AppendUint(append(j.dst, `{"tag":`...), uint64(t.Number), 10)
		j.dst = append(j.dst, `,"data":`...)
		j.base64(t.Data)
		j.dst = append(j.dst, '}')
	}
	j.end(']')
}

func (j *jsonWriter) Leaf(n *Node) {
	switch n.Kind {
	case Length, Marker, TagNumber, TagSize:
		return
	case UnknownTag:
		j.unknown = append(j.unknown, fastcodec.Tag{Number: uint32(n.Value), Data: n.Content})
		return
	}
	j.name(n)
	switch {
	case n.Null:
		j.dst = append(j.dst, "null"...)
	case n.Kind == Bool:
		j.dst = strconv.AppendBool(j.dst, n.Value != 0)
	case n.Kind == Float64:
		j.dst = appendFloat(j.dst, float(n.Content))
	case n.Kind == UUID:
		u, _ := fastcodec.ConsumeUUID(n.Content)
		j.dst = append(u.AppendBase64(append(j.dst, '"')), '"')
	case n.Kind == String:
		j.dst = appendJSONString(j.dst, n.Content)
	case n.Kind == Bytes || n.Kind == Records:
		j.base64(n.Content)
	default:
		j.dst = strconv.AppendInt(j.dst, n.Value, 10)
	}
}

func (j *jsonWriter) base64(b []byte) {
	j.dst = append(base64.StdEncoding.AppendEncode(append(j.dst, '"'), b), '"')
}

// appendFloat appends a float64 as a JSON value; what JSON has no number for is a
// string, as Kafka's converters (Jackson) write it.
func appendFloat(dst []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, `"NaN"`...)
	case math.IsInf(v, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(v, -1):
		return append(dst, `"-Infinity"`...)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}
