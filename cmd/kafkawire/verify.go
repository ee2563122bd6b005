// verify: files of reference data and captures, checked.

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
)

var verifyCommand = command{
	name:     "verify",
	synopsis: "[-allow-opaque] FILE...",
	short:    "check the codec against reference data and captures",
	help: `Checks every line of vectors, verdicts, data, records and captures files, gzip'd or
not; "-" is standard input. It ends with one line over all files:

  verify: N frames, header A, json B, from-json C, from-struct D, verdict E,
          opaque U, trailing T, failed F

  N   lines read
  A   frames whose header was read, is what the line says, and came out the same
  B   bodies whose JSON has the values of the reference
  C   frames that came out the same from JSON
  D   frames that came out the same, read through the views and written through the
      structs; of verdicts, bodies that came out as Kafka writes them
  E   bodies that are accepted or refused as by Kafka
  U   frames of a key or version that isn't known
  T   frames with bytes after their last field
  F   lines that failed any check

Before it stands a line with the differences that are meant, by class:

  D1  a uvarint of more than 32 bits, a compact length or tag count of 2^31 or more:
      Kafka drops high bits or reads null, an error here
  D2  the size of a known tagged field isn't that of its payload: Kafka ignores it,
      an error here
  D3  a known tagged field twice: Kafka takes the last, an error here
  D4  a known tag at a version that lacks it: an error in Kafka, kept here
  D5  a string that isn't UTF-8: replaced by Kafka, kept here

Of records files the line is another, and the last where there are files of both kinds:

  verify: N buffers, batches A, records B, rebuilt C, failed F

  N   lines read
  A   batches that have the values of the reference, and its records
  B   records that have its offset, timestamp, key, value and headers
  C   batches written again from their header and records: byte for byte where they
      aren't compressed, else read again and equal
  F   lines that failed any check, the count of bytes left over among them

The first 20 failures are named. The exit code is 1 if there are any, or if frames
are opaque and -allow-opaque isn't given.`,
	define: func(fs *flag.FlagSet) func(*env, []string) error {
		allow := fs.Bool("allow-opaque", false, "frames of a key or version that isn't known are no failure")
		return func(e *env, args []string) error { return verify(e, args, *allow) }
	},
}

// The classes of differences that are meant.
const (
	noClass = iota
	classD1
	classD2
	classD3
	classD4
	classD5
	classes
)

// tally counts lines, or files that can't be read.
type tally struct{ lines, failed int }

// verifier is one run.
type verifier struct {
	rewriter
	e       *env
	calls   calls
	index   layout.Index
	text    []byte
	batches batchVerifier

	buffers, frames                                               tally // lines of records files, and of all others
	header, json, fromJSON, fromStruct, verdict, opaque, trailing int
	class                                                         [classes]int

	// Of the line under way:
	where    string
	title    string
	problems int
	// shown counts the failures described.
	shown int
}

func verify(e *env, files []string, allowOpaque bool) error {
	if len(files) == 0 {
		return errors.New("want a FILE; see kafkawire verify -h")
	}
	v := &verifier{rewriter: rewriter{codecs: newCodecs()}, e: e}
	bar := e.newProgress("verify", totalSize(files))
	for _, name := range files {
		in, err := e.openInput(name, bar)
		t := &v.frames
		if err == nil {
			t, err = v.file(in)
			in.close()
		}
		if err != nil {
			t.failed++
			e.complain(err)
		}
	}
	bar.clear()
	if v.frames != (tally{}) {
		v.printFrames()
	}
	if v.buffers != (tally{}) {
		v.printBuffers()
	}
	switch {
	case v.frames.failed+v.buffers.failed > 0:
		return errFailed
	case v.opaque > 0 && !allowOpaque:
		return fmt.Errorf("%s of unknown key or version; -allow-opaque lets them pass", count(v.opaque, "frame"))
	}
	return nil
}

func (v *verifier) printFrames() {
	e := v.e
	fmt.Fprintf(e.out, "classes:")
	for i, n := range v.class[classD1:] {
		comma := ","
		if i == 0 {
			comma = ""
		}
		fmt.Fprintf(e.out, "%s D%d %d", comma, i+1, n)
	}
	fmt.Fprintf(e.out, "\nverify: %d frames, header %d, json %d, from-json %d, from-struct %d, verdict %d, opaque %d, trailing %d, failed %d\n",
		v.frames.lines, v.header, v.json, v.fromJSON, v.fromStruct, v.verdict, v.opaque, v.trailing, v.frames.failed)
}

