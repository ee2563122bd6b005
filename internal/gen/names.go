package main

// Names and types that the generated packages share.

import (
	"fmt"
	"strings"

	"github.com/kafkawire/kafkawire/internal/schema"
)

// viewMethods are the names that a field's accessor can't have, since views and
// messages have methods of these names.
var viewMethods = map[string]bool{
	"All": true, "At": true, "Body": true, "CopyTo": true, "IsNull": true, "Len": true, "Parse": true,
	"SetIndexLimit": true, "SetStrict": true, "Trailing": true, "UnknownTags": true, "Version": true,
}

// AccessorName is the name of a field's accessor in kview: its Go name, with the
// suffix Field where views have a method of that name.
func AccessorName(f *schema.Field) string {
	if viewMethods[f.GoName] {
		return f.GoName + "Field"
	}
	return f.GoName
}

// GoType is the Go type of a field, or of its elements, in kview and kdata alike.
func GoType(f *schema.Field) string {
	switch f.Type {
	case schema.Bool:
		return "bool"
	case schema.Int8:
		return "int8"
	case schema.Int16:
		switch {
		case f.Array:
		case strings.HasSuffix(f.Name, "ErrorCode"):
			return "fastcodec.ErrorCode"
		case f.Name == "ApiKey", f.Name == "RequestApiKey":
			return "fastcodec.APIKey"
		}
		return "int16"
	case schema.Uint16:
		return "uint16"
	case schema.Int32:
		return "int32"
	case schema.Uint32:
		return "uint32"
	case schema.Int64:
		return "int64"
	case schema.Float64:
		return "float64"
	case schema.UUID:
		return "fastcodec.UUID"
	case schema.StructType:
		return f.Struct.GoName
	}
	return "[]byte"
}

// DefaultValue is the Go expression for the default of a field of fixed size.
func DefaultValue(f *schema.Field) string {
	switch {
	case f.Type == schema.UUID && f.Default == "":
		return "fastcodec.UUID{}"
	case f.Type == schema.UUID:
		u, err := uuidWords(f.Default)
		if err != nil {
			panic(err)
		}
		return fmt.Sprintf("fastcodec.UUID{Hi: %#x, Lo: %#x}", u[0], u[1])
	case f.Default != "":
		return f.Default
	case f.Type == schema.Bool:
		return "false"
	}
	return "0"
}

// fileName is the name of a message's generated file: describe_quorum_request_gen.go.
func fileName(message string) string {
	var b strings.Builder
	for i, c := range message {
		if 'A' <= c && c <= 'Z' && i > 0 {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(c)))
	}
	return b.String() + "_gen.go"
}
