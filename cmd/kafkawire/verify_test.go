// verify on the reference data, and on copies of it that were spoiled: those must
// fail.

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const vectorsDir = "../../testdata/vectors/"

func TestVerifyReferenceData(t *testing.T) {
	long(t)
	for _, test := range []struct{ files, classes, last string }{
		{vectorsDir + "vectors.jsonl.gz", "classes: D1 0, D2 0, D3 0, D4 0, D5 0",
			"verify: 4150 frames, header 4150, json 4150, from-json 4150, from-struct 4150, verdict 0, opaque 0, trailing 0, failed 0"},
		{vectorsDir + "verdicts.jsonl.gz", "classes: D1 1, D2 5, D3 0, D4 1, D5 806",
			"verify: 16316 frames, header 0, json 7544, from-json 0, from-struct 6660, verdict 16316, opaque 0, trailing 3119, failed 0"},
		{vectorsDir + "data.jsonl.gz", "classes: D1 0, D2 0, D3 0, D4 0, D5 0",
			"verify: 89 frames, header 0, json 89, from-json 89, from-struct 89, verdict 0, opaque 0, trailing 0, failed 0"},
		{"../../testdata/captures/*.jsonl.gz", "classes: D1 0, D2 0, D3 0, D4 0, D5 0",
			"verify: 2404 frames, header 2404, json 0, from-json 2404, from-struct 2404, verdict 0, opaque 0, trailing 2, failed 0"},
	} {
		code, out, stderr := kafkawire("", append([]string{"verify"}, glob(t, test.files)...)...)
		if want := test.classes + "\n" + test.last + "\n"; code != 0 || stderr != "" || out != want {
			t.Errorf("%s: exit %d, %s\n%sgot\n%swant", test.files, code, stderr, out, want)
		}
	}
}

// sampled gives every step'th line of a file.
func sampled(t *testing.T, name string, step int) (all []string) {
	t.Helper()
	eachLine(t, name, func(n int, text []byte) {
		if n%step == 1%step {
			all = append(all, string(text))
		}
	})
	return all
}

// mustFail runs verify on a spoiled line.
func mustFail(t *testing.T, what, text string) {
	t.Helper()
	code, out, stderr := kafkawire(text+"\n", "verify", "-")
	if code != 1 || !strings.Contains(out, "\nverify: 1 frames, ") {
		t.Errorf("%s: exit %d, %s%s%.500s", what, code, out, stderr, text)
	}
}