// file checks the lines of a file, and gives the tally that it belongs to: that of its
// first line which has a form. An error is of the file as a whole.
func (v *verifier) file(in *input) (t *tally, err error) {
	v.calls.reset()
	t = &v.frames
	known, formless := false, 0
	defer func() { // a line without a form has failed
		t.lines += formless
		t.failed += formless
	}()
	for {
		text, err := in.next()
		if err == io.EOF && len(text) == 0 {
			if in.empty {
				return t, fmt.Errorf("%s: no lines", in.name)
			}
			return t, nil
		}
		if err != nil && err != io.EOF && err != errLongLine {
			return t, fmt.Errorf("%s: %w", in.where(), err)
		}
		v.where, v.title, v.problems = in.where(), "", 0
		var l *line
		if err != errLongLine {
			l, err = parseLine(text)
		}
		if err == nil && l.form() == unknownForm {
			err = errors.New("members of none of the forms: vectors, verdicts, data, records, captures")
		}
		if err != nil {
			v.problem("line", err)
			formless++
			continue
		}
		of := &v.frames
		if l.form() == recordsForm {
			of = &v.buffers
		}
		if !known {
			known, t = true, of
		}
		of.lines++
		if err := v.line(l); err != nil {
			v.problem("line", err)
		}
		if v.problems > 0 {
			of.failed++
		}
	}
}

// line checks a line. An error is of the line's form; what is wrong with what it
// holds is noted as a problem.
func (v *verifier) line(l *line) error {
	switch l.form() {
	case vectorForm:
		return v.vector(l)
	case verdictForm:
		return v.judged(l)
	case dataForm:
		return v.alone(l)
	case recordsForm:
		return v.records(l)
	}
	return v.captured(l)
}

// problem notes that the line under way failed a check.
func (v *verifier) problem(check string, err error) {
	v.problems++
	if v.shown++; v.shown > shownFailures {
		return
	}
	title := v.title
	if title != "" {
		title += ": "
	}
	v.e.say(fmt.Sprintf("%s: %s%s: %v", v.where, title, check, err))
	if v.shown == shownFailures {
		v.e.say("... further failures are counted only")
	}
}

// vector checks a reference frame.
func (v *verifier) vector(l *line) error {
	f, err := l.frame()
	if err != nil {
		return err
	}
	headerVersion, bodyAt := l.int16("headerVersion"), l.int("bodyAt")
	wantHeader, wantBody := l.object("header"), l.object("body")
	l.text("name")
	l.text("flavor")
	l.text("release")
	if l.err != nil {
		return l.err
	}
	v.title = f.title()
	p, err := takeApart(f, true)
	if err != nil {
		v.problem("header", err)
		return nil
	}
	c := v.codecs.get(p.key, p.response)
	if p.opaque || c == nil {
		v.opaque++
		return nil
	}
	m, err := p.layout()
	if err != nil {
		return err
	}
	if v.check(v.parseBoth(&p, c, m)) {
		return nil
	}
	v.copy(&p, c)
	if n := len(v.body.trailing); n > 0 {
		v.trailing++
		v.problem("trailing", fmt.Errorf("%s after the last field, body offset %d", count(n, "byte"), len(p.body)-n))
	}

	switch {
	case headerVersion != p.headerVersion:
		v.problem("header", fmt.Errorf("version %d, not %d as in the reference", p.headerVersion, headerVersion))
	case bodyAt != p.bodyAt():
		v.problem("header", fmt.Errorf("the body begins at %d, not %d as in the reference", p.bodyAt(), bodyAt))
	default:
		if v.headers(&p, wantHeader) {
			v.header++
		}
	}
	if v.values(m, p.body, wantBody) {
		v.json++
	}
	if v.framesFromJSON(&p, wantHeader, wantBody) {
		v.fromJSON++
	}
	if v.fromStructs(&p) {
		v.fromStruct++
	}
	return nil
}

