package main

// The registries: generated switches that give the view and the struct of an API
// key. They do no work at start-up, and a program that does not call them links
// only the messages that it names.

import (
	"fmt"
	"strings"

	"github.com/kafkawire/kafkawire/internal/schema"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// DataRegistry returns the text of kdata/registry_gen.go.
func DataRegistry(messages []*slots.Message) string {
	return registry(messages, "", "struct with Kafka's defaults", "pointer(New%s())")
}

// ViewRegistry returns the text of kview/registry_gen.go.
func ViewRegistry(messages []*slots.Message) string {
	return registry(messages, "", "view", "new(%s)") +
		strings.ReplaceAll(registry(messages, "Codec", "codec", "codec(new(%[2]s), new(kdata.%[2]s), (*%[2]s).CopyTo)"), ") Message {", ") *Codec {")
}

// registry writes functions that choose a message: requests and responses by API
// key, headers and data messages by name.
func registry(messages []*slots.Message, suffix, what, value string) string {
	var b strings.Builder
	for kind, name := range []string{"Request", "Response"} {
		fmt.Fprintf(&b, "// New%s%s returns a new %s for the %ss of an API, or nil where the key is unknown.\n", name, suffix, what, strings.ToLower(name))
		head := fmt.Sprintf("func New%s%s(key fastcodec.APIKey) Message {", name, suffix)
		choose(&b, messages, head, "key", value, func(m *schema.Message) string {
			if int(m.Kind) == kind {
				return fmt.Sprint(m.API.Key)
			}
			return ""
		})
	}
	fmt.Fprintf(&b, "// NewNamed%s returns a new %s for a header or data message, or nil where there is no such name.\n", suffix, what)
	choose(&b, messages, fmt.Sprintf("func NewNamed%s(name string) Message {", suffix), "name", value, func(m *schema.Message) string {
		if m.Kind == schema.Header || m.Kind == schema.Data {
			return fmt.Sprintf("%q", m.Name)
		}
		return ""
	})
	return b.String()
}

// choose writes a function that switches over what label gives for a message.
func choose(b *strings.Builder, messages []*slots.Message, head, on, value string, label func(*schema.Message) string) {
	fmt.Fprintf(b, "%s\nswitch %s {\n", head, on)
	for _, m := range messages {
		if l := label(m.Schema); l != "" {
			fmt.Fprintf(b, "case %s:\nreturn "+value+"\n", l, m.Root.Schema.GoName)
		}
	}
	b.WriteString("}\nreturn nil\n}\n\n")
}
