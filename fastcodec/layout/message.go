// A message at one version, compiled: where to get one, and what it says of itself.

package layout

import (
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/internal/schema"
	"github.com/kafkawire/kafkawire/internal/slots"
)

// Message is a request or response body, a header or a data message at one
// version, ready to be read and written. It never changes: any number of
// goroutines may use one.
type Message struct {
	schema   *schema.Message
	slots    *slots.Message
	version  int16
	flexible bool
	root     *structure
	program  *program
}

// For is the request or response of an API at a version. It is compiled on first
// use and kept. An unknown key is fastcodec.ErrUnknownAPI, a version outside the
// range of the message fastcodec.ErrVersion.
func For(key fastcodec.APIKey, response bool, version int16) (*Message, error) {
	return byKey.get(id{key, response}, version, func() (*schema.Message, error) {
		if !key.Known() {
			return nil, fastcodec.UnsupportedVersion(key, !response, version)
		}
		api, err := schema.ByKey(int16(key))
		if err != nil {
			return nil, err
		}
		for _, m := range api.Messages {
			if m.Kind == schema.Response == response {
				return m, nil
			}
		}
		return nil, fastcodec.UnsupportedVersion(key, !response, version)
	})
}

// Named is the message with a name of Kafka's at a version: "FetchRequest",
// "RequestHeader", "VotersRecord". Compiled on first use and kept. An unknown name
// is fastcodec.ErrUnknownAPI, a version outside the range fastcodec.ErrVersion.
func Named(name string, version int16) (*Message, error) {
	return byName.get(name, version, func() (*schema.Message, error) {
		m, err := schema.ByName(name)
		if err != nil {
			return nil, &fastcodec.Error{Message: name, Version: version, Offset: -1, Err: fastcodec.ErrUnknownAPI}
		}
		return m, nil
	})
}

// Compile is for schemas that are not among Kafka's: tests have shapes that no
// Kafka message has. Nothing is kept.
func Compile(m *schema.Message, version int16) (*Message, error) {
	return newFamily(m).at(version)
}

// Name is Kafka's name of the message: "FetchRequest".
func (m *Message) Name() string { return m.schema.Name }

// Version is the version that the message was compiled for.
func (m *Message) Version() int16 { return m.version }

// Versions is the range of versions that the message has.
func (m *Message) Versions() (lowest, highest int16) {
	return m.schema.Valid.Min, m.schema.Valid.Max
}

// Flexible reports whether the version has compact lengths and tag sections.
func (m *Message) Flexible() bool { return m.flexible }

// Key is the API key; ok is false for headers and data messages.
func (m *Message) Key() (key fastcodec.APIKey, ok bool) {
	return fastcodec.APIKey(m.schema.API.Key), m.schema.API.Key >= 0
}

// HeaderVersion is the version of the header in front of the message; it means
// nothing for headers and data messages.
func (m *Message) HeaderVersion() int16 { return m.schema.HeaderVersion(m.version) }

// compile makes the message of a schema that is already laid out.
func compile(s *schema.Message, l *slots.Message, version int16) *Message {
	m := &Message{schema: s, slots: l, version: version, flexible: s.Flexible.Has(version)}
	m.root = m.plan()
	m.program = m.assemble()
	return m
}
