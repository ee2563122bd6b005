// replay: captured conversations read, written again, compared and timed.

package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
)

var replayCommand = command{
	name:     "replay",
	synopsis: "[FLAGS] [FILE...]",
	short:    "decode and encode captured conversations, and time it",
	help: `Reads captures, or vectors files; without a FILE, the captures that the command
carries. Every frame is read through the typed views, copied into the structs,
written again with its trailing bytes, and compared byte for byte. The table has a
row for each API and version, requests and responses together:

  frames, bytes     how many, and their size in all
  decode            ns to parse header and body, a frame: all checked, all fields found
  copy              ns to read every field and fill the structs with it
  encode            ns to write the frame from the structs
  allocs            allocations a frame of decode, copy and encode together
  trailing          frames with bytes after their last field
  mismatch          frames that could not be read, or that came out different
  opaque            frames of a key or version that isn't known, passed as they are

Times are those of reused objects, the least of three rounds, over the first frames
of each row. The exit code is 1 if any frame mismatches.`,
	define: func(fs *flag.FlagSet) func(*env, []string) error {
		repeat := fs.Int("repeat", 30, "decode and encode each timed frame `N` times; 0: don't time")
		return func(e *env, args []string) error {
			if *repeat < 0 {
				return fmt.Errorf("-repeat %d: want 0 or more", *repeat)
			}
			return replay(e, args, *repeat)
		}
	},
}

// timedFrames is the most frames of a row that are timed.
const timedFrames = 1000

// shownFailures is the most failures that a command describes.
const shownFailures = 20

type rowKey struct {
	key     fastcodec.APIKey
	version int16
}

// row is a line of the table.
type row struct {
	frames, bytes, trailing, mismatch, opaque int
	timed                                     int
	decode, copy, encode                      float64 // ns, sums
	allocs                                    float64
}

func (r *row) add(o *row) {
	r.frames += o.frames
	r.bytes += o.bytes
	r.trailing += o.trailing
	r.mismatch += o.mismatch
	r.opaque += o.opaque
	r.timed += o.timed
	r.decode += o.decode
	r.copy += o.copy
	r.encode += o.encode
	r.allocs += o.allocs
}

// replayer is one run.
type replayer struct {
	rewriter
	e      *env
	repeat int
	rows   map[rowKey]*row
	failed int
}

func replay(e *env, files []string, repeat int) error {
	open, total := e.openInput, totalSize(files)
	if len(files) == 0 {
		files, open, total = embeddedCaptures()
	}
	r := &replayer{rewriter: rewriter{codecs: newCodecs()}, e: e, repeat: repeat, rows: map[rowKey]*row{}}
	bar := e.newProgress("replay", total)
	for _, name := range files {
		in, err := open(name, bar)
		if err == nil {
			err = r.file(in)
			in.close()
		}
		if err != nil {
			r.failed++
			e.complain(err)
		}
	}
	bar.clear()
	if len(r.rows) > 0 {
		r.table()
	}
	if r.failed > 0 {
		return errFailed
	}
	return nil
}

// file replays the frames of a file.
func (r *replayer) file(in *input) error {
	for {
		text, err := in.next()
		switch {
		case err == io.EOF && len(text) == 0:
			if in.empty {
				return fmt.Errorf("%s: no lines", in.name)
			}
			return nil
		case err == errLongLine:
			r.fail(in, err)
			continue
		case err != nil && err != io.EOF:
			return fmt.Errorf("%s: %w", in.where(), err)
		}
		l, err := parseLine(text)
		if err != nil {
			r.fail(in, err)
			continue
		}
		f, err := l.frame()
		if err != nil {
			r.fail(in, err)
			continue
		}
		if err := r.frame(f, l.form() == vectorForm); err != nil {
			r.fail(in, fmt.Errorf("%s: %w", f.title(), err))
		}
	}
}

func (r *replayer) fail(in *input, err error) {
	if r.failed++; r.failed <= shownFailures {
		r.e.complain(fmt.Errorf("%s: %w", in.where(), err))
	}
}

