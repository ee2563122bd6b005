//go:build race

// Says that these tests run under the race detector, where sync.Pool drops at random.

package records_test

const raceEnabled = true
