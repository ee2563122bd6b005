// JSON lines: vectors, verdicts, data, records and captures, told apart by their
// members.

package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// form is what a line is.
type form int

const (
	unknownForm form = iota
	vectorForm
	verdictForm
	dataForm
	recordsForm
	captureForm
)

// line is a JSON object, member by member. The first thing that is wrong with what
// is asked of it stays in err.
type line struct {
	members map[string]json.RawMessage
	err     error
}

// parseLine reads one object. Member names are exact, and each comes once.
func parseLine(text []byte) (*line, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, badJSON(err, "want an object")
	}
	l := &line{members: map[string]json.RawMessage{}}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, badJSON(err, "")
		}
		name := t.(string) // Token checks that names are strings
		if l.has(name) {
			return nil, badJSON(nil, fmt.Sprintf("member %q twice", name))
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, badJSON(err, "")
		}
		l.members[name] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, badJSON(err, "")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, badJSON(nil, "text behind the object")
	}
	return l, nil
}

func badJSON(err error, text string) error {
	if err == nil {
		return errors.New("bad JSON: " + text)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("bad JSON: the line ends early")
	}
	return fmt.Errorf("bad JSON: %w", err)
}

func (l *line) has(names ...string) bool {
	for _, name := range names {
		if _, ok := l.members[name]; ok {
			return true
		}
	}
	return false
}

// form goes by the members that only one form has, so that a line which lost some
// is refused as what it is.
func (l *line) form() form {
	switch {
	case l.has("batches", "codec", "magic"):
		return recordsForm
	case l.has("dir", "conn", "seq"):
		return captureForm
	case l.has("accepted", "change"):
		return verdictForm
	case l.has("frame", "bodyAt", "headerVersion", "header"):
		return vectorForm
	case l.has("bytes") && !l.has("api", "kind"):
		return dataForm
	}
	return unknownForm
}

// read decodes a member that must be there.
func (l *line) read(name string, to any) {
	if l.err != nil {
		return
	}
	value, ok := l.members[name]
	if !ok || string(value) == "null" {
		l.err = fmt.Errorf("no member %q", name)
		return
	}
	if err := json.Unmarshal(value, to); err != nil {
		l.err = fmt.Errorf("member %q: %s", name, strings.TrimPrefix(err.Error(), "json: "))
	}
}

func (l *line) text(name string) (s string)    { l.read(name, &s); return s }
func (l *line) int(name string) (n int)        { l.read(name, &n); return n }
func (l *line) int16(name string) (n int16)    { l.read(name, &n); return n }
func (l *line) flag(name string) (b bool)      { l.read(name, &b); return b }
func (l *line) number(name string) (n float64) { l.read(name, &n); return n }
func (l *line) base64(name string) (b []byte)  { l.read(name, &b); return b }

// object gives a member that must be a JSON object, as text.
func (l *line) object(name string) (value json.RawMessage) {
	if l.read(name, &value); l.err == nil && value[0] != '{' {
		l.err = fmt.Errorf("member %q: want an object", name)
	}
	return value
}

func (l *line) hex(name string) []byte {
	text := l.text(name)
	if l.err != nil {
		return nil
	}
	b, err := hex.DecodeString(text)
	if err != nil {
		l.err = fmt.Errorf("member %q: %w", name, err)
	}
	return b
}

// isResponse reads the kind.
func (l *line) isResponse() bool {
	return l.either("kind", "request", "response")
}

// either reads a member that has one of two values, and reports whether it is the
// second.
func (l *line) either(name, first, second string) bool {
	text := l.text(name)
	if l.err == nil && text != first && text != second {
		l.err = fmt.Errorf("member %q: %q, want %q or %q", name, text, first, second)
	}
	return text == second
}

// api reads the key and checks that the name, which need not be there, is its.
func (l *line) api() fastcodec.APIKey {
	key := fastcodec.APIKey(l.int16("api"))
	if l.has("name") {
		if name := l.text("name"); l.err == nil && name != key.String() {
			l.err = fmt.Errorf("member %q: %q, but API %d is %s", "name", name, int16(key), key)
		}
	}
	return key
}

// frame reads the frame of a vector or a capture.
func (l *line) frame() (f frame, err error) {
	switch l.form() {
	case captureForm:
		f = frame{data: l.hex("frame"), response: l.either("dir", "c2s", "s2c"), key: fastcodec.APIKey(l.int16("key")), version: l.int16("version"), told: true}
	case vectorForm:
		f = frame{data: l.hex("frame"), response: l.isResponse(), key: l.api(), version: l.int16("version"), told: true}
	default:
		return f, errors.New("a line without a frame: want one of a vectors or captures file")
	}
	return f, l.err
}
