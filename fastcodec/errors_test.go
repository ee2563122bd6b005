package fastcodec

import (
	"errors"
	"testing"
)

func TestErrorText(t *testing.T) {
	short := &Error{Message: "MetadataResponse", Version: 12, Offset: 812, Want: "4 bytes", Err: ErrShort}
	short.Path.Prepend("LeaderId", -1)
	short.Path.Prepend("Partitions", 1)
	short.Path.Prepend("Topics", 3)
	for _, c := range []struct {
		err  *Error
		want string
		is   error
	}{
		{short, "MetadataResponse v12: Topics[3].Partitions[1].LeaderId: offset 812: short input: want 4 bytes", ErrShort},
		{VersionError("FetchRequest", 19, 0, 18), "unsupported version 19 of Fetch request: 0-18", ErrVersion},
		{VersionError("HeartbeatResponse", -1, 0, 4), "unsupported version -1 of Heartbeat response: 0-4", ErrVersion},
		{VersionError("EndTxnMarker", 1, 0, 0), "unsupported version 1 of EndTxnMarker: 0", ErrVersion},
		{UnsupportedVersion(Fetch, false, 19), "unsupported version 19 of Fetch response: 0-18", ErrVersion},
		{UnsupportedVersion(10000, true, 3), "APIKey(10000) v3: unknown API key", ErrUnknownAPI},
		{&Error{Message: "frame", Version: NoVersion, Offset: 0, Err: ErrFrameSize}, "frame: offset 0: frame size out of range", ErrFrameSize},
		{&Error{Message: "X", Version: 1, Offset: -1, Err: ErrNotInVersion}, "X v1: field not in this version", ErrNotInVersion},
	} {
		if c.err.Error() != c.want || !errors.Is(c.err, c.is) {
			t.Errorf("%s\nwant %s", c.err, c.want)
		}
		var e *Error
		if !errors.As(c.err, &e) {
			t.Errorf("%s: no *Error", c.want)
		}
	}
}

func TestPath(t *testing.T) {
	var p Path
	if p.String() != "" || p.Len() != 0 {
		t.Error("the zero path isn't empty")
	}
	for i := range MaxPath + 2 {
		p.Prepend(string(rune('z'-i)), i-1)
	}
	if got, want := p.String(), "m[12].n[11].o[10].p[9].q[8].r[7].s[6].t[5].u[4].v[3].w[2].x[1]"; got != want {
		t.Errorf("a full path keeps %s, want the outer steps %s", got, want)
	}
	if s := p.At(0); s.Name != "m" || s.Index != 12 {
		t.Errorf("At(0) is %v", s)
	}
	if n := testing.AllocsPerRun(100, func() {
		var p Path
		p.Prepend("LeaderId", -1)
		p.Prepend("Topics", 7)
		sinkInt = p.Len()
	}); n != 0 {
		t.Errorf("building a path takes %v allocations", n)
	}
}
