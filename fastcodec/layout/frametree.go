// Trees of whole frames and of single messages.

package layout

import (
	"encoding/binary"
	"fmt"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// AppendTree appends the object tree of a frame, size prefix included: a line for
// each field with name, type, value, offset in the frame and size, as
// "name type = value [0x000f, 2B]", under its message, header and structs. key and
// version are those of the request that a response answers; a request carries
// them, and the parameters are ignored.
//
// A header or body that the schemas don't know is shown as bytes. A frame that was
// cut is shown up to where the input ends, and cut says where that is, with its
// Offset in the frame. On an error the text has all nodes up to it, too.
func AppendTree(dst, frame []byte, key fastcodec.APIKey, version int16, response bool) (text []byte, cut *Cut, err error) {
	return Trees{}.AppendFrame(dst, frame, key, version, response)
}

// AppendTree appends the object tree of a message without frame and header, in the
// form of the function AppendTree, with offsets in the body.
func (m *Message) AppendTree(dst, body []byte) (text []byte, err error) {
	return Trees{}.AppendMessage(dst, m, body)
}

// Trees are object trees with lines of the caller's own in them.
type Trees struct {
	// Inside gives what stands in the content of a leaf, as of a records field, which
	// may be cut (Node.Cut). It may be nil.
	Inside func(n *Node) []Branch
}

// AppendFrame is the function AppendTree.
func (o Trees) AppendFrame(dst, frame []byte, key fastcodec.APIKey, version int16, response bool) (text []byte, cut *Cut, err error) {
	f := frameTree{tree: tree{inside: o.Inside}, frame: frame, key: key, version: version, response: response}
	cut, err = f.grow()
	return f.appendTo(dst), cut, err
}

// AppendMessage is Message.AppendTree.
func (o Trees) AppendMessage(dst []byte, m *Message, body []byte) (text []byte, err error) {
	t := tree{depth: 1, inside: o.Inside}
	t.add(fmt.Sprintf("%s message v%d", m.Name(), m.version), 0, 0, len(body))
	end, err := m.Walk(body, &t)
	if err == nil {
		t.trailing("trailing", body[end:], end)
	}
	return t.appendTo(dst), err
}

// trailing adds bytes that no schema speaks of, if there are any.
func (t *tree) trailing(name string, b []byte, offset int) {
	if len(b) > 0 {
		text := appendCount(appendHex([]byte(name+" bytes = "), b), len(b), " (", "byte)", "bytes)")
		t.add(string(text), 1, offset, len(b))
	}
}

// frameTree grows the tree of one frame.
type frameTree struct {
	tree
	frame    []byte
	key      fastcodec.APIKey
	version  int16
	response bool
}

func (f *frameTree) grow() (*Cut, error) {
	root := f.add("", 0, 0, len(f.frame))
	name := "Request"
	if f.response {
		name = "Response"
	}
	f.lines[root].text = name + " message"
	if len(f.frame) < fastcodec.SizePrefix {
		f.lines[root].cut = true
		return &Cut{Have: len(f.frame), Missing: fastcodec.SizePrefix - len(f.frame)}, nil
	}
	size := int(int32(binary.BigEndian.Uint32(f.frame)))
	f.add("Frame", 1, 0, fastcodec.SizePrefix)
	f.add(fmt.Sprintf("size int32 = %d", size), 2, 0, fastcodec.SizePrefix)
	if size < 0 {
		return nil, &fastcodec.Error{Message: "frame", Version: fastcodec.NoVersion, Offset: 0, Err: fastcodec.ErrFrameSize, Want: "0 or more"}
	}
	payload := f.frame[fastcodec.SizePrefix:]
	payload = payload[:min(size, len(payload))]

	headerVersion, known := f.peek(payload)
	if known {
		name = f.key.String() + name
	}
	f.lines[root].text = fmt.Sprintf("%s message v%d", name, f.version)
	at, cut, err := f.head(payload, size, headerVersion)
	if err != nil || cut != nil {
		f.lines[root].cut = true
		return cut, err
	}
	cut, err = f.body(root, name, payload[at:], size-at, at+fastcodec.SizePrefix)
	f.lines[root].cut = cut != nil || err != nil
	if end := fastcodec.SizePrefix + size; end < len(f.frame) {
		f.trailing("after_frame", f.frame[end:], end)
	}
	return cut, err
}

// peek finds the header's version, or fastcodec.UnknownHeader, and whether the key
// is known. Of a request it takes key and version.
func (f *frameTree) peek(payload []byte) (headerVersion int16, known bool) {
	version := f.key.ResponseHeaderVersion
	if !f.response {
		if len(payload) < 4 {
			return 0, false // the header's own fields will say what is missing
		}
		f.key = fastcodec.APIKey(binary.BigEndian.Uint16(payload))
		f.version = int16(binary.BigEndian.Uint16(payload[2:]))
		version = f.key.RequestHeaderVersion
	}
	headerVersion, ok := version(f.version)
	if !ok {
		return fastcodec.UnknownHeader, f.key.Known()
	}
	return headerVersion, f.key.Known()
}

// head adds the header and returns where it ends in the payload.
func (f *frameTree) head(payload []byte, size int, version int16) (at int, cut *Cut, err error) {
	name, text := "RequestHeader", ""
	if f.response {
		name = "ResponseHeader"
	}
	if version == fastcodec.UnknownHeader {
		// The fields that are certain are those of a lower version.
		version = 0
		if !f.response {
			if h, _, err := fastcodec.ParseRequest(payload); err == nil && len(h.Bytes()) > 8 {
				version = 1
			}
		}
		text = name + " of unknown version"
	} else {
		text = fmt.Sprintf("%s v%d", name, version)
	}
	line := f.add(text, 1, fastcodec.SizePrefix, 0)
	m, err := Named(name, version)
	if err != nil {
		return 0, nil, err
	}
	f.tree.header = true
	at, cut, err = f.walk(m, payload, size, fastcodec.SizePrefix)
	f.tree.header = false
	f.lines[line].size, f.lines[line].cut = at, cut != nil || err != nil
	return at, cut, err
}

// body adds the body, which starts at offset base of the frame.
func (f *frameTree) body(root int, name string, body []byte, size, base int) (*Cut, error) {
	if !f.key.HasVersion(f.version) {
		if size > 0 {
			f.trailing("body", body, base)
		}
		if len(body) < size {
			return &Cut{Offset: base, Have: len(body), Missing: size - len(body)}, nil
		}
		return nil, nil
	}
	version := f.version
	if f.response {
		version = fastcodec.ResponseBodyVersion(f.key, f.version, body, parsesWhole)
	}
	m, err := For(f.key, f.response, version)
	if err != nil {
		return nil, err
	}
	f.lines[root].text = fmt.Sprintf("%s message v%d", name, version)
	line := f.add(name+" struct", 1, base, 0)
	end, cut, err := f.walk(m, body, size, base)
	f.lines[line].size, f.lines[line].cut = end, cut != nil || err != nil
	if cut == nil && err == nil {
		f.trailing("trailing", body[end:], base+end)
	}
	return cut, err
}

// parsesWhole reports whether an ApiVersions response parses at a version with no
// bytes left over.
func parsesWhole(body []byte, version int16) bool {
	m, err := For(fastcodec.APIVersions, true, version)
	if err != nil {
		return false
	}
	end, err := m.Walk(body, nil)
	return err == nil && end == len(body)
}

// walk adds the nodes of a message of size bytes, of which b is there, and returns
// where they end; on an error or a cut, where the input does.
func (f *frameTree) walk(m *Message, b []byte, size, base int) (end int, cut *Cut, err error) {
	f.depth, f.tree.base = 2, base
	end, cut, err = m.WalkCut(b, size, &f.tree)
	if err != nil {
		return len(b), nil, err
	}
	if cut != nil {
		cut.Offset += base
	}
	return end, cut, nil
}
