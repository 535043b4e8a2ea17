package mail_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/mail/mailtest"
	"svc/server/servertest"
)

// expectRefused checks that a mail is not queued again, and why.
func (o *office) expectRefused(t *testing.T, id string, code fault.Code, why string) {
	t.Helper()
	var refusal *fault.Error
	if _, err := o.App.Mails.Resend(context.Background(), id); !errors.As(err, &refusal) || refusal.Code != code || !strings.Contains(refusal.Message, why) {
		t.Errorf("resend: %v, want %s: %s", err, code, why)
	}
}

func TestResend(t *testing.T) {
	servertest.Sequential(t)
	o := newOffice(t)
	o.sink.Fail(mailtest.Recipient, mailtest.Reply(550, "no such mailbox"))
	link := o.request(t, merchant)
	o.expectRefused(t, o.mail(t, merchant).ID, fault.Conflict, "waits to be sent already")
	o.Sweep(t)
	failed := o.expectMail(t, merchant, db.MailFailed, 1, "550")

	if _, err := o.App.Mails.Resend(context.Background(), failed.ID); err != nil {
		t.Fatal(err)
	}
	o.expectMail(t, merchant, db.MailQueued, 0, "")
	o.Sweep(t)
	o.expectMail(t, merchant, db.MailSent, 1, "")
	if all := o.sink.Mails(); len(all) != 1 || !strings.Contains(all[0].Text, link) {
		t.Errorf("arrived %+v", all)
	}
	o.expectRefused(t, failed.ID, fault.Conflict, "its text was then deleted")
	o.expectRefused(t, "mail_none", fault.NotFound, "no mail mail_none")
}

func TestResendOfAMailThatIsTooOld(t *testing.T) {
	servertest.Sequential(t)
	o := newOffice(t)
	o.sink.Fail(mailtest.Recipient, mailtest.Reply(550, "no such mailbox"))
	o.request(t, merchant)
	o.Sweep(t)
	failed := o.expectMail(t, merchant, db.MailFailed, 1, "550")
	o.Clock.Set(failed.ExpiresAt.Add(-time.Millisecond))
	if _, err := o.App.Mails.Resend(context.Background(), failed.ID); err != nil {
		t.Errorf("in its last moment: %v", err)
	}
	o.sink.Fail(mailtest.Recipient, mailtest.Reply(550, "no such mailbox"))
	o.Sweep(t)
	o.Clock.Set(failed.ExpiresAt)
	o.expectRefused(t, failed.ID, fault.Conflict, "have ended")
	o.expectMail(t, merchant, db.MailFailed, 1, "550")
}
