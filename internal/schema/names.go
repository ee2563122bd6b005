// This file derives names: Go names, JSON names, and the names of struct types.
package schema

import "strings"

// initialisms are the only words of Kafka's names that Go writes otherwise.
var initialisms = map[string]string{
	"Id": "ID", "Ids": "IDs", "Api": "API", "Acl": "ACL", "Acls": "ACLs", "Uuid": "UUID", "Ip": "IP", "Ttl": "TTL",
}

// GoName is the exported Go name of a Kafka name. A word runs from an upper case
// letter to the next one, so "ApiKeys" has two.
func GoName(kafkaName string) string {
	var b strings.Builder
	for rest := kafkaName; rest != ""; {
		n := 1
		for n < len(rest) && !isUpper(rest[n]) {
			n++
		}
		word := rest[:n]
		if b.Len() == 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		if up, ok := initialisms[word]; ok {
			word = up
		}
		b.WriteString(word)
		rest = rest[n:]
	}
	return b.String()
}

// JSONName is the member that Kafka's JSON has for a field: first letter lower case.
func JSONName(kafkaName string) string {
	return strings.ToLower(kafkaName[:1]) + kafkaName[1:]
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// nameStructs gives every struct of the message its Go name: the message's, then
// the struct's own without a leading message or API name, which would only
// stutter. Where two structs would get the same name so, the stutter stays.
func (m *Message) nameStructs() {
	short := func(s *Struct) string {
		for _, prefix := range []string{m.Name, m.API.Name} {
			if rest, ok := strings.CutPrefix(s.Name, prefix); ok && rest != "" && isUpper(rest[0]) {
				return rest
			}
		}
		return s.Name
	}
	uses := map[string]int{}
	for _, s := range m.Structs {
		uses[short(s)]++
	}
	m.Root.GoName = GoName(m.Name)
	for _, s := range m.Structs {
		name := short(s)
		if uses[name] > 1 {
			name = s.Name
		}
		s.GoName = m.Root.GoName + GoName(name)
	}
}
