// explain: a frame as a tree.

package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
)

var explainCommand = command{
	name:     "explain",
	synopsis: "[FLAGS] FILE | -hex HEX | -sample NAME",
	short:    "show frames as object trees",
	help: `Shows every field of a frame, a line each, with its type, its value, and its
offset in the frame and size in bytes:

  +-- correlation_id int32 = 7 [0x0008, 4B]

` + sourceHelp + `
Lines of verdicts and data files, which are bodies without frames, are shown too.

Batches and records stand below the records field that they are in. Those of a
compressed batch have offsets in what it unpacks to, and are marked so:

  +-- Length varint = 30 [unpacked 0x0000, 1B]

A header or body that the schemas don't know is shown as bytes. A frame that is
cut or broken is shown as far as it goes; the exit code is 1 then. A batch that is
broken is a line that says why.`,
	define: func(fs *flag.FlagSet) func(*env, []string) error {
		var s source
		s.define(fs)
		return func(e *env, args []string) error { return explain(e, &s, args) }
	},
}

func explain(e *env, s *source, args []string) error {
	var text []byte
	failed, first := false, true
	trees := layout.Trees{Inside: new(batchTree).inside}
	for it, err := range s.items(e, args) {
		if err == nil {
			if !first {
				e.out.WriteByte('\n')
			}
			first = false
			if text, err = it.appendTree(text[:0], &trees); err != nil && it.where != "" {
				err = fmt.Errorf("%s: %w", it.where, err)
			}
			e.out.Write(text)
		}
		if err != nil {
			e.complain(err)
			failed = true
		}
	}
	if failed {
		return errFailed
	}
	return nil
}

// appendTree appends the tree of an item, as far as there is one.
func (it *item) appendTree(dst []byte, trees *layout.Trees) ([]byte, error) {
	if it.alone != nil {
		return trees.AppendMessage(dst, it.alone, it.data)
	}
	_, _, need, sizeErr := fastcodec.Split(it.data)
	if errors.Is(sizeErr, fastcodec.ErrTLS) {
		return dst, sizeErr // there is nothing of Kafka's in it
	}
	dst, cut, err := trees.AppendFrame(dst, it.data, it.key, it.version, it.response)
	switch {
	case err != nil:
		return dst, it.inFrame(err)
	case sizeErr != nil:
		return dst, sizeErr
	case cut != nil && cut.Path.Len() > 0:
		err = fmt.Errorf("the frame is cut in %s, frame offset 0x%04x: %d of its bytes are there, %d missing: %w",
			cut.Path, cut.Offset, cut.Have, cut.Missing, fastcodec.ErrShort)
	case need > 0:
		err = fmt.Errorf("the frame is cut, %s missing: %w", count(need, "byte"), fastcodec.ErrShort)
	}
	return dst, err
}

// inFrame adds to an error, whose offset is one in the header or the body, the
// offset in the frame, as the tree has it.
func (it *item) inFrame(err error) error {
	e := fault(err)
	if e == nil || e.Offset < 0 || e.Message == "frame" {
		return err
	}
	at := fastcodec.SizePrefix + e.Offset
	if e.Message != headerName(it.response) {
		p, headerErr := takeApart(it.frame, it.own)
		if headerErr != nil {
			return err
		}
		at = p.bodyAt() + e.Offset
	}
	return fmt.Errorf("%w (0x%04x in the frame)", err, at)
}
