// Limits: what a decoder will spend on one frame at most.

package fastcodec

// Limits bound what one frame can cost. A zero field means the default.
type Limits struct {
	// Frame is the largest frame to buffer, in bytes without the size prefix.
	// Default 100 MiB, as Kafka's socket.request.max.bytes.
	Frame int
	// Index is the largest offset index of one message, in entries of 4 bytes.
	// Default 2^25 (128 MiB): the densest message takes 7 bytes of index a byte of
	// wire, ordinary large ones under one.
	Index int
	// Decompressed is the most bytes that one compressed record batch may unpack to.
	// Default 256 MiB.
	Decompressed int
}

// DefaultLimits are the limits that stand for zero fields.
var DefaultLimits = Limits{Frame: 100 << 20, Index: 1 << 25, Decompressed: 256 << 20}

// WithDefaults gives the limits with their zero fields filled in.
func (l Limits) WithDefaults() Limits {
	if l.Frame == 0 {
		l.Frame = DefaultLimits.Frame
	}
	if l.Index == 0 {
		l.Index = DefaultLimits.Index
	}
	if l.Decompressed == 0 {
		l.Decompressed = DefaultLimits.Decompressed
	}
	return l
}
