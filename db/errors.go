package db

import (
	"errors"

	"svc/db/engine"
)

// The engine's sentinels. A driver error becomes one of them by its code; an error
// with any other code is a bug of this program and stays as it is.
var (
	// ErrNotFound: this owner has no such row.
	ErrNotFound = engine.ErrNotFound
	// ErrConflict: a row with the same unique value exists.
	ErrConflict = engine.ErrConflict
	// ErrUnavailable: the file cannot be read or written now. Nothing of the change
	// is stored, and the caller may retry it.
	ErrUnavailable = engine.ErrUnavailable
	// ErrNewerSchema: a newer svc has migrated the file.
	ErrNewerSchema = engine.ErrNewerSchema
	// ErrForeign: the file is another program's database.
	ErrForeign = engine.ErrForeign
	// ErrClosed: the store was closed.
	ErrClosed = engine.ErrClosed
)

// The sentinels of this package.
var (
	// ErrStale: the row is not, or no longer, in a state that allows the step.
	ErrStale = errors.New("not in a state that allows this")
	// ErrInsufficientFunds: the wallet cannot cover the amount.
	ErrInsufficientFunds = errors.New("insufficient funds")
)