// members is a line's members as text, in order of names.
func members(t *testing.T, text string) map[string]json.RawMessage {
	t.Helper()
	l, err := parseLine([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return l.members
}

func joined(m map[string]json.RawMessage) string {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// with is a line with one member changed; nil drops it.
func with(t *testing.T, text, name string, value any) string {
	t.Helper()
	m := members(t, text)
	delete(m, name)
	if value != nil {
		b, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		m[name] = b
	}
	return joined(m)
}

// changedLeaves calls do for copies of a JSON value in each of which one number,
// string, bool, null or array is another, or a member is missing or new.
func changedLeaves(text []byte, do func(what string, changed json.RawMessage)) {
	root, err := parseJSON(text)
	if err != nil {
		panic(err)
	}
	emit := func(what string) {
		b, err := json.Marshal(root)
		if err != nil {
			panic(err)
		}
		do(what, b)
	}
	var walk func(path string, v any, set func(any))
	walk = func(path string, v any, set func(any)) {
		try := func(other any) {
			set(other)
			emit(path)
			set(v)
		}
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				walk(path+"."+name, inner, func(other any) { v[name] = other })
				delete(v, name)
				emit(path + " without " + name)
				v[name] = inner
			}
			v["more"] = json.Number("1")
			emit(path + " with more")
			delete(v, "more")
		case []any:
			for i, inner := range v[:min(len(v), 2)] {
				walk(fmt.Sprintf("%s[%d]", path, i), inner, func(other any) { v[i] = other })
			}
			if len(v) > 0 {
				try(v[:len(v)-1])
				try(append(slices.Clone(v), v[0]))
			}
			try(nil)
		case json.Number:
			s := string(v)
			last := s[len(s)-1]
			if strings.ContainsAny(s, ".eE") {
				try(json.Number("1" + strings.TrimPrefix(s, "-"))) // the last digit may make no other float64
			} else {
				try(json.Number(s[:len(s)-1] + string('0'+(last-'0'+1)%10)))
			}
			try(s)
		case string:
			try(v + "AAAA")
			try(nil)
		case bool:
			try(!v)
		case nil:
			try("")
			try([]any{})
		}
	}
	walk("", root, func(v any) { root = v })
}

// TestSpoiledVectorsFail: each member of a reference frame, and each value in its
// JSON, and each byte of the frame.
func TestSpoiledVectorsFail(t *testing.T) {
	long(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, text := range sampled(t, vectorsDir+"vectors.jsonl.gz", 331) {
		m := members(t, text)
		for name := range m {
			mustFail(t, "without "+name, with(t, text, name, nil))
		}
		for _, name := range []string{"api", "version", "headerVersion", "bodyAt"} {
			if name == "version" && string(m["kind"]) == `"response"` {
				continue // versions may have the same layout, and a response doesn't say its own
			}
			var n int
			json.Unmarshal(m[name], &n)
			mustFail(t, name, with(t, text, name, n+1))
			mustFail(t, name, with(t, text, name, fmt.Sprint(n)))
		}
		mustFail(t, "name", with(t, text, "name", "Nope"))
		mustFail(t, "kind", with(t, text, "kind", "header"))
		for _, name := range []string{"header", "body"} {
			changedLeaves(m[name], func(what string, changed json.RawMessage) {
				if string(m["flavor"]) == `"unknown-tags"` && strings.HasSuffix(what, unknownTags) {
					return
				}
				mustFail(t, name+what, with(t, text, name, changed))
			})
		}
		var frame string
		json.Unmarshal(m["frame"], &frame)
		mustFail(t, "cut frame", with(t, text, "frame", frame[:len(frame)-2]))
		mustFail(t, "odd hex", with(t, text, "frame", frame[:len(frame)-1]))
		mustFail(t, "no hex", with(t, text, "frame", "x"+frame[1:]))
		mustFail(t, "long frame", with(t, text, "frame", frame+"00"))
		mustFail(t, "trailing byte", with(t, text, "frame", fmt.Sprintf("%08x%s00", len(frame)/2-3, frame[8:])))
		mustFail(t, "cut line", text[:len(text)-1])
		mustFail(t, "cut line", text[:len(text)/2])
		if string(m["flavor"]) == `"unknown-tags"` {
			continue // the reference doesn't say what is in them
		}
		b, _ := hex.DecodeString(frame)
		for i := range b {
			if len(b) > 100 && random.IntN(len(b)) > 100 {
				continue
			}
			spoiled := bytes.Clone(b)
			spoiled[i] ^= 1 << random.IntN(8)
			mustFail(t, fmt.Sprintf("byte %d", i), with(t, text, "frame", hex.EncodeToString(spoiled)))
		}
	}
}

// TestSpoiledVerdictsFail: a verdict, what was read, what was left, what was written.
func TestSpoiledVerdictsFail(t *testing.T) {
	long(t)
	for _, text := range sampled(t, vectorsDir+"verdicts.jsonl.gz", 211) {
		m := members(t, text)
		for name := range m {
			mustFail(t, "without "+name, with(t, text, name, nil))
		}
		accepted := string(m["accepted"]) == "true"
		mustFail(t, "other verdict", with(t, text, "accepted", !accepted))
		var bytesText string
		json.Unmarshal(m["bytes"], &bytesText)
		mustFail(t, "no hex", with(t, text, "bytes", bytesText+"0"))
		if !accepted {
			continue
		}
		var left int
		json.Unmarshal(m["left"], &left)
		mustFail(t, "left", with(t, text, "left", left+1))
		mustFail(t, "more bytes", with(t, text, "bytes", bytesText+"00"))
		changedLeaves(m["body"], func(what string, changed json.RawMessage) {
			mustFail(t, "body"+what, with(t, text, "body", changed))
		})
		var again string
		json.Unmarshal(m["again"], &again)
		for i := 0; i+2 <= len(again) && i < 40; i += 2 {
			b, _ := hex.DecodeString(again)
			b[i/2] ^= 1
			mustFail(t, fmt.Sprintf("byte %d of again", i/2), with(t, text, "again", hex.EncodeToString(b)))
		}
		if again != "" {
			mustFail(t, "more again", with(t, text, "again", again+"00"))
			mustFail(t, "less again", with(t, text, "again", again[:len(again)-2]))
		}
	}
}

// TestClassesOfDifferences: a difference passes only if our own error or unknown tag
// is of its class.
func TestClassesOfDifferences(t *testing.T) {
	const (
		apiVersionsRequest  = `"api":18,"name":"ApiVersions","kind":"request","version":3,"change":"",`
		apiVersionsResponse = `"api":18,"name":"ApiVersions","kind":"response","version":3,"change":"",`
		produceResponse     = `"api":0,"name":"Produce","kind":"response","version":9,"change":"",`
		rejected            = `"accepted":false,"error":"E"`
		noNames             = `"accepted":true,"left":0,"again":"010100","body":{"clientSoftwareName":"","clientSoftwareVersion":""}`
		epoch5              = `"accepted":true,"left":0,"again":"00000100000000010108` + "0000000000000005" + `","body":{"errorCode":0,"apiKeys":[],"throttleTimeMs":0,"finalizedFeaturesEpoch":5}`
		empty               = `"accepted":true,"left":0,"again":"00000100000000` + "00" + `","body":{"errorCode":0,"apiKeys":[],"throttleTimeMs":0}`
		epoch               = "0000000000000005"
	)
	for _, test := range []struct {
		name, message, bytes, judgement string
		class                           int // 0: verify must fail
	}{
		{"D1, the fifth byte of a length is above 0f", apiVersionsRequest, "818080801f" + "0100", noNames, 1},
		{"D1, the fifth byte of a tag count is above 0f", apiVersionsRequest, "0101" + "8080808010", noNames, 1},
		{"D1, a tag count of 2^31", apiVersionsRequest, "0101" + "8080808008", noNames, 1},
		{"D1, a count of 2^32-1", apiVersionsResponse, "0000" + "ffffffff0f" + "00000000" + "00", empty, 1},
		{"a varint of six bytes is refused by Kafka too", apiVersionsRequest, "8180808080" + "000100", noNames, 0},
		{"a length below 2^31", apiVersionsRequest, "ffffffff07" + "0100", noNames, 0},
		{"a short number is no varint", apiVersionsResponse, "0000" + "01" + "ff", empty, 0},
		{"null is no negative length", apiVersionsRequest, "000100", noNames, 0},
		{"D2, a known tag smaller than its size", apiVersionsResponse, "00000100000000" + "010109" + epoch, epoch5, 2},
		{"D2, a known tag larger than its size", apiVersionsResponse, "00000100000000" + "010107" + epoch, epoch5, 2},
		{"D2, a known tag's size past the end", apiVersionsResponse, "00000100000000" + "01017f" + epoch, epoch5, 2},
		{"D2, behind an unknown tag", apiVersionsResponse, "00000100000000" + "020900" + "017f" + epoch, epoch5, 2},
		{"an unknown tag's size past the end", apiVersionsResponse, "00000100000000" + "01097f" + epoch, empty, 0},
		{"D3, a known tag twice", apiVersionsResponse, "00000100000000" + "020108" + "0000000000000004" + "0108" + epoch, epoch5, 3},
		{"D4, a known tag of later versions", produceResponse, "01" + "00000000" + "01" + "000101", rejected, 4},
		{"an unknown tag of no version", produceResponse, "01" + "00000000" + "01" + "070101", rejected, 0},
		{"no tag", produceResponse, "01" + "00000000" + "00", rejected, 0},
	} {
		for _, spoiled := range []bool{false, true} {
			judgement := test.judgement
			if spoiled {
				if judgement == rejected {
					continue
				}
				judgement = strings.Replace(judgement, `"again":"0`, `"again":"1`, 1) // not what it read
			}
			code, out, stderr := kafkawire("{"+test.message+`"bytes":"`+test.bytes+`",`+judgement+"}\n", "verify", "-")
			want := "classes: D1 0, D2 0, D3 0, D4 0, D5 0"
			if test.class > 0 {
				want = strings.Replace(want, fmt.Sprintf("D%d 0", test.class), fmt.Sprintf("D%d 1", test.class), 1)
			}
			if pass := test.class > 0 && !spoiled; !strings.HasPrefix(out, want+"\n") || (code == 0) != pass {
				t.Errorf("%s: spoiled %v: exit %d, %s%s", test.name, spoiled, code, out, stderr)
			}
		}
	}
}

// TestTextThatIsNotUTF8: Kafka replaces it (D5), JSON can't hold it; all else of the
// frame is checked.
func TestTextThatIsNotUTF8(t *testing.T) {
	capture := `{"conn":0,"seq":0,"dir":"c2s","t":1,"key":12,"version":0,"frame":"00000013000c00000000000700000001ff000000010000"}`
	code, out, stderr := kafkawire(capture+"\n", "verify", "-")
	want := "classes: D1 0, D2 0, D3 0, D4 0, D5 1\nverify: 1 frames, header 1, json 0, from-json 0, from-struct 1, verdict 0, opaque 0, trailing 0, failed 0\n"
	if code != 0 || out != want {
		t.Errorf("exit %d, %s%s", code, out, stderr)
	}
}

// TestAnswersOfUnsupportedVersions: an ApiVersions request of any version may be
// answered at version 0.
func TestAnswersOfUnsupportedVersions(t *testing.T) {
	for _, version := range []int{3, 4, 9} {
		for _, frame := range []string{"000000100000000700230000000100120000" + "0003", apiVersions35} {
			capture := fmt.Sprintf(`{"conn":0,"seq":0,"dir":"s2c","t":1,"key":18,"version":%d,"frame":"%s"}`, version, frame)
			for _, args := range [][]string{{"verify", "-"}, {"replay", "-repeat", "2", "-"}, {"explain", "-"}} {
				if code, out, stderr := kafkawire(capture, args...); code != 0 {
					t.Errorf("v%d: %v: exit %d, %s%s", version, args[0], code, out, stderr)
				}
			}
			_, text, stderr := kafkawire(capture, "json", "-")
			if !strings.Contains(text, `"version":0,"headerVersion":0,`) {
				t.Errorf("v%d: %s%s", version, text, stderr)
			}
			if _, back, stderr := kafkawire(text, "encode", "-"); back != frame+"\n" {
				t.Errorf("v%d: %s%s, want %s", version, back, stderr, frame)
			}
		}
	}
}

// TestProgressBar: drawn on a terminal after a while, and taken away before a message.
func TestProgressBar(t *testing.T) {
	var screen bytes.Buffer
	e := &env{err: &screen, out: bufio.NewWriter(&bytes.Buffer{}), terminal: true}
	bar := e.newProgress("verify", 1000)
	bar.add(10)
	if screen.Len() > 0 {
		t.Errorf("drawn at once: %q", screen.String())
	}
	bar.start = bar.start.Add(-barDelay)
	bar.add(490)
	if !strings.Contains(screen.String(), "verify  50%") {
		t.Errorf("not drawn: %q", screen.String())
	}
	e.say("hello")
	if text := screen.String(); !strings.HasSuffix(text, "\rhello\n") {
		t.Errorf("the bar is still there: %q", text)
	}
	e.terminal = false
	if e.newProgress("verify", 1000) != nil {
		t.Error("a bar without a terminal")
	}
}

// TestSpoiledDataFail: messages without a frame.
func TestSpoiledDataFail(t *testing.T) {
	long(t)
	for _, text := range sampled(t, vectorsDir+"data.jsonl.gz", 5) {
		m := members(t, text)
		for name := range m {
			mustFail(t, "without "+name, with(t, text, name, nil))
		}
		changedLeaves(m["body"], func(what string, changed json.RawMessage) {
			mustFail(t, "body"+what, with(t, text, "body", changed))
		})
		var bytesText string
		json.Unmarshal(m["bytes"], &bytesText)
		mustFail(t, "cut", with(t, text, "bytes", bytesText[:len(bytesText)-2]))
		mustFail(t, "trailing byte", with(t, text, "bytes", bytesText+"00"))
		if string(m["flavor"]) == `"unknown-tags"` {
			continue // the reference doesn't say what is in them
		}
		b, _ := hex.DecodeString(bytesText)
		for i := range b {
			spoiled := bytes.Clone(b)
			spoiled[i] ^= 1
			mustFail(t, fmt.Sprintf("byte %d", i), with(t, text, "bytes", hex.EncodeToString(spoiled)))
		}
	}
}

// TestSpoiledCapturesFail: what a frame of a conversation can be held to.
func TestSpoiledCapturesFail(t *testing.T) {
	long(t)
	all := sampled(t, "../../testdata/captures/librdkafka.jsonl.gz", 1)
	conn := make([]string, len(all))
	for i, text := range all {
		conn[i] = string(members(t, text)["conn"])
	}
	spoil := func(what string, i int, text string) {
		t.Helper()
		var conversation []string // up to the spoiled line
		for j, before := range all[:i] {
			if conn[j] == conn[i] {
				conversation = append(conversation, before)
			}
		}
		conversation = append(conversation, text)
		code, out, stderr := kafkawire(lines(conversation...), "verify", "-")
		if code != 1 || strings.HasPrefix(what, "unknown") == strings.Contains(stderr, fmt.Sprintf("stdin:%d: ", len(conversation))) {
			t.Errorf("line %d, %s: exit %d, %s%s", i+1, what, code, out, stderr)
		}
	}
	for i := 0; i < len(all); i += 17 {
		m := members(t, all[i])
		for name := range m {
			spoil("without "+name, i, with(t, all[i], name, nil))
		}
		var f string
		json.Unmarshal(m["frame"], &f)
		spoil("size", i, with(t, all[i], "frame", "00000001"+f[8:]))
		spoil("cut", i, with(t, all[i], "frame", f[:len(f)-2]))
		spoil("long", i, with(t, all[i], "frame", f+"00"))
		spoil("direction", i, with(t, all[i], "dir", "up"))
		spoil("key", i, with(t, all[i], "key", 10000))
		spoil("version", i, with(t, all[i], "version", 70))
		if string(m["dir"]) == `"s2c"` {
			spoil("correlation id", i, with(t, all[i], "frame", f[:8]+"7fffffff"+f[16:]))
		}
	}
}

// TestSpoiledFilesFail: what isn't of one line.
func TestSpoiledFilesFail(t *testing.T) {
	long(t)
	good, err := os.ReadFile(vectorsDir + "data.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 0x10
	var long bytes.Buffer
	z := gzip.NewWriter(&long)
	fmt.Fprintf(z, "{\"bytes\":\"%s\"}\n{}\n", bytes.Repeat([]byte("00"), maxLine/2))
	z.Close()
	for name, content := range map[string][]byte{
		"cut gzip": good[:len(good)-9], "half a gzip": good[:len(good)/2], "damaged gzip": flipped, "no gzip": good[:9],
		"empty": nil, "blank lines": []byte("\n\n  \n"), "a line that is too long": long.Bytes(),
		"zeros": make([]byte, 1000), "no JSON": []byte("[1]\n"), "deep": []byte(strings.Repeat(`{"a":`, 20000)),
	} {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"verify", file}, {"json", file}, {"encode", file}, {"replay", "-repeat", "0", file}, {"explain", file}} {
			if name == "zeros" && (args[0] == "json" || args[0] == "explain") {
				continue // 250 empty frames, each an error too
			}
			if code, _, stderr := kafkawire("", args...); code != 1 || stderr == "" {
				if args[0] == "encode" && len(bytes.TrimSpace(content)) == 0 {
					continue // no lines, no frames
				}
				t.Errorf("%s: %v: exit %d, %s", name, args[0], code, stderr)
			}
		}
	}
}

// TestNoInputPanics: every command on lines that were changed at random.
func TestNoInputPanics(t *testing.T) {
	long(t)
	random := rand.New(rand.NewPCG(3, 4))
	var all []string
	for _, name := range []string{"vectors", "verdicts", "data", "records"} {
		all = append(all, sampled(t, vectorsDir+name+".jsonl.gz", 401)...)
	}
	all = append(all, sampled(t, "../../testdata/captures/three-nodes.jsonl.gz", 31)...)
	for range 1500 {
		text := []byte(all[random.IntN(len(all))])
		for range 1 + random.IntN(3) {
			i := random.IntN(len(text))
			switch random.IntN(4) {
			case 0:
				text[i] = byte(random.IntN(256))
			case 1:
				text[i] = "0123456789abcdef{}[]\",:-n"[random.IntN(25)]
			case 2:
				text = append(text[:i], text[min(len(text), i+1+random.IntN(8)):]...)
			default:
				text = slices.Insert(text, i, text[random.IntN(len(text))])
			}
			if len(text) == 0 {
				text = []byte("{")
			}
		}
		for _, command := range []string{"verify", "json", "encode", "explain", "replay", "records"} {
			args := []string{command, "-"}
			if command == "replay" {
				args = []string{command, "-repeat", "1", "-"}
			}
			if code, _, _ := kafkawire(string(text), args...); code != 0 && code != 1 {
				t.Fatalf("%s: exit %d", command, code)
			}
		}
	}
}
