package views

import "time"

// People is `/console/people`: who works in an account. Its form for a new one posts `email`
// to /console/people/invite, and those of the rows post `id` to resend, withdraw, two-factor and remove
// below that.
type People struct {
	Frame
	Owner   string // the e-mail
	Staff   []Colleague
	Invited []Invited
	Email   string // as it was typed
	Field   string // that Problem is about; may be empty
	// Link is that of the invitation to LinkTo, shown this once to the operator of a server
	// without mail; empty if there is none to show.
	Link, LinkTo string
	Zone         *time.Location
}

// Colleague is one of the staff. Seen is zero for who is not signed in anywhere.
type Colleague struct {
	ID, Email      string
	JoinedAt, Seen time.Time
	TwoFactor      bool // they sign in with a code
}

// Invited is an invitation that was not accepted.
type Invited struct {
	ID, Email string
	Age       string // like "2 days ago"
	ExpiresAt time.Time
	Expired   bool
}

// Join is `/join/<token>`: who was invited chooses a password.
type Join struct {
	Frame
	Token, Email, Business, Owner string
	Seat                          string // the e-mail of who is signed in, and is signed out by joining; empty if nobody is
}

func (People) template() string { return "console_people" }
func (Join) template() string   { return "join" }
