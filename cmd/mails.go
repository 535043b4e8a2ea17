package cmd

import (
	"strconv"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
)

type mailJSON struct {
	ID        string `json:"id"`
	To        string `json:"to"`
	Subject   string `json:"subject"`
	Text      string `json:"text,omitempty"`
	Status    string `json:"status"`
	Tries     int    `json:"tries"`
	Problem   string `json:"problem,omitempty"`
	CreatedAt string `json:"created_at"`
}

func toMailJSON(m db.Mail) mailJSON {
	return mailJSON{
		ID: m.ID, To: m.To, Subject: m.Subject, Text: m.Text, Status: string(m.State), Tries: m.Tries, Problem: m.Problem,
		CreatedAt: stamp(m.CreatedAt),
	}
}

func (mailJSON) header() string { return "ID TIME STATUS TO SUBJECT PROBLEM" }

func (m mailJSON) cells() []any {
	return []any{m.ID, m.CreatedAt, m.Status, m.To, short(m.Subject), orDash(short(m.Problem))}
}

func newMails() *cobra.Command {
	var limit int
	newest := command("list", "List the newest mails", exactly(),
		withApp(func(c *cobra.Command, app *server.App, _ []string) error {
			all, err := app.Mails.List(c.Context(), limit)
			return list(c, toMailJSON, all, err)
		}))
	return group("mails", "Mails that were sent, wait, or are kept in the outbox", limitFlag(newest, &limit, 20),
		command("show ID", "Show a mail; unless it was sent with its text, codes and links included", exactly("ID"), withApp(showMail)),
		command("resend ID", "Queue a mail again that failed or is kept in the outbox; a server with --smtp sends it", exactly("ID"), withApp(resendMail)))
}

func showMail(c *cobra.Command, app *server.App, args []string) error {
	found, err := app.Mails.Find(c.Context(), args[0])
	if err != nil {
		return err
	}
	m := toMailJSON(found)
	err = printFields(c, m, "id", m.ID, "status", m.Status, "time", m.CreatedAt, "to", m.To, "subject", m.Subject,
		"tries", strconv.Itoa(m.Tries), "problem", m.Problem)
	if err != nil {
		return err
	}
	return printText(c, m.Text)
}

func resendMail(c *cobra.Command, app *server.App, args []string) error {
	m, err := app.Mails.Resend(c.Context(), args[0])
	if err != nil {
		return err
	}
	return show(c, map[string]string{"id": m.ID, "to": m.To, "status": string(db.MailQueued)},
		"queued %s to %s; svc serve with --smtp sends it within seconds, and without --smtp it stays queued", m.ID, m.To)
}
