package db

var (
	settingByName = newQuery(`SELECT value FROM settings WHERE name = $1`)
	storeSetting  = newQuery(`
INSERT INTO settings (name, value)
VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
)

// Setting reads a setting of this file, empty if it was never set.
func (tx *Tx) Setting(name string) (string, error) {
	text, err := value[string](tx, settingByName, name)
	return text, translate(err, ErrNotFound, nil)
}

// SetSetting stores a setting of this file.
func (tx *Tx) SetSetting(name, value string) error { return tx.exec(storeSetting, name, value) }
