// Command quickstart shows the gateway kernel at work on a real WireGuard tunnel, and the watchdog that watches it, in
// one process and in half a minute: no root, no service, nothing to set up, and no traffic but on loopback.
//
//	quickstart [-trace FILE]
//
// It exits with 0 only if everything that it shows came true.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "quickstart: interrupted")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// run is the whole program.
func run(ctx context.Context, args []string, stdout io.Writer) (err error) {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	trace := flags.String("trace", "", "record the guest's run in `FILE` and its second one, after a restart, in FILE.restart")
	if err := flags.Parse(args); err != nil {
		return flag.ErrHelp
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(flags.Output(), "quickstart: %q: no arguments are known\n", flags.Args())
		return flag.ErrHelp
	}
	dir, err := os.MkdirTemp("", "quickstart-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return tell(ctx, dir, *trace, newReport(stdout))
}
