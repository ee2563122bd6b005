// This file holds the notation of all messages and finds files in it.
package schema

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed apis/*.txt
var files embed.FS

// parseFile parses the embedded file that pick accepts. Only names are looked at before.
func parseFile(what string, pick func(file string) bool) (*API, error) {
	entries, err := files.ReadDir("apis")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if pick(e.Name()) {
			text, err := files.ReadFile("apis/" + e.Name())
			if err != nil {
				return nil, err
			}
			return ParseAPI(e.Name(), text)
		}
	}
	return nil, fmt.Errorf("schema: no %s", what)
}

// Load parses all files: APIs by key, then headers and data messages by name. It
// does the work on each call.
func Load() ([]*API, error) {
	entries, err := files.ReadDir("apis")
	if err != nil {
		return nil, err
	}
	var all []*API
	for _, e := range entries {
		a, err := parseFile("", func(file string) bool { return file == e.Name() })
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b *API) int {
		// As uint16, no key (-1) is above all keys.
		return cmp.Or(cmp.Compare(uint16(a.Key), uint16(b.Key)), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

// ByKey parses the API with the key: one file, on each call.
func ByKey(key int16) (*API, error) {
	prefix := fmt.Sprintf("%03d-", key)
	return parseFile(fmt.Sprintf("API key %d", key), func(file string) bool { return strings.HasPrefix(file, prefix) })
}

// ByName parses the file with the message ("FetchRequest", "RequestHeader",
// "VotersRecord"), on each call.
func ByName(messageName string) (*Message, error) {
	apiName := strings.TrimSuffix(strings.TrimSuffix(messageName, "Request"), "Response")
	a, err := parseFile("message "+messageName, func(file string) bool {
		_, name, _ := strings.Cut(strings.TrimSuffix(file, ".txt"), "-")
		return name == apiName || name == messageName
	})
	if err != nil {
		return nil, err
	}
	for _, m := range a.Messages {
		if m.Name == messageName {
			return m, nil
		}
	}
	return nil, fmt.Errorf("schema: no message %s", messageName)
}
