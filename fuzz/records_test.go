// Package fuzz has the fuzz targets that stand alone. Each runs its seeds as a test;
// what the targets check is also done to many damaged inputs, by count.
package fuzz

import (
	"bufio"
	"bytes"
	stdgzip "compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime/metrics"
	"slices"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// unpackLimit is what a batch may unpack to here.
const unpackLimit = 1 << 20

// FuzzRecords reads arbitrary bytes as a records field.
//
//	go test -fuzz FuzzRecords -fuzztime 100000x ./fuzz
func FuzzRecords(f *testing.F) {
	for _, field := range recordFields(f) {
		if len(field) < 4096 {
			f.Add(field)
		}
	}
	var c recordChecker
	f.Fuzz(func(t *testing.T, field []byte) { c.check(t, field) })
}

// TestRecordsDamaged does what the target does to damaged reference buffers.
func TestRecordsDamaged(t *testing.T) {
	n := 20000
	if testing.Short() {
		n = 1000
	}
	var c recordChecker
	fields := recordFields(t)
	r := rand.New(rand.NewPCG(7, 11))
	for range n {
		field := damage(r, fields[r.IntN(len(fields))], fields)
		c.check(t, field)
		if t.Failed() {
			t.Fatalf("%x", field)
		}
	}
	t.Logf("%d fields: batches %d, records %d, refused %d", n, c.batches, c.records, c.refused)
}

// recordFields are the reference buffers.
func recordFields(t testing.TB) (fields [][]byte) {
	file, err := os.Open("../testdata/vectors/records.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := stdgzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var l struct{ Bytes string }
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		field, err := hex.DecodeString(l.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, field)
	}
	if s.Err() != nil || len(fields) == 0 {
		t.Fatal(s.Err())
	}
	return fields
}

// damage changes a few things in a field.
func damage(r *rand.Rand, field []byte, fields [][]byte) []byte {
	b := bytes.Clone(field)
	if len(b) > 2000 && r.IntN(20) > 0 { // large ones take most of the time
		b = b[:2000]
	}
	for range 1 + r.IntN(4) {
		if len(b) == 0 {
			return b
		}
		at := r.IntN(len(b))
		if r.IntN(3) == 0 {
			at = r.IntN(min(len(b), 80)) // headers
		}
		switch r.IntN(8) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.IntN(256))
		case 2:
			b[at] = []byte{0, 1, 0x7f, 0x80, 0xff}[r.IntN(5)]
		case 3:
			b = b[:at]
		case 4:
			b = slices.Insert(b, at, byte(r.IntN(256)))
		case 5:
			b = slices.Delete(b, at, min(at+1+r.IntN(4), len(b)))
		case 6:
			if len(b) >= 12 { // a size that fits, so that what is behind it is read
				binary.BigEndian.PutUint32(b[8:], uint32(len(b)-12))
			}
		case 7:
			other := fields[r.IntN(len(fields))]
			b = append(b, other[:min(len(other), 500)]...)
		}
	}
	return b
}

// recordChecker holds what is under test against the naive reader.
type recordChecker struct {
	r, again records.Reader
	mapper   records.Mapper
	builder  records.Builder
	messages records.MessageBuilder
	dst      []byte
	data     records.RecordData

	batches, records, refused int
}

func (c *recordChecker) check(t *testing.T, field []byte) {
	c.r.MaxDecompressed, c.again.MaxDecompressed, c.mapper.MaxDecompressed = unpackLimit, unpackLimit, unpackLimit
	c.mapper.TrustCRC = true
	want, left := naiveBatches(field)
	it := records.Batches(field)
	for i := 0; ; i++ {
		ok := it.Next()
		if !ok && it.Err() == nil {
			if i != len(want) || it.Left() != left {
				t.Fatalf("ended after %d batches with %d bytes left, want %d and %d", i, it.Left(), len(want), left)
			}
			return
		}
		if i == len(want) {
			t.Fatalf("more than %d batches: %v", i, it.Err())
		}
		w := &want[i]
		if it.At() != w.at || ok == w.bad {
			t.Fatalf("batch %d at %d: %v, want it at %d, bad %v", i, it.At(), it.Err(), w.at, w.bad)
		}
		if ok {
			c.batches++
			c.batch(t, it.Batch(), w)
		}
	}
}

