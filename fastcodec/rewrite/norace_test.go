//go:build !race

package rewrite

// raceEnabled says whether the race detector is on, under which pools drop what they
// are given now and then.
const raceEnabled = false
