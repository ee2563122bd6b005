// Trees: the nodes of the page that this project started from, and the forms that
// it doesn't show.

package layout

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// treeLine takes a line of a tree apart: branches, name, type, value, offset, size.
var treeLine = regexp.MustCompile(`^((?:\|   |    )*(?:\+-- )?)(\S+)(?: (.*?))??(?: = (.*))? \[0x([0-9a-f]{4,}), (\d+)B\]( cut)?$`)

// TestDescribeQuorumTree: all 76 nodes of the page, in its order.
func TestDescribeQuorumTree(t *testing.T) {
	file, err := os.ReadFile("testdata/describe-quorum-tree.tsv")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(file)), "\n")[1:]
	if len(want) != 76 {
		t.Fatalf("%d nodes in the table", len(want))
	}
	var got []string
	for _, kind := range []string{"request", "response"} {
		frame := sample(t, "DescribeQuorum", kind, 2)
		text, cut, err := AppendTree(nil, frame, 55, 2, kind == "response")
		if cut != nil || err != nil {
			t.Fatal(cut, err)
		}
		for line := range strings.Lines(string(text)) {
			p := treeLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
			if p == nil {
				t.Fatalf("odd line %q", line)
			}
			offset, _ := strconv.ParseInt(p[5], 16, 64)
			got = append(got, strings.Join([]string{kind, p[2], p[3], p[4], fmt.Sprint(offset), p[6]}, "\t"))
		}
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("node %d: %q, want %q", i, got[min(i, len(got)-1)], want[min(i, len(want)-1)])
		}
	}
}

// sample is the smallest frame of an API.
func sample(t testing.TB, name, kind string, version int16) []byte {
	list := vectors(t, "vectors")
	for i := range list {
		if v := &list[i]; v.Name == name && v.Kind == kind && v.Version == version && v.Flavor == "smallest" {
			return unhex(t, v.Frame)
		}
	}
	t.Fatalf("no sample of %s %s v%d", name, kind, version)
	return nil
}