// batch compares one batch with the naive reading of it.
func (c *recordChecker) batch(t *testing.T, b records.Batch, w *naiveBatch) {
	if b.Size() != w.size || b.BaseOffset() != int64(binary.BigEndian.Uint64(b.Bytes())) {
		t.Fatalf("size %d, want %d", b.Size(), w.size)
	}
	got, err := c.read(&c.r, b)
	naive, naiveErr := naiveRecords(b.Bytes())
	switch {
	case naiveErr == errUndecided:
		if err != nil {
			c.refused++
			return
		}
	case (err == nil) != (naiveErr == nil):
		t.Fatalf("error %v, naive reader %v\n%x", err, naiveErr, b.Bytes())
	case !slices.EqualFunc(got, naive, naiveRecord.equal):
		t.Fatalf("records\n%v, want\n%v", got, naive)
	}
	c.records += len(got)
	if err != nil {
		c.refused++
		var e *records.Error
		if !errors.As(err, &e) || e.Error() == "" || e.Byte < 0 || b.Magic() == records.Magic2 && e.Record > len(got) {
			t.Fatalf("%#v", err)
		}
		c.r.Check(b)
		c.mapper.Map(nil, b, func(records.Record, *records.Edit) {})
		c.skip(b)
		return
	}

	// What can be read can be counted, found, checked, copied and written again.
	if checked := c.r.Check(b); checked == nil {
		if again, _ := c.rest(&c.r); !slices.EqualFunc(again, got, naiveRecord.equal) {
			t.Fatalf("records after the check\n%v, want\n%v", again, got)
		}
	} else if !errors.Is(checked, records.ErrCRC) {
		t.Fatal(checked)
	}
	if n := c.skip(b); n != len(got) || c.r.Err() != nil {
		t.Fatalf("skipped %d of %d: %v", n, len(got), c.r.Err())
	}
	if len(got) > 0 {
		target := got[len(got)/2].offset
		first := slices.IndexFunc(got, func(r naiveRecord) bool { return r.offset >= target })
		c.r.Open(b)
		if !c.r.SeekOffset(target) || !c.r.Next() || c.r.Record().Offset() != got[first].offset {
			t.Fatalf("found offset %d, want %d", c.r.Record().Offset(), got[first].offset)
		}
	}
	var changed bool
	c.dst, changed, err = c.mapper.Map(c.dst[:0], b, func(records.Record, *records.Edit) {})
	if err != nil || changed || !bytes.Equal(c.dst, b.Bytes()) {
		t.Fatalf("mapped to %x, %v", c.dst, err)
	}
	if !b.Control() && len(got) > 0 {
		c.dst, _, err = c.mapper.Map(c.dst[:0], b, func(r records.Record, e *records.Edit) { e.SetValue(r.Value()) })
		c.same(t, "mapped", b, got, err)
	}
	c.dst = c.dst[:0]
	if b.Magic() == records.Magic2 {
		c.builder.BeginExact(b.Header())
		for c.r.Open(b); c.r.Next(); {
			c.r.Record().CopyTo(&c.data)
			c.builder.AppendRecord(&c.data)
		}
		out, err := c.builder.Finish()
		c.dst = append(c.dst, out...)
		c.builder.Release()
		c.same(t, "rebuilt", b, got, err)
		return
	}
	if len(got) > 0 {
		c.messages.Begin(b.Magic(), b.Attributes())
		for _, r := range got {
			c.messages.Append(r.offset, r.timestamp, r.key, r.value)
		}
		out, err := c.messages.Finish()
		c.dst = append(c.dst, out...)
		c.messages.Release()
		if got[len(got)-1].offset != 0 { // such a wrapper has no relative offsets
			c.same(t, "rebuilt", b, got, err)
		}
	}
}