// check notes an error and reports whether there was one.
func (v *verifier) check(err error) bool {
	if err != nil {
		v.problem("body", err)
	}
	return err != nil
}

// parseBoth reads the body with both parsers, which must agree.
func (v *verifier) parseBoth(p *parts, c *kview.Codec, m *layout.Message) error {
	return v.agree(c.View.Parse(p.body, p.bodyVersion), m.Parse(&v.index, p.body))
}

// agree holds the verdicts of the two parsers to each other.
func (v *verifier) agree(typed, generic error) error {
	switch {
	case typed == nil && generic == nil:
		return nil
	case typed == nil:
		return fmt.Errorf("the view accepts it, the layout does not: %w", generic)
	case generic == nil:
		return fmt.Errorf("the layout accepts it, the view does not: %w", typed)
	}
	return typed
}

// headers checks that the header comes out the same from its struct, and that its
// JSON has the reference's values. want is nil where there is no reference.
func (v *verifier) headers(p *parts, want json.RawMessage) (ok bool) {
	if err := v.rewriter.header(p); err != nil {
		v.problem("header", err)
		return false
	}
	if !bytes.Equal(v.out, p.header) {
		at := firstDifference(v.out, p.header)
		v.problem("header", errors.New("written again it is another: "+p.describeAt(fastcodec.SizePrefix+at)))
		return false
	}
	m, err := p.headerLayout()
	if err != nil {
		v.problem("header", err)
		return false
	}
	end, err := m.Walk(p.header, nil)
	switch {
	case err == nil && end != len(p.header):
		err = fmt.Errorf("the layout ends it at %d, not at %d", end, len(p.header))
	case err == nil && want != nil:
		err = v.compare(m, p.header, want)
	}
	if err != nil {
		v.problem("header", err)
	}
	return err == nil
}

// values checks a body's JSON against the reference.
func (v *verifier) values(m *layout.Message, body []byte, want json.RawMessage) bool {
	err := v.compare(m, body, want)
	if err != nil {
		v.problem("json", err)
	}
	return err == nil
}

// compare compares the JSON of a message with the reference's.
func (v *verifier) compare(m *layout.Message, body []byte, want json.RawMessage) error {
	text, _, err := m.AppendJSON(v.text[:0], body)
	v.text = text
	if err != nil {
		return err
	}
	ours, err := parseJSON(text)
	if err != nil {
		return err
	}
	wanted, err := parseJSON(want)
	if err != nil {
		return err
	}
	if d := compareJSON(ours, wanted); d != nil {
		return fmt.Errorf("%s: body offset %d: %s", pathText(d.path), offsetOf(m, body, d.path), d.text)
	}
	return nil
}

// framesFromJSON checks that the frame comes out the same from our JSON, and from
// the reference's with our unknown tags in it, where there is a reference.
func (v *verifier) framesFromJSON(p *parts, wantHeader, wantBody json.RawMessage) bool {
	err := v.fromOurJSON(p)
	if err == nil && wantBody != nil {
		err = v.fromReference(p, wantHeader, wantBody)
	}
	if err != nil {
		v.problem("from-json", err)
	}
	return err == nil
}

func (v *verifier) fromOurJSON(p *parts) (err error) {
	if v.text, err = p.appendJSON(v.text[:0]); err != nil {
		return err
	}
	if v.out, err = encodeLine(v.out[:0], v.text); err != nil {
		return err
	}
	return v.sameFrame(p)
}

func (v *verifier) fromReference(p *parts, header, body json.RawMessage) error {
	m, err := p.headerLayout()
	if err != nil {
		return err
	}
	if header, err = v.withUnknownTags(m, p.header, header); err != nil {
		return err
	}
	if m, err = p.layout(); err != nil {
		return err
	}
	if body, err = v.withUnknownTags(m, p.body, body); err != nil {
		return err
	}
	d := description{key: p.key, response: p.response, version: p.bodyVersion, header: header, body: body}
	if v.out, err = d.appendFrame(v.out[:0]); err != nil {
		return fmt.Errorf("of the reference: %w", err)
	}
	return v.sameFrame(p)
}

