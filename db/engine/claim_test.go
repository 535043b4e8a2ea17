//go:build unix

package engine

import (
	"path/filepath"
	"sync"
	"testing"
)

// TestClaimIsHeldFromTheBeginning looks at claims while they are made: there is none that
// nobody holds, which would be taken for that of a process that has ended.
func TestClaimIsHeldFromTheBeginning(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "claim")
	var wait sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wait.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if held, found, err := Claimed(path); err != nil || found && !held {
					t.Errorf("a claim that nobody holds (%v)", err)
					return
				}
			}
		})
	}
	for range 2000 {
		release, err := Claim(path)
		if err != nil {
			t.Error(err)
			break
		}
		if err := release(); err != nil {
			t.Error(err)
			break
		}
	}
	close(done)
	wait.Wait()
}
