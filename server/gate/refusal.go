package gate

import (
	"errors"
	"fmt"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/web"
)

var errInvalidKey = &fault.Error{Code: fault.InvalidKey, Message: "missing or invalid API key: send it in the x-api-key header"}

// errTooManyFailures is the 401 of an address that has failed too often (A6).
func errTooManyFailures(wait time.Duration) *fault.Error {
	const message = "too many requests from this address had an invalid API key; try again later"
	return &fault.Error{Code: fault.InvalidKey, Message: message, RetryAfter: wait}
}

var (
	errKeyDisabled     = &fault.Error{Code: fault.KeyDisabled, Message: "this API key is disabled"}
	errAccountDisabled = &fault.Error{Code: fault.KeyDisabled, Message: "the account of this API key is disabled"}
)

// errDisabled is the 403 of a caller that is disabled: by its account, whatever its key, or
// by its key alone.
func errDisabled(p db.Principal) *fault.Error {
	if p.Closed {
		return errAccountDisabled
	}
	return errKeyDisabled
}

var errGenericMode = &fault.Error{Code: fault.ModeForbidden, Message: "a generic-mode key cannot do this; use a key in account mode"}

// errUnknown is the answer to a call whose outcome is unknown (G4).
var errUnknown = &fault.Error{
	Code: fault.OutcomeUnknown,
	Message: "it is not known whether this call had its effect; nothing was charged, " +
		"and it will not be tried again under this Idempotency-Key",
}

func errUnknownAfter(cause error) *fault.Error {
	return &fault.Error{Code: errUnknown.Code, Message: errUnknown.Message, Err: cause}
}

// errSlow is the answer to a call whose lease ended before its result was stored.
var errSlow = &fault.Error{Code: fault.ProviderFailed, Message: "the call took too long; nothing was charged"}

func errInProgress(wait time.Duration) *fault.Error {
	return &fault.Error{Code: fault.InProgress, Message: "a call with this Idempotency-Key is still running", RetryAfter: wait}
}

func errInsufficientFunds(priceCents int64, topUp string) *fault.Error {
	return &fault.Error{
		Code: fault.InsufficientFunds, Message: "the wallet cannot cover this call",
		Details: map[string]any{"required_cents": priceCents, "topup": topUp},
	}
}

// errRateLimited is the per-minute 429 (A8).
func errRateLimited(limit int64, wait time.Duration) *fault.Error {
	return &fault.Error{
		Code: fault.RateLimited, Message: "rate_limit_exceeded", RetryAfter: wait,
		Details: map[string]any{
			"message":     fmt.Sprintf("more than %d calls in a minute; try again in %d s", limit, web.Seconds(wait)),
			"retry_after": web.Seconds(wait),
		},
	}
}

// errWindowFull is the 429 of a rolling window (seed 8.4).
func errWindowFull(wait time.Duration) *fault.Error {
	return &fault.Error{
		Code: fault.RateLimited, Message: "rate_limit_exceeded", RetryAfter: wait,
		Details: map[string]any{"retry_after": web.Seconds(wait)},
	}
}

// errQuotaExceeded is the monthly 429 (A8).
func errQuotaExceeded(plan db.Plan, m db.Meter, now time.Time) *fault.Error {
	limit := plan.Limits().Month
	return &fault.Error{
		Code:       fault.QuotaExceeded,
		Message:    fmt.Sprintf("monthly quota exceeded: the %s plan includes %d calls a month", plan, limit),
		RetryAfter: m.MonthEnds.Sub(now),
		Details: map[string]any{
			"plan": plan, "limit": limit, "used": m.MonthUsed, "resets_at": m.MonthEnds.Format(time.RFC3339),
		},
	}
}

func ignoreNotFound(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}
