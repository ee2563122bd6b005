package bench

import (
	"testing"

	"github.com/kafkawire/kafkawire/bench/inputs"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

// BenchmarkRewrite rewrites frames into a buffer that is large enough. The bytes are
// those of the frame; "copy" is what copying it takes.
func BenchmarkRewrite(b *testing.B) {
	for _, w := range inputs.Rewritings() {
		r, err := rewrite.Compile(w.Edits)
		if err != nil {
			b.Fatal(err)
		}
		dst := make([]byte, 0, 2*len(w.Frame)+1024)
		ctx := rewrite.Context{Key: w.Key, Version: w.Version}
		run := func() (changed bool, err error) {
			if w.Response {
				_, changed, err = r.Response(dst, w.Frame, &ctx)
			} else {
				_, changed, err = r.Request(dst, w.Frame, &ctx)
			}
			return changed, err
		}
		b.Run(w.Name, func(b *testing.B) {
			if changed, err := run(); err != nil || !changed {
				b.Fatal(changed, err)
			}
			b.SetBytes(int64(len(w.Frame)))
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
		b.Run(w.Name+"/copy", func(b *testing.B) {
			b.SetBytes(int64(len(w.Frame)))
			for b.Loop() {
				sink += uint64(len(append(dst, w.Frame...)))
			}
		})
	}
}

// BenchmarkRewritePass is what a frame takes in which nothing can be edited, and one
// in which nothing is.
func BenchmarkRewritePass(b *testing.B) {
	keep := func(old, scratch []byte) ([]byte, rewrite.Action) { return nil, rewrite.Keep }
	r, err := rewrite.Compile(rewrite.Edits{Groups: rewrite.Names{Request: keep, Response: keep}})
	if err != nil {
		b.Fatal(err)
	}
	for _, w := range inputs.Rewritings() {
		ctx := rewrite.Context{Key: w.Key, Version: w.Version}
		b.Run(w.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if w.Response {
					r.Response(nil, w.Frame, &ctx)
				} else {
					r.Request(nil, w.Frame, &ctx)
				}
			}
		})
	}
}