// TestTreeBranches: how the lines hang together.
func TestTreeBranches(t *testing.T) {
	text, _, err := AppendTree(nil, sample(t, "DescribeQuorum", "request", 2), 0, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	const want = `DescribeQuorumRequest message v2 [0x0000, 25B]
+-- Frame [0x0000, 4B]
|   +-- size int32 = 21 [0x0000, 4B]
+-- RequestHeader v2 [0x0004, 11B]
|   +-- request_api_key int16 = 55 (DescribeQuorum) [0x0004, 2B]
|   +-- request_api_version int16 = 2 [0x0006, 2B]
|   +-- correlation_id int32 = 0 [0x0008, 4B]
|   +-- client_id nullable_string = "" (int16 len=0) [0x000c, 2B]
|   +-- tagged_fields uvarint = 0 [0x000e, 1B]
+-- DescribeQuorumRequest struct [0x000f, 10B]
    +-- Topics []TopicData = 1 element [0x000f, 9B]
    |   +-- length uvarint = 2 (compact, n+1) [0x000f, 1B]
    |   +-- TopicData[0] TopicData = struct [0x0010, 8B]
    |       +-- TopicName string = "" (compact, len+1=1) [0x0010, 1B]
    |       +-- Partitions []PartitionData = 1 element [0x0011, 6B]
    |       |   +-- length uvarint = 2 (compact, n+1) [0x0011, 1B]
    |       |   +-- PartitionData[0] PartitionData = struct [0x0012, 5B]
    |       |       +-- PartitionIndex int32 = 0 [0x0012, 4B]
    |       |       +-- tagged_fields uvarint = 0 [0x0016, 1B]
    |       +-- tagged_fields uvarint = 0 [0x0017, 1B]
    +-- tagged_fields uvarint = 0 [0x0018, 1B]
`
	if string(text) != want {
		t.Errorf("got\n%s", text)
	}
}

// TestTreesTile: in the tree of every frame, the nodes without others inside, and
// the counts of tag sections, cover each byte once.
func TestTreesTile(t *testing.T) {
	list := vectors(t, "vectors")
	for i := range list {
		v := &list[i]
		frame := unhex(t, v.Frame)
		f := frameTree{frame: frame, key: v.API, version: v.Version, response: v.Kind == "response"}
		if cut, err := f.grow(); cut != nil || err != nil {
			t.Fatalf("%v: %v %v", v, cut, err)
		}
		at := 0
		for i, l := range f.lines {
			inner := i+1 < len(f.lines) && f.lines[i+1].depth > l.depth
			switch {
			case l.offset != at:
				t.Fatalf("%v: line %d at %d, want %d", v, i, l.offset, at)
			case !inner:
				at += l.size
			case strings.HasPrefix(l.text, sectionName):
				at = f.lines[i+1].offset
			}
		}
		if at != len(frame) {
			t.Fatalf("%v: covers %d of %d bytes", v, at, len(frame))
		}
	}
}

// TestTreeForms: what the page doesn't show.
func TestTreeForms(t *testing.T) {
	for _, c := range []struct {
		name, frame, tree string
		version           int16
	}{
		{"unknown key", "0000000c" + "2710" + "0003" + "00000007" + "0001" + "63" + "ff", `
Request message v3 [0x0000, 16B]
+-- Frame [0x0000, 4B]
|   +-- size int32 = 12 [0x0000, 4B]
+-- RequestHeader of unknown version [0x0004, 11B]
|   +-- request_api_key int16 = 10000 [0x0004, 2B]
|   +-- request_api_version int16 = 3 [0x0006, 2B]
|   +-- correlation_id int32 = 7 [0x0008, 4B]
|   +-- client_id nullable_string = "c" (int16 len=1) [0x000c, 3B]
+-- body bytes = 0xff (1 byte) [0x000f, 1B]
`, 0},
		{"H3: ApiVersions ahead of the table", "0000000e" + "0012" + "0009" + "00000007" + "ffff" + "00" + "010203", `
ApiVersionsRequest message v9 [0x0000, 18B]
+-- Frame [0x0000, 4B]
|   +-- size int32 = 14 [0x0000, 4B]
+-- RequestHeader v2 [0x0004, 11B]
|   +-- request_api_key int16 = 18 (ApiVersions) [0x0004, 2B]
|   +-- request_api_version int16 = 9 [0x0006, 2B]
|   +-- correlation_id int32 = 7 [0x0008, 4B]
|   +-- client_id nullable_string = null (int16 len=-1) [0x000c, 2B]
|   +-- tagged_fields uvarint = 0 [0x000e, 1B]
+-- body bytes = 0x010203 (3 bytes) [0x000f, 3B]
`, 0},
		{"H2: error 35 at version 0", "0000000a" + "00000007" + "0023" + "00000000", `
ApiVersionsResponse message v0 [0x0000, 14B]
+-- Frame [0x0000, 4B]
|   +-- size int32 = 10 [0x0000, 4B]
+-- ResponseHeader v0 [0x0004, 4B]
|   +-- correlation_id int32 = 7 [0x0004, 4B]
+-- ApiVersionsResponse struct [0x0008, 6B]
    +-- ErrorCode int16 = 35 [0x0008, 2B]
    +-- ApiKeys []ApiVersion = 0 elements [0x000a, 4B]
        +-- length int32 = 0 [0x000a, 4B]
`, 4},
		{"trailing bytes, and bytes behind the frame", "0000000c" + "00000007" + "0023" + "00000000" + "0506" + "99", `
ApiVersionsResponse message v0 [0x0000, 17B]
+-- Frame [0x0000, 4B]
|   +-- size int32 = 12 [0x0000, 4B]
+-- ResponseHeader v0 [0x0004, 4B]
|   +-- correlation_id int32 = 7 [0x0004, 4B]
+-- ApiVersionsResponse struct [0x0008, 6B]
|   +-- ErrorCode int16 = 35 [0x0008, 2B]
|   +-- ApiKeys []ApiVersion = 0 elements [0x000a, 4B]
|       +-- length int32 = 0 [0x000a, 4B]
+-- trailing bytes = 0x0506 (2 bytes) [0x000e, 2B]
+-- after_frame bytes = 0x99 (1 byte) [0x0010, 1B]
`, 0},
		{"cut in a field", "0000000a" + "00000007" + "0023" + "0000", `
ApiVersionsResponse message v0 [0x0000, 12B] cut
+-- Frame [0x0000, 4B]
|   +-- size int32 = 10 [0x0000, 4B]
+-- ResponseHeader v0 [0x0004, 4B]
|   +-- correlation_id int32 = 7 [0x0004, 4B]
+-- ApiVersionsResponse struct [0x0008, 4B] cut
    +-- ErrorCode int16 = 35 [0x0008, 2B]
`, 0},
		{"cut in the header", "0000000a" + "0000", `
ApiVersionsResponse message v0 [0x0000, 6B] cut
+-- Frame [0x0000, 4B]
|   +-- size int32 = 10 [0x0000, 4B]
+-- ResponseHeader v0 [0x0004, 2B] cut
`, 0},
		{"cut in the size", "0000", `
Response message [0x0000, 2B] cut
`, 0},
	} {
		response := !strings.Contains(c.tree, "Request")
		text, _, err := AppendTree(nil, unhex(t, c.frame), 18, c.version, response)
		if err != nil || string(text) != c.tree[1:] {
			t.Errorf("%s: %v, got\n%s", c.name, err, text)
		}
	}
}

// TestTreeOfWrongFrame: the tree goes up to the fault.
func TestTreeOfWrongFrame(t *testing.T) {
	text, cut, err := AppendTree(nil, unhex(t, "0000000a"+"00000007"+"0023"+"7fffffff"), 18, 0, true)
	if err == nil || cut != nil || err.Error() != "ApiVersionsResponse v0: ApiKeys: offset 2: count larger than the bytes left allow: want an array count that the bytes left can hold" {
		t.Error(cut, err)
	}
	if !strings.HasSuffix(string(text), "    +-- ErrorCode int16 = 35 [0x0008, 2B]\n") {
		t.Errorf("got\n%s", text)
	}
}
