// Where explain and json find frames, and the flags that say so.

package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
)

// source is what the flags say.
type source struct {
	hex, sample, key, kind string
	line, version          int
	response               bool
}

const sourceHelp = `FILE holds frames in hex or binary, size prefix included, or is a vectors or
captures file; gzip'd or not; "-" is standard input. A response can't say what it
answers: a frame that is one needs -response, -key and -version.`

// noVersion is the default of -version.
const noVersion = -1

func (s *source) define(fs *flag.FlagSet) {
	fs.StringVar(&s.hex, "hex", "", "take the frame `HEX` from the command line")
	fs.IntVar(&s.line, "line", 0, "take only line `N` of the file, from 1; of hex or binary, frame N")
	fs.BoolVar(&s.response, "response", false, "the frame is a response")
	fs.StringVar(&s.key, "key", "", "the API `KEY`, or name, of the request that a response answers")
	fs.IntVar(&s.version, "version", noVersion, "the `VERSION` of that request; or of the sample")
	fs.StringVar(&s.sample, "sample", "", "take the smallest instance of API or message `NAME`, at its highest version unless -version says one")
	fs.StringVar(&s.kind, "kind", "", "take only this `KIND` of the sample: request or response")
}

// item is a frame, or the body of a message that stands alone.
type item struct {
	frame
	where string
	own   bool            // a response stands at its own version, see takeApart
	alone *layout.Message // of a body
}

// items gives what the flags and arguments name. After an error there may be more.
func (s *source) items(e *env, args []string) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		if err := s.find(e, args, yield); err != nil {
			yield(item{}, err)
		}
	}
}

// find yields the items; an error of its own ends them.
func (s *source) find(e *env, args []string, yield func(item, error) bool) error {
	given := len(args)
	for _, text := range []string{s.hex, s.sample} {
		if text != "" {
			given++
		}
	}
	if given != 1 {
		return errors.New("want one of FILE, -hex and -sample; see -h")
	}
	if s.version < noVersion || s.version > math.MaxInt16 {
		return fmt.Errorf("-version %d: there is no such version", s.version)
	}
	if s.sample != "" {
		return s.samples(yield)
	}
	if s.kind != "" {
		return errors.New("-kind goes with -sample; a frame that is a response needs -response")
	}
	like, err := s.likeness()
	if err != nil {
		return err
	}
	if s.hex != "" {
		data, err := parseHex([]byte(s.hex))
		if err != nil {
			return fmt.Errorf("-hex: %w", err)
		}
		return s.frames("", data, like, yield)
	}
	in, err := e.openInput(args[0], nil)
	if err != nil {
		return err
	}
	defer in.close()
	lines, err := in.isLines()
	if err != nil {
		return err
	}
	if lines {
		return s.lines(in, yield)
	}
	data, err := readFrames(in.r)
	if err != nil {
		return fmt.Errorf("%s: %w", in.name, err)
	}
	return s.frames(in.name, data, like, yield)
}

// likeness is a frame without data: what the flags say of one.
func (s *source) likeness() (f frame, err error) {
	if !s.response {
		if s.key != "" || s.version != noVersion {
			return f, errors.New("a request has its key and version itself; for a response add -response")
		}
		return f, nil
	}
	if s.key == "" || s.version == noVersion {
		return f, errors.New("-response needs -key and -version")
	}
	key, err := parseKey(s.key)
	return frame{response: true, key: key, version: int16(s.version), told: true}, err
}

// parseKey reads an API's key or name.
func parseKey(text string) (fastcodec.APIKey, error) {
	if n, err := strconv.ParseInt(text, 10, 16); err == nil {
		return fastcodec.APIKey(n), nil
	}
	for key := range fastcodec.APIKeys() {
		if strings.EqualFold(key.String(), text) {
			return key, nil
		}
	}
	return 0, unknownName(text)
}

func unknownName(text string) error {
	return fmt.Errorf("there is no API or message %q; see kafkawire apis", text)
}

// lines yields what JSON lines hold.
func (s *source) lines(in *input, yield func(item, error) bool) error {
	if s.response {
		return fmt.Errorf("%s says itself what its frames are: -response is for single frames", in.name)
	}
	for {
		text, err := in.next()
		switch {
		case err == io.EOF && len(text) == 0:
			if s.line != 0 {
				return fmt.Errorf("%s has no line %d: its last is %d", in.name, s.line, in.line)
			}
			return nil
		case err != nil && err != io.EOF && err != errLongLine:
			return fmt.Errorf("%s: %w", in.where(), err)
		case s.line != 0 && in.line != s.line:
			continue
		}
		var it item
		if err != errLongLine {
			it, err = readItem(text)
		}
		it.where = in.where()
		if err != nil {
			err = fmt.Errorf("%s: %w", it.where, err)
		}
		if !yield(it, err) || s.line != 0 {
			return nil
		}
	}
}

