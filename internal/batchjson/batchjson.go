// Package batchjson has batches in the JSON form of Kafka's reference data
// (testdata/vectors/records.jsonl.gz), and writes them again from what was read.
package batchjson

import (
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// Batch is a batch as the reference data has it.
type Batch struct {
	At            int      `json:"at"` // in its buffer
	Size          int      `json:"size"`
	Magic         int8     `json:"magic"`
	BaseOffset    int64    `json:"baseOffset"`
	LastOffset    int64    `json:"lastOffset"`
	Codec         string   `json:"codec"`
	CRC           uint32   `json:"crc"`
	Valid         bool     `json:"valid"` // the checksum is right
	TimestampType string   `json:"timestampType"`
	MaxTimestamp  int64    `json:"maxTimestamp"`
	ProducerID    int64    `json:"producerId"`
	ProducerEpoch int16    `json:"producerEpoch"`
	BaseSequence  int32    `json:"baseSequence"`
	Transactional bool     `json:"transactional"`
	Control       bool     `json:"control"`
	LeaderEpoch   int32    `json:"leaderEpoch"`
	Count         *int32   `json:"count,omitempty"` // magic 2 only
	Records       []Record `json:"records"`
}

// Record is a record.
type Record struct {
	Offset    int64    `json:"offset"`
	Timestamp int64    `json:"timestamp"`
	Key       Hex      `json:"key"`
	Value     Hex      `json:"value"`
	Headers   []Header `json:"headers"`
}

// Header is a record's header.
type Header struct {
	Key   string `json:"key"`
	Value Hex    `json:"value"`
}

// Hex are bytes that are hex in JSON; nil is null.
type Hex []byte

// MarshalJSON writes hex digits, or null.
func (h Hex) MarshalJSON() ([]byte, error) {
	if h == nil {
		return []byte("null"), nil
	}
	return append(hex.AppendEncode([]byte{'"'}, h), '"'), nil
}

// UnmarshalJSON reads hex digits, or null.
func (h *Hex) UnmarshalJSON(text []byte) error {
	var s *string
	if err := json.Unmarshal(text, &s); err != nil || s == nil {
		*h = nil
		return err
	}
	b, err := hex.DecodeString(*s)
	*h = append([]byte{}, b...)
	return err
}

// Read gives a batch that stands at some place, with its records; after an error those
// before it. Bytes in it live as long as those of the Reader's Records.
func Read(r *records.Reader, b records.Batch, at int) (Batch, error) {
	out := Batch{
		At: at, Size: b.Size(), Magic: b.Magic(), BaseOffset: b.BaseOffset(), LastOffset: b.LastOffset(),
		Codec: b.Codec().String(), CRC: b.CRC(), Valid: b.CheckCRC() == nil,
		TimestampType: b.TimestampType().String(), MaxTimestamp: b.MaxTimestamp(),
		ProducerID: b.ProducerID(), ProducerEpoch: b.ProducerEpoch(), BaseSequence: b.BaseSequence(),
		Transactional: b.Transactional(), Control: b.Control(), LeaderEpoch: b.LeaderEpoch(),
		Records: []Record{},
	}
	if b.Magic() == records.Magic2 {
		count := b.Count()
		out.Count = &count
	}
	for r.Open(b); r.Next(); {
		x := r.Record()
		record := Record{x.Offset(), x.Timestamp(), x.Key(), x.Value(), []Header{}}
		for key, value := range x.Headers().All() {
			// JSON has no bytes that aren't UTF-8.
			record.Headers = append(record.Headers, Header{strings.ToValidUTF8(string(key), "\ufffd"), value})
		}
		out.Records = append(out.Records, record)
	}
	return out, r.Err()
}
