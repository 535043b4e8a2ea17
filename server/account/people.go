package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/db"
	"svc/server/emailaddr"
	"svc/server/fault"
	"svc/server/mail"
	"svc/server/zone"
)

// Limits of an account's people (L11).
const (
	maxStaff          = 50 // with those who are invited
	invitationsADay   = 20 // of an account, to all addresses
	invitePeriod      = 24 * time.Hour
	inviteMailsADay   = 5 // of an account to one address, and one in inviteMailsPause
	inviteMailsPause  = time.Hour
	errManyPeopleText = "cannot be invited: an account has at most 50 people and invitations; remove one first"
)

// People are those who work in an account, beside its owner.
type People struct {
	Staff   []db.Person // who joined first at the beginning
	Invited []db.Invitation
	Seen    map[string]time.Time // when people were here last, by id; none for who is not signed in
	Codes   map[string]bool      // who signs in with a code, by id
}

// People lists those who work in an account, and who is invited.
func (s *Service) People(ctx context.Context, accountID string) (People, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (p People, err error) {
		if p.Staff, err = tx.Staff(accountID); err != nil {
			return p, err
		}
		if p.Invited, err = tx.Invitations(accountID); err != nil {
			return p, err
		}
		p.Codes = make(map[string]bool)
		for _, one := range p.Staff {
			if p.Codes[one.ID], err = tx.HasTwoFactor(one.ID); err != nil {
				return p, err
			}
		}
		sessions, err := tx.AccountSessions(accountID)
		p.Seen = make(map[string]time.Time)
		for _, one := range sessions {
			if one.SeenAt.After(p.Seen[one.PersonID]) {
				p.Seen[one.PersonID] = one.SeenAt
			}
		}
		return p, err
	})
}

// AllStaff lists the staff of all accounts. It is for the operator.
func (s *Service) AllStaff(ctx context.Context) ([]db.Person, error) {
	return db.Read(ctx, s.Store, (*db.Tx).AllStaff)
}

// Invited is an invitation that was made. Link is empty unless the operator made it on a
// server without mail: only who reads the mail should have it, and the outbox is the
// operator's (L4). Another owner with the link could join as anybody, and would see from it
// whether an e-mail signs in here.
type Invited struct {
	db.Invitation
	Link string
}

// Invite asks the holder of an e-mail to join the account's staff (L11). The answer is the
// same for an e-mail that signs in here already, whose mail says so. A TooManyTries: the
// address or the account had as many lately as it may.
func (s *Service) Invite(ctx context.Context, a db.Account, email string) (Invited, error) {
	if err := emailaddr.Check("email", email); err != nil {
		return Invited{}, err
	}
	return s.invite(ctx, a, s.showsLink(a), func(tx *db.Tx) (string, error) { return email, checkNew(tx, a, email) })
}

// InviteFor is Invite by the operator's command, for any account. A command has no mail server,
// so the link is returned, as the operator could read it in the outbox. Whoever is invited already gets a new
// link in the place of the old one, and an e-mail that signs in elsewhere is refused, which
// owners do not learn.
func (s *Service) InviteFor(ctx context.Context, a db.Account, email string) (Invited, error) {
	if err := emailaddr.Check("email", email); err != nil {
		return Invited{}, err
	}
	return s.invite(ctx, a, s.Mails.Outbox(), func(tx *db.Tx) (string, error) {
		open, err := tx.Invitations(a.ID)
		for _, i := range open {
			if err == nil && db.FoldEmail(i.Email) == db.FoldEmail(email) {
				err = tx.EndInvitation(a.ID, i.ID)
			}
		}
		if err != nil {
			return "", err
		}
		if err := checkNew(tx, a, email); err != nil {
			return "", err
		}
		if _, err = tx.PersonByEmail(email); errors.Is(err, db.ErrNotFound) {
			return email, nil
		}
		if err == nil {
			err = fault.Invalid("email", "signs in here already, in another account; staff need an e-mail of their own")
		}
		return "", err
	})
}

