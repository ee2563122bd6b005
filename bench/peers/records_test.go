package main

import (
	"flag"
	"testing"
	"time"
)

var recordRounds = flag.Int("records", 0, "measure the records, in this many rounds")

// TestRecords measures the records alone, with the least times: for work on the code.
func TestRecords(t *testing.T) {
	if *recordRounds == 0 {
		t.Skip("measures with -records ROUNDS only")
	}
	r := runner{options: options{rounds: *recordRounds, least: true}}
	r.small = sampler{rounds: *recordRounds, least: true, sample: 50 * time.Microsecond}
	r.records()
	if r.missed > 0 {
		t.Errorf("%d bars missed", r.missed)
	}
}
