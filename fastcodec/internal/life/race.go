//go:build race

// Says that this build has the race detector.

package life

const raceDetector = true
