// encode: frames from JSON lines.

package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
)

var encodeCommand = command{
	name:     "encode",
	synopsis: "FILE",
	short:    "make frames from JSON lines",
	help: `Reads JSON lines in the form that "kafkawire json" prints and prints the frame of
each in hex, a line each. FILE may be gzip'd; "-" is standard input.

A line needs api, kind, version, header, and body or opaque. name and
headerVersion, if there, must agree with them. bodyAt, and flavor, frame and release
of a vectors file, are ignored. A tagged field that is missing takes its default;
any other that is missing, a member that the version doesn't have, and a string
that isn't UTF-8 are errors.`,
	define: func(fs *flag.FlagSet) func(*env, []string) error { return encode },
}

func encode(e *env, args []string) error {
	if len(args) != 1 {
		return errors.New("want one FILE; see kafkawire encode -h")
	}
	in, err := e.openInput(args[0], nil)
	if err != nil {
		return err
	}
	defer in.close()
	var dst, text []byte
	failed := false
	for {
		line, err := in.next()
		if err == io.EOF && len(line) == 0 {
			break
		}
		if err == nil || err == io.EOF {
			if dst, err = encodeLine(dst[:0], line); err == nil {
				text = append(hex.AppendEncode(text[:0], dst), '\n')
				e.out.Write(text)
				continue
			}
		} else if err != errLongLine {
			return fmt.Errorf("%s: %w", in.where(), err)
		}
		e.complain(fmt.Errorf("%s: %w", in.where(), err))
		failed = true
	}
	if failed {
		return errFailed
	}
	return nil
}

// lineMembers are the members that a line may have.
var lineMembers = map[string]bool{
	"api": true, "name": true, "kind": true, "version": true, "headerVersion": true, "header": true, "body": true,
	"opaque": true, "trailing": true, "bodyAt": true, "flavor": true, "frame": true, "release": true,
}

// encodeLine appends the frame that a line says.
func encodeLine(dst, text []byte) ([]byte, error) {
	l, err := parseLine(text)
	if err != nil {
		return dst, err
	}
	for _, name := range slices.Sorted(maps.Keys(l.members)) {
		if !lineMembers[name] {
			return dst, fmt.Errorf("unknown member %q", name)
		}
	}
	d := description{key: l.api(), response: l.isResponse(), version: l.int16("version"), header: l.object("header")}
	if l.has("opaque") {
		d.opaque = l.base64("opaque")
		if l.has("body", "trailing") && l.err == nil {
			l.err = errors.New(`member "opaque" beside "body" or "trailing"`)
		}
	} else {
		d.body = l.object("body")
		if l.has("trailing") {
			d.trailing = l.base64("trailing")
		}
	}
	if l.has("headerVersion") {
		d.headerVersion, d.headerTold = l.int16("headerVersion"), true
	}
	if l.err != nil {
		return dst, l.err
	}
	return d.appendFrame(dst)
}

// description is a frame as JSON has it.
type description struct {
	key              fastcodec.APIKey
	response         bool
	version          int16
	headerVersion    int16 // where headerTold is set; else it follows from key and version
	headerTold       bool
	header, body     json.RawMessage // body is nil where opaque isn't
	opaque, trailing []byte
}

// appendFrame appends the frame. On an error dst comes back as it was.
func (d *description) appendFrame(dst []byte) ([]byte, error) {
	version, err := d.findHeaderVersion()
	if err != nil {
		return dst, err
	}
	header, err := layout.Named(headerName(d.response), version)
	if err != nil {
		return dst, err
	}
	payload, err := header.AppendFromJSON(nil, d.header)
	if err != nil {
		return dst, err
	}
	if key, version, _, _, ok := fastcodec.PeekRequest(payload); ok && !d.response && (key != d.key || version != d.version) {
		return dst, fmt.Errorf("header is of API %d v%d, the line of API %d v%d", int16(key), version, int16(d.key), d.version)
	}
	if d.body == nil {
		payload = append(payload, d.opaque...)
	} else {
		body, err := layout.For(d.key, d.response, d.version)
		if err != nil {
			return dst, err
		}
		if payload, err = body.AppendFromJSON(payload, d.body); err != nil {
			return dst, err
		}
	}
	return fastcodec.AppendFrame(dst, append(payload, d.trailing...))
}

// findHeaderVersion is the version to write the header at.
func (d *description) findHeaderVersion() (int16, error) {
	version, known := d.key.RequestHeaderVersion(d.version)
	if d.response {
		version, known = d.key.ResponseHeaderVersion(d.version)
	}
	want := version
	if !known {
		want = fastcodec.UnknownHeader
	}
	switch {
	case d.headerTold && d.headerVersion != want:
		return 0, fmt.Errorf("member %q: %d, but it is %d in %s %s v%d", "headerVersion", d.headerVersion, want, d.key, kindName(d.response), d.version)
	case known:
		return version, nil
	case d.body != nil:
		return 0, fastcodec.UnsupportedVersion(d.key, !d.response, d.version)
	}
	var members map[string]json.RawMessage
	// What is wrong with the header, its own reader says.
	_ = json.Unmarshal(d.header, &members)
	_, clientID := members["clientId"]
	return certainHeader(d.response, clientID), nil
}