// same reads dst again and compares.
func (c *recordChecker) same(t *testing.T, how string, b records.Batch, want []naiveRecord, err error) {
	if err != nil {
		t.Fatalf("%s: %v", how, err)
	}
	again, err := records.ParseBatch(c.dst)
	if err == nil {
		err = c.again.Check(again)
	}
	if err != nil {
		t.Fatalf("%s: %v", how, err)
	}
	got, err := c.rest(&c.again)
	if err != nil || !slices.EqualFunc(got, want, naiveRecord.equal) {
		t.Fatalf("%s:\n%v, %v, want\n%v", how, got, err, want)
	}
	if b.Magic() == records.Magic2 && (again.Header() != b.Header() || again.Count() != b.Count()) {
		t.Fatalf("%s: header %+v, want %+v", how, again.Header(), b.Header())
	}
}

func (c *recordChecker) skip(b records.Batch) int {
	c.r.Open(b)
	return c.r.Skip(math.MaxInt)
}

// read reads all records of a batch, and watches over what is reserved for it.
func (c *recordChecker) read(r *records.Reader, b records.Batch) (all []naiveRecord, err error) {
	before := reserved()
	r.Open(b)
	first := r.Next()
	// Buffers are at most doubled on their way to the limit; decoders are as large as
	// they are.
	if n := reserved() - before; n > 4*unpackLimit+8<<20 {
		return nil, fmt.Errorf("%d bytes reserved", n)
	}
	if !first {
		return nil, r.Err()
	}
	all = append(all, copied(r.Record()))
	rest, err := c.rest(r)
	return append(all, rest...), err
}

// reserved is how many bytes were ever reserved. (Few bytes are counted late, which
// takes no stop of the world.)
func reserved() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func (c *recordChecker) rest(r *records.Reader) (all []naiveRecord, err error) {
	for r.Next() {
		all = append(all, copied(r.Record()))
	}
	return all, r.Err()
}

func copied(r records.Record) naiveRecord {
	n := naiveRecord{offset: r.Offset(), timestamp: r.Timestamp(), key: bytes.Clone(r.Key()), value: bytes.Clone(r.Value())}
	for k, v := range r.Headers().All() {
		n.headers = append(n.headers, records.Header{Key: bytes.Clone(k), Value: bytes.Clone(v)})
	}
	return n
}

// The naive reader: what Kafka's reader does, written down as plainly as can be.

type naiveBatch struct {
	at, size int
	bad      bool // its header can't be read
}

type naiveRecord struct {
	offset, timestamp int64
	key, value        []byte
	headers           []records.Header
}

func (r naiveRecord) equal(o naiveRecord) bool {
	same := func(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }
	return r.offset == o.offset && r.timestamp == o.timestamp && same(r.key, o.key) && same(r.value, o.value) &&
		slices.EqualFunc(r.headers, o.headers, func(a, b records.Header) bool { return bytes.Equal(a.Key, b.Key) && same(a.Value, b.Value) })
}

// naiveBatches finds the batches of a field, and how many bytes are left over.
func naiveBatches(field []byte) (all []naiveBatch, left int) {
	at := 0
	for {
		b := field[at:]
		if len(b) < 12 {
			return all, len(b)
		}
		size := int64(int32(binary.BigEndian.Uint32(b[8:])))
		if size < 14 {
			return append(all, naiveBatch{at, 0, true}), len(b)
		}
		if len(b) < 17 {
			return all, len(b)
		}
		bad := b[16] > 2 || b[16] == 1 && size < 22 || b[16] == 2 && size < 49
		if size+12 > int64(len(b)) {
			if bad {
				all = append(all, naiveBatch{at, 0, true})
			}
			return all, len(b)
		}
		all = append(all, naiveBatch{at, int(size) + 12, bad})
		at += int(size) + 12
	}
}

