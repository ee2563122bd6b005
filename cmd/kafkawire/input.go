// Inputs: files of JSON lines, or of frames in hex or binary; gzip'd or not; "-" for
// standard input. Nothing is read whole that comes in lines.

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/kafkawire/kafkawire/testdata"
)

// maxLine is the most bytes that a line may have.
const maxLine = 64 << 20

// input is an opened file.
type input struct {
	name  string
	close func() error
	r     *bufio.Reader
	line  int    // number of the line that next returned last
	empty bool   // no line but blank ones came yet
	buf   []byte // of a line that r's buffer can't hold
}

// openInput opens a file; bar may be nil. Messages name it name.
func (e *env) openInput(name string, bar *progress) (*input, error) {
	if name == "-" {
		return newInput("stdin", io.NopCloser(e.in), bar)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return newInput(name, f, bar)
}

func newInput(name string, f io.ReadCloser, bar *progress) (*input, error) {
	in := &input{name: name, close: f.Close, empty: true}
	in.r = bufio.NewReaderSize(countingReader{f, bar}, 1<<16)
	if magic, _ := in.r.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in.r)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		in.r = bufio.NewReaderSize(z, 1<<16)
	}
	return in, nil
}

type countingReader struct {
	r   io.Reader
	bar *progress
}

func (c countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.bar.add(n)
	return n, err
}

// totalSize is the size of the files, or 0 where it isn't known.
func totalSize(files []string) (total int64) {
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}

// errLongLine is the error of a line above maxLine; the next line can be read.
var errLongLine = errors.New("a line of more than 64 MiB")

// next returns the next line that isn't blank, without its end. It is valid until
// the next call. The error is io.EOF at the end, errLongLine, or that of the file;
// a line may come with an error that the file has behind it.
func (in *input) next() ([]byte, error) {
	for {
		line, err := in.readLine()
		if len(line) > 0 || err == nil {
			in.line++
		}
		if line = bytes.TrimSpace(line); len(line) > 0 || err != nil {
			in.empty = in.empty && len(line) == 0 && err != errLongLine
			return line, err
		}
	}
}

func (in *input) readLine() ([]byte, error) {
	line, err := in.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	in.buf = append(in.buf[:0], line...)
	tooLong := false
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = in.r.ReadSlice('\n')
		if tooLong = tooLong || len(in.buf)+len(line) > maxLine; tooLong {
			in.buf = in.buf[:0]
			continue
		}
		in.buf = append(in.buf, line...)
	}
	if tooLong {
		in.line++
		if err == nil || err == io.EOF {
			err = errLongLine
		}
	}
	return in.buf, err
}

// where names the line that next returned last.
func (in *input) where() string { return fmt.Sprintf("%s:%d", in.name, in.line) }

// isLines reports whether the input is JSON lines, which begin with "{". (As the
// size of a binary frame that is 2 GB, and it is no hex.)
func (in *input) isLines() (bool, error) {
	for n := 1; ; n++ {
		front, err := in.r.Peek(n)
		if len(front) < n {
			if err == io.EOF || errors.Is(err, bufio.ErrBufferFull) {
				return false, nil
			}
			return false, fmt.Errorf("%s: %w", in.name, err)
		}
		switch front[n-1] {
		case ' ', '\t', '\r', '\n':
		default:
			return front[n-1] == '{', nil
		}
	}
}

// embeddedCaptures are the captures that the command carries, by name.
func embeddedCaptures() (names []string, open func(name string, bar *progress) (*input, error), total int64) {
	// Neither fails: the files are part of the program.
	entries, _ := fs.ReadDir(testdata.Captures, "captures")
	for _, e := range entries {
		names = append(names, e.Name())
		if info, err := e.Info(); err == nil {
			total += info.Size()
		}
	}
	return names, func(name string, bar *progress) (*input, error) {
		f, err := testdata.Captures.Open("captures/" + name)
		if err != nil {
			return nil, err
		}
		return newInput(name, f, bar)
	}, total
}