// InviteAgain replaces one of the account's invitations by a new one, with a new link. It
// fails as Invite does, and with db.ErrNotFound if there is no such invitation.
func (s *Service) InviteAgain(ctx context.Context, a db.Account, id string) (Invited, error) {
	return s.invite(ctx, a, s.showsLink(a), func(tx *db.Tx) (string, error) {
		i, err := tx.Invitation(a.ID, id)
		if err != nil {
			return "", err
		}
		return i.Email, tx.EndInvitation(a.ID, id)
	})
}

// invite stores and mails an invitation to the e-mail that choose returns. shown: who invites
// sees its link.
func (s *Service) invite(ctx context.Context, a db.Account, shown bool, choose func(*db.Tx) (email string, err error)) (made Invited, err error) {
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		email, err := choose(tx)
		if err != nil {
			return err
		}
		mayMail, err := s.checkInviting(tx, a, email, shown)
		if err != nil {
			return err
		}
		i, token, err := tx.Invite(a.ID, email, mayMail)
		if err != nil {
			return err
		}
		link := s.ConsoleURL + "/join/" + string(token)
		if made.Invitation = i; shown {
			made.Link = link
		}
		if !mayMail {
			return nil
		}
		return s.mailInvitation(tx, a, i, link)
	})
	if err != nil {
		return Invited{}, err
	}
	s.Mails.Wake()
	return made, nil
}

// showsLink reports whether the owner of an account sees the links of its invitations.
func (s *Service) showsLink(a db.Account) bool { return s.Mails.Outbox() && a.Operator }

// checkNew refuses an e-mail that the account knows already.
func checkNew(tx *db.Tx, a db.Account, email string) error {
	p, err := tx.PersonByEmail(email)
	if err == nil && p.AccountID == a.ID {
		return fault.Invalid("email", "is one of your people already")
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	has, err := tx.HasInvited(a.ID, email)
	if err == nil && has {
		err = fault.Invalid("email", "is invited already; send the invitation again in the list")
	}
	return err
}

// checkInviting refuses an invitation above the account's limits. mayMail: the address may
// get the mail (L10). If it may not, the invitation is refused, too, unless its link is
// shown to the owner.
func (s *Service) checkInviting(tx *db.Tx, a db.Account, email string, shown bool) (mayMail bool, err error) {
	staff, err := tx.CountStaff(a.ID)
	if err != nil {
		return false, err
	}
	open, err := tx.Invitations(a.ID)
	if err != nil {
		return false, err
	}
	if staff+len(open) >= maxStaff {
		return false, fault.Invalid("email", errManyPeopleText)
	}
	made, err := tx.InvitationsSince(a.ID, invitePeriod)
	if err != nil {
		return false, err
	}
	if made >= invitationsADay {
		return false, &fault.Error{Code: fault.TooManyTries, Field: "email", Message: fmt.Sprintf("cannot be invited now: %d invitations were made in 24 hours, which is the most", made), RetryAfter: invitePeriod}
	}
	mails, err := tx.InvitationMails(a.ID, email, invitePeriod)
	if err != nil {
		return false, err
	}
	wait := pauseAfter(mails, tx.Now())
	if wait > 0 && !shown {
		return false, &fault.Error{
			Code: fault.TooManyTries, Field: "email", RetryAfter: wait,
			Message: fmt.Sprintf("has had an invitation a while ago; it can be sent again in %s", roundUp(wait)),
		}
	}
	return wait <= 0, nil
}

// pauseAfter returns how long an address gets no other mail, after those of invitePeriod.
func pauseAfter(mails []time.Time, now time.Time) (wait time.Duration) {
	if n := len(mails); n > 0 {
		wait = mails[n-1].Add(inviteMailsPause).Sub(now)
	}
	if n := len(mails); n >= inviteMailsADay {
		wait = max(wait, mails[n-inviteMailsADay].Add(invitePeriod).Sub(now))
	}
	return wait
}

// roundUp words a wait in whole minutes or hours.
func roundUp(wait time.Duration) string {
	if minutes := int((wait + time.Minute - 1) / time.Minute); minutes <= 60 {
		return fmt.Sprintf("%d min", minutes)
	}
	return fmt.Sprintf("%d h", int((wait+time.Hour-1)/time.Hour))
}

// mailInvitation mails the link, or to an e-mail that signs in here already why it cannot be
// used. Only its reader learns that.
func (s *Service) mailInvitation(tx *db.Tx, a db.Account, i db.Invitation, link string) error {
	_, err := tx.PersonByEmail(i.Email)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	return s.Mails.Queue(tx, i.Email, db.InvitationLife, mail.Invitation{
		Business: a.Name, Owner: a.Email, To: i.Email, Link: link, Expires: i.ExpiresAt, Zone: zone.Of(a.Profile.Timezone), Taken: err == nil,
	})
}

// WithdrawInvitation ends one of the account's invitations. db.ErrNotFound: there is no such
// invitation.
func (s *Service) WithdrawInvitation(ctx context.Context, accountID, id string) error {
	return s.Store.Update(ctx, func(tx *db.Tx) error { return tx.WithdrawInvitation(accountID, id) })
}

// RemoveStaff ends a person of the account's staff and their sessions. db.ErrNotFound: there
// is no such person.
func (s *Service) RemoveStaff(ctx context.Context, accountID, id string) error {
	return s.Store.Update(ctx, func(tx *db.Tx) error { return tx.RemoveStaff(accountID, id) })
}

// Joining is an invitation as who was invited sees it.
type Joining struct {
	db.Invitation
	To db.Account
	// Taken: the e-mail signs in here already, and an e-mail is that of one person.
	Taken bool
}

// Joining reads the invitation of a link without using it. db.ErrNotFound: the link is wrong,
// used, withdrawn or expired, or the account is disabled.
func (s *Service) Joining(ctx context.Context, token db.Token) (Joining, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (Joining, error) { return joining(tx, token) })
}

