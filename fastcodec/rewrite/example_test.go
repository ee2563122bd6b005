package rewrite_test

import (
	"bytes"
	"fmt"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

// A tenant's groups have a prefix on the broker that the tenant doesn't see; other
// groups are hidden from it.
func Example() {
	prefix := []byte("a.")
	r, err := rewrite.Compile(rewrite.Edits{Groups: rewrite.Names{
		Prefixes: true,
		Request: func(old, scratch []byte) ([]byte, rewrite.Action) {
			return append(append(scratch, prefix...), old...), rewrite.Replace
		},
		Response: func(old, scratch []byte) ([]byte, rewrite.Action) {
			name, mine := bytes.CutPrefix(old, prefix)
			if !mine {
				return nil, rewrite.Hide
			}
			return name, rewrite.Replace
		},
	}})
	if err != nil {
		panic(err)
	}
	const version = 2
	response, err := fastcodec.AppendResponse(nil, &fastcodec.ResponseHeaderData{Key: fastcodec.ListGroups, Version: version}, &kdata.ListGroupsResponse{
		Groups: []kdata.ListGroupsResponseListedGroup{{GroupID: []byte("a.billing")}, {GroupID: []byte("b.audit")}, {GroupID: []byte("a.orders")}},
	})
	if err != nil {
		panic(err)
	}
	out, changed, err := r.Response(nil, response, &rewrite.Context{Key: fastcodec.ListGroups, Version: version})
	fmt.Println(changed, err, len(response), len(out))
	fmt.Printf("%q\n", out[4:])
	// Output:
	// true <nil> 54 39
	// "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\abilling\x00\x00\x00\x06orders\x00\x00"
}
