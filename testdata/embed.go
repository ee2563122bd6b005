// Package testdata embeds the captured conversations, for the command's default
// input. ./... does not match a folder of this name: vet it by name.
package testdata

import "embed"

// Captures holds captures/NAME.jsonl.gz; the form of a line is in captures/README.md.
//
//go:embed captures/*.jsonl.gz
var Captures embed.FS