func joining(tx *db.Tx, token db.Token) (j Joining, err error) {
	if j.Invitation, err = tx.InvitationByToken(token); err != nil {
		return j, err
	}
	if j.To, err = tx.Account(j.AccountID); err != nil {
		return j, err
	}
	if !j.To.DisabledAt.IsZero() || !j.To.DeletedAt.IsZero() {
		return j, db.ErrNotFound
	}
	_, err = tx.PersonByEmail(j.Email)
	j.Taken = err == nil
	_, err = ifThere(db.Person{}, err)
	return j, err
}

// errTaken refuses an e-mail that is another person's.
var errTaken = &fault.Error{Code: fault.Conflict, Message: "this e-mail signs in here already, and an e-mail belongs to one person"}

// Join makes who was invited one of the account's staff, with a password. The link is used
// up. It fails as Joining does; this is checked before hashing, since anybody may try. An
// Invalid comes with the invitation, and so does a Conflict: the e-mail is another person's.
func (s *Service) Join(ctx context.Context, token db.Token, password string) (p db.Person, j Joining, err error) {
	if j, err = s.Joining(ctx, token); err != nil {
		return p, j, err
	}
	if j.Taken {
		return p, j, errTaken
	}
	hash, err := s.hash(ctx, knownTurn(j.Email), password)
	if err != nil {
		return p, j, err
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		now, err := joining(tx, token)
		if err != nil {
			return err
		}
		if p, err = tx.AddStaff(now.AccountID, now.Email, hash); err != nil {
			return err
		}
		return tx.EndInvitation(now.AccountID, now.ID)
	})
	if errors.Is(err, db.ErrConflict) {
		return p, j, errTaken
	}
	return p, j, err
}