// frame replays a frame and counts it.
func (r *replayer) frame(f frame, own bool) error {
	w := r.rows[rowKey{f.key, f.version}]
	if w == nil {
		w = new(row)
		r.rows[rowKey{f.key, f.version}] = w
	}
	w.frames++
	w.bytes += len(f.data)
	p, err := takeApart(f, own)
	if err != nil {
		w.mismatch++
		return err
	}
	c := r.codecs.get(p.key, p.response)
	if p.opaque || c == nil {
		w.opaque++
		r.out, err = fastcodec.AppendFrame(r.out[:0], p.payload)
	} else {
		if err = r.parse(&p, c); err == nil {
			if r.copy(&p, c); len(r.body.trailing) > 0 {
				w.trailing++
			}
			err = r.write(&p)
		}
	}
	if err == nil && !bytes.Equal(r.out, f.data) {
		err = p.difference(r.out)
	}
	if err != nil {
		w.mismatch++
		return err
	}
	if !p.opaque && r.repeat > 0 && w.timed < timedFrames {
		r.time(w, &p, c)
	}
	return nil
}

// time measures a frame that passed, with all objects warm.
func (r *replayer) time(w *row, p *parts, c *kview.Codec) {
	var before, after runtime.MemStats
	w.timed++
	runtime.ReadMemStats(&before)
	w.decode += r.least(func() {
		// As takeApart has done it, but for finding out the version of an ApiVersions
		// answer, which needs the body's first bytes only.
		if p.response {
			p.answer, p.body, _ = fastcodec.ParseResponse(p.payload, p.key, p.version)
		} else {
			p.request, p.body, _ = fastcodec.ParseRequest(p.payload)
		}
		_ = r.parse(p, c)
	})
	w.copy += r.least(func() { r.copy(p, c) })
	w.encode += r.least(func() { _ = r.write(p) })
	runtime.ReadMemStats(&after)
	// Whole allocations a frame: what the runtime does now and then doesn't count.
	w.allocs += float64((after.Mallocs - before.Mallocs) / uint64(rounds*r.repeat))
}

const rounds = 3

// least is the time of one call, in ns: the least of some rounds.
func (r *replayer) least(do func()) float64 {
	least := time.Duration(1<<63 - 1)
	for range rounds {
		start := time.Now()
		for range r.repeat {
			do()
		}
		least = min(least, time.Since(start))
	}
	return float64(least.Nanoseconds()) / float64(r.repeat)
}

// table prints the rows.
func (r *replayer) table() {
	keys := make([]rowKey, 0, len(r.rows))
	for k := range r.rows {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b rowKey) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.version, b.version))
	})
	t := newTable("API", "version>", "frames>", "bytes>", "decode ns>", "copy ns>", "encode ns>", "allocs>", "trailing>", "mismatch>", "opaque>")
	var total row
	for _, k := range keys {
		w := r.rows[k]
		total.add(w)
		t.add(w.cells(k.key.String(), fmt.Sprint(k.version))...)
	}
	t.rule()
	t.add(total.cells(fmt.Sprintf("all %d", len(keys)), "")...)
	t.write(r.e.out)
}

func (r *row) cells(name, version string) []string {
	mean := func(sum float64, format string) string {
		if r.timed == 0 {
			return "-"
		}
		return fmt.Sprintf(format, sum/float64(r.timed))
	}
	allocs := mean(r.allocs, "%.2f")
	allocs = strings.TrimSuffix(allocs, ".00")
	return []string{name, version, fmt.Sprint(r.frames), fmt.Sprint(r.bytes),
		mean(r.decode, "%.0f"), mean(r.copy, "%.0f"), mean(r.encode, "%.0f"), allocs,
		fmt.Sprint(r.trailing), fmt.Sprint(r.mismatch), fmt.Sprint(r.opaque)}
}

// difference is the error of a frame that came out as got.
func (p *parts) difference(got []byte) error {
	at := firstDifference(got, p.data)
	return errors.New("written again it is another: " + p.describeAt(at) + ": " + shownBytes(got, at) + ", not " + shownBytes(p.data, at))
}
