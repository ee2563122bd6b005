package check

// The reference files under testdata.

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

// Line is a line of a vectors, data or verdicts file; see testdata/vectors/README.md.
type Line struct {
	API                        int16
	Name, Kind, Flavor, Change string
	Version                    int16
	Frame, Bytes               string
	BodyAt                     int
	Accepted                   bool
	Left                       int
	Again                      string
	AgainError                 string
	Error                      string
}

// String names the line in a message.
func (l *Line) String() string {
	return fmt.Sprintf("%s %s v%d %s%s", l.Name, l.Kind, l.Version, l.Flavor, l.Change)
}

// Body is the message that the line holds.
func (l *Line) Body() []byte {
	if l.Frame == "" {
		return Hex(l.Bytes)
	}
	return Hex(l.Frame)[l.BodyAt:]
}

// Hex is the bytes of a text that is known to be hex.
func Hex(text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return b
}

// Lines reads a file of testdata/vectors: vectors, data or verdicts.
func Lines(name string) ([]Line, error) {
	var lines []Line
	err := readLines(filepath.Join("vectors", name+".jsonl.gz"), func(text []byte) error {
		lines = append(lines, Line{})
		return json.Unmarshal(text, &lines[len(lines)-1])
	})
	return lines, err
}

// Captured is a frame of a captured conversation.
type Captured struct {
	File    string
	Seq     int
	Dir     string
	Key     fastcodec.APIKey
	Version int16
	Frame   string
}

// Captures reads all captured conversations.
func Captures() ([]Captured, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(root, "testdata", "captures", "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no captures: %w", err)
	}
	var frames []Captured
	for _, file := range files {
		err := readLines(filepath.Join("captures", filepath.Base(file)), func(text []byte) error {
			frames = append(frames, Captured{File: filepath.Base(file)})
			return json.Unmarshal(text, &frames[len(frames)-1])
		})
		if err != nil {
			return nil, err
		}
	}
	return frames, nil
}

// readLines calls each for the lines of a file of testdata.
func readLines(name string, each func([]byte) error) error {
	root, err := Root()
	if err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(root, "testdata", name))
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	scanner := bufio.NewScanner(z)
	scanner.Buffer(nil, 1<<26)
	for scanner.Scan() {
		if err := each(scanner.Bytes()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return scanner.Err()
}

// Root is the checkout that the working directory lies in.
func Root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "testdata", "layouts.tsv.gz")); err == nil {
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
