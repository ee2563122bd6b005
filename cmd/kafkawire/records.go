// records: the batches and records of captured conversations and of log segments.

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/kafkawire/kafkawire/fastcodec/records"
	"github.com/kafkawire/kafkawire/internal/batchjson"
	"github.com/kafkawire/kafkawire/internal/unsafeio"
)

var recordsCommand = command{
	name:     "records",
	synopsis: "[FLAGS] FILE...",
	short:    "list the records of log segments and captures",
	help: `FILE is a segment of a Kafka log (.log, or a .checkpoint snapshot), which is mapped
for reading and never written to; or a captures, vectors or records file. Either may
be gzip'd; "-" is standard input. Which it is, the first bytes say.

Above the batches of each records field stands the file, and of a capture the line,
the API, topic and partition; then come a line a batch, and a line a record:

  batch offsets=0..1 at=0 size=95 magic=2 codec=none records=2 CreateTime=... crc=right
    record offset=0 time=2026-11-30T04:47:19.488Z key="k" value="v" headers=["h"="1"]

  at        where the batch begins, in the segment or in the frame
  records   the count in its header; "wrapper" for a compressed message of magic 0 or 1
  epoch, producer (id/epoch), sequence, transactional, control, delete-horizon
            stand only where they are set
  crc       right or wrong

Text is in quotes, other bytes are in hex. A batch that is broken is reported with its
base offset, the index of the record and the byte, and the list goes on at the next
one. Bytes behind the last whole batch, of one that is torn or was being written, are
said as "left over", and are no fault. The last line counts:

  records: N batches, N records, N bytes, left over N, broken N

The exit code is 1 if any batch or line is broken.

With -json a line is a batch, with the members of records.jsonl.gz (bytes in hex) and
where it comes from; a broken one has an "error" as well, and bytes left over are an
object of their own.`,
	define: func(fs *flag.FlagSet) func(*env, []string) error {
		l := &recordLister{most: 100}
		fs.BoolVar(&l.count, "count", false, "only count: a table by file, or by API, topic and partition")
		fs.BoolVar(&l.batches, "batches", false, "batches only, no records")
		fs.BoolVar(&l.json, "json", false, "print JSON lines")
		fs.IntVar(&l.most, "bytes", l.most, "show at most `N` bytes of a key or value; 0: all")
		fs.IntVar(&l.reader.MaxDecompressed, "limit", fastcodec.DefaultLimits.Decompressed, "the most bytes, `N`, that a batch may unpack to")
		return func(e *env, args []string) error { return l.run(e, args) }
	},
}

// recordLister is one run.
type recordLister struct {
	count, batches, json bool
	most                 int
	e                    *env
	bar                  *progress
	mapped               *progress // bar, where no reader counts the bytes
	reader               records.Reader
	finder               recordsFinder
	line                 []byte
	rows                 map[origin]*listed
	total                listed
	failed               bool
}

// origin is where records were found.
type origin struct {
	file, api, topic string // api is as "Produce request"; of a segment there is none
	partition, line  int
}

// listed counts.
type listed struct{ batches, records, bytes, left, broken int }

func (t *listed) add(o *listed) {
	t.batches += o.batches
	t.records += o.records
	t.bytes += o.bytes
	t.left += o.left
	t.broken += o.broken
}

func (l *recordLister) run(e *env, files []string) error {
	switch {
	case len(files) == 0:
		return errors.New("want a FILE; see kafkawire records -h")
	case l.most < 0 || l.reader.MaxDecompressed < 1:
		return errors.New("-bytes and -limit can't be negative, nor -limit 0")
	case l.json && l.count:
		return errors.New("-count and -json don't go together")
	}
	l.e, l.rows = e, map[origin]*listed{}
	if l.count || !e.outTerminal {
		l.bar = e.newProgress("records", totalSize(files))
	}
	for _, name := range files {
		if err := l.file(name); err != nil {
			l.problem(err)
		}
	}
	l.bar.clear()
	for _, row := range l.rows {
		l.total.add(row)
	}
	if l.count {
		l.table()
	}
	if t := &l.total; !l.json {
		fmt.Fprintf(e.out, "records: %d batches, %d records, %d bytes, left over %d, broken %d\n", t.batches, t.records, t.bytes, t.left, t.broken)
	}
	if l.failed {
		return errFailed
	}
	return nil
}

