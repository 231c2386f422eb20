// Command replay runs a recorded trace through its kernel again and prints what the kernel decides, and why.
//
//	replay [-actions] [-config FILE] FILE
//
// FILE is a trace, or - for standard input. To a terminal it prints a table, elsewhere JSON lines.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/evenkeel-go/evenkeel/internal/replay"
)

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stdout, term.IsTerminal(int(os.Stdout.Fd())))
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

// errUsage says that the command line was wrong, which it has told already.
var errUsage = errors.New("usage")

// run is the whole program: table says that standard output is read by a person.
func run(args []string, stdin io.Reader, stdout io.Writer, table bool) (err error) {
	flags := flag.NewFlagSet("replay", flag.ContinueOnError)
	actions := flags.Bool("actions", false, "print only the lines on which something is decided or changes")
	configPath := flags.String("config", "", "replay under the configuration in this JSON `file` instead of the trace's own")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: replay [-actions] [-config FILE] FILE   (- is standard input)")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return errUsage
	}
	if flags.NArg() != 1 {
		flags.Usage()
		return errUsage
	}
	config, err := readConfig(*configPath)
	if err != nil {
		return err
	}
	name, in := flags.Arg(0), stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	out := bufio.NewWriter(stdout)
	defer func() { err = errors.Join(err, out.Flush()) }()
	emit := jsonLines(out)
	if table {
		emit = tableRows(out)
	}
	if *actions {
		emit = changesOnly(emit)
	}
	if err := replay.Run(in, config, emit); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func readConfig(path string) (json.RawMessage, error) {
	if path == "" {
		return nil, nil
	}
	return os.ReadFile(path)
}
