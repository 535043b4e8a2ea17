package views

import "time"

// AppRow is an app in a list. Logo is an address, empty if it has none.
type AppRow struct {
	ID, Name, Logo string
	Keys           int64
	CreatedAt      time.Time
	Current        bool
	Link           string // opens the app beside the list
}

// AppForm makes or changes an app: it posts `app-name`, `logo` (a file) and, for a change,
// `id` and `drop`.
type AppForm struct {
	Name string // as it was typed
}

// AppDetail is the app that is open. Its form posts to /console/apps/edit.
type AppDetail struct {
	AppRow
	Form      AppForm
	KeyRows   []KeyRow
	Developer string // the account, as merchants see it
	Preview   string // the address of its consent page
}

// Apps is `/console/apps`. Its form for a new app posts to /console/apps.
type Apps struct {
	Frame
	Field string // that Problem is about; may be empty
	Rows  []AppRow
	Open  *AppDetail
	New   *AppForm
	Zone  *time.Location
}

func (Apps) template() string { return "console_apps" }

func appNameInput(form, value string) input {
	return input{
		ID: form + "-app-name", Name: "app-name", Label: "Name", Type: "text", Value: value,
		Hint: "Merchants see it when you ask for access.", Autocomplete: "off",
	}
}
