//go:build !unix

package barcode

import (
	"testing"
	"time"
)

var started = time.Now()

// coreTime is the time by the clock, which is more where cores are shared.
func coreTime(testing.TB) time.Duration { return time.Since(started) }
