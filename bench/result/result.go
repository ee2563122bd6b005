// Package result is what bench/peers hands to bench/report: JSON lines, one a
// figure.
package result

// Line is one comparison, or one statistic over many.
type Line struct {
	Work    string // "Parse"
	Input   string // "DescribeQuorum small, 193 bytes"
	Against string // what the peer does: "ReadFrom"
	// Ratio is the peer's time over ours. Bar and Aim are the least ratio that is
	// asked for, and the one that is hoped for; 0 where there is none.
	Ratio, Bar, Aim float64
	Ours, Theirs    float64 `json:",omitzero"` // ns an operation
	OursAllocs      float64
	TheirsAllocs    float64
	Slowest         []Slow `json:",omitempty"` // the frames with the least ratios
}

// Slow is one frame of those that a statistic is over.
type Slow struct {
	Frame        string
	Ours, Theirs float64
}

// Missed reports whether a bar is missed: of time, or that we allocate nothing.
func (l Line) Missed() bool { return l.Ratio < l.Bar || l.OursAllocs > 0 }

// Run is the first line: what was run, and on what.
type Run struct {
	CPU, Go, OS, Peer string
	CPUs, Rounds      int
	Frames, Pairs     int      // that both sides have, of the random vectors
	Lacking           int      // frames that the peer has no message or version for
	LeftOut           []string // frames that the peer doesn't write as it read them
}
