package views

import "time"

// Asked is a connection as the developer who asked for it sees it. Detail is its address on
// the page. Status is a ConnectionStatus.
type Asked struct {
	ID, Merchant, Status, Key, KeyLink, Detail string
	Requested, Granted                         string // scopes, with commas between
	MerchantID                                 string // for scan; empty until it is approved
	CreatedAt, ExpiresAt, ApprovedAt           time.Time
	DeclinedAt, RevokedAt, ReadAt              time.Time
	Current                                    bool // it is open
}

// Connections is `/console/connections`: what the account's keys have asked merchants for.
// Its form gets the same page with `email`.
type Connections struct {
	Frame
	Rows  []Asked // newest first
	Open  *Asked
	Close string // address of the page without Open
	Email string // that was searched for
	Pager Pager
	Zone  *time.Location
}

// Made is a charge as the developer who made it sees it. Link opens it for its merchant, who
// must be signed in; it is empty unless the charge is live and waits.
type Made struct {
	ID, Merchant, Amount, Description, Status, Env, Key, KeyLink, Detail, Link string
	CreatedAt, ExpiresAt, ApprovedAt, DeclinedAt                               time.Time
	Current                                                                    bool
	InAPI                                                                      string // the status, where Status is another word
}

func (Connections) template() string { return "console_connections" }

// merchantInput is the field of a search for a merchant's e-mail.
func merchantInput(form, value string) input {
	return input{
		ID: form + "-email", Name: "email", Label: "E-mail of the merchant", Type: "search", Value: value,
		Autocomplete: "off", Optional: true, Verbatim: true,
	}
}
