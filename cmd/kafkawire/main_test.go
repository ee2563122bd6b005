// The command as its user sees it: outputs held to golden files, written anew with
// "go test ./cmd/kafkawire -update".

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// kafkawire runs the command.
func kafkawire(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(args, strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

const (
	// An ApiVersions answer of error 35, at version 0.
	apiVersions35 = "0000000a00000007002300000000"
	tlsHello      = "16030102000100"
)

// TestOutput has a golden file for each of these.
func TestOutput(t *testing.T) {
	captures, vectors := "../../testdata/captures/", vectorsDir
	tests := []struct {
		name  string
		stdin string
		args  []string
	}{
		{"help", "", []string{"help"}},
		{"help-replay", "", []string{"help", "replay"}},
		{"help-explain", "", []string{"explain", "-h"}},
		{"help-json", "", []string{"json", "-h"}},
		{"help-encode", "", []string{"encode", "-h"}},
		{"help-verify", "", []string{"verify", "-h"}},
		{"help-records", "", []string{"records", "-h"}},
		{"help-apis", "", []string{"apis", "-h"}},
		{"help-schema", "", []string{"schema", "-h"}},
		{"unknown-command", "", []string{"explian"}},
		{"unknown-flag", "", []string{"explain", "-nope"}},

		{"explain-sample", "", []string{"explain", "-sample", "DescribeQuorum", "-version", "2"}},
		{"explain-sample-kind", "", []string{"explain", "-sample", "ApiVersions", "-version", "3", "-kind", "response"}},
		{"explain-sample-data", "", []string{"explain", "-sample", "VotersRecord"}},
		{"explain-sample-header", "", []string{"explain", "-sample", "RequestHeader", "-version", "1"}},
		{"explain-sample-unknown", "", []string{"explain", "-sample", "DescribeQorum"}},
		{"explain-sample-version", "", []string{"explain", "-sample", "DescribeQuorum", "-version", "3"}},
		{"explain-line", "", []string{"explain", captures + "librdkafka.jsonl.gz", "-line", "13"}},
		{"explain-line-unknown", "", []string{"explain", "-line", "9000", captures + "librdkafka.jsonl.gz"}},
		{"explain-data-line", "", []string{"explain", "-line", "2", vectors + "data.jsonl.gz"}},
		{"explain-verdict-line", "", []string{"explain", "-line", "3", vectors + "verdicts.jsonl.gz"}},
		{"explain-stdin-hex", "0000 000a  0012 0002\n0000 0007 ffff ff", []string{"explain", "-"}},
		{"explain-binary", "\x00\x00\x00\x0a\x00\x12\x00\x02\x00\x00\x00\x07\xff\xff", []string{"explain", "-"}},
		{"explain-two-frames", "0000000a0012000200000007ffff\n0000000a0012000100000008ffff\n", []string{"explain", "-"}},
		{"explain-second-frame", "0000000a0012000200000007ffff\n0000000a0012000100000008ffff\n", []string{"explain", "-", "-line", "2"}},
		{"explain-response", "", []string{"explain", "-response", "-key", "18", "-version", "2", "-hex", "000000140000000700000000000100120000000500000000"}},
		{"explain-response-by-name", "", []string{"explain", "-response", "-key", "apiversions", "-version", "3", "-hex", apiVersions35}},
		{"explain-response-without-key", "", []string{"explain", "-response", "-hex", apiVersions35}},
		{"explain-key-of-request", "", []string{"explain", "-key", "18", "-hex", apiVersions35}},
		{"explain-unknown-key", "", []string{"explain", "-hex", "0000000c271000010000000700026162"}},
		{"explain-unknown-version", "", []string{"explain", "-hex", "0000001000010013000000070004616263640102"}},
		{"explain-cut", "", []string{"explain", "-hex", "00000015003700020000000000000002036162"}},
		{"explain-broken", "", []string{"explain", "-hex", "0000000e000300000000000700007fffffff"}},
		{"explain-null", "", []string{"explain", "-hex", "0000000e00030000000000070000ffffffff"}},
		{"explain-short", "", []string{"explain", "-hex", "000000020003"}},
		{"explain-tls", "", []string{"explain", "-hex", tlsHello}},
		{"explain-negative-size", "", []string{"explain", "-hex", "ffffffff00030000"}},
		{"explain-no-input", "", []string{"explain"}},
		{"explain-empty", "", []string{"explain", "-"}},
		{"explain-bad-hex", "", []string{"explain", "-hex", "0g"}},
		{"explain-compressed-records", "", []string{"explain", captures + "librdkafka.jsonl.gz", "-line", "105"}},
		{"explain-control-records", "", []string{"explain", captures + "librdkafka.jsonl.gz", "-line", "398"}},
		{"explain-wrapped-records", "", []string{"explain", "-hex", wrapperProduce}},
		{"explain-broken-records", "", []string{"explain", "-hex", brokenProduce}},
		{"explain-no-file", "", []string{"explain", "no-such-file"}},

		{"json-line", "", []string{"json", captures + "librdkafka.jsonl.gz", "-line", "13"}},
		{"json-tags", "", []string{"json", "-hex", "00000015003700020000000700000209026162070001010000"}},
		{"json-int64", "", []string{"json", "-line", "100", vectors + "vectors.jsonl.gz"}},
		{"json-unknown-key", "", []string{"json", "-hex", "0000000c271000010000000700026162"}},
		{"json-unknown-response", "", []string{"json", "-response", "-key", "10000", "-version", "1", "-hex", "0000000600000007abcd"}},
		{"json-api-versions-ahead", "", []string{"json", "-hex", "0000000e00120009000000070001610002ff"}},
		{"json-error-35", "", []string{"json", "-response", "-key", "18", "-version", "9", "-hex", apiVersions35}},
		{"json-not-utf8", "", []string{"json", "-hex", "00000013000c00000000000700000001ff000000010000"}},
		{"json-several", "0000000a0012000200000007ffff\n000000020003\n0000000a0012000100000008ffff\n", []string{"json", "-"}},
		{"json-bad-line", `{"conn":0}` + "\n" + `{"conn":0,"dir":"c2s","key":18,"version":2,"frame":"0000000a0012000200000007ffff"}` + "\n" + `{"conn"`, []string{"json", "-"}},
		{"json-verdict", "", []string{"json", "-line", "1", vectors + "verdicts.jsonl.gz"}},
		{"encode-sample", lines(
			`{"api":12,"name":"Heartbeat","kind":"request","version":4,"headerVersion":2,"bodyAt":99,"header":{"requestApiKey":12,"requestApiVersion":4,"correlationId":1,"clientId":null,"unknownTags":[{"tag":7,"data":"AQ=="}]},"body":{"groupId":"g","generationId":-1,"memberId":"m","groupInstanceId":null},"trailing":"AP8="}`,
			`{"api":10000,"kind":"request","version":1,"header":{"requestApiKey":10000,"requestApiVersion":1,"correlationId":7,"clientId":"ab"},"opaque":"AQI="}`,
			`{"api":18,"kind":"response","version":0,"header":{"correlationId":7},"body":{"errorCode":35,"apiKeys":[]}}`,
		), []string{"encode", "-"}},
		{"encode-errors", lines(
			``,
			`{"api":12}`,
			`{"api":12,"kind":"request","version":0,"header":{},"body":{}}`,
			heartbeat(`"groupId":"g","generationId":1`),
			heartbeat(`"groupId":"g","generationId":1,"memberId":"m","more":1`),
			heartbeat(`"groupId":null,"generationId":1,"memberId":"m"`),
			heartbeat(`"groupId":"g","generationId":1.5,"memberId":"m"`),
			heartbeat(`"groupId":"g","generationId":2147483648,"memberId":"m"`),
			heartbeat(`"groupId":"g","generationId":"1","memberId":"m"`),
			heartbeat("\"groupId\":\"\xff\",\"generationId\":1,\"memberId\":\"m\""),
			heartbeat(`"groupId":"\ud800","generationId":1,"memberId":"m"`),
			heartbeat(`"groupId":"g","groupId":"g","generationId":1,"memberId":"m"`),
			heartbeat(`"groupId":"g","generationId":1,"memberId":"m","unknownTags":[{"tag":1,"data":""}]`),
			strings.Replace(heartbeat(`"groupId":"g","generationId":1,"memberId":"m"`), `"version":0`, `"version":3`, 1),
			strings.Replace(heartbeat(`"groupId":"g","generationId":1,"memberId":"m"`), `"version":0`, `"version":77`, 1),
			strings.Replace(heartbeat(`"groupId":"g","generationId":1,"memberId":"m"`), `"kind"`, `"headerVersion":2,"kind"`, 1),
			strings.Replace(heartbeat(`"groupId":"g","generationId":1,"memberId":"m"`), `"kind"`, `"name":"Fetch","kind"`, 1),
			strings.Replace(heartbeat(`"groupId":"g","generationId":1,"memberId":"m"`), `"kind"`, `"tralling":"","kind"`, 1),
			strings.Replace(heartbeat(`"groupId":"g","generationId":1,"memberId":"m"`), `"kind"`, `"opaque":"","kind"`, 1),
			strings.Replace(heartbeat(`"groupId":"g","generationId":1,"memberId":"m"`), `"kind":"request"`, `"kind":"answer"`, 1),
			heartbeat(`"groupId":"g","generationId":1,"memberId":"m"`)+" {}",
			heartbeat(`"groupId":"g","generationId":1,"memberId":"m"`),
		), []string{"encode", "-"}},

		{"apis", "", []string{"apis"}},
		{"schema-message", "", []string{"schema", "DescribeQuorumResponse"}},
		{"schema-api-version", "", []string{"schema", "Produce", "-version", "13"}},
		{"schema-header", "", []string{"schema", "RequestHeader"}},
		{"schema-unknown", "", []string{"schema", "Nope"}},
		{"schema-unknown-version", "", []string{"schema", "-version", "19", "FetchRequest"}},

		{"records-batches", "", []string{"records", "-batches", segmentFile}},
		{"records-count", "", []string{"records", "-count", captures + "sarama-old.jsonl.gz", segmentFile}},
		{"records-capture", captured(wrapperProduce) + captured(brokenProduce) + "{}\n", []string{"records", "-"}},
		{"records-capture-json", captured(wrapperProduce) + captured(brokenProduce), []string{"records", "-json", "-"}},
		{"records-no-file", "", []string{"records"}},
		{"records-missing-file", "", []string{"records", "no-such-file"}},
		{"records-bad-flags", "", []string{"records", "-json", "-count", "-"}},

		{"verify-data", "", []string{"verify", vectors + "data.jsonl.gz"}},
		{"verify-captures", "", []string{"verify", captures + "librdkafka.jsonl.gz", captures + "sarama.jsonl.gz"}},
		{"verify-opaque", unknownCapture, []string{"verify", "-"}},
		{"verify-allow-opaque", unknownCapture, []string{"verify", "-allow-opaque", "-"}},
		{"verify-damaged", lines(
			`not JSON`, `{"a":1}`, `{"frame":"00"}`, `{"conn":0,"seq":0,"dir":"c2s","t":0.1,"key":3,"version":0,"frame":"0g"}`,
			`{"conn":0,"seq":1,"dir":"c2s","t":0.1,"key":3,"version":1,"frame":"0000000e00030000000000070000ffffffff"}`,
			`{"conn":0,"seq":2,"dir":"c2s","t":0.1,"key":3,"version":0,"frame":"0000000e00030000000000070000ffffffff"}`,
			`{"conn":0,"seq":3,"dir":"s2c","t":0.1,"key":12,"version":0,"frame":"00000006000000070000"}`,
			`{"conn":1,"seq":4,"dir":"s2c","t":0.1,"key":12,"version":0,"frame":"00000006000000070000"}`,
			`{"name":"VotersRecord","version":0,"flavor":"","bytes":"0000","body":{}}`,
			`{"api":3,"name":"Metadata","kind":"request","version":0,"change":"","bytes":"00","accepted":true,"left":0,"body":{},"again":"00"}`,
			`{"api":3,"name":"Metadata","kind":"request","version":0,"change":"","bytes":"00000000","accepted":false,"error":"E"}`,
			`{"api":3,"name":"Metadata","kind":"request","version":0,"change":"","bytes":"0000000001","accepted":true,"left":0,"body":{"topics":[]},"again":"00000000"}`,
			`{"api":3,"name":"Metadata","kind":"request","version":0,"change":"","bytes":"00000000","accepted":true,"left":0,"body":{"topics":[]},"again":"0000000000"}`,
			`{"magic":2,"codec":"none"}`,
		), []string{"verify", "-"}},
		{"verify-no-file", "", []string{"verify"}},
		{"verify-empty", "", []string{"verify", "-"}},
		{"replay-mismatch", lines(
			`{"conn":0,"seq":0,"dir":"c2s","t":0.1,"key":18,"version":2,"frame":"0000000a0012000200000007ffff"}`,
			`{"conn":0,"seq":1,"dir":"c2s","t":0.1,"key":3,"version":4,"frame":"0000000f00030004000000070000ffffffff02"}`,
			`{"conn":0,"seq":2,"dir":"c2s","t":0.1,"key":3,"version":0,"frame":"0000000e00030000000000070000ffffffff"}`,
			`{"conn":0,"seq":3,"dir":"c2s","t":0.1,"key":10000,"version":1,"frame":"0000000c271000010000000700026162"}`,
			`{"conn":0,"seq":4,"dir":"c2s"}`,
		), []string{"replay", "-repeat", "0", "-"}},
		{"replay-bad-repeat", "", []string{"replay", "-repeat", "-1"}},
	}
	seen := map[string]bool{}
	for _, test := range tests {
		if seen[test.name] {
			t.Fatalf("two tests are named %s", test.name)
		}
		seen[test.name] = true
		t.Run(test.name, func(t *testing.T) {
			code, out, err := kafkawire(test.stdin, test.args...)
			golden(t, test.name, fmt.Sprintf("exit %d\n-- stdout\n%s-- stderr\n%s", code, out, err))
		})
	}
}

const unknownCapture = `{"conn":0,"seq":0,"dir":"c2s","t":0.1,"key":10000,"version":1,"frame":"0000000c271000010000000700026162"}`

func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }

// heartbeat is a line of a Heartbeat v0 request.
func heartbeat(body string) string {
	return `{"api":12,"kind":"request","version":0,"header":{"requestApiKey":12,"requestApiVersion":0,"correlationId":7,"clientId":"c"},"body":{` + body + `}}`
}

// golden compares text with a golden file.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text {
		t.Errorf("%s differs: got\n%s", file, text)
	}
}