// withUnknownTags is the reference's JSON with the unknown tags that a message has.
func (v *verifier) withUnknownTags(m *layout.Message, body []byte, reference json.RawMessage) (json.RawMessage, error) {
	text, _, err := m.AppendJSON(v.text[:0], body)
	v.text = text
	if err != nil || !bytes.Contains(text, []byte(unknownTags)) {
		return reference, err
	}
	ours, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	want, err := parseJSON(reference)
	if err != nil {
		return nil, err
	}
	if d := compareJSON(ours, want); d != nil {
		return nil, fmt.Errorf("%s: body offset %d: %s", pathText(d.path), offsetOf(m, body, d.path), d.text)
	}
	graft(want, ours)
	return json.Marshal(want)
}

func (v *verifier) fromStructs(p *parts) bool {
	err := v.write(p)
	if err == nil {
		err = v.sameFrame(p)
	}
	if err != nil {
		v.problem("from-struct", err)
	}
	return err == nil
}

// sameFrame compares what was written with the frame.
func (v *verifier) sameFrame(p *parts) error {
	if bytes.Equal(v.out, p.data) {
		return nil
	}
	return p.difference(v.out)
}

// captured checks a frame of a conversation.
func (v *verifier) captured(l *line) error {
	f, err := l.frame()
	l.int("seq")
	l.number("t")
	if err = l.err; err != nil {
		return err
	}
	v.title = f.title()
	p, err := takeApart(f, false)
	if err != nil {
		v.problem("header", err)
		return nil
	}
	if err := v.calls.see(l, &p); err != nil {
		v.problem("header", err)
		return l.err
	}
	c := v.codecs.get(p.key, p.response)
	if p.opaque || c == nil {
		v.opaque++
		return nil
	}
	m, err := p.layout()
	if err != nil {
		return err
	}
	if v.check(v.parseBoth(&p, c, m)) {
		return nil
	}
	if v.copy(&p, c); len(v.body.trailing) > 0 {
		v.trailing++
	}
	if v.headers(&p, nil) {
		v.header++
	}
	if header, err := p.headerLayout(); err == nil && (checkText(m, p.body) != nil || checkText(header, p.header) != nil) {
		v.class[classD5]++ // what JSON can't hold can't come from it
	} else if v.framesFromJSON(&p, nil, nil) {
		v.fromJSON++
	}
	if v.fromStructs(&p) {
		v.fromStruct++
	}
	return nil
}

// alone checks a message without frame and header.
func (v *verifier) alone(l *line) error {
	name, version, body, want := l.text("name"), l.int16("version"), l.hex("bytes"), l.object("body")
	l.text("flavor")
	if l.err != nil {
		return l.err
	}
	v.title = fmt.Sprintf("%s v%d", name, version)
	c := v.codecs.named(name)
	m, err := layout.Named(name, version)
	if c == nil || errors.Is(err, fastcodec.ErrUnknownAPI) || errors.Is(err, fastcodec.ErrVersion) {
		v.opaque++
		return nil
	}
	if err != nil {
		return err
	}
	if v.check(v.agree(c.View.Parse(body, version), m.Parse(&v.index, body))) {
		return nil
	}
	if n := len(c.View.Trailing()); n > 0 {
		v.trailing++
		v.problem("trailing", fmt.Errorf("%s after the last field, body offset %d", count(n, "byte"), len(body)-n))
	}
	same := func(check string, got []byte, err error) bool {
		if err == nil && !bytes.Equal(got, body) {
			at := firstDifference(got, body)
			err = fmt.Errorf("written again it is another: %s: %s, not %s", bodyPlace(m, body, at), shownBytes(got, at), shownBytes(body, at))
		}
		if err != nil {
			v.problem(check, err)
		}
		return err == nil
	}
	if v.values(m, body, want) {
		v.json++
	}
	text, _, err := m.AppendJSON(nil, body)
	if err == nil {
		v.out, err = m.AppendFromJSON(v.out[:0], text)
	}
	if same("from-json", v.out, err) {
		if text, err = v.withUnknownTags(m, body, want); err == nil {
			v.out, err = m.AppendFromJSON(v.out[:0], text)
		}
		if same("from-json", v.out, err) {
			v.fromJSON++
		}
	}
	c.Copy()
	v.out, err = c.Data.AppendTo(v.out[:0], version)
	if same("from-struct", v.out, err) {
		v.fromStruct++
	}
	return nil
}
