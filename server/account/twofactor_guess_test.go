package account_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"svc/server/servertest"
)

func (p *phone) wrongCode() string {
	for n := range 4 {
		code := fmt.Sprintf("%06d", n)
		if code != p.code(-1) && code != p.code(0) && code != p.code(1) {
			return code
		}
	}
	panic("three codes are four")
}

func (p *phone) halfFrom(t *testing.T, network int) func(code string) servertest.Answer {
	t.Helper()
	b, from := p.Browser(t), servertest.From(fmt.Sprintf("198.51.%d.7", network))
	form := url.Values{"email": {p.email}, "password": {servertest.Password}}
	b.Post(t, "/signin", form, from).ExpectRedirect(t, codePath+"?next=%2Fconsole")
	return func(code string) servertest.Answer {
		t.Helper()
		return b.Post(t, codePath, url.Values{"code": {code}}, from)
	}
}

const tooManyInADay = "Too many wrong codes within a day"

func TestWrongCodesOfADay(t *testing.T) {
	servertest.Sequential(t)
	p, known := newPhone(t, servertest.BehindProxy)
	known.Post(t, "/signout", url.Values{})
	for n := range 10 {
		guess := p.halfFrom(t, n)
		for range 10 {
			guess(p.wrongCode()).ExpectErrorPage(t, 400, "invalid_request", "The code is wrong")
		}
		p.Clock.Advance(8 * time.Minute) // within the limits of a quarter of an hour
	}
	p.Clock.Advance(40 * time.Minute)
	guess := p.halfFrom(t, 20)
	for _, code := range []string{p.wrongCode(), p.code(0)} {
		a := guess(code)
		a.ExpectErrorPage(t, 429, "too_many_tries", tooManyInADay, "recovery code")
		if wait := a.Header.Get("Retry-After"); wait != fmt.Sprint(22*60*60) {
			t.Errorf("Retry-After %s", wait)
		}
	}
	var told int
	for _, m := range p.Outbox(t, p.email) {
		if m.Subject == "Wrong codes after your password" {
			told++
		}
	}
	if told != 1 {
		t.Errorf("%d mails about wrong codes", told)
	}

	known.SignIn(t, p.email, servertest.Password).ExpectRedirect(t, codePath+"?next=%2Fconsole")
	send(t, known, p.code(0)).ExpectRedirect(t, "/console")
	guess(p.recovery[0]).ExpectRedirect(t, "/console")
	p.Clock.Advance(22 * time.Hour)
	p.halfFrom(t, 30)(p.code(0)).ExpectRedirect(t, "/console")
}

func TestWrongCodesAtOnce(t *testing.T) {
	p, _ := newPhone(t, servertest.BehindProxy)
	p.Exec(t, fmt.Sprintf(`UPDATE two_factors SET wrong_codes = 96, wrong_since = %d`, p.Clock.Now().UnixMilli()))
	guesses := make([]func(string) servertest.Answer, 8)
	for i := range guesses {
		guesses[i] = p.halfFrom(t, i)
	}
	wrong := p.wrongCode()
	statuses := servertest.Parallel(len(guesses), func(i int) int { return guesses[i](wrong).Status })
	if statuses[400] != 4 || statuses[429] != 4 {
		t.Errorf("statuses %v", statuses)
	}
}

func TestFewWrongCodesSendNoMail(t *testing.T) {
	servertest.Sequential(t)
	p, _ := newPhone(t)
	b := p.half(t)
	for range 4 {
		send(t, b, p.wrongCode()).ExpectErrorPage(t, 400, "invalid_request")
	}
	send(t, b, p.code(0)).ExpectRedirect(t, "/console")
	if mails := p.Outbox(t, p.email); len(mails) != 1 { // it is on
		t.Errorf("%d mails", len(mails))
	}
}