// problem reports what doesn't end the run.
func (l *recordLister) problem(err error) {
	l.failed = true
	l.e.complain(err)
}

// file lists a file, by what it begins with.
func (l *recordLister) file(name string) error {
	if size := totalSize([]string{name}); size > 0 {
		data, release, err := unsafeio.Map(name)
		if err != nil {
			return err
		}
		if !isPacked(data) && !isObject(data) {
			l.mapped = l.bar
			l.segment(name, data)
			l.mapped = nil
			return release()
		}
		if err := release(); err != nil {
			return err
		}
	}
	in, err := l.e.openInput(name, l.bar)
	if err != nil {
		return err
	}
	defer in.close()
	lines, err := in.isLines()
	if err != nil {
		return err
	}
	if lines {
		return l.lines(in)
	}
	data, err := io.ReadAll(in.r)
	l.segment(in.name, data)
	if err != nil {
		return fmt.Errorf("%s: %w", in.name, err)
	}
	return nil
}

// isPacked and isObject tell what isn't a segment, which begins with an offset.
func isPacked(data []byte) bool { return bytes.HasPrefix(data, []byte{0x1f, 0x8b}) }

func isObject(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(data[:min(len(data), 100)], " \t\r\n"), []byte("{"))
}

func (l *recordLister) segment(name string, data []byte) {
	l.heading("%s: %s", name, count(len(data), "byte"))
	l.field(origin{file: name}, name, data, 0, false)
}

// heading prints what stands above the batches of a field.
func (l *recordLister) heading(format string, args ...any) {
	if !l.count && !l.json {
		fmt.Fprintf(l.e.out, format+"\n", args...)
	}
}

// lines lists what JSON lines hold.
func (l *recordLister) lines(in *input) error {
	l.finder.topics = map[fastcodec.UUID]string{}
	for {
		text, err := in.next()
		switch {
		case err == io.EOF && len(text) == 0:
			return nil
		case err == errLongLine:
		case err != nil && err != io.EOF:
			return fmt.Errorf("%s: %w", in.where(), err)
		default:
			err = l.object(in, text)
		}
		if err != nil {
			l.problem(fmt.Errorf("%s: %w", in.where(), err))
		}
	}
}

// object lists the records of a line.
func (l *recordLister) object(in *input, text []byte) error {
	o := origin{file: in.name, line: in.line}
	m, err := parseLine(text)
	if err != nil {
		return err
	}
	if m.form() == recordsForm {
		field := m.hex("bytes")
		if m.err == nil {
			l.heading("%s: %s", in.where(), count(len(field), "byte"))
			l.field(o, in.where(), field, 0, false)
		}
		return m.err
	}
	f, err := m.frame()
	if err != nil {
		return err
	}
	p, err := takeApart(f, m.form() == vectorForm)
	if err != nil {
		return fmt.Errorf("%s: %w", f.title(), err)
	}
	err = l.finder.find(&p, func(topic string, partition int, n *layout.Node, at int) {
		o.api, o.topic, o.partition = fmt.Sprintf("%s %s", p.key, kindName(p.response)), topic, partition
		where := fmt.Sprintf("%s: %s, topic %s, partition %d", in.where(), p.title(), topic, partition)
		l.heading("%s: %s", where, count(len(n.Content), "byte"))
		l.field(o, where, n.Content, at, beginsWithin(n))
	})
	if err != nil {
		return fmt.Errorf("%s: %w", f.title(), err)
	}
	return nil
}