// TestExitCodes: 0 with nothing on stderr, or 1 with the reason.
func TestExitCodes(t *testing.T) {
	for _, file := range glob(t, "testdata/*.golden") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(text), "\n")
		if head != "exit 0" && head != "exit 1" {
			t.Errorf("%s: %s, want 0 or 1", file, head)
		}
		_, stderr, _ := strings.Cut(string(text), "-- stderr\n")
		if (head == "exit 0") != (stderr == "") && !strings.Contains(file, "opaque") {
			t.Errorf("%s: %s, but stderr is %q", file, head, stderr)
		}
		if strings.Contains(string(text), "goroutine ") || strings.Contains(string(text), "panic") {
			t.Errorf("%s has a stack trace", file)
		}
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %d files", pattern, err, len(files))
	}
	return files
}

// TestReplayOfEmbeddedCaptures: the command without arguments.
func TestReplayOfEmbeddedCaptures(t *testing.T) {
	code, out, err := kafkawire("")
	if code != 0 || err != "" {
		t.Fatalf("exit %d, stderr %q", code, err)
	}
	all := strings.Split(strings.TrimSpace(out), "\n")
	if len(all) != 142+4 {
		t.Errorf("%d lines, want a head, 142 rows, two rules and a total", len(all))
	}
	want := regexp.MustCompile(`^all 142 +2404 +526419( +\d+){3} +0 +2 +0 +0$`)
	if last := all[len(all)-1]; !want.MatchString(last) {
		t.Errorf("total is %q, want %s", last, want)
	}
	for _, line := range all {
		if len(line) > 120 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

// TestNodesOfThePage: every node of the page that the project began with.
func TestNodesOfThePage(t *testing.T) {
	file, err := os.Open("../../fastcodec/layout/testdata/describe-quorum-tree.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	trees := map[string][]string{}
	for _, kind := range []string{"request", "response"} {
		code, out, stderr := kafkawire("", "explain", "-sample", "DescribeQuorum", "-version", "2", "-kind", kind)
		if code != 0 || stderr != "" {
			t.Fatalf("exit %d, stderr %q", code, stderr)
		}
		trees[kind] = strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	}
	nodes := 0
	for rows := bufio.NewScanner(file); rows.Scan(); {
		f := strings.Split(rows.Text(), "\t")
		if f[0] == "message" {
			continue
		}
		var offset, size int
		fmt.Sscan(f[4], &offset)
		fmt.Sscan(f[5], &size)
		want := f[1]
		if f[2] != "" {
			want += " " + f[2]
		}
		if f[3] != "" {
			want += " = " + f[3]
		}
		want += fmt.Sprintf(" [0x%04x, %dB]", offset, size)
		if len(trees[f[0]]) == 0 {
			t.Fatalf("the %s has no node for %s", f[0], want)
		}
		if got := strings.TrimLeft(trees[f[0]][0], "|+- "); got != want {
			t.Errorf("%s: got %s, want %s", f[0], got, want)
		}
		trees[f[0]] = trees[f[0]][1:]
		nodes++
	}
	if left := len(trees["request"]) + len(trees["response"]); nodes != 76 || left != 0 {
		t.Errorf("%d nodes, %d more in the trees; want 76", nodes, left)
	}
}

// long skips a test that takes long where it isn't worth it.
func long(t *testing.T) {
	t.Helper()
	if underRace {
		t.Skip("takes long under the race detector, and has no goroutines to race: run without -race")
	}
}

// eachLine calls do for every line of a gzip'd file.
func eachLine(t *testing.T, name string, do func(n int, text []byte)) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	s := bufio.NewScanner(z)
	for s.Buffer(nil, maxLine); s.Scan(); {
		n++
		do(n, s.Bytes())
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
}

// TestSamplesAreTheSmallestVectors: for every message at every version.
func TestSamplesAreTheSmallestVectors(t *testing.T) {
	long(t)
	pairs := 0
	eachLine(t, vectorsDir+"vectors.jsonl.gz", func(n int, text []byte) {
		l, err := parseLine(text)
		if err != nil {
			t.Fatal(err)
		}
		if l.text("flavor") != "smallest" {
			return
		}
		f, err := l.frame()
		if err != nil {
			t.Fatal(err)
		}
		got, err := smallest(f.key, f.response, f.version)
		if err != nil || !bytes.Equal(got, f.data) {
			t.Errorf("%s: %x, %v, want %x", f.title(), got, err, f.data)
		}
		pairs++
	})
	if pairs != 736 {
		t.Errorf("%d messages, want 736", pairs)
	}
}

// TestJSONAndBack: what json prints, encode makes frames of again.
func TestJSONAndBack(t *testing.T) {
	long(t)
	for _, file := range append(glob(t, "../../testdata/captures/*.jsonl.gz"), vectorsDir+"vectors.jsonl.gz") {
		var want strings.Builder
		eachLine(t, file, func(n int, text []byte) {
			l, err := parseLine(text)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&want, "%x\n", l.hex("frame"))
		})
		code, text, stderr := kafkawire("", "json", file)
		if code != 0 {
			t.Fatalf("%s: json: exit %d: %s", file, code, stderr)
		}
		code, got, stderr := kafkawire(text, "encode", "-")
		if code != 0 {
			t.Fatalf("%s: encode: exit %d: %s", file, code, stderr)
		}
		if got != want.String() {
			t.Errorf("%s: the frames are others", file)
		}
	}
}
