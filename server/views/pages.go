package views

import (
	"cmp"
	"slices"
	"time"
)

// Page is the data of a page. It names the template that shows it.
type Page interface {
	template() string
	frame() Frame
}

// Frame is the data of the layout around every page.
type Frame struct {
	Title string
	// Account is the account that is signed in, or nil.
	Account *Badge
	// Section is the name of the page in the console's navigation, like "wallet"; empty
	// outside of the console.
	Section string
	// Notice is the success of the last action, Problem its failure; both may be empty.
	Notice  string
	Problem string
	// Wrong has what is wrong with each field of a form, by its name, if several are checked at
	// once; nil: only Problem is known.
	Wrong map[string]string
	// CSRFToken is in forms of pages without a referrer, whose posts do not show from
	// which site they come. If nobody is signed in, only pages for signing in and up have it.
	CSRFToken string
	// FormLeaves: a form of this page may lead to another site (Stripe's checkout), which
	// its content policy must allow.
	FormLeaves bool
	Host       Host
}

func (f Frame) frame() Frame { return f }

// ForStaff reports whether the page is for one of an account's staff, and so shows no way to
// what is its owner's alone (L11).
func (f Frame) ForStaff() bool { return f.Account != nil && f.Account.Staff }

// Host is what pages say about the server itself.
type Host struct {
	// NoMail: there is no SMTP server. Codes and links stay in the outbox, on the
	// operator's page, so a page says whom to ask for them.
	NoMail bool
	// Operator is the name of who runs the server, and Contact how to reach them; both
	// may be empty.
	Operator, Contact string
	// Version is that of the binary; pages of the console name it.
	Version string
}

// People names who runs the server, for a sentence that has named the server already:
// "the people who run it", or "Corner Coffee (help@corner.example)".
func (h Host) People() string {
	people := cmp.Or(h.Operator, "the people who run it")
	if h.Contact != "" {
		people += " (" + h.Contact + ")"
	}
	return people
}

// Waits names who has what waits to be passed on, for a sentence of its own: "the people who run
// this server", or "Corner Coffee (help@corner.example)".
func (h Host) Waits() string {
	people := cmp.Or(h.Operator, "the people who run this server")
	if h.Contact != "" {
		people += " (" + h.Contact + ")"
	}
	return people
}

// Badge names the account and the person who is signed in.
type Badge struct {
	Name     string
	Email    string
	Operator bool
	Staff    bool // not the owner
	Builds   bool // it has keys, so pages speak of developers' things
}

// Message is a page of text without a form: a link that is wrong or has ended, an error,
// an action that is done.
type Message struct {
	Frame
	Text []string // paragraphs
	// Link is the address of the next page; may be empty.
	Link, LinkText string
}

// SignInForm is the form of SignIn and of ConnectSignIn.
type SignInForm struct {
	Action string // address to post to
	Next   string // hidden field: the page after it
	Email  string // as it was typed
	// Problem is the error of the last try, or empty.
	Problem   string
	CSRFToken string // that of the page
}

// SignIn is `/signin`.
type SignIn struct {
	Frame
	Form       SignInForm
	SignupOpen bool
}

// AskEmail asks for an e-mail address that a mail then verifies: for a new account
// (`/signup`), or after a forgotten password (`/recover`).
type AskEmail struct {
	Frame
	Recover bool // false: sign-up
	Next    string
	Email   string
}

// NewAccountForm makes an account, with the code of a mail.
type NewAccountForm struct {
	Action string
	Next   string
	// Email is Masked on a consent page, which a stranger may see. It is then not a
	// field of the form.
	Email  string
	Masked bool
	Code   string // as it was typed
	Name   string // of the business, as it was typed
	// CSRFToken is that of the page.
	CSRFToken string
	// Problem is the error of the last try. Field is the field that it is about: code,
	// password or name; may be empty.
	Problem, Field string
	Wrong          map[string]string // what is wrong with each field; may be nil
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
	Currencies         []Option
	Timezone           string
	Field              string // that Problem is about; may be empty
}

// Reset is `/reset/<token>`: a new password.
type Reset struct {
	Frame
	Token string
	Email string
}

// Scope is a permission (D7).
type Scope struct {
	Name    string // in the API
	Title   string
	Details string
	Ticked  bool
}

// Row is a sample row of the merchant's own inventory.
type Row struct {
	Name, SKU, Price, CostPrice, Stock string
}

