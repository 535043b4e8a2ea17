package account

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"svc/db"
	"svc/server/fault"
)

const (
	maxAppName = 100       // bytes
	maxLogo    = 256 << 10 // bytes
)

// NewApp is a request for an app, under which keys are grouped.
type NewApp struct {
	Account string // e-mail; empty: the only account
	Name    string
	Logo    []byte // nil: none
}

// CreateApp makes an app. Its name is unique within the account.
func (s *Service) CreateApp(ctx context.Context, req NewApp) (made db.App, err error) {
	app := db.App{Name: strings.TrimSpace(req.Name), Logo: req.Logo}
	if app.Name == "" || len(app.Name) > maxAppName {
		return db.App{}, fault.Invalid("name", fmt.Sprintf("must have 1 to %d bytes", maxAppName))
	}
	if app.LogoType, err = logoType(req.Logo); err != nil {
		return db.App{}, err
	}
	err = s.change(ctx, req.Account, func(tx *db.Tx, a db.Account) (err error) {
		app.AccountID = a.ID
		made, err = tx.CreateApp(app)
		return err
	})
	if errors.Is(err, db.ErrConflict) {
		return db.App{}, fault.Invalid("name", fmt.Sprintf("the account has an app named %q already", app.Name)).Because(err)
	}
	return made, err
}

// logoType returns the type of a logo by its first bytes. SVG is refused, since it may
// carry scripts and the consent page shows it.
func logoType(logo []byte) (string, error) {
	if logo == nil {
		return "", nil
	}
	if len(logo) > maxLogo {
		return "", fault.Invalid("logo", fmt.Sprintf("must be at most %d KiB", maxLogo>>10)).Because(fmt.Errorf("%d bytes", len(logo)))
	}
	switch head := string(logo); {
	case strings.HasPrefix(head, "\x89PNG\r\n\x1a\n"):
		return "image/png", nil
	case strings.HasPrefix(head, "\xff\xd8\xff"):
		return "image/jpeg", nil
	case strings.HasPrefix(head, "GIF87a"), strings.HasPrefix(head, "GIF89a"):
		return "image/gif", nil
	case strings.HasPrefix(head, "RIFF") && len(head) >= 14 && head[8:14] == "WEBPVP":
		return "image/webp", nil
	}
	return "", fault.Invalid("logo", "must be a PNG, JPEG, WebP or GIF picture").Because(errors.New("no signature of a picture"))
}

// Apps lists an account's apps, or everybody's for an empty e-mail.
func (s *Service) Apps(ctx context.Context, email string) ([]db.App, error) {
	if email == "" {
		return db.Read(ctx, s.Store, (*db.Tx).AllApps)
	}
	return readOf(ctx, s, email, (*db.Tx).Apps)
}
