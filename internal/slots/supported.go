package slots

import (
	"fmt"

	"github.com/kafkawire/kafkawire/internal/schema"
)

// Supported refuses what the notation can say, no Kafka message up to 4.4 has, and
// the parsers can't do: better an error when the code is generated than a field
// that is dropped.
func Supported(m *schema.Message) error {
	for _, s := range append([]*schema.Struct{m.Root}, m.Structs...) {
		for _, f := range s.Fields {
			refuse := func(what string) error { return fmt.Errorf("%s: %s.%s: %s", m.Name, s.Name, f.Name, what) }
			switch {
			case f.IsTagged() && f.Tagged != f.Versions:
				return refuse("a field that is tagged in some of its versions only")
			case f.Tag >= 32:
				return refuse("a tag number above 31")
			case f.Array && !arrays[f.Type]:
				return refuse("an array of such elements")
			}
		}
	}
	return nil
}

// arrays are the types that elements of arrays have.
var arrays = map[schema.Type]bool{
	schema.Int8: true, schema.Int16: true, schema.Int32: true, schema.Int64: true,
	schema.UUID: true, schema.String: true, schema.StructType: true,
}
