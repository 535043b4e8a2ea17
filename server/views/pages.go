package views

import "time"

// Page is one page's data; its template has the same name.
type Page interface {
	template() string
	frame() Frame
}

// Frame is what stands around every page.
type Frame struct {
	Title string
	// Account is who is signed in, nil for nobody.
	Account *Badge
	// Section is the console's page that this one is, like "wallet"; empty outside
	// of the console.
	Section string
	// Notice says what has just happened, Problem what went wrong; both may be empty.
	Notice  string
	Problem string
	// Proof stands in forms that act for who is signed in, where the browser may not
	// say from which site they come; empty for nobody.
	Proof string
	// Leaves: a form of this page may end on another site (Stripe's checkout), which
	// its content policy must allow.
	Leaves bool
}

func (f Frame) frame() Frame { return f }

// Badge names the account that is signed in.
type Badge struct {
	Name     string
	Email    string
	Operator bool
}

// Message is a page with something to say and nothing to do: a link that is
// wrong or over, an error, a thing that is done.
type Message struct {
	Frame
	Text []string // paragraphs
	// Link leads on, if there is anywhere to go.
	Link, LinkText string
}

// Home is `/`.
type Home struct {
	Frame
	BaseURL string
}

// SignInForm is a sign-in; it stands on its own page and on the consent page.
type SignInForm struct {
	Action string // where it is posted
	Next   string // a hidden field: where to go after
	Email  string // as it was typed
	// Problem is what was wrong with the last try.
	Problem string
}

// SignIn is `/signin`.
type SignIn struct {
	Frame
	Form       SignInForm
	SignupOpen bool
}

// AskEmail asks for the address that a mail is to prove: of somebody new
// (`/signup`), or of somebody who has forgotten the password (`/recover`).
type AskEmail struct {
	Frame
	Recover bool // else: sign-up
	Next    string
	Email   string
}

// NewAccountForm makes an account from a code that was mailed.
type NewAccountForm struct {
	Action string
	Next   string
	// Email is shown masked on a consent page, where a stranger may look on, and is
	// then not a field of the form.
	Email  string
	Masked bool
	Name   string // of the business, as it was typed
	// Problem is what was wrong with the last try, and Field which field it was in:
	// code, password, name; empty if in none.
	Problem, Field string
}

// EnterCode is the second step of `/signup`.
type EnterCode struct {
	Frame
	Form NewAccountForm
}

// Setup is `/setup/<token>`: the operator's account on an empty server (L2).
type Setup struct {
	Frame
	Token, Email, Name string
	Field              string // at fault: email, name or password
}

// Reset is `/reset/<token>`: a new password.
type Reset struct {
	Frame
	Token string
	Email string
}

// Scope is a permission in words (D7).
type Scope struct {
	Name    string // as the API calls it
	Title   string
	Details string
	Ticked  bool
}

// Row is a sample row of the merchant's own inventory.
type Row struct {
	Name, SKU, Price, CostPrice, Stock string
}

// Connection is what every consent page shows of a request (D7).
type Connection struct {
	Token string
	// App is the name of the app that asks, empty if the key has none: then KeyLabel
	// stands in. HasLogo: it is at /connect/<token>/logo.
	App      string
	KeyLabel string
	HasLogo  bool
	// Developer is the name of the account that asks.
	Developer string
	// To is the address of the merchant who is asked, masked unless it is the one
	// who looks.
	To        string
	Scopes    []Scope
	ExpiresAt time.Time
	// Zone is where times are shown, the merchant's once known.
	Zone *time.Location
}

// ConnectSignIn asks who is there, before anything can be decided: sign in, or
// make an account with a code that is mailed to the addressee.
type ConnectSignIn struct {
	Frame
	Connection
	SignIn SignInForm
	// CodeSent: a code was mailed, so that NewAccount is shown; else a button
	// that sends one, posted to /connect/<token>/code.
	CodeSent   bool
	NewAccount NewAccountForm
}

// ConnectDecide is the decision: forms post to /connect/<token>/approve, with the
// ticked scopes as `scope`, and to /connect/<token>/decline, with equal weight.
type ConnectDecide struct {
	Frame
	Connection
	Rows []Row // of the merchant's own data; empty: there is none yet
	// Preview: a test key's request. Nothing can be decided, and the rows are samples.
	Preview bool
}

// ConnectManage is an approved connection: forms post to /connect/<token>/narrow,
// with the scopes that stay, and to /connect/<token>/revoke. A scope that is not
// Ticked is not granted, and is not offered.
type ConnectManage struct {
	Frame
	Connection
	ApprovedAt time.Time
}

