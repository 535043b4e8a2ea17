//go:build !unix

package barcode

import (
	"testing"
	"time"
)

var started = time.Now()

// coreTime returns the time by the clock, which includes waiting for a core.
func coreTime(testing.TB) time.Duration { return time.Since(started) }
