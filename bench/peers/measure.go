package main

// How two sides are timed: in interleaved rounds, whose medians are compared.

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"
)

// pair is one operation, done by both sides.
type pair struct {
	ours, theirs func()
}

// loops does what a pair does n times, for operations so short that a call more or
// less counts.
type loops struct {
	ours, theirs func(n int)
}

func (p pair) loops() loops { return loops{repeat(p.ours), repeat(p.theirs)} }

func repeat(op func()) func(n int) {
	return func(n int) {
		for range n {
			op()
		}
	}
}

func (l loops) pair() pair {
	return pair{func() { l.ours(1) }, func() { l.theirs(1) }}
}

// sampler times both sides.
type sampler struct {
	rounds  int
	sample  time.Duration // least time of one sample
	collect bool          // collect garbage before each sample
	least   bool          // compare least times instead of medians
}

// timing is what a sampler finds out.
type timing struct {
	Ours, Theirs float64 // ns an operation
}

func (t timing) ratio() float64 { return t.Theirs / t.Ours }

// run times pairs.
func (s sampler) run(pairs []pair) []timing {
	work := make([]loops, len(pairs))
	for i, p := range pairs {
		work[i] = p.loops()
	}
	return s.runLoops(work)
}

// runLoops times loops. A round takes a sample of both sides of each, one right
// after the other; who is first alternates.
func (s sampler) runLoops(work []loops) []timing {
	type half struct {
		loop func(n int)
		n    int
		took []float64
	}
	halves := make([]half, 0, 2*len(work))
	for _, w := range work {
		halves = append(halves, half{loop: w.ours}, half{loop: w.theirs})
	}
	for i := range halves {
		halves[i].n = s.calibrate(halves[i].loop)
	}
	for round := range s.rounds {
		for i := range halves {
			h := &halves[i^round&1]
			if s.collect {
				runtime.GC()
			}
			h.loop(1) // caches and branches, as far as they are the operation's own
			h.took = append(h.took, s.time(h.loop, h.n))
		}
	}
	timings := make([]timing, len(work))
	for i := range timings {
		timings[i] = timing{s.middle(halves[2*i].took), s.middle(halves[2*i+1].took)}
	}
	return timings
}

// calibrate finds out how many operations a sample takes. The least of three counts:
// one interrupted try must not make the samples short.
func (s sampler) calibrate(loop func(n int)) int {
	for n := 1; ; n *= 2 {
		took := min(s.time(loop, n), s.time(loop, n), s.time(loop, n))
		if took*float64(n) >= float64(s.sample)/2 {
			return int(float64(s.sample)/took) + 1
		}
	}
}

// time gives ns an operation.
func (sampler) time(loop func(n int), n int) float64 {
	start := time.Now()
	loop(n)
	return float64(time.Since(start)) / float64(n)
}

// allocations counts allocations of an operation, after a warm-up.
func allocations(op func()) float64 { return testing.AllocsPerRun(20, op) }

// middle is the median, or the least.
func (s sampler) middle(x []float64) float64 {
	if s.least {
		return slices.Min(x)
	}
	x = slices.Sorted(slices.Values(x))
	return (x[len(x)/2] + x[(len(x)-1)/2]) / 2
}

// percentile of sorted values.
func percentile(sorted []float64, p float64) float64 {
	return sorted[int(p/100*float64(len(sorted)))]
}

func geometricMean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(x)))
}
