//go:build !race

// Says that this build lacks the race detector.

package life

const raceDetector = false
