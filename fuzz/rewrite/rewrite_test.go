// Package rewrite fuzzes rewriting. It stands apart from other targets, since one pays
// for all the code in its program at each execution.
package rewrite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
	"github.com/kafkawire/kafkawire/fuzz/check"
)

// FuzzRewrite rewrites a body of any request or response with edits of all kinds.
func FuzzRewrite(f *testing.F) {
	c := newRewriteChecker(f)
	seeds, err := check.Seeds(c.messages)
	if err != nil {
		f.Fatal(err)
	}
	for i, m := range c.messages {
		for _, body := range seeds[m] {
			if len(body) <= 128 {
				f.Add(uint16(i), uint32(i), body)
				break
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint16, salt uint32, body []byte) {
		if err := c.check(int(which)%len(c.messages), salt, body); err != nil {
			t.Fatal(err)
		}
	})
}

// TestRewriteMutated does what the target does to many bodies, some of them damaged.
func TestRewriteMutated(t *testing.T) {
	n := 15
	if testing.Short() {
		n = 4
	}
	c := newRewriteChecker(t)
	seeds, err := check.Seeds(c.messages)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(11, 13))
	for i, m := range c.messages {
		u := check.NewMutator(m, r)
		for _, body := range seeds[m] {
			u.Seed(body)
		}
		for range n {
			if err := c.check(i, r.Uint32(), u.Next()); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d rewritten, %d unchanged, %d refused, %d malformed", c.changed, c.same, c.refused, c.malformed)
	if c.changed < len(c.messages) || c.malformed == 0 || c.refused == 0 {
		t.Error("not what this is for")
	}
}

// rewriteChecker rewrites with edits that change nothing, with edits that undo
// themselves, and with edits that a salt makes up.
type rewriteChecker struct {
	messages                          []*check.Message
	identity, flip, random            *rewrite.Rewriter
	salt                              uint32
	changed, same, refused, malformed int
}

func newRewriteChecker(t testing.TB) *rewriteChecker {
	all, err := check.Messages()
	if err != nil {
		t.Fatal(err)
	}
	c := &rewriteChecker{}
	for _, m := range all {
		// The version of an ApiVersions response depends on its body.
		if m.Schema.API.Key >= 0 && m.Schema.Name != "ApiVersionsResponse" {
			c.messages = append(c.messages, m)
		}
	}
	compile := func(name rewrite.NameFunc, id func(int64) int64, endpoint rewrite.EndpointFunc) *rewrite.Rewriter {
		names, ids := rewrite.Names{Request: name, Response: name, Prefixes: true}, rewrite.IDs{Request: id, Response: id}
		r, err := rewrite.Compile(rewrite.Edits{
			Endpoints: rewrite.Endpoints{Request: endpoint, Response: endpoint},
			Topics:    names, Groups: names, Transactions: names, Clusters: names, Brokers: ids, Producers: ids,
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	c.identity = compile(
		func(old, scratch []byte) ([]byte, rewrite.Action) { return append(scratch, old...), rewrite.Replace },
		func(id int64) int64 { return id },
		func(e rewrite.Endpoint) ([]byte, int32) { return e.Host, e.Port })
	c.flip = compile(
		func(old, scratch []byte) ([]byte, rewrite.Action) {
			if len(old) < 2 { // * must not come of it
				return nil, rewrite.Keep
			}
			return flipped(append(scratch, old...)), rewrite.Replace
		},
		func(id int64) int64 { return id ^ 1 },
		func(e rewrite.Endpoint) ([]byte, int32) {
			port := e.Port
			if port >= 0 && port <= 65535 {
				port ^= 1
			}
			return flipped(bytes.Clone(e.Host)), port
		})
	c.random = compile(c.name, c.id, c.endpoint)
	return c
}

func flipped(b []byte) []byte {
	b[0] ^= 1
	return b
}

func (c *rewriteChecker) sum(b []byte) uint32 {
	return crc32.Update(c.salt, crc32.IEEETable, b)
}

func (c *rewriteChecker) name(old, scratch []byte) ([]byte, rewrite.Action) {
	switch n := c.sum(old); n % 8 {
	case 0:
		return nil, rewrite.Hide
	case 1:
		return old, rewrite.Keep
	case 2:
		return old[:len(old)/2], rewrite.Replace
	case 3:
		return bytes.Repeat([]byte("n"), int(n>>8)%300), rewrite.Replace
	case 4:
		if n>>8%64 == 0 {
			return bytes.Repeat([]byte("n"), 32000+int(n>>16)%768), rewrite.Replace
		}
		fallthrough
	default:
		return append(append(append(scratch, "x."...), old...), byte(n)), rewrite.Replace
	}
}

func (c *rewriteChecker) id(id int64) int64 {
	return id ^ int64(c.sum(strconv.AppendInt(nil, id, 10))&0xff)
}

func (c *rewriteChecker) endpoint(e rewrite.Endpoint) ([]byte, int32) {
	n := c.sum(append(bytes.Clone(e.Host), byte(e.NodeID)))
	return fmt.Appendf(nil, "%0*d", 1+n%200, n), int32(n >> 16)
}

// check rewrites a body of message i. An error says what doesn't hold.
func (c *rewriteChecker) check(i int, salt uint32, body []byte) (err error) {
	m := c.messages[i]
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v, salt %d: panic: %v\nbody %x", m, salt, p, body)
		}
	}()
	c.salt = salt
	key, response := fastcodec.APIKey(m.Schema.API.Key), m.Schema.Name[len(m.Schema.Name)-1] == 'e'
	head := frameHead(m, key, response)
	frame := append(head[:len(head):len(head)], body...)
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	end, refused := m.Layout.Walk(body, nil)
	run := func(r *rewrite.Rewriter, frame []byte) (out []byte, changed bool, err error) {
		ctx := rewrite.Context{Key: key, Version: m.Version, Protocol: rewrite.Protocol(salt % 3)}
		if !response {
			return r.Request([]byte("kept"), frame, &ctx)
		}
		if key == fastcodec.FindCoordinator && m.Version >= 4 {
			// The request of which this is the response.
			request := append(requestHead(key, m.Version, 2), byte(salt>>8%3), 1, 0)
			binary.BigEndian.PutUint32(request, uint32(len(request)-4))
			if _, _, err := r.Request(nil, request, &ctx); err != nil {
				return nil, false, err
			}
		}
		return r.Response([]byte("kept"), frame, &ctx)
	}
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%v, salt %d: %s\nbody %x", m, salt, fmt.Sprintf(format, args...), body)
	}
	// verdict holds that an error is the right one.
	verdict := func(out []byte, changed bool, err error) error {
		var a, b *fastcodec.Error
		switch {
		case !bytes.HasPrefix(out, []byte("kept")) || !changed && len(out) != 4:
			return fail("dst is %q", out)
		case err == nil:
		case !errors.As(err, &a):
			return fail("%v is %T", err, err)
		case errors.Is(err, rewrite.ErrRefused):
			c.refused++
		case errors.As(refused, &b) && *a == *b, inBlob(a):
			c.malformed++
		default:
			return fail("%v, want %v", err, refused)
		}
		return nil
	}

	out, changed, err := run(c.identity, frame)
	if bad := verdict(out, changed, err); bad != nil {
		return bad
	}
	if changed {
		return fail("changed by edits that change nothing:\n%x", out)
	}
	out, changed, err = run(c.flip, frame)
	if bad := verdict(out, changed, err); bad != nil {
		return bad
	}
	if changed {
		if len(out)-4 != len(frame) {
			return fail("%d bytes flipped are %d", len(frame), len(out)-4)
		}
		again, changed, err := run(c.flip, bytes.Clone(out[4:]))
		if err != nil || !changed || !bytes.Equal(again[4:], frame) {
			return fail("flipped twice, it differs: %v, %v\n%x", changed, err, again)
		}
	}
	out, changed, err = run(c.random, frame)
	if bad := verdict(out, changed, err); bad != nil || err != nil {
		return bad
	}
	if !changed {
		c.same++
		return nil
	}
	c.changed++
	edited := out[4:]
	if int(binary.BigEndian.Uint32(edited)) != len(edited)-4 || !bytes.Equal(edited[4:len(head)], frame[4:len(head)]) {
		return fail("size or header: %x", edited)
	}
	if refused != nil {
		return nil // for what stands behind the last field that can be edited
	}
	editedEnd, err := m.Layout.Walk(edited[len(head):], nil)
	if err != nil || !bytes.Equal(edited[len(head)+editedEnd:], body[end:]) {
		return fail("rewritten, it doesn't parse: %v, %d bytes left\n%x", err, len(edited)-len(head)-editedEnd, edited[len(head):])
	}
	return nil
}

// inBlob reports whether an error is in bytes that are read as a message.
func inBlob(e *fastcodec.Error) bool {
	for i := range e.Path.Len() {
		switch e.Path.At(i).Name {
		case "Metadata", "Assignment", "MemberMetadata", "MemberAssignment":
			return true
		}
	}
	return false
}

func frameHead(m *check.Message, key fastcodec.APIKey, response bool) []byte {
	if !response {
		return requestHead(key, m.Version, m.Layout.HeaderVersion())
	}
	return append([]byte{0, 0, 0, 0, 0, 0, 0, 7}, make([]byte, m.Layout.HeaderVersion())...)
}

func requestHead(key fastcodec.APIKey, version, header int16) []byte {
	head := []byte{0, 0, 0, 0, byte(key >> 8), byte(key), byte(version >> 8), byte(version), 0, 0, 0, 7}
	if header > 0 {
		head = append(head, "\x00\x01c"...)
	}
	if header > 1 {
		head = append(head, 0)
	}
	return head
}
