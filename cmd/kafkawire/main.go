// Command kafkawire shows, converts and checks frames of the Kafka wire protocol.
//
// Without arguments it replays the captured conversations that it carries. Run
// "kafkawire help" for the rest.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// command is a subcommand. define registers its flags and returns what runs it.
type command struct {
	name, synopsis, short string
	help                  string // what the usage says below the synopsis
	define                func(fs *flag.FlagSet) func(e *env, args []string) error
}

func commands() []command {
	return []command{replayCommand, explainCommand, jsonCommand, encodeCommand, verifyCommand, recordsCommand, apisCommand, schemaCommand, proxyCommand}
}

// env is where a command reads and writes.
type env struct {
	in       io.Reader
	out      *bufio.Writer
	err      io.Writer
	terminal bool // err is a terminal: a progress bar may be drawn
	// outTerminal says that out is one, where a bar would come between the lines.
	outTerminal bool
	bar         *progress
}

// errFailed ends a command with exit code 1 where all was said already.
var errFailed = errors.New("failed")

// complain prints an error that does not end the command.
func (e *env) complain(err error) {
	if !errors.Is(err, errFailed) {
		e.say("kafkawire: " + err.Error())
	}
}

// say prints a line to err, behind what is on its way to out.
func (e *env) say(text string) {
	e.out.Flush()
	e.bar.clear()
	fmt.Fprintln(e.err, text)
}

// run is the command as a function. It returns the exit code: 0, or 1 after any error.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &env{in: stdin, out: bufio.NewWriterSize(stdout, 1<<16), err: stderr, terminal: isTerminal(stderr), outTerminal: isTerminal(stdout)}
	err := dispatch(e, args)
	if flushed := e.out.Flush(); err == nil && flushed != nil {
		err = flushed
	}
	if err != nil {
		e.complain(err)
		return 1
	}
	return 0
}

func dispatch(e *env, args []string) error {
	name := replayCommand.name
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	switch name {
	case "help", "-h", "-help", "--help":
		if len(args) == 0 {
			usage(e.out)
			return nil
		}
		name, args = args[0], []string{"-h"}
	}
	for _, c := range commands() {
		if c.name == name {
			return c.run(e, args)
		}
	}
	return fmt.Errorf("unknown command %q; see kafkawire help", name)
}

func usage(w io.Writer) {
	fmt.Fprint(w, "kafkawire shows, converts and checks frames of the Kafka wire protocol.\n\nUsage: kafkawire [COMMAND [ARGUMENTS]]\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	for _, c := range commands() {
		fmt.Fprintf(t, "  %s\t%s\n", c.name, c.short)
	}
	t.Flush()
	fmt.Fprint(w, "\nWithout a command it is replay. \"kafkawire COMMAND -h\" says more about one.\n"+
		"The exit code is 0, or 1 where anything was wrong.\n")
}

func (c command) run(e *env, args []string) error {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	do := c.define(fs)
	args, err := parseFlags(fs, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.usage(e.out, fs)
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w; see kafkawire %s -h", c.name, err, c.name)
	}
	return do(e, args)
}

// parseFlags lets flags stand behind arguments too, as in "explain FILE -line 3".
func parseFlags(fs *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		left := fs.Args()
		if done := len(args) - len(left); len(left) == 0 || done > 0 && args[done-1] == "--" {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

func (c command) usage(w io.Writer, fs *flag.FlagSet) {
	fmt.Fprintf(w, "Usage: kafkawire %s\n\n%s\n", strings.TrimSpace(c.name+" "+c.synopsis), strings.TrimSpace(c.help))
	flags := false
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fs.VisitAll(func(f *flag.Flag) {
		if !flags {
			fmt.Fprint(t, "\nFlags:\n")
			flags = true
		}
		value, text := flag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "-1" && f.DefValue != "false" {
			text += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(t, "  %s\t%s\n", strings.TrimSpace("-"+f.Name+" "+value), text)
	})
	t.Flush()
}
