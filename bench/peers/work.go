package main

// The measurements.

import (
	"encoding/binary"
	"fmt"

	"github.com/kafkawire/kafkawire/bench/readall"
	"github.com/kafkawire/kafkawire/bench/result"
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// sink keeps results alive.
var sink uint64

// stated measures the inputs that are built from stated counts.
func (r *runner) stated(frames []frame) {
	bars := [][3][2]float64{ // parse, read, encode: bar and aim
		{{11, 15}, {6.5, 10}, {2.8, 4}},
		{{17, 25}, {7, 12}, {4.2, 6}},
		{{22, 35}, {8, 12}, {3, 4}},
		{},
	}
	var parse, read, encode []workload
	for i := range frames {
		f := &frames[i]
		add := func(to *[]workload, work, against string, bar [2]float64, p pair) {
			l := result.Line{Work: work, Input: fmt.Sprintf("%s, %d bytes", f.Name, len(f.Body)), Against: against, Bar: bar[0], Aim: bar[1]}
			*to = append(*to, workload{Line: l, pair: p})
		}
		p, both := decodePairs(f)
		add(&parse, "Parse", "ReadFrom", bars[i][0], p)
		add(&read, "Read", "ReadFrom and its struct", bars[i][1], both)
		add(&encode, "Encode", "AppendTo", bars[i][2], encodeLoops(f).pair())
	}
	r.measure(append(append(parse, read...), encode...))
}

// decodePairs parses; and parses and reads all fields.
func decodePairs(f *frame) (parse, read pair) {
	if f.Key == fastcodec.Metadata {
		m := new(kview.MetadataResponse)
		parse.ours = func() { must(m.Parse(f.Body, f.Version)) }
		parse.theirs = func() {
			k := kmsg.NewPtrMetadataResponse()
			k.Version = f.Version
			must(k.ReadFrom(f.Body))
		}
		read.ours = func() {
			must(m.Parse(f.Body, f.Version))
			sink = readall.Metadata(m)
		}
		read.theirs = func() {
			k := kmsg.NewPtrMetadataResponse()
			k.Version = f.Version
			must(k.ReadFrom(f.Body))
			sink = kmsgMetadata(k)
		}
	} else {
		m := new(kview.DescribeQuorumResponse)
		parse.ours = func() { must(m.Parse(f.Body, f.Version)) }
		parse.theirs = func() {
			k := kmsg.NewPtrDescribeQuorumResponse()
			k.Version = f.Version
			must(k.ReadFrom(f.Body))
		}
		read.ours = func() {
			must(m.Parse(f.Body, f.Version))
			sink = readall.Quorum(m)
		}
		read.theirs = func() {
			k := kmsg.NewPtrDescribeQuorumResponse()
			k.Version = f.Version
			must(k.ReadFrom(f.Body))
			sink = kmsgQuorum(k)
		}
	}
	read.ours()
	ours := sink
	read.theirs()
	if ours != sink {
		panic("kafkawire and kmsg read different values: " + f.Name)
	}
	return parse, read
}

// encodeLoops write a struct into a buffer that is large enough.
func encodeLoops(f *frame) loops {
	d, k, version := f.data(), newKmsg(f), f.Version
	must(k.ReadFrom(f.Body))
	// Room to spare, as in any buffer that is used again.
	room := 2*len(f.Body) + 1024
	ours, theirs := make([]byte, 0, room), make([]byte, 0, room)
	return loops{
		func(n int) {
			for range n {
				_, err := d.AppendTo(ours, version)
				must(err)
			}
		},
		func(n int) {
			for range n {
				k.AppendTo(theirs)
			}
		},
	}
}

// shuffled measures whole sets of frames of many messages and versions, in an
// order that no branch predictor knows.
func (r *runner) shuffled(all []frame) {
	var three []frame
	for _, f := range all {
		if f.Key == fastcodec.Metadata || f.Key == fastcodec.APIVersions || f.Key == fastcodec.DescribeQuorum {
			three = append(three, f)
		}
	}
	work := func(work, input string, bar, aim float64, frames []frame, ours func(f *frame)) workload {
		l := result.Line{Work: work, Input: fmt.Sprintf("shuffled, %s, %d frames", input, len(frames)), Against: "UnsafeReadFrom, a new object each", Bar: bar, Aim: aim}
		return workload{l, pair{
			func() {
				for i := range frames {
					ours(&frames[i])
				}
			},
			func() {
				for i := range frames {
					must(newKmsg(&frames[i]).UnsafeReadFrom(frames[i].Body))
				}
			},
		}, len(frames)}
	}
	var ix layout.Index
	parse := func(f *frame) { f.parse() }
	check := func(f *frame) {
		m, err := layout.For(f.Key, f.Response, f.Version)
		must(err)
		must(m.Parse(&ix, f.Body))
	}
	r.measure([]workload{
		work("Parse", "three APIs", 7, 10, three, parse),
		work("Parse", "all APIs", 4, 6, all, parse),
		work("Layout check", "three APIs", 2.5, 4, three, check),
		work("Layout check", "all APIs", 0, 0, all, check),
	})
}

// header measures a peek at request headers, few enough to be in the cache as those
// that were just received are, against a loop that does only this.
func (r *runner) header(all []frame) {
	var payloads [][]byte
	for _, f := range all {
		if !f.Response && len(f.Payload)-len(f.Body) >= 10 && len(payloads) < 256 {
			payloads = append(payloads, f.Payload)
		}
	}
	ours := func() {
		var sum uint64
		for _, p := range payloads {
			key, version, id, client, _ := fastcodec.PeekRequest(p)
			sum += uint64(key) + uint64(version) + uint64(id) + uint64(len(client))
		}
		sink = sum
	}
	plain := func() {
		var sum uint64
		for _, p := range payloads {
			if len(p) < 10 {
				continue
			}
			key := int16(binary.BigEndian.Uint16(p))
			version := int16(binary.BigEndian.Uint16(p[2:]))
			id := int32(binary.BigEndian.Uint32(p[4:]))
			var client []byte
			if n := int(int16(binary.BigEndian.Uint16(p[8:]))); n >= 0 && n <= len(p)-10 {
				client = p[10 : 10+n]
			}
			sum += uint64(key) + uint64(version) + uint64(id) + uint64(len(client))
		}
		sink = sum
	}
	ours()
	sum := sink
	if plain(); sum != sink {
		panic("the header peek and the plain loop read different values")
	}
	l := result.Line{Work: "Header peek", Input: fmt.Sprintf("shuffled, all APIs, %d requests", len(payloads)), Against: "loop over encoding/binary", Bar: 1, Aim: 1.5}
	r.measure([]workload{{l, pair{ours, plain}, len(payloads)}})
}

// parseEach measures each frame alone.
func (r *runner) parseEach(all []frame) {
	r.each(result.Line{Work: "Parse", Against: "UnsafeReadFrom, a new object each"}, all, bars{geomean: [2]float64{7, 10}, first: 2, least: 1.5},
		func(*frame) bool { return true },
		func(f *frame) loops {
			return loops{
				func(n int) {
					for range n {
						f.parse()
					}
				},
				func(n int) {
					for range n {
						must(newKmsg(f).UnsafeReadFrom(f.Body))
					}
				},
			}
		})
}

// encodeEach measures each frame alone. Where more than half of a frame is text,
// both sides do little but copy it, so that the first percentile is of the others.
func (r *runner) encodeEach(all []frame) {
	r.each(result.Line{Work: "Encode", Against: "AppendTo"}, all, bars{geomean: [2]float64{2.8, 4}, first: 1.3, least: 0.95},
		func(f *frame) bool { return 2*f.textBytes < len(f.Body) },
		encodeLoops)
}

// bars are those of a distribution of ratios.
type bars struct {
	geomean      [2]float64 // bar and aim
	first, least float64    // of the first percentile, of the minimum
}

// again measures the frames with the least ratios once more, in four times the
// rounds: the least of 2,000 ratios is else the one that was disturbed most.
func (r *runner) again(all []loops, timings []timing) {
	slowest := byRatio(timings)
	slowest = slowest[:min(50, len(slowest))]
	var some []loops
	for _, i := range slowest {
		some = append(some, all[i])
	}
	longer := r.small
	longer.rounds *= 4
	for n, t := range longer.runLoops(some) {
		timings[slowest[n]] = t
	}
}

// each measures frames one by one; the first percentile is of those that counts
// says.
func (r *runner) each(l result.Line, frames []frame, b bars, counts func(*frame) bool, work func(*frame) loops) {
	if r.skips(l.Work) {
		return
	}
	all := make([]loops, len(frames))
	for i := range frames {
		all[i] = work(&frames[i])
		p := all[i].pair()
		l.OursAllocs = max(l.OursAllocs, allocations(p.ours))
		l.TheirsAllocs += allocations(p.theirs) / float64(len(frames))
	}
	timings := r.small.runLoops(all)
	r.again(all, timings)
	var ratios, counted []float64 // sorted
	for n, i := range byRatio(timings) {
		ratios = append(ratios, timings[i].ratio())
		if counts(&frames[i]) {
			counted = append(counted, timings[i].ratio())
		}
		if n < r.options.slowest {
			l.Slowest = append(l.Slowest, result.Slow{Frame: frames[i].Name, Ours: timings[i].Ours, Theirs: timings[i].Theirs})
		}
	}
	add := func(input string, ratio, bar, aim float64, slowest []result.Slow) {
		l := l
		l.Input, l.Ratio, l.Bar, l.Aim, l.Slowest = input, ratio, bar, aim, slowest
		r.add(l)
	}
	add(fmt.Sprintf("each alone, geometric mean of %d frames", len(ratios)), geometricMean(ratios), b.geomean[0], b.geomean[1], nil)
	add(fmt.Sprintf("each alone, first percentile of %d frames", len(counted)), percentile(counted, 1), b.first, 0, nil)
	add("each alone, minimum", ratios[0], b.least, 0, l.Slowest)
}