var (
	errNaive = errors.New("refused")
	// errUndecided: the libraries' own streams don't unpack it, or to more than the limit.
	errUndecided = errors.New("can't be unpacked")
)

// naiveRecords reads the records of a whole batch, up to the first that is wrong.
func naiveRecords(b []byte) (all []naiveRecord, err error) {
	if b[16] < 2 {
		return naiveMessages(b)
	}
	attributes := binary.BigEndian.Uint16(b[21:])
	codec := records.Codec(attributes & 7)
	count := int32(binary.BigEndian.Uint32(b[57:]))
	payload := b[61:]
	if codec > records.Zstd || count < 0 {
		return nil, errNaive
	}
	if codec != records.None && (count > 0 || len(payload) > 0) {
		if payload, err = naiveUnpack(codec, false, payload); err != nil {
			return nil, err
		}
	}
	in := naiveInput{b: payload}
	for range count {
		length := in.varint(32)
		record := naiveInput{b: in.take(length), err: in.err}
		record.take(1)
		timestamp := int64(binary.BigEndian.Uint64(b[27:])) + record.varint(64)
		if attributes&8 != 0 {
			timestamp = int64(binary.BigEndian.Uint64(b[35:]))
		}
		r := naiveRecord{offset: int64(binary.BigEndian.Uint64(b)) + record.varint(32), timestamp: timestamp}
		r.key = record.bytes()
		r.value = record.bytes()
		headers := record.varint(32)
		if headers < 0 || headers > int64(len(record.b)) {
			record.err = errNaive
		}
		for range headers {
			if record.err != nil {
				break
			}
			h := records.Header{Key: record.bytes()}
			if h.Key == nil {
				record.err = errNaive
			}
			h.Value = record.bytes()
			r.headers = append(r.headers, h)
		}
		if record.err != nil || len(record.b) > 0 {
			return all, errNaive
		}
		all = append(all, r)
	}
	if len(in.b) > 0 {
		return all, errNaive
	}
	return all, nil
}

// naiveMessages reads a message, or those in a wrapper.
func naiveMessages(b []byte) (all []naiveRecord, err error) {
	outer, codec, err := naiveMessage(b)
	if err != nil || codec == records.None {
		if err == nil {
			all = []naiveRecord{outer}
		}
		return all, err
	}
	if codec >= records.Zstd || outer.value == nil {
		return nil, errNaive
	}
	inner, err := naiveUnpack(codec, b[16] == 0, outer.value)
	if err != nil {
		return nil, err
	}
	batches, left := naiveBatches(inner)
	whole := len(batches) > 0 && left == 0
	last := int64(0)
	for _, m := range batches {
		if m.bad || inner[m.at+16] == 2 {
			whole = false
			break
		}
		last = int64(binary.BigEndian.Uint64(inner[m.at:]))
	}
	base := int64(0)
	if b[16] == 1 {
		if outer.offset != 0 {
			base = outer.offset - last
		}
		if !whole || base < 0 && outer.offset < last && outer.offset != 0 {
			return nil, errNaive // the last offset is needed first
		}
		if outer.offset != 0 && outer.offset < last {
			return nil, errNaive
		}
	}
	for _, m := range batches {
		if m.bad {
			return all, errNaive
		}
		one := inner[m.at : m.at+m.size]
		if one[16] != b[16] {
			return all, errNaive
		}
		r, codec, err := naiveMessage(one)
		if err != nil || codec != records.None {
			return all, errNaive
		}
		r.offset += base
		if b[16] == 1 && b[17]&8 != 0 {
			r.timestamp = outer.timestamp
		}
		all = append(all, r)
	}
	if !whole {
		return all, errNaive
	}
	return all, nil
}

