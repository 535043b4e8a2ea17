package redact

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	r := New(20, "s3cret", "s3cret-longer", "with  two", "")
	for in, want := range map[string]string{
		"key s3cret here":       "key [redacted] here",
		"s3cret-longer":         "[redacted]",
		"s3\x00cret":            "[redacted]",
		"with  two":             "[redacted]",
		"a\r\nb\tc":             "a b c",
		"":                      "",
		"nineteen characters":   "nineteen characters",
		strings.Repeat("ä", 20): strings.Repeat("ä", 20),
		strings.Repeat("ä", 21): strings.Repeat("ä", 19) + "…",
		"\u202eright to left":   "right to left",
	} {
		if got := r.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCauseMatchesWithoutUnwrapping(t *testing.T) {
	err := New(100, "s3cret").Cause(fmt.Errorf("sent s3cret: %w", context.Canceled))
	if err.Error() != "sent [redacted]: context canceled" || !errors.Is(err, context.Canceled) || errors.Unwrap(err) != nil {
		t.Errorf("got %v, unwrapped %v, want a cleaned text that matches context.Canceled", err, errors.Unwrap(err))
	}
}
