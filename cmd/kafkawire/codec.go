// Views and structs of messages that are known at run time only.

package main

import (
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
)

type codecKey struct {
	key      fastcodec.APIKey
	response bool
}

// codecs keeps a codec for each message, to be used again and again.
type codecs struct {
	byKey  map[codecKey]*kview.Codec
	byName map[string]*kview.Codec
}

func newCodecs() *codecs { return &codecs{map[codecKey]*kview.Codec{}, map[string]*kview.Codec{}} }

// get is nil for an unknown key.
func (c *codecs) get(key fastcodec.APIKey, response bool) *kview.Codec {
	k := codecKey{key, response}
	made, ok := c.byKey[k]
	if !ok {
		if response {
			made = kview.NewResponseCodec(key)
		} else {
			made = kview.NewRequestCodec(key)
		}
		c.byKey[k] = made
	}
	return made
}

// named is nil for an unknown name.
func (c *codecs) named(name string) *kview.Codec {
	made, ok := c.byName[name]
	if !ok {
		if made = kview.NewNamedCodec(name); made != nil {
			c.byName[name] = made
		}
	}
	return made
}

// body is a struct, and the bytes to write behind it.
type body struct {
	data     fastcodec.Appender
	trailing []byte
}

func (b *body) AppendTo(dst []byte, version int16) ([]byte, error) {
	dst, err := b.data.AppendTo(dst, version)
	if err != nil {
		return dst, err
	}
	return append(dst, b.trailing...), nil
}

// rewriter reads a frame through the views and writes it again through the structs.
// It is used for one frame after another.
type rewriter struct {
	codecs   *codecs
	request  fastcodec.RequestHeaderData
	response fastcodec.ResponseHeaderData
	body     body
	out      []byte
}

// parse reads the body.
func (r *rewriter) parse(p *parts, c *kview.Codec) error { return c.View.Parse(p.body, p.bodyVersion) }

// copy fills the structs with all that header and body hold.
func (r *rewriter) copy(p *parts, c *kview.Codec) {
	if p.response {
		r.response.Key, r.response.Version = p.key, p.bodyVersion
		p.answer.CopyTo(&r.response)
	} else {
		p.request.CopyTo(&r.request)
	}
	c.Copy()
	r.body.data, r.body.trailing = c.Data, c.View.Trailing()
}

// header writes the header alone.
func (r *rewriter) header(p *parts) (err error) {
	if p.response {
		r.out, err = fastcodec.AppendResponseHeader(r.out[:0], &r.response)
	} else {
		r.out, err = fastcodec.AppendRequestHeader(r.out[:0], &r.request)
	}
	return err
}

// write writes the frame.
func (r *rewriter) write(p *parts) (err error) {
	if p.response {
		r.out, err = fastcodec.AppendResponse(r.out[:0], &r.response, &r.body)
	} else {
		r.out, err = fastcodec.AppendRequest(r.out[:0], &r.request, &r.body)
	}
	return err
}