func naiveMessage(b []byte) (r naiveRecord, codec records.Codec, err error) {
	in := naiveInput{b: b}
	r.offset = int64(binary.BigEndian.Uint64(in.take(8)))
	in.take(9)
	codec = records.Codec(in.take(1)[0] & 7)
	if codec > records.Zstd {
		return r, codec, errNaive
	}
	r.timestamp = -1
	if b[16] == 1 {
		r.timestamp = int64(binary.BigEndian.Uint64(in.take(8)))
	}
	for _, p := range []*[]byte{&r.key, &r.value} {
		length := in.take(4)
		if in.err != nil {
			return r, codec, in.err
		}
		if n := int32(binary.BigEndian.Uint32(length)); n >= 0 {
			*p = in.take(int64(n))
		}
	}
	if in.err == nil && len(in.b) > 0 {
		in.err = errNaive
	}
	return r, codec, in.err
}

// naiveInput is read from its front; after an error there is nothing left.
type naiveInput struct {
	b   []byte
	err error
}

func (in *naiveInput) take(n int64) []byte {
	if in.err != nil || n < 0 || n > int64(len(in.b)) {
		in.b, in.err = nil, errNaive
		return nil
	}
	p := in.b[:n:n]
	in.b = in.b[n:]
	return p
}

func (in *naiveInput) varint(bits int) int64 {
	var u uint64
	for shift := 0; shift < bits; shift += 7 {
		b := in.take(1)
		if in.err != nil {
			return 0
		}
		if shift+7 > bits && b[0] >= 1<<(bits-shift) {
			break
		}
		u |= uint64(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			return int64(u>>1) ^ -int64(u&1)
		}
	}
	in.err = errNaive
	return 0
}

func (in *naiveInput) bytes() []byte {
	n := in.varint(32)
	if in.err != nil || n < 0 {
		return nil
	}
	return in.take(n)
}

// Decoders, which are too large to make for each input.
var (
	naiveGzip    stdgzip.Reader
	naiveLZ4     = lz4.NewReader(nil)
	naiveZstd, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
)

// naiveUnpack unpacks with the libraries' own streams.
func naiveUnpack(codec records.Codec, magic0 bool, src []byte) (out []byte, err error) {
	var stream io.Reader
	switch codec {
	case records.Gzip:
		if err = naiveGzip.Reset(bytes.NewReader(src)); err != nil {
			return nil, errNaive
		}
		out, err = io.ReadAll(io.LimitReader(&naiveGzip, unpackLimit+1))
		if err != nil || len(out) > unpackLimit {
			return nil, errNaive // another implementation, of the same opinion
		}
		return out, nil
	case records.Snappy:
		return naiveSnappy(src)
	case records.LZ4:
		if magic0 {
			return nil, errUndecided // it has the wrong checksum
		}
		naiveLZ4.Reset(bytes.NewReader(src))
		stream = naiveLZ4
	case records.Zstd:
		if naiveZstd.Reset(bytes.NewReader(src)) != nil {
			return nil, errUndecided
		}
		stream = naiveZstd
	}
	out, err = io.ReadAll(io.LimitReader(stream, unpackLimit+1))
	if err != nil || len(out) > unpackLimit {
		return nil, errUndecided
	}
	return out, nil
}

func naiveSnappy(src []byte) (out []byte, err error) {
	const magic = "\x82SNAPPY\x00"
	framed := bytes.HasPrefix(src, []byte(magic))
	for len(src) > 0 || !framed {
		block := src
		if framed {
			if bytes.HasPrefix(src, []byte(magic)) {
				if len(src) < 16 {
					return nil, errNaive
				}
				src = src[16:]
				continue
			}
			if len(src) < 4 || uint64(binary.BigEndian.Uint32(src)) > uint64(len(src)-4) {
				return nil, errNaive
			}
			n := binary.BigEndian.Uint32(src)
			block, src = src[4:4+n], src[4+n:]
		}
		n, err := s2.DecodedLen(block)
		if err != nil || len(out)+n > unpackLimit {
			return nil, errNaive
		}
		plain, err := s2.Decode(nil, block)
		if err != nil {
			return nil, errNaive
		}
		out = append(out, plain...)
		if !framed {
			break
		}
	}
	return out, nil
}
