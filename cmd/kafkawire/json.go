// json: frames as JSON lines.

package main

import (
	"encoding/base64"
	"flag"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
)

var jsonCommand = command{
	name:     "json",
	synopsis: "[FLAGS] FILE | -hex HEX | -sample NAME",
	short:    "print frames as JSON lines",
	help: `Prints one JSON object a frame, a line each, in the order of the input:

  {"api":3,"name":"Metadata","kind":"request","version":9,"headerVersion":2,
   "bodyAt":20,"header":{...},"body":{...}}

header and body are in the form of Kafka's own JSON converters: members in
camelCase, numbers exact, bytes and records in base64, uuids in url-safe base64;
fields that the version lacks are not there, nor are tagged fields at their
default. Where there are any, header, body and every struct in them also have

  "unknownTags": [{"tag": N, "data": BASE64}]   tagged fields that the schema lacks
  "trailing": BASE64                            beside body: bytes after its end

A frame whose key or version isn't known keeps its body as it is: "opaque": BASE64
stands in the place of body. Its headerVersion is -1 where that can't be known;
header then has the fields that every version has, and all else is in opaque.

"kafkawire encode" makes frames of such lines again, with the same bytes (but for
encodings that no encoder would choose). A string that isn't UTF-8 has no place in
JSON and is an error; explain shows it.

` + sourceHelp,
	define: func(fs *flag.FlagSet) func(*env, []string) error {
		var s source
		s.define(fs)
		return func(e *env, args []string) error { return toJSON(e, &s, args) }
	},
}

func toJSON(e *env, s *source, args []string) error {
	var text []byte
	failed := false
	for it, err := range s.items(e, args) {
		if err == nil {
			if text, err = it.appendJSON(text[:0]); err == nil {
				e.out.Write(append(text, '\n'))
			} else if it.where != "" {
				err = fmt.Errorf("%s: %w", it.where, err)
			}
		}
		if err != nil {
			e.complain(err)
			failed = true
		}
	}
	if failed {
		return errFailed
	}
	return nil
}

// appendJSON appends the line of an item.
func (it *item) appendJSON(dst []byte) ([]byte, error) {
	if it.alone != nil {
		return dst, fmt.Errorf("a %s without a frame; explain shows it", it.alone.Name())
	}
	p, err := takeApart(it.frame, it.own)
	if err != nil {
		return dst, err
	}
	return p.appendJSON(dst)
}

// appendJSON appends a frame's line.
func (p *parts) appendJSON(dst []byte) ([]byte, error) {
	dst = strconv.AppendInt(append(dst, `{"api":`...), int64(p.key), 10)
	dst = append(append(dst, `,"name":"`...), p.key.String()...)
	dst = append(append(dst, `","kind":"`...), kindName(p.response)...)
	dst = strconv.AppendInt(append(dst, `","version":`...), int64(p.bodyVersion), 10)
	dst = strconv.AppendInt(append(dst, `,"headerVersion":`...), int64(p.headerVersion), 10)
	dst = strconv.AppendInt(append(dst, `,"bodyAt":`...), int64(p.bodyAt()), 10)
	m, err := p.headerLayout()
	if err != nil {
		return dst, err
	}
	dst, _, err = appendExactJSON(append(dst, `,"header":`...), m, p.header)
	if err != nil {
		return dst, err
	}
	if p.opaque {
		return append(appendBase64(append(dst, `,"opaque":`...), p.body), '}'), nil
	}
	if m, err = p.layout(); err != nil {
		return dst, err
	}
	dst, end, err := appendExactJSON(append(dst, `,"body":`...), m, p.body)
	if err != nil {
		return dst, err
	}
	if trailing := p.body[end:]; len(trailing) > 0 {
		dst = appendBase64(append(dst, `,"trailing":`...), trailing)
	}
	return append(dst, '}'), nil
}

// appendExactJSON appends a message as JSON, unless it has a string that JSON can't
// hold.
func appendExactJSON(dst []byte, m *layout.Message, body []byte) (text []byte, end int, err error) {
	text, end, err = m.AppendJSON(dst, body)
	if err == nil {
		err = checkText(m, body)
	}
	return text, end, err
}

func appendBase64(dst, b []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), b), '"')
}

// checkText returns an error for the first string of a message that isn't UTF-8.
// The message is one that was read before.
func checkText(m *layout.Message, body []byte) error {
	t := textCheck{m: m}
	if _, err := m.Walk(body, &t); err != nil {
		return err
	}
	if t.bad == nil {
		return nil
	}
	return t.bad
}

// textCheck is a visitor that looks for strings that aren't UTF-8.
type textCheck struct {
	m   *layout.Message
	bad *notText
}

// notText is the error of a string that isn't UTF-8.
type notText struct {
	message string
	version int16
	field   string
	offset  int
}

func (e *notText) Error() string {
	return fmt.Sprintf("%s v%d: %s: offset %d: a string that isn't UTF-8", e.message, e.version, e.field, e.offset)
}

func (t *textCheck) Open(*layout.Node)  {}
func (t *textCheck) Close(*layout.Node) {}

func (t *textCheck) Leaf(n *layout.Node) {
	if n.Kind == layout.String && t.bad == nil && !utf8.Valid(n.Content) {
		t.bad = &notText{t.m.Name(), t.m.Version(), pathText(n.Path), n.Offset}
	}
}

// pathText is a path as errors write it.
func pathText(steps []fastcodec.PathStep) string {
	var p fastcodec.Path
	for i := len(steps) - 1; i >= 0; i-- {
		p.Prepend(steps[i].Name, int(steps[i].Index))
	}
	return p.String()
}