// Connection is the part of a request that every consent page shows (D7).
type Connection struct {
	Token string
	// App is the name of the app, or empty if the key has none: then KeyLabel is shown.
	// HasLogo: the logo is at /connect/<token>/logo.
	App      string
	KeyLabel string
	HasLogo  bool
	// Developer is the name of the requesting account.
	Developer string
	// To is the merchant's address, masked unless that merchant is signed in.
	To        string
	Scopes    []Scope
	ExpiresAt time.Time
	// Zone is the time zone of shown times: the merchant's if known.
	Zone *time.Location
}

// ConnectSignIn asks a visitor to sign in before the decision, or to make an account with
// a code that is mailed to the addressee.
type ConnectSignIn struct {
	Frame
	Connection
	SignIn SignInForm
	// CodeSent: a code was made, and NewAccount is shown. Otherwise a button is shown
	// that makes one (posts to /connect/<token>/code).
	CodeSent   bool
	NewAccount NewAccountForm
}

// ConnectDecide is the decision. Its forms post to /connect/<token>/approve, with the
// ticked scopes as `scope`, and to /connect/<token>/decline. Both buttons look alike.
type ConnectDecide struct {
	Frame
	Connection
	Rows []Row // examples of the merchant's data; empty if there is none
	// Preview: the request is by a test key. It cannot be decided, and Rows are made up.
	Preview bool
	Back    string // to the app that is previewed; empty: it is a request that is
}

// ConnectManage is an approved connection. Its forms post to /connect/<token>/narrow,
// with the scopes to keep, and to /connect/<token>/revoke. A scope that is not Ticked
// was not granted and is not shown.
type ConnectManage struct {
	Frame
	Connection
	ApprovedAt time.Time
}

// ConnectWrongAccount is shown to another account than the addressee's (D5). Its form
// posts to /signout, with this page as `next`.
type ConnectWrongAccount struct {
	Frame
	Connection
}

// Charge is a charge's confirmation page (E2, E4, E5).
type Charge struct {
	Frame
	Token       string
	Amount      string // like "£12.50"
	Description string
	// From is the name of the account that created the charge, App that of the app; App
	// may be empty.
	From, App string
	To        string // merchant_email, masked
	ExpiresAt time.Time
	// State is "pay" (posts to /charges/<token>/pay), "simulate" (a charge by a test
	// key; posts to …/approve and …/decline), "unavailable" (payments are not set up),
	// "processing" (paid, but not confirmed by Stripe), "approved", "declined" or
	// "expired".
	State string
	Test  bool
	// Watch: the page polls /charges/<token>/status until the state changes.
	Watch bool
}

// Waiting is a request that is addressed to this account and waits for its answer.
type Waiting struct {
	Who       string // the app, or else who asks; may be empty
	Asks      string // like "asks for access to your data"
	About     string // what the sender wrote; may be empty
	Developer string // the account that asks, if Who is its app
	Link      string // to answer it
	ExpiresAt time.Time
	Zone      *time.Location
}

// Bundle is an amount of credit for sale (C5).
type Bundle struct {
	ID     string
	Price  string // like "£10.00"
	Credit string // like "$12.50 of credit"
}

// Entry is a row of the ledger. What is what it was for, in words or as the endpoint;
// Detail is the request's id or a note, and Key the name of the key that made the call;
// both may be empty.
type Entry struct {
	At                               time.Time
	What, Detail, Key, Amount, After string
	Call                             bool   // What is an endpoint, and Detail a request's id
	Request                          string // address of that request; empty once the log has lost it
}

// Entries is a table of the ledger.
type Entries struct {
	Rows  []Entry
	Calls bool           // the account calls the API, so keys and requests are columns
	Zone  *time.Location // the account's
}

// Wallet is `/console/wallet`. Its forms post `bundle` to /console/wallet/buy, and
// `threshold`, in US dollars, to /console/wallet/threshold.
type Wallet struct {
	Frame
	BalanceCents, HeldCents, LowBalanceCents int64
	LowBalance                               bool
	Threshold                                string // as it was typed
	Field                                    string // that Problem is about: threshold; may be empty
	Bundles                                  []Bundle
	PricedIn                                 string // the bundles' currencies, like "GBP"
	Credit                                   CreditWay
	Ledger                                   Entries
	// Scan is the price of a scan by API and Message that of a message, like "$0.02". Kept:
	// messages of the console are kept, not sent, and free.
	Scan, Message string
	Kept          bool
	// Bought says how the purchase stands from whose payment somebody comes back, and Refresh is the
	// address to look at again while it waits for Stripe; both may be empty.
	Bought, Refresh string
}

