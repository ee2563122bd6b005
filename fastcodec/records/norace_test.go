//go:build !race

// Says that these tests run without the race detector.

package records_test

const raceEnabled = false
