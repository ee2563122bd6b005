// Edits of addresses. Most have the port right behind the host: they are edited at
// once. For others the function is asked where the first of both stands, with the
// other parts looked ahead for, and the fields are edited when their turn comes.

package rewrite

import (
	"bytes"
	"encoding/binary"
)

// address edits host and port, one behind the other, and returns where they end.
func (s *state) address(b []byte, o *op, at int) int {
	var content, end int
	if at < len(b) && uint(b[at])-1 < 127 && !o.wide {
		content, end = at+1, at+int(b[at])
	} else if content, end = span(b, at, o); content < 0 {
		return refused
	}
	behind := end + int(o.size)
	if behind > len(b) {
		return refused
	}
	if content == end || content == 0 {
		return behind
	}
	e := o.edit.endpoint
	in := Endpoint{Key: s.plan.key, NodeID: -1, Host: b[content:end:end], Port: portOf(b, end, o.size)}
	if e.nodeBefore {
		in.NodeID = int32(binary.BigEndian.Uint32(b[at-4:]))
	}
	if e.rackBehind {
		in.Rack = rackOf(b, behind, e.wide)
	}
	s.complete(b, e, &in)
	host, port := e.f(in)
	hostSame := bytes.Equal(host, in.Host) && !s.force
	portSame := port == in.Port && !s.force
	switch {
	case len(host) > maxString:
		return s.fail(at, errTooLong, wantHost)
	case port != in.Port && (port < 0 || port > 65535):
		return s.fail(end, ErrResult, wantPort)
	case hostSame && portSame:
	case hostSame:
		s.number(end, int(o.size), int64(port))
	default:
		s.splice(o, at, content, end, host)
		if o.size == 2 {
			s.dst = binary.BigEndian.AppendUint16(s.dst, uint16(port))
		} else {
			s.dst = binary.BigEndian.AppendUint32(s.dst, uint32(port))
		}
		s.mark = behind
	}
	return behind
}

const (
	wantHost = "a host of at most 32767 bytes"
	wantPort = "a port from 0 to 65535"
)

// portOf is the port of size bytes at at.
func portOf(b []byte, at int, size uint8) int32 {
	if size == 2 {
		return int32(binary.BigEndian.Uint16(b[at:]))
	}
	return int32(binary.BigEndian.Uint32(b[at:]))
}

// rackOf is the rack at at, or nil. One that is malformed is noticed when it is
// read in its turn.
func rackOf(b []byte, at int, wide bool) []byte {
	if !wide && at < len(b) && b[at] == 0 {
		return nil
	}
	content, end := span(b, at, &op{null: true, wide: wide, limit: maxString})
	if content <= 0 {
		return nil
	}
	return b[content:end:end]
}

// complete fills in what registers point to.
func (s *state) complete(b []byte, e *endpointEdit, in *Endpoint) {
	if e.node != nil && s.regs[e.node.reg] > 0 {
		in.NodeID = int32(s.read(b, e.node))
	}
	if e.listener != nil {
		in.Listener = s.text(b, e.listener)
	}
	if e.rack != nil {
		in.Rack = s.text(b, e.rack)
	}
}

// ask gets the new address of host and port that the registers point to.
func (s *state) ask(b []byte, e *endpointEdit) {
	s.hosted = false
	host := s.text(b, e.host)
	if len(host) == 0 {
		return
	}
	in := Endpoint{Key: s.plan.key, NodeID: -1, Host: host, Port: int32(s.read(b, e.port))}
	s.complete(b, e, &in)
	s.host, s.port = e.f(in)
	s.hosted = true
}

// newHost writes the host that ask has got.
func (s *state) newHost(b []byte, o *op, at int) int {
	content, end := span(b, at, o)
	if content <= 0 || !s.hosted {
		return end
	}
	switch {
	case len(s.host) > maxString:
		return s.fail(at, errTooLong, wantHost)
	case s.force || !bytes.Equal(s.host, b[content:end]):
		s.splice(o, at, content, end, s.host)
	}
	return end
}

// newPort writes the port that ask has got.
func (s *state) newPort(b []byte, o *op, at int) int {
	end := at + int(o.size)
	if end > len(b) {
		return refused
	}
	if !s.hosted {
		return end
	}
	switch old := portOf(b, at, o.size); {
	case s.port == old && !s.force:
	case s.port != old && (s.port < 0 || s.port > 65535):
		return s.fail(at, ErrResult, wantPort)
	default:
		s.number(at, int(o.size), int64(s.port))
	}
	return end
}
