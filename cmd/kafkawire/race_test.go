//go:build race

// The command has no goroutines: what takes long is not done under the race detector.

package main

const underRace = true
