package account

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const peoplePath = "/console/people"

// ShowPeople handles GET /console/people (L11).
func (p *ConsolePages) ShowPeople(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.peoplePage(w, r, v, views.People{}, nil)
}

// peoplePage renders the account's people. page has what was typed, or a link to show.
func (p *ConsolePages) peoplePage(w *web.Response, r *http.Request, v session.Visitor, page views.People, problem *fault.Error) error {
	found, err := p.service.People(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	page.Frame = frame(r, v, "People", "people")
	page.Owner, page.Zone = v.Account.Email, zone.Of(v.Account.Profile.Timezone)
	for _, one := range found.Staff {
		page.Staff = append(page.Staff, views.Colleague{ID: one.ID, Email: one.Email, JoinedAt: one.CreatedAt, Seen: found.Seen[one.ID], TwoFactor: found.Codes[one.ID]})
	}
	for _, i := range found.Invited {
		page.Invited = append(page.Invited, views.Invited{
			ID: i.ID, Email: i.Email, Age: ago(w.Started.Sub(i.CreatedAt)), ExpiresAt: i.ExpiresAt, Expired: !w.Started.Before(i.ExpiresAt),
		})
	}
	status, sentence, field := views.Report(w, problem)
	page.Problem, page.Field = sentence, field
	return p.views.Render(w, status, page)
}

// ago words an age in whole hours or days.
func ago(age time.Duration) string {
	count := func(n int, unit string) string {
		if n == 1 {
			return "1 " + unit + " ago"
		}
		return fmt.Sprint(n, " ", unit, "s ago")
	}
	switch hours := int(age.Hours()); {
	case hours < 1:
		return "less than an hour ago"
	case hours < 24:
		return count(hours, "hour")
	default:
		return count(hours/24, "day")
	}
}

// Invite handles POST /console/people/invite.
func (p *ConsolePages) Invite(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	email := strings.TrimSpace(form.Value("email"))
	return p.invited(w, r, v, email, func(ctx context.Context) (Invited, error) { return p.service.Invite(ctx, v.Account, email) })
}

// InviteAgain handles POST /console/people/resend.
func (p *ConsolePages) InviteAgain(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.invited(w, r, v, "", func(ctx context.Context) (Invited, error) {
		return p.service.InviteAgain(ctx, v.Account, form.Value("id"))
	})
}

// invited answers with the page that shows the link of an invitation to the operator, or goes
// back to the list if it was mailed or waits in the outbox.
func (p *ConsolePages) invited(w *web.Response, r *http.Request, v session.Visitor, typed string, invite func(context.Context) (Invited, error)) error {
	made, err := invite(r.Context())
	if err == nil && made.Link != "" {
		return p.peoplePage(w, r, v, views.People{Link: made.Link, LinkTo: made.Email}, nil)
	}
	done := "invited"
	if p.service.Mails.Outbox() {
		done = "link-waits"
	}
	return p.peopleDone(w, r, v, typed, err, done)
}

// peopleDone answers a form of the page.
func (p *ConsolePages) peopleDone(w *web.Response, r *http.Request, v session.Visitor, typed string, err error, done string) error {
	if errors.Is(err, db.ErrNotFound) {
		return &fault.Error{Code: fault.NotFound, Message: "there is no such person or invitation; it may have ended a moment ago", Err: err}
	}
	return redirect(w, err, peoplePath+"?done="+done, func(problem *fault.Error) error {
		return p.peoplePage(w, r, v, views.People{Email: typed}, problem)
	})
}

// WithdrawInvitation handles POST /console/people/withdraw.
func (p *ConsolePages) WithdrawInvitation(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	err := p.service.WithdrawInvitation(r.Context(), v.Account.ID, form.Value("id"))
	return p.peopleDone(w, r, v, "", err, "withdrawn")
}

// RemoveStaff handles POST /console/people/remove.
func (p *ConsolePages) RemoveStaff(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	err := p.service.RemoveStaff(r.Context(), v.Account.ID, form.Value("id"))
	return p.peopleDone(w, r, v, "", err, "removed")
}

// EndStaffTwoFactor handles POST /console/people/two-factor.
func (p *ConsolePages) EndStaffTwoFactor(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	err := p.service.EndStaffTwoFactor(r.Context(), v.Account.ID, form.Value("id"))
	return p.peopleDone(w, r, v, "", err, "staff-code")
}

// ShowJoin handles GET /join/:token. It changes nothing (D3).
func (p *EntryPages) ShowJoin(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.showJoin(w, r, v, nil)
}

func (p *EntryPages) showJoin(w *web.Response, r *http.Request, v session.Visitor, problem *fault.Error) error {
	token, _ := db.ParseToken(w.Params.ByName("token"))
	j, err := p.service.Joining(r.Context(), token)
	if err == nil && j.Taken {
		err = errTaken
	}
	if err != nil {
		return p.notJoined(w, v, j, err)
	}
	return p.joinPage(w, v, token, j, problem)
}

func (p *EntryPages) joinPage(w *web.Response, v session.Visitor, token db.Token, j Joining, problem *fault.Error) error {
	page := views.Join{
		Frame: v.EntryFrame("Join " + j.To.Name), Token: string(token), Email: j.Email, Business: j.To.Name, Owner: j.To.Email, Seat: v.Person.Email,
	}
	status, sentence, _ := views.Report(w, problem)
	page.Problem = sentence
	return p.views.Render(w, status, page)
}

// notJoined answers an invitation that cannot be accepted.
func (p *EntryPages) notJoined(w *web.Response, v session.Visitor, j Joining, err error) error {
	switch {
	case errors.Is(err, errTaken):
		w.Record(errTaken)
		return p.views.Render(w, web.Status(errTaken), views.Message{
			Frame: v.Frame("This e-mail signs in here already"),
			Text: []string{
				j.Email + " belongs to another account on this server, and an e-mail belongs to one person here. So it cannot join " + j.To.Name + ".",
				"Ask " + j.To.Email + " to invite another address of yours.",
			},
			Link: "/signin", LinkText: "Sign in",
		})
	case errors.Is(err, db.ErrNotFound):
		w.Record(&fault.Error{Code: fault.NotFound, Message: "invitation is wrong or over"})
		return p.views.Render(w, http.StatusNotFound, views.Message{
			Frame: v.Frame("This invitation does not work"),
			Text: []string{
				"It has been used or withdrawn, a newer one was sent, it is older than 7 days, or the link is not complete.",
				"If you have joined, sign in with your e-mail and the password that you chose. Otherwise ask whoever invited you to send it again.",
			},
			Link: "/signin", LinkText: "Sign in",
		})
	}
	return err
}

// Join handles POST /join/:token: it makes the visitor one of the staff and signs them in.
func (p *EntryPages) Join(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	if problem := web.UserError(v.CheckEntry(form)); problem != nil {
		return p.showJoin(w, r, v, problem)
	}
	r = byLink(r)
	token, _ := db.ParseToken(w.Params.ByName("token"))
	person, j, err := p.service.Join(r.Context(), token, form.Value("password"))
	if errors.Is(err, db.ErrNotFound) || errors.Is(err, errTaken) {
		return p.notJoined(w, v, j, err)
	}
	if problem := web.UserError(err); problem != nil {
		return p.joinPage(w, v, token, j, problem)
	}
	if err != nil {
		return err
	}
	return p.enter(w, r, person)
}
