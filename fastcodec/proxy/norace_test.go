//go:build !race

// Says that these tests run without the race detector.

package proxy

const raceEnabled = false
