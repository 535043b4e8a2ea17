package views

import (
	"slices"
	"time"
)

// Mail is a mail of the outbox. Its text may have codes and links (L4).
type Mail struct {
	ID, To, Subject, Text, Status, Problem string
	At                                     time.Time
}

// PaymentFault is an event of Stripe that does not match a checkout (E3).
type PaymentFault struct {
	EventID, Type, SessionID, Reference, Problem string
	At                                           time.Time
}

// Holder is an account in the operator's list.
type Holder struct {
	ID, Name, Email, Plan, Balance string
	Keys                           int
	CreatedAt                      time.Time
	Disabled                       bool
	Open                           bool // its detail is beside the list
	Link                           string
}

// Dossier is the detail of an account. Its forms post to /console/operator/plan, credit,
// disable, enable and two-factor, with `id`, and the last with `email`, too.
type Dossier struct {
	Holder
	Held     string // of the balance
	Plans    []Option
	Operator bool // it cannot be disabled
	LastAct  int64
	// TwoFactor are the e-mails of its people who sign in with a code.
	TwoFactor []string
	Amount    string // of the credit in dollars, as it was typed
	Note      string
	Field     string // that Problem is about; may be empty
	// NoPassword: its owner never chose one. WelcomeLink is the link to choose one, shown this
	// once to the operator of a server without mail; may be empty.
	NoPassword  bool
	WelcomeLink string
	Close       string // address of the list without it
}

// NewHolder is the form of a new account: it posts `email`, `name`, `plan`, `currency` and
// `timezone` to /console/operator/new.
type NewHolder struct {
	Email, Name       string
	Timezone          string
	Plans, Currencies []Option
	Field             string // that Problem is about; may be empty
	Close             string // address of the list without it
}

// NotSetUp is the state of a part that nobody has set up.
const NotSetUp = "not set up"

// Health is how the server does, in a line.
type Health struct {
	Lacks   []string // parts that are set up and do not work, with their state
	Unset   []string // names of parts that are not set up
	Failing []string // names of jobs whose last run failed
}

// Operator is `/console/operator`, which only the operator may see: the accounts.
type Operator struct {
	Frame
	Health  Health
	Search  string
	Holders []Holder
	Detail  *Dossier
	New     *NewHolder
	Pager   Pager
	Zone    *time.Location
}

// OperatorMails is `/console/operator/mails`.
type OperatorMails struct {
	Frame
	Mails []Mail
	Zone  *time.Location
}

// Part is a part of the server: what it is set up as, and what that means.
type Part struct {
	Name, State, Detail string
	Works               bool
	Plain               bool // it works, and its State is a choice or a fact, neither good nor bad
	// SetUp is what to add to the command svc serve to set it up; empty: it is, or cannot be.
	SetUp string
}

// Tag returns the class of the tag with the state.
func (p Part) Tag() string {
	switch {
	case !p.Works:
		return "warn"
	case p.Plain:
		return ""
	}
	return "on"
}

// Job is work that the server repeats in the background.
type Job struct {
	Name, Every string
	Began, Next time.Time // of the last and of the next run
	Took        string    // the last run that ended; empty: none has
	Running     bool
	Failing     bool   // the last run that ended has failed
	Problem     string // the newest error; empty: none since the start
	FailedAt    time.Time
}

// OperatorServer is `/console/operator/server`: what the server is made of, what it does in
// the background, and payments that did not match.
type OperatorServer struct {
	Frame
	Parts  []Part
	Jobs   []Job // none: this process runs none
	Faults []PaymentFault
	Zone   *time.Location
}

// Failed returns the jobs that have failed since the start, those that still fail first.
func (p OperatorServer) Failed() (failed []Job) {
	for _, failing := range []bool{true, false} {
		for _, j := range p.Jobs {
			if j.Problem != "" && j.Failing == failing {
				failed = append(failed, j)
			}
		}
	}
	return failed
}

// Failing returns how many jobs failed at their last run.
func (p OperatorServer) Failing() (n int) {
	for _, j := range p.Jobs {
		if j.Failing {
			n++
		}
	}
	return n
}

// Working returns the jobs that have not failed since the start.
func (p OperatorServer) Working() (working []Job) {
	for _, j := range p.Jobs {
		if j.Problem == "" {
			working = append(working, j)
		}
	}
	return working
}

// Sorted returns the parts, those that do not work first.
func (p OperatorServer) Sorted() []Part {
	return slices.SortedStableFunc(slices.Values(p.Parts), func(a, b Part) int {
		switch {
		case a.Works == b.Works:
			return 0
		case b.Works:
			return -1
		}
		return 1
	})
}

func (Operator) template() string       { return "console_operator" }
func (OperatorMails) template() string  { return "console_operator_mails" }
func (OperatorServer) template() string { return "console_operator_server" }
