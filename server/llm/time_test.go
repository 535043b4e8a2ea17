package llm

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Slots.

// blocking returns a client whose questions run until end is called, once for each of
// them. Loading a model takes no time.
func blocking(t *testing.T, config Config) (c *Client, active *atomic.Int32, end func()) {
	t.Helper()
	active = &atomic.Int32{}
	ends := make(chan struct{})
	c = faked(t, config, func(r *http.Request) (*http.Response, error) {
		if body, _ := io.ReadAll(r.Body); bytes.Contains(body, []byte(`"messages":null`)) {
			return respond(200, `{"done":true,"done_reason":"load"}`), nil
		}
		active.Add(1)
		defer active.Add(-1)
		select {
		case <-ends:
			return respond(200, `{"message":{"content":"{}"},"done":true,"done_reason":"stop"}`), nil
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	})
	return c, active, func() { ends <- struct{}{} }
}

func TestAskRunsTwoAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, active, end := blocking(t, Config{})
		var running sync.WaitGroup
		for range 5 {
			running.Go(func() { ask(t, c, question()) })
		}
		for _, want := range []int32{2, 2, 2, 2, 1} {
			synctest.Wait()
			if n := active.Load(); n != want {
				t.Errorf("%d questions running, want %d", n, want)
			}
			end()
		}
		running.Wait()
	})
}

func TestWaitForSlotEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, active, end := blocking(t, Config{})
		var running sync.WaitGroup
		for range maxCalls {
			running.Go(func() { ask(t, c, question()) })
		}
		synctest.Wait()

		began := time.Now()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Ask(short, question())
		expectKind(t, err, Slow)
		canceled, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err = c.Ask(canceled, question())
		expectKind(t, err, Canceled)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("returned after %v", took)
		}
		if err := c.Preload(t.Context(), textModel); err != nil {
			t.Errorf("Preload without a free slot: %v", err)
		}
		if n := active.Load(); n != maxCalls {
			t.Errorf("%d questions running, want %d", n, maxCalls)
		}

		for range maxCalls {
			end()
		}
		running.Wait()
		running.Go(end)
		ask(t, c, question())
		running.Wait()
	})
}

func TestFailureReleasesSlot(t *testing.T) {
	o, c := newOllama(t)
	o.Crash()
	for range 3 * maxCalls {
		fails(t, c, question(), Failed)
	}
}

// Time.

func TestTimeout(t *testing.T) {
	o, _ := newOllama(t)
	arrived := o.Hang()
	c := client(t, Config{URL: o.URL, Timeout: 50 * time.Millisecond})
	e := fails(t, c, question(), Slow)
	<-arrived
	if n := strings.Count(e.Error(), "deadline"); n != 1 {
		t.Errorf("error = %v: it names the deadline %d times, want once", e, n)
	}
}

func TestDefaultTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := faked(t, Config{}, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		began := time.Now()
		fails(t, c, question(), Slow)
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("returned after %v", took)
		}

		began = time.Now()
		expectKind(t, c.Preload(t.Context(), textModel), Slow)
		if took := time.Since(began); took != loadTimeout {
			t.Errorf("Preload returned after %v", took)
		}
	})
}

func TestAskReturnsOnCancel(t *testing.T) {
	o, c := newOllama(t)
	arrived := o.Hang()
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := c.Ask(ctx, question())
		failed <- err
	}()
	<-arrived
	cancel()
	select {
	case err := <-failed:
		expectKind(t, err, Canceled)
	case <-time.After(5 * time.Second):
		t.Fatal("Ask has not returned 5 s after the cancel")
	}
}

func TestCanceledContextMakesNoCall(t *testing.T) {
	o, c := newOllama(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		_, err := c.Ask(ctx, question())
		expectKind(t, err, Canceled)
	}
	if n := len(o.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// Ollama's full queue.

// faked returns a client whose requests go to respond, without a network.
func faked(t *testing.T, config Config, respond roundTripper) *Client {
	t.Helper()
	config.URL = "http://user:s3cret@ollama.example:11434/under"
	c, err := newClient(config, respond)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func respond(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{}}
}

const busyBody = `{"error":"server busy, please try again.  maximum pending requests exceeded"}`

func TestBusyIsRetried(t *testing.T) {
	o, c := newOllama(t)
	o.Busy()
	o.Answer(object)
	if got := ask(t, c, question()); got != object {
		t.Errorf("answer = %s", got)
	}
	if n := len(o.Questions()); n != 2 {
		t.Errorf("%d questions, want 2", n)
	}
}

func TestBusyAfterAllRetries(t *testing.T) {
	for _, body := range []string{busyBody, "<html>t0ken</html>", ""} {
		synctest.Test(t, func(t *testing.T) {
			var calls []time.Time
			c := faked(t, Config{}, func(r *http.Request) (*http.Response, error) {
				calls = append(calls, time.Now())
				return respond(503, body), nil
			})
			if e := fails(t, c, question(), Busy); strings.Contains(e.Error(), "t0ken") {
				t.Errorf("error = %v: it quotes the answer", e)
			}
			if len(calls) != 1+len(busyDelays) {
				t.Fatalf("%d calls, want %d", len(calls), 1+len(busyDelays))
			}
			for i, delay := range busyDelays {
				if pause := calls[i+1].Sub(calls[i]); pause < delay/2 || pause >= delay*3/2 {
					t.Errorf("pause %d = %v, want %v ± 50 %%", i, pause, delay)
				}
			}
		})
	}
}

func TestBusyDoesNotWaitPastDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		c := faked(t, Config{Timeout: 100 * time.Millisecond}, func(*http.Request) (*http.Response, error) {
			calls++
			return respond(503, busyBody), nil
		})
		began := time.Now()
		fails(t, c, question(), Busy)
		if took := time.Since(began); calls != 1 || took != 0 {
			t.Errorf("%d calls in %v, want 1 in 0s", calls, took)
		}
	})
}

func TestCancelDuringPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := faked(t, Config{}, func(*http.Request) (*http.Response, error) { return respond(503, busyBody), nil })
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		began := time.Now()
		_, err := c.Ask(ctx, question())
		expectKind(t, err, Canceled)
		if took := time.Since(began); took != time.Millisecond {
			t.Errorf("returned after %v", took)
		}
	})
}
