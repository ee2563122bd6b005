// Frames taken apart: header, body, and the version of the body.

package main

import (
	"errors"
	"fmt"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
)

// frame is a frame and what is known of it beforehand.
type frame struct {
	data     []byte // the size prefix and all that follows
	response bool
	key      fastcodec.APIKey // of a response, those of its request
	version  int16
	told     bool // key and version are known; a request may bring them itself
}

// parts is a frame taken apart. It aliases the frame.
type parts struct {
	frame
	payload, header, body []byte
	headerVersion         int16 // or fastcodec.UnknownHeader
	bodyVersion           int16 // the version at which the body stands
	opaque                bool  // key or version isn't known: body is not to be parsed
	request               fastcodec.RequestHeader
	answer                fastcodec.ResponseHeader
}

func kindName(response bool) string {
	if response {
		return "response"
	}
	return "request"
}

// title names the message, as in "Fetch request v12".
func (f *frame) title() string {
	return fmt.Sprintf("%s %s v%d", f.key, kindName(f.response), f.version)
}

// takeApart checks the size prefix and reads the header. own says that a response
// stands at its own version, as the reference vectors do; else the version of an
// ApiVersions answer is found out (KIP-511).
func takeApart(f frame, own bool) (p parts, err error) {
	p.frame = f
	payload, rest, need, err := fastcodec.Split(f.data)
	switch {
	case err != nil:
		return p, err
	case need > 0:
		return p, fmt.Errorf("the frame is cut, %s missing: %w", count(need, "byte"), fastcodec.ErrShort)
	case len(rest) > 0:
		return p, fmt.Errorf("%s behind the frame, offset %d", count(len(rest), "byte"), len(f.data)-len(rest))
	}
	p.payload = payload
	if f.response {
		p.answer, p.body, err = fastcodec.ParseResponse(payload, f.key, f.version)
		p.header, p.headerVersion, p.bodyVersion = p.answer.Bytes(), p.answer.HeaderVersion(), f.version
		if err == nil && !own {
			p.bodyVersion = fastcodec.ResponseBodyVersion(f.key, f.version, p.body, parsesWhole)
		}
	} else {
		p.request, p.body, err = fastcodec.ParseRequest(payload)
		if err != nil {
			return p, err
		}
		h := &p.request
		if f.told && (h.Key() != f.key || h.Version() != f.version) {
			return p, fmt.Errorf("the frame is of key %d v%d, not of key %d v%d", int16(h.Key()), h.Version(), int16(f.key), f.version)
		}
		p.key, p.version, p.bodyVersion = h.Key(), h.Version(), h.Version()
		p.header, p.headerVersion = h.Bytes(), h.HeaderVersion()
	}
	if err != nil {
		return p, err
	}
	p.opaque = !p.key.HasVersion(p.bodyVersion)
	return p, nil
}

// parsesWhole reports whether an ApiVersions response parses at a version, to its
// end.
func parsesWhole(body []byte, version int16) bool {
	m, err := layout.For(fastcodec.APIVersions, true, version)
	if err != nil {
		return false
	}
	end, err := m.Walk(body, nil)
	return err == nil && end == len(body)
}

// layout is the layout of the body, which must not be opaque.
func (p *parts) layout() (*layout.Message, error) {
	return layout.For(p.key, p.response, p.bodyVersion)
}

// bodyAt is the offset of the body in the frame.
func (p *parts) bodyAt() int { return fastcodec.SizePrefix + len(p.header) }

// headerLayout is the layout of the header; of an unknown version, that of the
// fields that are certain.
func (p *parts) headerLayout() (*layout.Message, error) {
	version := p.headerVersion
	if version == fastcodec.UnknownHeader {
		version = certainHeader(p.response, len(p.header) > certainRequest)
	}
	return layout.Named(headerName(p.response), version)
}

// certainRequest is the size of a request header without client id.
const certainRequest = 8

// certainHeader is the version of the header that has just the fields which every
// version has: a client id can be told from the bytes.
func certainHeader(response, clientID bool) int16 {
	if !response && clientID {
		return 1
	}
	return 0
}

func headerName(response bool) string {
	if response {
		return "ResponseHeader"
	}
	return "RequestHeader"
}

// smallest is the smallest frame of a message: every field there, nothing in it.
func smallest(key fastcodec.APIKey, response bool, version int16) ([]byte, error) {
	m, err := layout.For(key, response, version)
	if err != nil {
		return nil, err
	}
	body := fastcodec.Raw(m.AppendSmallest(nil))
	if response {
		return fastcodec.AppendResponse(nil, &fastcodec.ResponseHeaderData{Key: key, Version: version}, &body)
	}
	return fastcodec.AppendRequest(nil, &fastcodec.RequestHeaderData{Key: key, Version: version, ClientID: []byte{}}, &body)
}

// count is "1 byte" or "2 bytes".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// fault gives the typed error in err, or nil.
func fault(err error) *fastcodec.Error {
	var e *fastcodec.Error
	errors.As(err, &e)
	return e
}
