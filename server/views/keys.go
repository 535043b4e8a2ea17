package views

import "time"

// KeyRow is an API key in a list.
type KeyRow struct {
	ID, Name, Masked, LastFour, Env, Mode, App string
	UsedAt                                     time.Time
	Calls, Spend                               string // of this month
	Disabled                                   bool
	Rotating                                   bool // an earlier secret still works
	Current                                    bool
	Link                                       string // opens the key beside the list
}

// KeyLimit is how often a key may call an endpoint with rolling windows.
type KeyLimit struct {
	Endpoint, Minute, Hour string
	Own                    bool // arranged for this key
}

// KeyDetail is the key that is open. Its forms post `id` to /console/keys/edit, with `label`
// and `app`, to /rotate, with `grace` and `last-four`, and to /disable, /enable and /end-old.
type KeyDetail struct {
	KeyRow
	Label                string // as it was typed
	Month                string // the calls of this month, of how many
	CreatedAt, OldEndsAt time.Time
	DisabledAt           time.Time
	Limits               []KeyLimit
	Apps, Graces         []Option
	Similar              string // the address of the form for a similar key
	Ledger               string // the address of its debits
}

// KeyForm makes a key. It posts `ticket`, `label`, `env`, `mode` and `app` to /console/keys.
type KeyForm struct {
	Ticket            string
	Label             string // as it was typed
	Envs, Modes, Apps []Option
	Like              string // the name of the key that was copied; empty: none
}

// NewSecret is a secret that is shown this once.
type NewSecret struct {
	KeyID  string
	Secret string
	// Curl is a call that works with it at once; empty: there is none.
	Curl string
	// Call is the endpoint that the page "Try it" opens with it, by its operation id in
	// openapi.yaml; empty: none.
	Call string
	// Rotated: it replaces one that works until OldEndsAt, or no more if that is zero.
	Rotated   bool
	OldEndsAt time.Time
	Disabled  bool // the key is, so no secret works
}

// Keys is `/console/keys`. Its search gets the same page with `q`, `env`, `state` and
// `sort`.
type Keys struct {
	Frame
	Field        string // that Problem is about; may be empty
	Search       string
	Envs, States []Option
	Sort         string // kept by the search
	Filtered     bool
	Heads        []Head
	Rows         []KeyRow
	Total        int64 // keys of the account
	Pager        Pager
	Open         *KeyDetail
	New          *KeyForm
	Close        string // address of the list without Open and New
	Secret       *NewSecret
	Zone         *time.Location
}

// Filters returns how many of the folded filters are set.
func (k Keys) Filters() int64 { return chosen(k.Envs, k.States) }

func (Keys) template() string { return "console_keys" }

func keyLabelInput(form, value string) input {
	return input{
		ID: form + "-label", Name: "label", Label: "Label", Type: "text", Value: value,
		Hint: "What it is for, like “till in the shop”.", Autocomplete: "off", Optional: true,
	}
}

// searchInput is the field "q" of a list's search; hint says what it looks for.
func searchInput(form, label, value string) input {
	return input{ID: form + "-q", Name: "q", Label: label, Type: "search", Value: value, Autocomplete: "off", Optional: true, Verbatim: true}
}
