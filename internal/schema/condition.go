// This file reads the condition of an entity mark: when a field holds the entity,
// and in which form.
package schema

import (
	"fmt"
	"strings"
)

// Form tells how a field holds its entity.
type Form uint8

const (
	Plain        Form = iota // the entity itself; of an array: each element
	Decimal                  // a number as decimal text; empty text is no entity
	ACLName                  // an ACL's resource name; Arg names the pattern type field: 3 literal ("*" is all), 4 prefix
	ShareKey                 // text GROUP:TOPICID:PARTITION
	Pattern                  // a regular expression over names
	IndexForm                // positions in the array Arg, found from the enclosing struct outwards
	EmbeddedForm             // bytes that hold entities, see Arg
)

// formNames are the words of the notation, and whether an argument follows.
var formNames = []struct {
	name string
	arg  bool
}{
	Plain: {"", false}, Decimal: {"decimal", false}, ACLName: {"acl", true}, ShareKey: {"share-key", false},
	Pattern: {"pattern", false}, IndexForm: {"index", true}, EmbeddedForm: {"embedded", true},
}

// Condition is a parsed Entity.Condition.
type Condition struct {
	// Field must have the value Value (a number, or a string's text); "" is no
	// condition. It is looked for in the field's own struct, then outwards up to the
	// message; with OfRequest, at the top of the request that a response answers.
	// A version without it counts with its default, and a null means that only the
	// connection knows (the protocol type of an old JoinGroup response).
	Field     string
	OfRequest bool
	Value     string
	Form      Form
	// Arg is the field that ACLName or IndexForm names. For EmbeddedForm it is a data
	// message (an int16 version stands in front of it), request or response (with its
	// header), batches (producer ids in their headers) or log (the metadata log).
	Arg string
}

// ParseCondition reads Entity.Condition: ["if" ["request."]FIELD"="VALUE] ["as" FORM [ARG]].
func ParseCondition(text string) (Condition, error) {
	var c Condition
	bad := fmt.Errorf("bad condition %q", text)
	words := strings.Fields(text)
	if len(words) >= 2 && words[0] == "if" {
		field, value, ok := strings.Cut(words[1], "=")
		c.Field, c.OfRequest = strings.CutPrefix(field, "request.")
		c.Value = value
		if !ok || !isName(c.Field) || value == "" {
			return c, bad
		}
		words = words[2:]
	}
	if len(words) >= 2 && words[0] == "as" {
		for form, f := range formNames {
			if f.name == words[1] {
				c.Form = Form(form)
			}
		}
		if c.Form == Plain {
			return c, bad
		}
		words = words[2:]
		if formNames[c.Form].arg {
			if len(words) == 0 || !isName(words[0]) {
				return c, bad
			}
			c.Arg, words = words[0], words[1:]
		}
	}
	if len(words) > 0 {
		return c, bad
	}
	return c, nil
}

// String is the canonical text, which ParseCondition reads.
func (c Condition) String() string {
	var words []string
	if c.Field != "" {
		field := c.Field
		if c.OfRequest {
			field = "request." + field
		}
		words = append(words, "if", field+"="+c.Value)
	}
	if c.Form != Plain {
		words = append(words, "as", formNames[c.Form].name)
		if c.Arg != "" {
			words = append(words, c.Arg)
		}
	}
	return strings.Join(words, " ")
}

// isName reports whether text is a name as Kafka's schemas allow it.
func isName(text string) bool {
	for i := range len(text) {
		c := text[i]
		if !isUpper(c) && !('a' <= c && c <= 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}
