// Attributes of a batch: codec, timestamp type, and what it holds.

package records

import "strconv"

// Codec is what a batch is compressed with (Kafka's CompressionType).
type Codec int8

const (
	None Codec = iota
	Gzip
	Snappy
	LZ4
	Zstd // magic 2 only
	codecs
)

var codecNames = [codecs]string{"none", "gzip", "snappy", "lz4", "zstd"}

// String is Kafka's name of the codec.
func (c Codec) String() string {
	if c.Known() {
		return codecNames[c]
	}
	return "codec " + strconv.Itoa(int(c))
}

// Known reports whether there is such a codec.
func (c Codec) Known() bool { return c >= 0 && c < codecs }

// ParseCodec gives the codec of a name that String gives.
func ParseCodec(name string) (c Codec, ok bool) {
	for i, n := range codecNames {
		if n == name {
			return Codec(i), true
		}
	}
	return None, false
}

// in reports whether batches of a magic can have the codec.
func (c Codec) in(magic int8) bool { return c.Known() && (magic == Magic2 || c != Zstd) }

// TimestampType says whose clock a batch's timestamps are of.
type TimestampType int8

const (
	NoTimestampType TimestampType = iota - 1 // magic 0: there are none
	CreateTime                               // the producer's
	LogAppendTime                            // the broker's
)

// String is Kafka's name of the type.
func (t TimestampType) String() string {
	switch t {
	case CreateTime:
		return "CreateTime"
	case LogAppendTime:
		return "LogAppendTime"
	}
	return "NoTimestampType"
}

// Attributes are those of a batch: 16 bits in magic 2, 8 in magic 0 and 1, which
// have codec and timestamp type only (Kafka's DefaultRecordBatch and LegacyRecord).
// Bits that have no meaning yet are kept by whatever rewrites a batch.
type Attributes int16

const (
	codecMask Attributes = 0x07
	// LogAppendTimeBit: records carry the broker's clock, MaxTimestamp.
	LogAppendTimeBit Attributes = 1 << 3
	// TransactionalBit: the batch is part of a transaction.
	TransactionalBit Attributes = 1 << 4
	// ControlBit: the record is for clients and brokers, not for consumers.
	ControlBit Attributes = 1 << 5
	// DeleteHorizonBit: BaseTimestamp is when tombstones may go (KIP-534).
	DeleteHorizonBit Attributes = 1 << 6
)

// Codec is the codec, known or not.
func (a Attributes) Codec() Codec { return Codec(a & codecMask) }

// WithCodec is a with another codec.
func (a Attributes) WithCodec(c Codec) Attributes { return a&^codecMask | Attributes(c)&codecMask }

// Has reports whether a bit is set.
func (a Attributes) Has(bit Attributes) bool { return a&bit != 0 }
