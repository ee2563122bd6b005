package main

// The API table of fastcodec: keys, versions, listeners and the header versions
// that the rule "flexible or not" does not give.

import (
	"fmt"
	"strings"

	"github.com/kafkawire/kafkawire/internal/schema"
)

// APITable returns the text of fastcodec/apis_gen.go.
func APITable(apis []*schema.API) string {
	var keys, rows, exceptions strings.Builder
	for _, a := range apis {
		if a.Key < 0 {
			continue
		}
		name, m := schema.GoName(a.Name), a.Messages[0]
		fmt.Fprintf(&keys, "%s APIKey = %d\n", name, a.Key)
		var flags []string
		for _, l := range a.Listeners {
			flags = append(flags, "on"+strings.ToUpper(l[:1])+l[1:])
		}
		if a.Unstable {
			flags = append(flags, "unstable")
		}
		exceptional := false
		for _, m := range a.Messages {
			of := "ofRequest"
			if m.Kind == schema.Response {
				of = "ofResponse"
			}
			for _, h := range m.HeaderVersions {
				r := h.Versions.And(m.Valid)
				fmt.Fprintf(&exceptions, "{%s, %s, %d, %d, %d},\n", name, of, r.Min, r.Max, h.Header)
				exceptional = true
			}
		}
		if exceptional {
			flags = append(flags, "exceptional")
		}
		flexible := int16(-1)
		if !m.Flexible.Empty() {
			flexible = m.Flexible.Min
		}
		fmt.Fprintf(&rows, "%s: {%q, %d, %d, %d, %s},\n", name, a.Name, m.Valid.Min, m.Valid.Max, flexible, strings.Join(flags, " | "))
	}
	return fmt.Sprintf(`// The API keys.
const (
%s)

// apis is the table of APIs, by key.
var apis = [...]apiInfo{
%s}

// headerExceptions are the versions whose header isn't that of the rule.
var headerExceptions = [...]headerException{
%s}
`, &keys, &rows, &exceptions)
}
