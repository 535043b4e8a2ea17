package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"svc/db"
	"svc/server/fault"
)

const maxAppName = 100 // characters

// NewApp is a request for an app, under which keys are grouped.
type NewApp struct {
	Account string // e-mail; empty: the only account
	Name    string
	Logo    []byte // a PNG, JPEG or GIF file; nil: none
}

// CreateApp makes an app. Its name is unique within the account. Its logo is drawn anew.
func (s *Service) CreateApp(ctx context.Context, req NewApp) (made db.App, err error) {
	app := db.App{}
	if app.Name, err = checkAppName(req.Name); err != nil {
		return db.App{}, err
	}
	if req.Logo != nil {
		if app.Logo, err = drawLogo(req.Logo); err != nil {
			return db.App{}, err
		}
		app.LogoType = logoType
	}
	err = s.change(ctx, req.Account, func(tx *db.Tx, a db.Account) (err error) {
		app.AccountID = a.ID
		made, err = tx.CreateApp(app)
		return err
	})
	return made, takenName(err, app.Name)
}

// AppChange is what to change of an app.
type AppChange struct {
	Name string
	Logo []byte // nil: as it is
	Drop bool   // the logo that it has
}

// EditApp changes one of an account's apps. Merchants see its new name and logo from then
// on, also those who have approved a request of it. A NotFound: the account has no such app.
func (s *Service) EditApp(ctx context.Context, accountID, id string, c AppChange) error {
	name, err := checkAppName(c.Name)
	if err != nil {
		return err
	}
	var logo []byte
	if c.Logo != nil {
		if logo, err = drawLogo(c.Logo); err != nil {
			return err
		}
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		app, err := tx.App(accountID, id)
		if errors.Is(err, db.ErrNotFound) {
			return &fault.Error{Code: fault.NotFound, Message: "no app " + id}
		}
		if err != nil {
			return err
		}
		app.Name = name
		switch {
		case logo != nil:
			app.Logo, app.LogoType = logo, logoType
		case c.Drop:
			app.Logo, app.LogoType = nil, ""
		}
		return tx.ChangeApp(app)
	})
	return takenName(err, name)
}

func checkAppName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return "", fault.Invalid("name", "is required")
	}
	if utf8.RuneCountInString(name) > maxAppName {
		return "", fault.Invalid("name", fmt.Sprintf("must have at most %d characters", maxAppName))
	}
	return name, nil
}

// takenName words an ErrConflict.
func takenName(err error, name string) error {
	if errors.Is(err, db.ErrConflict) {
		return fault.Invalid("name", fmt.Sprintf("the account has an app named %q already", name)).Because(err)
	}
	return err
}

// Apps lists an account's apps, or everybody's for an empty e-mail.
func (s *Service) Apps(ctx context.Context, email string) ([]db.App, error) {
	if email == "" {
		return db.Read(ctx, s.Store, (*db.Tx).AllApps)
	}
	return readOf(ctx, s, email, (*db.Tx).Apps)
}
