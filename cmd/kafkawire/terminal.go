// The progress bar: drawn on a terminal for inputs that take a while.

package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// barDelay is how long a command runs before it draws a bar.
const barDelay = 700 * time.Millisecond

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// progress counts the bytes read of some inputs. It draws from within add, so that
// no goroutine disturbs what is measured. The nil progress draws nothing.
type progress struct {
	bar         *progressbar.ProgressBar
	start       time.Time
	done, total int64
}

// newProgress gives a progress over total bytes, or nil where none is to be drawn.
func (e *env) newProgress(text string, total int64) *progress {
	if !e.terminal || total <= 0 {
		return nil
	}
	bar := progressbar.NewOptions64(total, progressbar.OptionSetWriter(e.err), progressbar.OptionSetDescription(text),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(40), progressbar.OptionClearOnFinish())
	e.bar = &progress{bar: bar, start: time.Now(), total: total}
	return e.bar
}

func (p *progress) add(n int) {
	if p == nil {
		return
	}
	p.done += int64(n)
	if time.Since(p.start) >= barDelay {
		// Errors are of the terminal, and a file may have grown since its size was asked for.
		_ = p.bar.Set64(min(p.done, p.total))
	}
}

// clear takes the bar off the screen; the next add may draw it again.
func (p *progress) clear() {
	if p != nil && time.Since(p.start) >= barDelay {
		_ = p.bar.Clear()
	}
}
