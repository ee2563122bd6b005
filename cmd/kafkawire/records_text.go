// Batches and records as text.

package main

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// shownInTree is the most bytes of a key or value that a tree shows.
const shownInTree = 32

// appendContent appends bytes of a record: in quotes where they are text that can be
// printed, else in hex; at most so many of them, all where most is 0.
func appendContent(dst, b []byte, most int) []byte {
	if b == nil {
		return append(dst, "null"...)
	}
	shown := b
	if most > 0 && len(b) > most {
		shown = b[:most]
		for i := range min(utf8.UTFMax, most) { // not within a character
			if r, _ := utf8.DecodeLastRune(shown[:most-i]); r != utf8.RuneError {
				shown = shown[:most-i]
				break
			}
		}
	}
	switch {
	case plain(shown):
		dst = append(append(append(dst, '"'), shown...), '"')
	case printable(shown):
		dst = strconv.AppendQuote(dst, string(shown))
	default:
		dst = hex.AppendEncode(append(dst, "0x"...), b[:min(len(b), max(len(shown), most))])
	}
	if len(shown) < len(b) {
		dst = append(dst, "..."...)
	}
	return dst
}

// plain reports whether b is the same in quotes: most text is, and that is quicker.
func plain(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func printable(b []byte) bool {
	for _, r := range string(b) {
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r' {
			return false
		}
	}
	return utf8.Valid(b)
}

// timeText is a timestamp in ms; -1 is none.
func timeText(ms int64) string { return string(appendTime(nil, ms)) }

func appendTime(dst []byte, ms int64) []byte {
	if ms == -1 {
		return append(dst, "no time"...)
	}
	return time.UnixMilli(ms).UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
}

// attributes are a batch's attributes, in words.
func attributes(b records.Batch) []string {
	a := b.Attributes()
	words := []string{b.Codec().String(), b.TimestampType().String()}
	if b.Magic() < records.Magic2 {
		return words
	}
	for _, bit := range []struct {
		bit  records.Attributes
		word string
	}{{records.TransactionalBit, "transactional"}, {records.ControlBit, "control"}, {records.DeleteHorizonBit, "delete-horizon"}} {
		if a.Has(bit.bit) {
			words = append(words, bit.word)
		}
	}
	return words
}

// controlText is what a control record says.
func controlText(r records.Record) string {
	_, t, ok := records.ParseControlKey(r.Key())
	if !ok {
		return "unknown control record"
	}
	if t == records.Abort || t == records.Commit {
		if _, epoch, ok := records.ParseEndTxn(r.Value()); ok {
			return fmt.Sprintf("%s, coordinator epoch %d", t, epoch)
		}
	}
	return t.String()
}

// appendBatch appends a batch's line.
func appendBatch(dst []byte, b records.Batch, at int) []byte {
	put := func(format string, args ...any) { dst = fmt.Appendf(append(dst, ' '), format, args...) }
	dst = append(dst, "batch"...)
	if b.Magic() == records.Magic2 {
		put("offsets=%d..%d", b.BaseOffset(), b.LastOffset())
	} else {
		put("offset=%d", b.BaseOffset())
	}
	put("at=%d size=%d magic=%d codec=%s", at, b.Size(), b.Magic(), b.Codec())
	if n := b.Count(); b.Magic() < records.Magic2 && n < 0 {
		put("records=wrapper")
	} else {
		put("records=%d", n)
	}
	if t := b.TimestampType(); t != records.NoTimestampType {
		put("%s=%s", t, timeText(b.BaseTimestamp()))
		if b.Magic() == records.Magic2 {
			dst = append(append(dst, ".."...), timeText(b.MaxTimestamp())...)
		}
	}
	if epoch := b.LeaderEpoch(); epoch != -1 {
		put("epoch=%d", epoch)
	}
	if id := b.ProducerID(); id != -1 {
		put("producer=%d/%d", id, b.ProducerEpoch())
	}
	if first := b.BaseSequence(); first != -1 {
		put("sequence=%d..%d", first, b.LastSequence())
	}
	for _, word := range attributes(b)[2:] {
		put("%s", word)
	}
	if b.CheckCRC() == nil {
		put("crc=right")
	} else {
		put("crc=wrong")
	}
	return dst
}

// appendRecord appends a record's line, with at most so many bytes of key and value.
func appendRecord(dst []byte, r records.Record, control bool, most int) []byte {
	dst = strconv.AppendInt(append(dst, "  record offset="...), r.Offset(), 10)
	if ms := r.Timestamp(); ms != -1 {
		dst = appendTime(append(dst, " time="...), ms)
	}
	if control {
		dst = fmt.Appendf(dst, " control=%q", controlText(r))
	}
	content := func(b []byte) {
		dst = appendContent(dst, b, most)
		if most > 0 && len(b) > most {
			dst = fmt.Appendf(dst, "(%d bytes)", len(b))
		}
	}
	dst = append(dst, " key="...)
	content(r.Key())
	dst = append(dst, " value="...)
	content(r.Value())
	if r.Headers().Len() == 0 {
		return dst
	}
	dst = append(dst, " headers=["...)
	for key, value := range r.Headers().All() {
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ' ')
		}
		content(key)
		dst = append(dst, '=')
		content(value)
	}
	return append(dst, ']')
}
