// The Rewriter: plans by (message, version), compiled when first needed.

package rewrite

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/schema"
)

// Rewriter edits frames. It never changes: any number of goroutines may use one.
type Rewriter struct {
	edits    Edits
	isolates bool
	versions bool     // ApiVersions responses are edited
	tables   [2]table // of requests, of responses
	force    bool     // for tests: edit also what is equal
}

// table has the plans of one direction by key, and of a key from its lowest version
// on.
type table []struct {
	lowest int16
	plans  []atomic.Pointer[plan]
}

// Compile makes a Rewriter. The error says what the edits lack.
func Compile(edits Edits) (*Rewriter, error) {
	edits.Versions.Hide = slices.Clone(edits.Versions.Hide)
	r := &Rewriter{edits: edits, isolates: edits.isolates()}
	r.versions = r.isolates || edits.Versions.Clamp || len(edits.Versions.Hide) > 0
	if r.hides(fastcodec.APIVersions) {
		return nil, fmt.Errorf("rewrite: %v can't be hidden: clients begin with it", fastcodec.APIVersions)
	}
	for key := range fastcodec.APIKeys() {
		lowest, highest, _ := key.Versions()
		for i := range r.tables {
			for len(r.tables[i]) <= int(key) {
				r.tables[i] = append(r.tables[i], table{{}}...)
			}
			r.tables[i][key].lowest = lowest
			r.tables[i][key].plans = make([]atomic.Pointer[plan], int(highest)-int(lowest)+1)
		}
	}
	return r, nil
}

// at is the place of a plan; nil where key or version is not known.
func (t table) at(key fastcodec.APIKey, version int16) *atomic.Pointer[plan] {
	if uint(key) < uint(len(t)) {
		if e := &t[key]; uint(version-e.lowest) < uint(len(e.plans)) {
			return &e.plans[version-e.lowest]
		}
	}
	return nil
}

// find is what to do with a message: nil where it passes unread because nothing is
// known of it. The error says that it must not pass.
func (r *Rewriter) find(key fastcodec.APIKey, version int16, response bool) (*plan, error) {
	t := r.tables[0]
	if response {
		t = r.tables[1]
	}
	to := t.at(key, version)
	if to == nil {
		return nil, r.unknown(key, version, response)
	}
	p := to.Load()
	if p == nil {
		p = r.first(to, key, version, response)
	}
	return p, p.err
}

// unknown says that an unknown key or version must not pass; nil if it may.
func (r *Rewriter) unknown(key fastcodec.APIKey, version int16, response bool) error {
	if r.isolates {
		return fastcodec.UnsupportedVersion(key, !response, version)
	}
	return nil
}

// first compiles a plan. Two goroutines may compile the same one; the first to
// finish wins.
func (r *Rewriter) first(to *atomic.Pointer[plan], key fastcodec.APIKey, version int16, response bool) *plan {
	p := &plan{err: fastcodec.UnsupportedVersion(key, !response, version)}
	if m := messageOf(key, response); m != nil {
		p = r.compile(m, version, response)
	}
	if !response && r.hides(key) {
		p.err = &fastcodec.Error{Message: key.String() + "Request", Version: version, Offset: -1, Err: ErrRefused, Want: "an API that is not hidden"}
	}
	if !to.CompareAndSwap(nil, p) {
		p = to.Load()
	}
	return p
}

// apis are the APIs whose notation has been read.
var apis sync.Map // int16 -> *schema.API

// messageOf is the schema of a request or response.
func messageOf(key fastcodec.APIKey, response bool) *schema.Message {
	a, ok := apis.Load(int16(key))
	if !ok {
		api, err := schema.ByKey(int16(key))
		if err != nil {
			return nil
		}
		a, _ = apis.LoadOrStore(int16(key), api)
	}
	for _, m := range a.(*schema.API).Messages {
		if m.Kind == schema.Response == response {
			return m
		}
	}
	return nil
}

// Touches says what the Rewriter does with messages of a key and version. Where it
// is false and there is no error, every such message passes as it is, and may be
// forwarded unread. An error says that none may pass: where names or ids are edited,
// fastcodec.ErrUnknownAPI or fastcodec.ErrVersion for what this build doesn't know;
// ErrRefused for an API that is hidden.
func (r *Rewriter) Touches(key fastcodec.APIKey, version int16, response bool) (bool, error) {
	p, err := r.find(key, version, response)
	return p != nil && p.touched, err
}

// Request appends the edited form of a request, size prefix included, to dst. Where
// nothing is to be changed, changed is false and dst comes back as it was: forward
// frame itself. On an error dst has its old length, and nothing of the frame should
// be sent. out must not alias frame.
//
// ctx is filled for the response; it may be nil where the caller has no use for it.
//
// Errors are *fastcodec.Error. They wrap a sentinel of package fastcodec where the
// frame is malformed, or of a key or version that must not pass (see Touches);
// ErrRefused, ErrResult, or fastcodec.ErrTooLong for a name that an edit function
// made too long. What stands behind the last field that could be edited is not read.
func (r *Rewriter) Request(dst, frame []byte, ctx *Context) (out []byte, changed bool, err error) {
	if ctx == nil {
		ctx = &Context{}
	}
	if len(frame) < 12 || !whole(frame) {
		return dst, false, frameError(frame, true)
	}
	key, version := fastcodec.APIKey(binary.BigEndian.Uint16(frame[4:])), int16(binary.BigEndian.Uint16(frame[6:]))
	ctx.Key, ctx.Version, ctx.known = key, version, false
	to := r.tables[0].at(key, version)
	if to == nil {
		return dst, false, r.unknown(key, version, false)
	}
	p := to.Load()
	if p == nil {
		p = r.first(to, key, version, false)
	}
	ctx.field, ctx.known = p.field, p.known
	if !p.touched || p.err != nil {
		return dst, false, p.err
	}
	at := 12
	if p.header > 0 {
		if at = requestBody(frame, p.header); at < 0 {
			return dst, false, frameError(frame, true)
		}
	}
	return r.rewrite(dst, frame, at, p, ctx)
}

// Response is Request for a response: to the request that ctx was filled by, or that
// has the Key and Version in ctx, which must not be nil. An ApiVersions response of
// version 0 that answers a request of another version is known by its content. A
// response that can't be read without what Request noted of its request is
// ErrContext.
func (r *Rewriter) Response(dst, frame []byte, ctx *Context) (out []byte, changed bool, err error) {
	if len(frame) < 8 || !whole(frame) {
		return dst, false, frameError(frame, false)
	}
	to := r.tables[1].at(ctx.Key, ctx.Version)
	if to == nil {
		return dst, false, r.unknown(ctx.Key, ctx.Version, true)
	}
	p := to.Load()
	if p == nil {
		p = r.first(to, ctx.Key, ctx.Version, true)
	}
	if !p.touched || p.err != nil {
		return dst, false, p.err
	}
	at := 8
	if p.header > 0 {
		if at < len(frame) && frame[at] == 0 {
			at++
		} else {
			_, body, err := fastcodec.ParseResponse(frame[4:], ctx.Key, ctx.Version)
			if err != nil {
				return dst, false, err
			}
			at = len(frame) - len(body)
		}
	}
	if ctx.Key == fastcodec.APIVersions && len(frame) > at+1 && frame[at] == 0 && frame[at+1] == byte(fastcodec.CodeUnsupportedVersion) {
		if p, err = r.find(ctx.Key, answered(ctx, frame[at:]), true); err != nil {
			return dst, false, err
		}
	}
	return r.rewrite(dst, frame, at, p, ctx)
}
