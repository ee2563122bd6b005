// Recorded answers of a real broker, for the upstream to replay.

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/testdata"
)

// recorded are the answers of a version of an API in the captures.
func recorded(key fastcodec.APIKey, version int16) (answers [][]byte, err error) {
	names, err := fs.Glob(testdata.Captures, "captures/*.jsonl.gz")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		packed, err := testdata.Captures.ReadFile(name)
		if err != nil {
			return nil, err
		}
		text, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(text)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var c struct {
				Dir, Frame string
				Key        fastcodec.APIKey
				Version    int16
			}
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				return nil, err
			}
			if c.Dir != "s2c" || c.Key != key || c.Version != version {
				continue
			}
			frame, err := hex.DecodeString(c.Frame)
			if err != nil {
				return nil, err
			}
			answers = append(answers, frame)
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	if len(answers) == 0 {
		return nil, fmt.Errorf("no answers to %v v%d are recorded", key, version)
	}
	return answers, nil
}

// fetched are recorded answers to Fetch whose records are repeated up to a size; those
// without any are left out, but for their addresses: all get the first that were
// recorded.
func fetched(version int16, size int) (answers [][]byte, err error) {
	all, err := recorded(fastcodec.Fetch, version)
	if err != nil {
		return nil, err
	}
	var endpoints []kdata.FetchResponseNodeEndpoint
	var bodies []*kdata.FetchResponse
	for _, frame := range all {
		var m kview.FetchResponse
		_, body, err := fastcodec.ParseResponse(frame[4:], fastcodec.Fetch, version)
		if err == nil {
			err = m.Parse(body, version)
		}
		if err != nil {
			return nil, err
		}
		d := new(kdata.FetchResponse)
		m.CopyTo(d)
		if len(d.NodeEndpoints) > 0 && endpoints == nil {
			endpoints = d.NodeEndpoints
		}
		if recordsIn(d) != nil {
			bodies = append(bodies, d)
		}
	}
	for _, d := range bodies {
		d.NodeEndpoints = endpoints
		for round := 0; ; round++ {
			frame, err := fastcodec.AppendResponse(nil, &fastcodec.ResponseHeaderData{Key: fastcodec.Fetch, Version: version}, d)
			if err != nil {
				return nil, err
			}
			if len(frame) >= size {
				answers = append(answers, frame)
				break
			}
			records, have := recordsIn(d), len(*recordsIn(d))
			for len(*records) < have+size-len(frame) {
				*records = append(*records, (*records)[:have]...)
			}
		}
	}
	if len(answers) == 0 {
		return nil, fmt.Errorf("no records of Fetch v%d are recorded", version)
	}
	return answers, nil
}

// recordsIn are the first records in an answer, nil where there are none.
func recordsIn(d *kdata.FetchResponse) *[]byte {
	for i := range d.Responses {
		for j := range d.Responses[i].Partitions {
			if r := &d.Responses[i].Partitions[j].Records; len(*r) > 0 {
				return r
			}
		}
	}
	return nil
}
