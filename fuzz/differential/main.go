// Command differential puts many inputs, grown from the reference vectors by
// mutation, before all readers of the module, and counts what they say. It is much
// faster than Go's own fuzzing. It exits 1 if any two readers differ.
//
//	go run ./fuzz/differential -n 10000000 -seed 1 -out FILE
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/kafkawire/kafkawire/fuzz/check"
)

func main() {
	n := flag.Int("n", 1_000_000, "how many inputs")
	seed := flag.Uint64("seed", 1, "of the random numbers: equal seeds give equal inputs")
	out := flag.String("out", "", "file to write the counts to, too")
	workers := flag.Int("workers", runtime.NumCPU(), "how many goroutines")
	flag.Parse()
	differences, err := run(*n, *seed, *workers, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "differential:", err)
	}
	if err != nil || differences > 0 {
		os.Exit(1)
	}
}

func run(n int, seed uint64, workers int, out string) (differences int, err error) {
	messages, err := check.Messages()
	if err != nil {
		return 0, err
	}
	seeds, err := check.Seeds(messages)
	if err != nil {
		return 0, err
	}
	start, shown := time.Now(), time.Now()
	counts := check.Loop(messages, seeds, n, seed, workers, func(done int) {
		if time.Since(shown) > 10*time.Second {
			shown = time.Now()
			fmt.Fprintf(os.Stderr, "%d of %d, %.0f a second\n", done, n, float64(done)/time.Since(start).Seconds())
		}
	})
	fmt.Printf("seed\t%d\nseconds\t%.0f\n", seed, time.Since(start).Seconds())
	if _, err := counts.WriteTo(os.Stdout); err != nil {
		return counts.Differences, err
	}
	if out == "" {
		return counts.Differences, nil
	}
	f, err := os.Create(out)
	if err != nil {
		return counts.Differences, err
	}
	defer f.Close()
	if _, err := io.WriteString(f, fmt.Sprintf("seed\t%d\n", seed)); err != nil {
		return counts.Differences, err
	}
	_, err = counts.WriteTo(f)
	return counts.Differences, err
}
