// Package neterr tells from an error what went wrong on a network connection. What
// follows from it (whether a message was sent, who tries again) is for the caller
// to judge.
package neterr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
)

// Ended wraps err with the error of ctx if ctx has ended and err does not tell:
// net/http returns the cause of that end alone, which may be any error, and a
// connection that was closed under a conversation reports only that.
func Ended(ctx context.Context, err error) error {
	if ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), err)
}

// IsTimeout reports whether time ran out: that of a context or that of the network.
func IsTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// IsUnresolved reports whether the name of the host has no address, or no name server
// gave one.
func IsUnresolved(err error) bool {
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

// IsRefused reports whether the host refused the connection.
func IsRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// IsBroken reports whether the connection could not be made, or ended before the
// answer did.
func IsBroken(err error) bool {
	_, ok := errors.AsType[*net.OpError](err)
	return ok || errors.Is(err, io.EOF)
}
