package db_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

const mailLease = 2 * time.Minute

// add stores a mail with a subject and returns it as listed.
func (p *twoAccounts) add(t *testing.T, subject string, state db.MailState) db.Mail {
	t.Helper()
	dbtest.Update(t, p.store, func(tx *db.Tx) error {
		return tx.AddMail(db.Mail{
			To: "jo@example.com", Subject: subject, Text: "text of " + subject, HTML: "<p>" + subject, State: state,
			ExpiresAt: tx.Now().Add(time.Hour),
		})
	})
	return p.mail(t, subject)
}

// mail reads a stored mail.
func (p *twoAccounts) mail(t *testing.T, subject string) db.Mail {
	t.Helper()
	for _, m := range get(t, p.other, func(tx *db.Tx) ([]db.Mail, error) { return tx.Mails(1000) }) {
		if m.Subject == subject {
			return m
		}
	}
	t.Fatalf("no mail %s", subject)
	return db.Mail{}
}

func (p *twoAccounts) claim(t *testing.T) db.Mail {
	t.Helper()
	return set(t, p.store, func(tx *db.Tx) (db.Mail, error) { return tx.ClaimMail(mailLease, "crashed") })
}

func (p *twoAccounts) wantNoClaim(t *testing.T) {
	t.Helper()
	wantErr(t, p.other.Update(background, func(tx *db.Tx) error {
		_, err := tx.ClaimMail(mailLease, "crashed")
		return err
	}), db.ErrNotFound)
}

func (p *twoAccounts) wantMail(t *testing.T, subject string, state db.MailState, problem string, hasText bool) {
	t.Helper()
	m := p.mail(t, subject)
	if m.State != state || m.Problem != problem || (m.Text != "") != hasText || (m.HTML != "") != hasText {
		t.Errorf("mail %+v, want it %s (%q), with text: %v", m, state, problem, hasText)
	}
}

// wantStale checks that a claim that is over cannot change the mail.
func (p *twoAccounts) wantStale(t *testing.T, m db.Mail) {
	t.Helper()
	before := p.mail(t, m.Subject)
	for _, change := range []func(*db.Tx) error{
		func(tx *db.Tx) error { return tx.RetryMail(m, tx.Now(), "again") },
		func(tx *db.Tx) error { return tx.EndMail(m, db.MailSent, "") },
	} {
		wantErr(t, p.store.Update(background, change), db.ErrNotFound)
	}
	if after := p.mail(t, m.Subject); after != before {
		t.Errorf("%+v, before %+v", after, before)
	}
}

