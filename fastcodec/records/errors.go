// Errors: sentinels that say what is wrong with a batch, and the type that says
// where. Short input, malformed varints, nulls and counts have the sentinels of
// package fastcodec.

package records

import (
	"errors"
	"strconv"
)

// Sentinels. Test with errors.Is.
var (
	// ErrBatchSize: the size of a batch is less than its header.
	ErrBatchSize = errors.New("batch size less than its header")
	// ErrMagic: a magic other than 0, 1 and 2; or an edit that this magic has no
	// room for.
	ErrMagic = errors.New("unknown magic")
	// ErrCRC: the checksum isn't that of the bytes.
	ErrCRC = errors.New("wrong checksum")
	// ErrCodec: codec 5 to 7, or zstd in magic 0 and 1.
	ErrCodec = errors.New("unknown codec")
	// ErrCompressed: the compressed bytes can't be unpacked. The codec's own error
	// is wrapped, too.
	ErrCompressed = errors.New("malformed compressed data")
	// ErrDecompressedSize: the batch unpacks to more than the limit.
	ErrDecompressedSize = errors.New("limit of decompressed bytes exceeded")
	// ErrRecordCount: the batch says that it has a negative number of records.
	ErrRecordCount = errors.New("negative record count")
	// ErrRecordSize: the length of a record isn't that of its fields.
	ErrRecordSize = errors.New("record length is not that of its fields")
	// ErrLeftover: bytes after the last record of a batch.
	ErrLeftover = errors.New("bytes after the last record")
	// ErrWrapper: a wrapper that holds no message, one that is compressed itself or
	// of another magic, or one whose offset is less than those in it.
	ErrWrapper = errors.New("impossible wrapper message")
	// ErrTooLarge: what is to be written doesn't fit a batch: 2^31-1 bytes, records
	// or offsets.
	ErrTooLarge = errors.New("too large for a batch")
)

// Error says where a sentinel applies.
type Error struct {
	BaseOffset int64  // of the batch: its first 8 bytes
	Record     int    // index of the record in its batch, or -1
	Byte       int    // place in the batch, or in what it unpacked to
	Unpacked   bool   // Byte counts decompressed bytes
	Want       string // what was expected; may be empty
	Err        error  // a sentinel of this package or of fastcodec
	Cause      error  // of ErrCompressed: the codec's own error
}

// Error gives one line:
//
//	batch at offset 9000: record 3: byte 117: short input: want a varint of key length
//	batch at offset 9000: record 3: decompressed byte 56: record length is not that of its fields
func (e *Error) Error() string {
	b := make([]byte, 0, 128)
	b = append(b, "batch at offset "...)
	b = strconv.AppendInt(b, e.BaseOffset, 10)
	if e.Record >= 0 {
		b = append(b, ": record "...)
		b = strconv.AppendInt(b, int64(e.Record), 10)
	}
	if e.Unpacked {
		b = append(b, ": decompressed byte "...)
	} else {
		b = append(b, ": byte "...)
	}
	b = strconv.AppendInt(b, int64(e.Byte), 10)
	b = append(b, ": "...)
	b = append(b, e.Err.Error()...)
	if e.Cause != nil {
		b = append(b, ": "...)
		b = append(b, e.Cause.Error()...)
	}
	if e.Want != "" {
		b = append(b, ": want "...)
		b = append(b, e.Want...)
	}
	return string(b)
}

// Unwrap gives the sentinel, and the cause where there is one.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Cause}
}
