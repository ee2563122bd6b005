//go:build race

// Says that these tests run under the race detector, where sync.Pool drops at random.

package proxy

const raceEnabled = true
