//go:build !race

// Says that these tests run without the race detector.

package fastcodec

const raceEnabled = false