// ConnectWrongAccount tells somebody else who is signed in (D5). Its form posts
// to /signout with `next` back to this page.
type ConnectWrongAccount struct {
	Frame
	Connection
}

// Charge is a charge's confirmation page (E2, E4, E5).
type Charge struct {
	Frame
	Token       string
	Amount      string // like "GBP 12.50"
	Description string
	// From is the name of the account that created it, App that of its app, may be empty.
	From, App string
	To        string // merchant_email, masked
	ExpiresAt time.Time
	// State is what can be done: "pay" (posts to /charges/<token>/pay), "simulate"
	// (a test key's: posts to …/approve and …/decline), "unavailable" (payments are
	// not set up), "processing" (paid, but not proven yet), "approved", "declined",
	// "expired".
	State string
	Test  bool
	// Watch: the page asks /charges/<token>/status until the state has changed.
	Watch bool
}

// Overview is `/console`.
type Overview struct {
	Frame
	Plan         string
	BalanceCents int64
	LowBalance   bool
	Keys         int
	Granted      int // active connections to this account's data
}

// Bundle is credit that can be bought (C5).
type Bundle struct {
	ID     string
	Price  string // like "GBP 10.00"
	Credit string // like "1,250 credits (US cents)"
}

// Entry is a row of the ledger; Amount and After name their currency.
type Entry struct {
	At                  time.Time
	Kind, Amount, After string
	Endpoint, Note, Key string
}

// Wallet is `/console/wallet`; a bundle is bought by posting `bundle` to
// /console/wallet/buy, the threshold set by `threshold`, in US cents, to
// /console/wallet/threshold.
type Wallet struct {
	Frame
	BalanceCents, HeldCents, LowBalanceCents int64
	LowBalance                               bool
	Bundles                                  []Bundle
	PricedIn                                 string // the bundles' currencies, like "GBP"
	// CanPay: Stripe is set up.
	CanPay bool
	Ledger []Entry
	// Zone is the account's.
	Zone *time.Location
}

// Session is a signed-in browser.
type Session struct {
	ID, Address, Browser string
	CreatedAt, SeenAt    time.Time
	Current              bool
}

// Settings is `/console/settings`: the password is changed by posting `current`
// and `password` to /console/settings/password, a session ended by posting `id`
// to /console/settings/end, all others by /console/settings/end-others.
type Settings struct {
	Frame
	Email string
	// Field is at fault: current or password; empty if none is.
	Field    string
	Sessions []Session
	Zone     *time.Location
}

// Grant is a connection to this account's data.
type Grant struct {
	ID, Developer, App, Scopes, Status string
	ApprovedAt, RevokedAt              time.Time
}

// Granted is `/console/granted`: what others may see of this account. Revoked by
// posting `id` to /console/granted/revoke.
type Granted struct {
	Frame
	Grants []Grant
	Zone   *time.Location
}

// Mail is a mail of the outbox; it has codes and links in it (L4).
type Mail struct {
	ID, To, Subject, Text, Status, Problem string
	At                                     time.Time
}

// PaymentFault is an event from Stripe that did not match (E3).
type PaymentFault struct {
	EventID, Type, SessionID, Reference, Problem string
	At                                           time.Time
}

// Operator is `/console/operator`, the operator's alone.
type Operator struct {
	Frame
	MailByOutbox bool // no SMTP: mails are kept here
	Mails        []Mail
	Faults       []PaymentFault
	Zone         *time.Location
}

func (Message) template() string             { return "message" }
func (Home) template() string                { return "home" }
func (SignIn) template() string              { return "signin" }
func (AskEmail) template() string            { return "ask_email" }
func (EnterCode) template() string           { return "enter_code" }
func (Setup) template() string               { return "setup" }
func (Reset) template() string               { return "reset" }
func (ConnectSignIn) template() string       { return "connect_signin" }
func (ConnectDecide) template() string       { return "connect_decide" }
func (ConnectManage) template() string       { return "connect_manage" }
func (ConnectWrongAccount) template() string { return "connect_wrong_account" }
func (Charge) template() string              { return "charge" }
func (Overview) template() string            { return "console_overview" }
func (Wallet) template() string              { return "console_wallet" }
func (Settings) template() string            { return "console_settings" }
func (Granted) template() string             { return "console_granted" }
func (Operator) template() string            { return "console_operator" }