// Costs names what is refused without credit; it is empty if nothing that this account does
// costs any.
func (w Wallet) Costs() string {
	builds := w.Account != nil && w.Account.Builds
	switch {
	case builds && w.Kept:
		return "Scans and messages by API"
	case builds:
		return "Messages, and scans by API,"
	case w.Kept:
		return ""
	}
	return "Messages"
}

// UsedUp reports whether there was credit, and none is left.
func (w Wallet) UsedUp() bool { return w.BalanceCents == 0 && len(w.Ledger.Rows) > 0 }

// CreditWay is how an account gets credit. The template "get-credit" says it.
type CreditWay struct {
	CanPay bool // it is for sale: Stripe is set up
	// AddCredit is the address where the operator adds credit to this account, which has the
	// e-mail; empty for others.
	AddCredit, Email string
	Host             Host
}

// Option is a choice of a select.
type Option struct {
	Value, Text string
	Chosen      bool
}

// chosen returns in how many lists an option with a value is chosen.
func chosen(lists ...[]Option) (n int64) {
	for _, list := range lists {
		if slices.ContainsFunc(list, func(o Option) bool { return o.Chosen && o.Value != "" }) {
			n++
		}
	}
	return n
}

// Ledger is `/console/wallet/ledger`. Its form gets the same page with `kind`, `key`,
// `from` and `to`.
type Ledger struct {
	Frame
	Kinds, Keys []Option
	From, To    string // as they were typed
	Field       string // that Problem is about; may be empty
	Filtered    bool
	Ledger      Entries
	// Older, Newest and CSV are addresses. Older is empty on the last page, and Newest
	// on the first.
	Pager  Pager
	CSV    string
	Credit CreditWay
}

// Session is a browser that is signed in.
type Session struct {
	ID, Address, Browser string
	CreatedAt, SeenAt    time.Time
	Current              bool
}

// Profile is the form of the business's own facts, as stored or as typed.
type Profile struct {
	Name, Timezone, Region string
	BizTypes, Currencies   []Option
	// PricedItems have prices that a new currency would not convert.
	PricedItems int64
}

// Settings is `/console/settings`. Its forms post `name`, `biz-type`, `currency`,
// `timezone` and `region` to /console/settings/profile, `current` and `password` to
// /console/settings/password, `id` of a session to /console/settings/end, and nothing
// to /console/settings/end-others.
type Settings struct {
	Frame
	Email    string
	Profile  Profile
	Field    string // that Problem is about; may be empty
	Sessions []Session
	// Webhooks: the account has webhooks, or had when it set WebhookMails: the owner is mailed
	// when one is disabled. The form posts `webhook-mails` to /console/settings/mails.
	Webhooks, WebhookMails bool
	// TwoFactor: signing in needs a code, too.
	TwoFactor bool
	Zone      *time.Location
}

// Grant is a connection to this account's data.
type Grant struct {
	ID, Developer, App, Scopes, Status string
	ApprovedAt, RevokedAt              time.Time
	ReadAt                             time.Time // when the app last read the data
	Current                            bool      // it is open
}

// Granted is `/console/granted`: the connections of others to this account's data, and who
// asks for one. Its forms post `id` to /console/granted/revoke.
type Granted struct {
	Frame
	Waiting []Waiting
	Grants  []Grant // newest first; with a search, those that it finds
	Open    *Grant  // any of them
	Close   string  // address of the page without Open
	Search  string
	Zone    *time.Location
}

// Paid is a payment request that is over.
type Paid struct {
	At                                time.Time
	Description, Amount, Status, Link string
}

// Charges is `/console/charges`: the payment requests that are addressed to this account.
type Charges struct {
	Frame
	Waiting []Waiting
	Over    []Paid // newest first
	Zone    *time.Location
	// Made are the charges of the account's own keys, newest first, of the merchant with
	// Email and with Status if they were searched for. Open is one of them.
	Made     []Made
	Open     *Made
	Close    string // address of the page without Open
	Email    string
	Status   string
	Statuses []Option // Value is the address of the page with the status; none without Made
	Pager    Pager
}

// Filtered reports whether Made was narrowed.
func (c Charges) Filtered() bool { return c.Email != "" || c.Status != "" }

func (Message) template() string             { return "message" }
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
func (Wallet) template() string              { return "console_wallet" }
func (Ledger) template() string              { return "console_ledger" }
func (Settings) template() string            { return "console_settings" }
func (Granted) template() string             { return "console_granted" }
func (Charges) template() string             { return "console_charges" }
