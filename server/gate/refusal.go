package gate

import (
	"errors"
	"fmt"
	"time"

	"svc/db"
	"svc/server/web"
)

var errInvalidKey = &web.Error{Code: web.InvalidKey, Message: "missing or invalid API key: send it in the x-api-key header"}

// errTooManyFailures is the 401 of an address that has failed too often (A6).
func errTooManyFailures(wait time.Duration) *web.Error {
	return &web.Error{
		Code:       web.InvalidKey,
		Message:    "too many requests from this address had an invalid API key; try again later",
		RetryAfter: wait,
	}
}

var errKeyDisabled = &web.Error{Code: web.KeyDisabled, Message: "this API key is disabled"}

var errGenericMode = &web.Error{
	Code:    web.ModeForbidden,
	Message: "a generic-mode key cannot do this; use a key in account mode",
}

// errUnknown is what a call gets whose outcome a crash has hidden; G4.
var errUnknown = &web.Error{
	Code: web.OutcomeUnknown,
	Message: "it is not known whether this call had its effect; nothing was charged, " +
		"and it will not be tried again under this Idempotency-Key",
}

func errUnknownAfter(cause error) *web.Error {
	return &web.Error{Code: errUnknown.Code, Message: errUnknown.Message, Err: cause}
}

// errSlow is a call whose lease ended before its result could be stored.
var errSlow = &web.Error{Code: web.ProviderFailed, Message: "the call took too long; nothing was charged"}

func errInProgress(wait time.Duration) *web.Error {
	return &web.Error{
		Code:       web.InProgress,
		Message:    "a call with this Idempotency-Key is still running",
		RetryAfter: wait,
	}
}

func errInsufficientFunds(priceCents int64, topUp string) *web.Error {
	return &web.Error{
		Code:    web.InsufficientFunds,
		Message: "the wallet cannot cover this call",
		Extra:   map[string]any{"required_cents": priceCents, "topup": topUp},
	}
}

// errRateLimited is the per-minute 429 (A8).
func errRateLimited(limit int64, wait time.Duration) *web.Error {
	return &web.Error{
		Code:       web.RateLimited,
		Message:    "rate_limit_exceeded",
		RetryAfter: wait,
		Extra: map[string]any{
			"message":     fmt.Sprintf("more than %d calls in a minute; try again in %d s", limit, web.Seconds(wait)),
			"retry_after": web.Seconds(wait),
		},
	}
}

// errQuotaExceeded is the monthly 429 (A8).
func errQuotaExceeded(plan db.Plan, m db.Meter, now time.Time) *web.Error {
	limit := plan.Limits().Month
	return &web.Error{
		Code:       web.QuotaExceeded,
		Message:    fmt.Sprintf("monthly quota exceeded: the %s plan includes %d calls a month", plan, limit),
		RetryAfter: m.MonthEnds.Sub(now),
		Extra: map[string]any{
			"plan":      plan,
			"limit":     limit,
			"used":      m.MonthUsed,
			"resets_at": m.MonthEnds.Format(time.RFC3339),
		},
	}
}

func ignoreNotFound(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}