// field lists a records field that begins at some place; within says that it begins
// within a batch.
func (l *recordLister) field(o origin, where string, field []byte, at int, within bool) {
	key := o
	key.line = 0
	row := l.rows[key]
	if row == nil {
		row = new(listed)
		l.rows[key] = row
	}
	row.bytes += len(field)
	if within {
		row.left += len(field)
		l.left(&o, len(field), at, "a piece of a snapshot that begins within a batch")
		return
	}
	it := records.Batches(field)
	for {
		more := it.Next()
		var errs []error
		switch rest := field[it.At():]; {
		case more:
			row.batches++
			var n int
			n, errs = l.batch(&o, it.Batch(), at+it.At())
			row.records += n
			l.mapped.add(it.Batch().Size())
		case it.Err() == nil:
			if len(rest) > 0 {
				row.left += len(rest)
				l.left(&o, len(rest), at+it.At(), "a batch that isn't whole")
			}
			return
		case len(bytes.TrimLeft(rest, "\x00")) == 0:
			// A segment that was made at its full size.
			row.left += len(rest)
			l.left(&o, len(rest), at+it.At(), "zeros")
			return
		default:
			errs = []error{it.Err()}
			if l.json {
				l.print(&o, &jsonBatch{At: at + it.At(), Error: it.Err().Error()})
			}
		}
		if len(errs) > 0 {
			row.broken++
		}
		for _, err := range errs {
			l.problem(fmt.Errorf("%s: at %d: %w", where, at+it.At(), err))
		}
	}
}

// left prints how many bytes are left over at a place, and what they are.
func (l *recordLister) left(o *origin, n, at int, what string) {
	switch {
	case l.count:
	case l.json:
		l.print(o, &jsonBatch{At: at, Left: n})
	default:
		fmt.Fprintf(l.e.out, "left over at=%d size=%d: %s\n", at, n, what)
	}
}

// batch prints a batch and gives how many records could be read of it, and what is
// wrong with it.
func (l *recordLister) batch(o *origin, b records.Batch, at int) (n int, errs []error) {
	if err := b.CheckCRC(); err != nil {
		errs = append(errs, err)
	}
	if l.json {
		read, err := batchjson.Read(&l.reader, b, at)
		if err != nil {
			errs = append(errs, err)
		}
		out := jsonBatch{At: at, Batch: &read}
		if len(errs) > 0 {
			out.Error = errors.Join(errs...).Error()
		}
		if n = len(read.Records); !l.batches {
			out.Records = &read.Records
		}
		l.print(o, &out)
		return n, errs
	}
	if !l.count {
		l.line = append(appendBatch(l.line[:0], b, at), '\n')
		l.e.out.Write(l.line)
	}
	for l.reader.Open(b); l.reader.Next(); n++ {
		if !l.count && !l.batches {
			l.line = append(appendRecord(l.line[:0], l.reader.Record(), b.Control(), l.most), '\n')
			l.e.out.Write(l.line)
		}
	}
	if err := l.reader.Err(); err != nil {
		errs = append(errs, err)
	}
	return n, errs
}

// jsonBatch is a line of -json.
type jsonBatch struct {
	File      string `json:"file"`
	Line      int    `json:"line,omitempty"`
	API       string `json:"api,omitempty"`
	Topic     string `json:"topic,omitempty"`
	Partition *int   `json:"partition,omitempty"`
	At        int    `json:"at"`
	*batchjson.Batch
	Records *[]batchjson.Record `json:"records,omitempty"`
	Error   string              `json:"error,omitempty"`
	Left    int                 `json:"leftOver,omitempty"`
}

func (l *recordLister) print(o *origin, b *jsonBatch) {
	b.File, b.Line, b.API, b.Topic = o.file, o.line, o.api, o.topic
	if o.api != "" {
		b.Partition = &o.partition
	}
	text, err := json.Marshal(b)
	if err != nil {
		l.problem(err)
		return
	}
	l.e.out.Write(append(text, '\n'))
}

// table prints the counts.
func (l *recordLister) table() {
	keys := make([]origin, 0, len(l.rows))
	for o := range l.rows {
		keys = append(keys, o)
	}
	slices.SortFunc(keys, func(a, b origin) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.api, b.api), cmp.Compare(a.topic, b.topic), cmp.Compare(a.partition, b.partition))
	})
	t := newTable("file", "API", "topic", "partition>", "batches>", "records>", "bytes>", "left over>", "broken>")
	for _, o := range keys {
		w, partition := l.rows[o], ""
		if o.api != "" {
			partition = fmt.Sprint(o.partition)
		}
		t.add(o.file, o.api, o.topic, partition, fmt.Sprint(w.batches), fmt.Sprint(w.records), fmt.Sprint(w.bytes), fmt.Sprint(w.left), fmt.Sprint(w.broken))
	}
	t.write(l.e.out)
}
