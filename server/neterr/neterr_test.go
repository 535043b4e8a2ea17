package neterr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"
	"time"
)

func TestEnded(t *testing.T) {
	cause := errors.New("server stops")
	running := t.Context()
	canceled, cancel := context.WithCancelCause(running)
	cancel(cause)
	late, stop := context.WithDeadline(running, time.Now().Add(-time.Second))
	defer stop()

	if got := Ended(running, io.EOF); got != io.EOF {
		t.Errorf("running context: got %v, want the error as it is", got)
	}
	if got := Ended(canceled, cause); !errors.Is(got, context.Canceled) || !errors.Is(got, cause) {
		t.Errorf("canceled context: got %v, want the error of the context and the cause", got)
	}
	if got := Ended(late, io.EOF); !errors.Is(got, context.DeadlineExceeded) || !errors.Is(got, io.EOF) {
		t.Errorf("context after its deadline: got %v, want both errors", got)
	}
	told := fmt.Errorf("dial: %w", context.Canceled)
	if got := Ended(canceled, told); got != told {
		t.Errorf("error that names the end: got %v, want it as it is", got)
	}
}

func TestPredicates(t *testing.T) {
	dial := func(err error) error { return fmt.Errorf("call: %w", &net.OpError{Op: "dial", Net: "tcp", Err: err}) }
	for _, test := range []struct {
		name                                   string
		err                                    error
		timeout, unresolved, refused, isBroken bool
	}{
		{"Deadline", fmt.Errorf("call: %w", context.DeadlineExceeded), true, false, false, false},
		{"NetworkTimeout", dial(syscall.ETIMEDOUT), true, false, false, true},
		{"NoSuchName", dial(&net.DNSError{IsNotFound: true}), false, true, false, true},
		{"SlowNameServer", &net.DNSError{IsTimeout: true}, true, true, false, false},
		{"Refused", dial(syscall.ECONNREFUSED), false, false, true, true},
		{"Unreachable", dial(syscall.EHOSTUNREACH), false, false, false, true},
		{"EndOfStream", fmt.Errorf("read: %w", io.EOF), false, false, false, true},
		{"Canceled", context.Canceled, false, false, false, false},
		{"Other", errors.New("bad request"), false, false, false, false},
		{"None", nil, false, false, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := [4]bool{IsTimeout(test.err), IsUnresolved(test.err), IsRefused(test.err), IsBroken(test.err)}
			if want := [4]bool{test.timeout, test.unresolved, test.refused, test.isBroken}; got != want {
				t.Errorf("timeout, unresolved, refused, broken = %v, want %v", got, want)
			}
		})
	}
}

// The predicates hold for errors as the system makes them.
func TestRefusedConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, err = net.Dial("tcp", l.Addr().String())
	if !IsRefused(err) || !IsBroken(err) || IsTimeout(err) || IsUnresolved(err) {
		t.Errorf("got %v, want an error of a refused connection", err)
	}
}