func TestMail(t *testing.T) {
	t.Parallel()
	t.Run("IsSent", func(t *testing.T) {
		p := newTwoAccounts(t)
		queued := p.add(t, "hello", db.MailQueued)
		want := db.Mail{
			ID: queued.ID, To: "jo@example.com", Subject: "hello", Text: "text of hello", HTML: "<p>hello", State: db.MailQueued,
			DueAt: p.clock.Now(), CreatedAt: p.clock.Now(), ExpiresAt: p.clock.Now().Add(time.Hour),
		}
		if queued != want || !strings.HasPrefix(queued.ID, "mail_") {
			t.Errorf("queued %+v, want %+v", queued, want)
		}
		claimed := p.claim(t)
		want.State, want.Tries, want.DueAt = db.MailSending, 1, p.clock.Now().Add(mailLease)
		if claimed != want {
			t.Errorf("claimed %+v, want %+v", claimed, want)
		}
		p.wantNoClaim(t)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndMail(claimed, db.MailSent, "") })
		p.wantMail(t, "hello", db.MailSent, "", false)
		p.wantStale(t, claimed)
		p.clock.Advance(mailLease)
		p.wantNoClaim(t)
	})

	t.Run("KeepsTextUnlessSent", func(t *testing.T) {
		p := newTwoAccounts(t)
		p.add(t, "hello", db.MailQueued)
		m := p.claim(t)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndMail(m, db.MailFailed, "a problem") })
		p.wantMail(t, "hello", db.MailFailed, "a problem", true)
		p.wantStale(t, m)
	})

	t.Run("LongestDueFirst", func(t *testing.T) {
		p := newTwoAccounts(t)
		p.add(t, "first", db.MailQueued)
		p.clock.Advance(time.Second)
		p.add(t, "second", db.MailQueued)
		m := p.claim(t)
		later := p.clock.Now().Add(time.Second)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.RetryMail(m, later, "busy") })
		p.wantMail(t, "first", db.MailQueued, "busy", true)
		p.clock.Advance(time.Minute)
		for _, want := range []string{"second", "first"} {
			if m := p.claim(t); m.Subject != want {
				t.Errorf("claimed %s, want %s", m.Subject, want)
			}
		}
	})

	t.Run("ClaimedOnceConcurrently", func(t *testing.T) {
		p := newTwoAccounts(t)
		for i := range 10 {
			p.add(t, fmt.Sprint(i), db.MailQueued)
		}
		var mu sync.Mutex
		claimed := map[string]int{}
		got := p.atOnce(t, 40, func(_ int, tx *db.Tx) error {
			m, err := tx.ClaimMail(mailLease, "crashed")
			if err == nil {
				mu.Lock()
				claimed[m.ID]++
				mu.Unlock()
			}
			return err
		})
		if got[nil] != 10 || len(claimed) != 10 {
			t.Errorf("outcomes %v, claims %v", got, claimed)
		}
	})

	t.Run("ClaimEndsWithLease", func(t *testing.T) {
		p := newTwoAccounts(t)
		p.add(t, "hello", db.MailQueued)
		first := p.claim(t)
		p.clock.Advance(mailLease - time.Millisecond)
		p.wantNoClaim(t)
		p.clock.Advance(time.Millisecond)
		second := p.claim(t)
		if second.ID != first.ID || second.Tries != 2 {
			t.Errorf("claimed %+v, then %+v", first, second)
		}
		p.wantStale(t, first)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndMail(second, db.MailSent, "") })
		p.wantStale(t, first)
	})

	t.Run("ClaimNotesInterruption", func(t *testing.T) {
		p := newTwoAccounts(t)
		p.add(t, "hello", db.MailQueued)
		var problems []string
		for range 3 {
			problems = append(problems, p.claim(t).Problem)
			p.clock.Advance(mailLease)
		}
		m := p.claim(t)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.RetryMail(m, tx.Now(), "busy") })
		problems = append(problems, p.claim(t).Problem)
		p.clock.Advance(mailLease)
		problems = append(problems, p.claim(t).Problem)
		if want := []string{"", "crashed", "crashed; crashed", "busy", "busy; crashed"}; !slices.Equal(problems, want) {
			t.Errorf("problems %q, want %q", problems, want)
		}
	})

	t.Run("ResumesUnknown", func(t *testing.T) {
		p := newTwoAccounts(t)
		resume := func(since time.Duration) int64 {
			return set(t, p.other, func(tx *db.Tx) (int64, error) { return tx.ResumeMails(tx.Now().Add(-since)) })
		}
		p.add(t, "late", db.MailUnknown)
		p.clock.Advance(time.Hour)
		p.add(t, "hello", db.MailUnknown)
		p.add(t, "failed", db.MailFailed)
		p.wantNoClaim(t)
		p.clock.Advance(time.Second)
		if n := resume(time.Second); n != 0 {
			t.Errorf("%d older ones resumed", n)
		}
		if n := resume(24 * time.Hour); n != 1 {
			t.Errorf("%d resumed, want 1", n)
		}
		if m := p.claim(t); m.Subject != "hello" {
			t.Errorf("claimed %+v", m)
		}
		p.wantMail(t, "late", db.MailUnknown, "", true)
		p.wantMail(t, "failed", db.MailFailed, "", true)
	})

	t.Run("ExpiresUnsent", func(t *testing.T) {
		p := newTwoAccounts(t)
		p.add(t, "late", db.MailQueued)
		expire := func() int64 {
			return set(t, p.other, func(tx *db.Tx) (int64, error) { return tx.ExpireMails("too late", "crashed") })
		}
		p.clock.Advance(time.Hour - time.Millisecond)
		p.add(t, "fresh", db.MailQueued)
		if n := expire(); n != 0 {
			t.Errorf("%d expired", n)
		}
		p.clock.Advance(time.Millisecond)
		if m := p.claim(t); m.Subject != "fresh" {
			t.Errorf("claimed %+v", m)
		}
		p.wantNoClaim(t)
		if n := expire(); n != 1 {
			t.Errorf("%d expired, want 1", n)
		}
		p.wantMail(t, "late", db.MailFailed, "too late", true)
		p.wantMail(t, "fresh", db.MailSending, "", true)
	})

	t.Run("ExpiresAfterLease", func(t *testing.T) {
		p := newTwoAccounts(t)
		p.add(t, "hello", db.MailQueued)
		m := p.claim(t)
		p.clock.Advance(time.Hour)
		p.wantNoClaim(t)
		if n := set(t, p.other, func(tx *db.Tx) (int64, error) { return tx.ExpireMails("too late", "crashed") }); n != 1 {
			t.Errorf("%d expired, want 1", n)
		}
		p.wantMail(t, "hello", db.MailFailed, "crashed", true)
		p.wantStale(t, m)
	})

	t.Run("DoesNotExpireDuringLease", func(t *testing.T) {
		p := newTwoAccounts(t)
		p.add(t, "hello", db.MailQueued)
		p.clock.Advance(time.Hour - time.Second)
		m := p.claim(t)
		p.clock.Advance(time.Second) // the mail has expired, the lease has not
		if n := set(t, p.other, func(tx *db.Tx) (int64, error) { return tx.ExpireMails("too late", "crashed") }); n != 0 {
			t.Errorf("%d expired", n)
		}
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndMail(m, db.MailSent, "") })
		p.wantMail(t, "hello", db.MailSent, "", false)
	})

	t.Run("OutboxIsKept", func(t *testing.T) {
		p := newTwoAccounts(t)
		kept := p.add(t, "kept", db.MailKept)
		p.wantNoClaim(t)
		p.wantStale(t, kept)
		p.clock.Advance(24 * time.Hour)
		for _, end := range []func(*db.Tx) (int64, error){
			func(tx *db.Tx) (int64, error) { return tx.ExpireMails("x", "y") },
			func(tx *db.Tx) (int64, error) { return tx.ResumeMails(tx.Now().Add(-48 * time.Hour)) },
		} {
			if n := set(t, p.store, end); n != 0 {
				t.Errorf("%d mails of the outbox ended", n)
			}
		}
		p.wantMail(t, "kept", db.MailKept, "", true)
	})

	t.Run("DeletesOld", func(t *testing.T) {
		p := newTwoAccounts(t)
		for _, state := range []db.MailState{db.MailSent, db.MailFailed} {
			p.add(t, string(state), db.MailQueued)
			m := p.claim(t)
			dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndMail(m, state, "") })
		}
		p.add(t, "unknown", db.MailUnknown)
		p.add(t, "kept", db.MailKept)
		p.add(t, "sending", db.MailQueued)
		p.claim(t)
		p.add(t, "queued", db.MailQueued)
		p.clock.Advance(time.Second)
		p.add(t, "young", db.MailKept)
		before := p.clock.Now()
		for _, want := range []int64{3, 1, 0} {
			n := set(t, p.store, func(tx *db.Tx) (int64, error) { return tx.DeleteMailsBefore(before, 3) })
			if n != want {
				t.Errorf("%d deleted, want %d", n, want)
			}
		}
		p.mail(t, "sending")
		p.mail(t, "queued")
		p.mail(t, "young")
	})

	t.Run("ListsNewest", func(t *testing.T) {
		p := newTwoAccounts(t)
		for i := range 3 {
			p.add(t, fmt.Sprint(i), db.MailKept)
			p.clock.Advance(time.Second)
		}
		all := get(t, p.store, func(tx *db.Tx) ([]db.Mail, error) { return tx.Mails(2) })
		if len(all) != 2 || all[0].Subject != "2" || all[1].Subject != "1" {
			t.Errorf("listed %+v", all)
		}
	})

	ofMails := regexp.MustCompile(`\bmails\b`)
	// The queue is read every few seconds, and the table holds a month of sent mails.
	t.Run("QueueQueriesUseIndexes", func(t *testing.T) {
		p := newTwoAccounts(t)
		raw, looked := rawOpen(t, p.path), 0
		for _, declared := range declaredStatements(t) {
			text := declared.text
			once := strings.Contains(text, "lower(recipient)") || strings.Contains(text, "FROM invitations") // when an account or an invitation ends
			if !ofMails.MatchString(text) || strings.Contains(text, "INSERT") || strings.Contains(text, "ORDER BY id DESC") || once {
				continue
			}
			looked++
			rows, err := raw.Query("EXPLAIN QUERY PLAN "+text, make([]any, 5)...)
			if err != nil {
				t.Fatal(err)
			}
			for rows.Next() {
				var id, parent, unused int
				var step string
				if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(step, "SCAN") || strings.Contains(step, "B-TREE") {
					t.Errorf("%s in%s", step, text)
				}
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
		}
		if looked < 6 {
			t.Errorf("only %d statements checked", looked)
		}
	})
}
