package db

import (
	"fmt"
	"time"
)

// App is a name and a logo under which an account groups keys; the consent page
// shows them (seed 9). Names are unique within the account.
type App struct {
	ID        string
	AccountID string
	Name      string
	Logo      []byte // nil if there is none
	LogoType  string // media type of Logo
	CreatedAt time.Time
}

const appColumns = `id, account_id, name, logo, logo_type, created_at`

var (
	insertApp     = newQuery(`INSERT INTO apps (` + appColumns + `) VALUES ($1, $2, $3, $4, $5, $6)`)
	appsOfAccount = newQuery(`SELECT ` + appColumns + ` FROM apps WHERE account_id = $1 ORDER BY id`)
	allApps       = newQuery(`SELECT ` + appColumns + ` FROM apps ORDER BY id`)
	changeApp     = newQuery(`UPDATE apps SET name = $3, logo = $4, logo_type = $5 WHERE account_id = $1 AND id = $2`)
	appByID       = newQuery(`SELECT ` + appColumns + ` FROM apps WHERE account_id = $1 AND id = $2`)
	appByName     = newQuery(`SELECT ` + appColumns + ` FROM apps WHERE account_id = $1 AND name = $2`)
)

func scanApp(row scanner) (a App, err error) {
	err = row.Scan(&a.ID, &a.AccountID, &a.Name, &a.Logo, &a.LogoType, timestamp(&a.CreatedAt))
	return a, err
}

// CreateApp stores a new app. ErrConflict: the account has an app of that name.
func (tx *Tx) CreateApp(a App) (App, error) {
	a.ID, a.CreatedAt = tx.newID("app_"), tx.Now()
	if err := tx.exec(insertApp, a.ID, a.AccountID, a.Name, a.Logo, a.LogoType, tx.nowMs()); err != nil {
		return App{}, fmt.Errorf("create app: %w", err)
	}
	return a, nil
}

// ChangeApp stores an app's name and logo. ErrConflict: the account has another app of that
// name.
func (tx *Tx) ChangeApp(a App) error {
	return tx.execOne(changeApp, a.AccountID, a.ID, a.Name, a.Logo, a.LogoType)
}

// Apps lists the account's apps, oldest first.
func (tx *Tx) Apps(accountID string) ([]App, error) {
	return collect(tx, appsOfAccount, scanApp, accountID)
}

// AllApps lists every account's apps. It is the operator's view.
func (tx *Tx) AllApps() ([]App, error) { return collect(tx, allApps, scanApp) }

// App finds the account's app by its id.
func (tx *Tx) App(accountID, id string) (App, error) {
	return one(tx, appByID, scanApp, accountID, id)
}

// AppByName finds the account's app of that name.
func (tx *Tx) AppByName(accountID, name string) (App, error) {
	return one(tx, appByName, scanApp, accountID, name)
}
