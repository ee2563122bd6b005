//go:build !race

// See race_test.go.

package main

const underRace = false
