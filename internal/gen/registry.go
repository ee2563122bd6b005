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

// ViewRegistry returns the text of kview/registry_gen.go.
func ViewRegistry(messages []*slots.Message) string {
	var b strings.Builder
	b.WriteString("// NewRequest returns a new view of the requests of an API, or nil where the key is unknown.\n")
	keySwitch(&b, messages, schema.Request, "func NewRequest(key fastcodec.APIKey) Message {", "new(%s)")
	b.WriteString("// NewResponse returns a new view of the responses of an API, or nil where the key is unknown.\n")
	keySwitch(&b, messages, schema.Response, "func NewResponse(key fastcodec.APIKey) Message {", "new(%s)")
	b.WriteString("// NewNamed returns a new view of a header or data message, or nil where there is no such name.\n")
	nameSwitch(&b, messages, "func NewNamed(name string) Message {", "new(%s)")
	return b.String()
}

// keySwitch writes a function that chooses by API key.
func keySwitch(b *strings.Builder, messages []*slots.Message, kind schema.Kind, head, value string) {
	fmt.Fprintf(b, "%s\nswitch key {\n", head)
	for _, m := range messages {
		if m.Schema.Kind == kind {
			fmt.Fprintf(b, "case %d:\nreturn "+value+"\n", m.Schema.API.Key, m.Root.Schema.GoName)
		}
	}
	b.WriteString("}\nreturn nil\n}\n\n")
}

// nameSwitch writes a function that chooses a message without an API key by its name.
func nameSwitch(b *strings.Builder, messages []*slots.Message, head, value string) {
	fmt.Fprintf(b, "%s\nswitch name {\n", head)
	for _, m := range messages {
		if m.Schema.Kind == schema.Header || m.Schema.Kind == schema.Data {
			fmt.Fprintf(b, "case %q:\nreturn "+value+"\n", m.Schema.Name, m.Root.Schema.GoName)
		}
	}
	b.WriteString("}\nreturn nil\n}\n\n")
}
