package db

import (
	"errors"

	"svc/db/engine"
)

// The engine's sentinels; see there. ErrNotFound means that this owner has no such
// row. An error of the driver with any other code is a bug and stays as it is.
var (
	ErrNotFound    = engine.ErrNotFound
	ErrConflict    = engine.ErrConflict
	ErrUnavailable = engine.ErrUnavailable
	ErrNewerSchema = engine.ErrNewerSchema
	ErrOlderSchema = engine.ErrOlderSchema
	ErrInUse       = engine.ErrInUse
	ErrDamaged     = engine.ErrDamaged
	ErrForeign     = engine.ErrForeign
	ErrClosed      = engine.ErrClosed
)

// The sentinels of this package.
var (
	// ErrStale: the row is not, or no longer, in a state that allows the step.
	ErrStale = errors.New("not in a state that allows this")
	// ErrInsufficientFunds: the wallet cannot cover the amount.
	ErrInsufficientFunds = errors.New("insufficient funds")
)