// readItem reads the frame, or the body, of a line of any form.
func readItem(text []byte) (it item, err error) {
	l, err := parseLine(text)
	if err != nil {
		return it, err
	}
	switch l.form() {
	case verdictForm:
		it.data = l.hex("bytes")
		response, key, version := l.isResponse(), l.api(), l.int16("version")
		if l.err == nil {
			it.alone, l.err = layout.For(key, response, version)
		}
		return it, l.err
	case dataForm:
		it.data = l.hex("bytes")
		name, version := l.text("name"), l.int16("version")
		if l.err == nil {
			it.alone, l.err = layout.Named(name, version)
		}
		return it, l.err
	}
	it.own = l.form() == vectorForm
	it.frame, err = l.frame()
	return it, err
}

// frames yields the frames that data holds one after the other. What doesn't split
// is one frame, whose faults are for others to tell.
func (s *source) frames(name string, data []byte, like frame, yield func(item, error) bool) error {
	var all [][]byte
	for rest := data; len(rest) > 0; {
		payload, next, _, err := fastcodec.Split(rest)
		if err != nil || payload == nil {
			all = append(all, rest)
			break
		}
		all = append(all, rest[:fastcodec.SizePrefix+len(payload)])
		rest = next
	}
	if len(all) == 0 {
		return errors.New(strings.TrimPrefix(name+": no frame", ": "))
	}
	if s.line != 0 {
		if s.line < 0 || s.line > len(all) {
			return fmt.Errorf("no frame %d: there are %d", s.line, len(all))
		}
		all = all[s.line-1 : s.line]
	}
	for i, b := range all {
		it := item{frame: like, where: name}
		it.data = b
		if len(all) > 1 {
			it.where = strings.TrimPrefix(fmt.Sprintf("%s: frame %d", name, i+1), ": ")
		}
		if !yield(it, nil) {
			return nil
		}
	}
	return nil
}

// readFrames reads frames to the end, in binary or hex.
func readFrames(r io.Reader) ([]byte, error) {
	// In hex, with spaces, the largest frame takes three characters a byte.
	limit := 3 * int64(fastcodec.DefaultLimits.Frame+fastcodec.SizePrefix)
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("more than %d MiB of frames", limit>>20)
	case bytes.ContainsFunc(data, func(r rune) bool { return !strings.ContainsRune(hexText, r) }):
		return data, nil
	}
	return parseHex(data)
}

// hexText are the characters that hex may have.
const hexText = "0123456789abcdefABCDEFx \t\r\n"

// parseHex reads hex digits; white space between them and a 0x in front of a word
// mean nothing.
func parseHex(text []byte) ([]byte, error) {
	var digits []byte
	for _, word := range bytes.Fields(text) {
		word = bytes.TrimPrefix(word, []byte("0x"))
		digits = append(digits, word...)
	}
	b := make([]byte, hex.DecodedLen(len(digits)))
	_, err := hex.Decode(b, digits)
	return b, err
}

// samples yields smallest instances: request, then response.
func (s *source) samples(yield func(item, error) bool) error {
	if s.line != 0 || s.response || s.key != "" {
		return errors.New("-sample goes with -kind and -version only")
	}
	if s.kind != "" && s.kind != "request" && s.kind != "response" {
		return fmt.Errorf("-kind %q: want request or response", s.kind)
	}
	key, err := parseKey(s.sample)
	if err != nil {
		return s.namedSample(yield)
	}
	for _, response := range []bool{false, true} {
		if s.kind != "" && s.kind != kindName(response) {
			continue
		}
		it, err := s.sampleFrame(key, response)
		if err != nil {
			return err
		}
		if !yield(it, nil) {
			return nil
		}
	}
	return nil
}

// namedSample is the sample of a message that is named itself.
func (s *source) namedSample(yield func(item, error) bool) error {
	version := int16(max(s.version, 0))
	m, err := layout.Named(s.sample, version)
	if errors.Is(err, fastcodec.ErrUnknownAPI) {
		return unknownName(s.sample)
	}
	if err == nil && s.version == noVersion {
		_, version = m.Versions()
		m, err = layout.Named(s.sample, version)
	}
	if err != nil {
		return err
	}
	if s.kind != "" {
		return fmt.Errorf("-kind is for APIs: %s is one message", s.sample)
	}
	it := item{where: s.sample, alone: m}
	if key, ok := m.Key(); ok {
		response := strings.HasSuffix(m.Name(), "Response")
		if it, err = s.sampleFrame(key, response); err != nil {
			return err
		}
	} else {
		it.data = m.AppendSmallest(nil)
	}
	yield(it, nil)
	return nil
}

func (s *source) sampleFrame(key fastcodec.APIKey, response bool) (it item, err error) {
	version := int16(s.version)
	if s.version == noVersion {
		_, version, _ = key.Versions()
	}
	it = item{where: s.sample, own: true, frame: frame{response: response, key: key, version: version, told: true}}
	it.data, err = smallest(key, response, version)
	return it, err
}
