package engine_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"svc/db/engine"
	"sync"
	"testing"
)

func TestOpenConcurrently(t *testing.T) {
	t.Parallel()
	// Several engines open and close one new file again and again, while others
	// migrate it, switch it to WAL or checkpoint and remove the WAL.
	path := newPath(t)
	const engines, rounds = 4, 12

	var wg sync.WaitGroup
	for range engines {
		wg.Go(func() {
			for range rounds {
				if err := openCountClose(path); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	wantCount(t, openAt(t, path), "shared", engines*rounds)
}

func openCountClose(path string) error {
	store, err := engine.Open(background, options(path))
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	err = store.Update(background, count("shared"))
	return errors.Join(err, store.Close())
}

// childEnv is set in the environment of a child process: a test binary that only
// adds to the counter "shared" of the file at this path.
const childEnv = "SVC_ENGINE_TEST_CHILD"

const (
	childCallers = 8
	childCounts  = 40 // by each caller
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		if err := childMain(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func childMain(path string) error {
	store, err := engine.Open(background, options(path))
	if err != nil {
		return err
	}
	return errors.Join(hammer(store), store.Close())
}

// hammer adds to the counter from several goroutines at once.
func hammer(store *engine.Engine) error {
	errs := make([]error, childCallers)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for range childCounts {
				errs[i] = errors.Join(errs[i], store.Update(background, count("shared")))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func TestSharedFile(t *testing.T) {
	t.Parallel()
	t.Run("FourProcesses", func(t *testing.T) {
		path := newPath(t)
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		const processes = 4
		var wg sync.WaitGroup
		for range processes {
			wg.Go(func() {
				child := exec.Command(self)
				child.Env = append(os.Environ(), childEnv+"="+path)
				if out, err := child.CombinedOutput(); err != nil {
					t.Errorf("child: %v\n%s", err, out)
				}
			})
		}
		wg.Wait()
		wantCount(t, openAt(t, path), "shared", processes*childCallers*childCounts)
	})

	t.Run("TwoEngines", func(t *testing.T) {
		path := newPath(t)
		one, two := openAt(t, path), openAt(t, path)
		var wg sync.WaitGroup
		for _, store := range []*engine.Engine{one, two} {
			wg.Go(func() {
				if err := hammer(store); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		wantCount(t, one, "shared", 2*childCallers*childCounts)
		wantCount(t, two, "shared", 2*childCallers*childCounts)
	})
}
