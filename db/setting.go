package db

import "errors"

var (
	settingByName = newQuery(`SELECT value FROM settings WHERE name = $1`)
	storeSetting  = newQuery(`
INSERT INTO settings (name, value)
VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
)

// Setting reads a setting of this file, empty if it was never set.
func (tx *Tx) Setting(name string) (value string, err error) {
	err = tx.row(settingByName, []any{name}, &value)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return value, err
}

// SetSetting stores a setting of this file.
func (tx *Tx) SetSetting(name, value string) error {
	_, err := tx.exec(storeSetting, name, value)
	return err
}
