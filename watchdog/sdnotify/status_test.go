package sdnotify_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestAStatusCanAlwaysBeSent has texts that systemd would drop without a word, or take for more than one line.
func TestAStatusCanAlwaysBeSent(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"plain", "main: looking", "main: looking"},
		{"beyond ASCII", "grüße, 世界 🚢", "grüße, 世界 🚢"},
		{"line breaks", "one\ntwo\r\nthree", "one two  three"},
		{"another message", "done\nWATCHDOG=1", "done WATCHDOG=1"},
		{"control characters", "a\x00b\tc\x1bd", "a b c d"},
		{"invalid UTF-8", "a\xffb\xc3", "ab"},
		{"just short enough", strings.Repeat("x", 2048), strings.Repeat("x", 2048)},
		{"just too long", strings.Repeat("x", 2049), strings.Repeat("x", 2048)},
		{"far too long", strings.Repeat("x", 10_000), strings.Repeat("x", 2048)},
		{"cut between runes", strings.Repeat("é", 5000), strings.Repeat("é", 1024)},
		{"cut within a rune", "x" + strings.Repeat("é", 5000), "x" + strings.Repeat("é", 1023)},
		{"cut within a long rune", "xyz" + strings.Repeat("🚢", 5000), "xyz" + strings.Repeat("🚢", 511)},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := listen(t, path(t))
			n := s.notifier()
			must(t, n.Ready())
			must(t, n.Status(row.text, patience))
			must(t, n.Reloaded(errors.New(row.text)))
			got := s.all(t)
			if len(got) != 3 || got[1] != "STATUS="+row.want {
				t.Fatalf("got %q, want %q", got, row.want)
			}
			checkSendable(t, got[1], 1)
			checkSendable(t, got[2], 2)
			if !strings.HasPrefix(got[2], "READY=1\nSTATUS=reload failed: ") || !strings.HasPrefix("READY=1\nSTATUS=reload failed: "+row.want, got[2]) {
				t.Errorf("a reload failed with %q", got[2])
			}
		})
	}
}

// checkSendable wants what systemd takes, in so many lines.
func checkSendable(t *testing.T, message string, lines int) {
	t.Helper()
	if len(message) > 4096 || !utf8.ValidString(message) || strings.ContainsAny(message, "\x00\r") {
		t.Errorf("systemd would drop %q", message)
	}
	if got := strings.Count(message, "\n") + 1; got != lines {
		t.Errorf("%d lines, want %d, in %q", got, lines, message)
	}
}
