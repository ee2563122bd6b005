package inputs

// The reference vectors, testdata/vectors/vectors.jsonl.gz.

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// Vectors reads the vectors of a flavor ("smallest", "random" or "unknown-tags")
// from the checkout that the working directory lies in.
func Vectors(flavor string) ([]Frame, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(root, "testdata", "vectors", "vectors.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var frames []Frame
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var v struct {
			API                       int16
			Name, Kind, Flavor, Frame string
			Version                   int16
			BodyAt                    int
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, err
		}
		if v.Flavor != flavor {
			continue
		}
		frame, err := hex.DecodeString(v.Frame)
		if err != nil {
			return nil, err
		}
		body := frame[v.BodyAt:]
		frames = append(frames, Frame{
			Name:     fmt.Sprintf("%s %s v%d, %d bytes", v.Name, v.Kind, v.Version, len(body)),
			Key:      fastcodec.APIKey(v.API),
			Response: v.Kind == "response",
			Version:  v.Version,
			Payload:  frame[fastcodec.SizePrefix:],
			Body:     body,
		})
	}
	return frames, lines.Err()
}

// Root is the checkout that the working directory lies in, found by its testdata.
func Root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "testdata", "vectors")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no checkout of kafkawire in or above the working directory")
		}
		dir = up
	}
	return "", err
}
