package cmd

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/fault"
)

// personJSON is a person of an account, or one who is invited, as --json prints it.
type personJSON struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	// Role is owner or staff, and Status active, invited or expired.
	Role      string `json:"role"`
	Status    string `json:"status"`
	TwoFactor bool   `json:"two_factor"`
	Since     string `json:"since"`
	SeenAt    string `json:"seen_at,omitempty"`
	ExpiresAt string `json:"expires_at,omitempty"` // of an invitation
}

func (personJSON) header() string { return "ID EMAIL ROLE STATUS TWO-FACTOR SINCE SEEN" }

func (p personJSON) cells() []any {
	return []any{p.ID, p.Email, p.Role, p.Status, yesNo(p.TwoFactor), p.Since, orDash(p.SeenAt)}
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func newPeople() *cobra.Command {
	return group("people", "Who works in an account: its owner and the staff",
		accountFlag(command("list [--account EMAIL]", "List an account's people, and who is invited", exactly(), withOwner(listPeople))),
		newPeopleInvite(),
		accountFlag(command("remove EMAIL [--account EMAIL]", "Remove one of the staff, or withdraw an invitation", exactly("EMAIL"), withOwner(removePerson))))
}

func newPeopleInvite() *cobra.Command {
	var config server.Config
	c := command("invite EMAIL [--account EMAIL]", "Invite somebody to the staff, and print the link of the invitation", exactly("EMAIL"), func(c *cobra.Command, args []string) error {
		return openOwner(c, config, func(app *server.App, owner db.Account) error { return invitePerson(c, app, owner, args) })
	})
	addressFlags(c.Flags(), &config)
	return accountFlag(c)
}

func listPeople(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
	found, err := app.Accounts.People(c.Context(), owner.ID)
	if err != nil {
		return err
	}
	second, err := app.Accounts.TwoFactor(c.Context(), owner.ID)
	all := []personJSON{{
		ID: owner.ID, Email: owner.Email, Role: string(db.Owner), Status: "active", TwoFactor: second.On,
		Since: stamp(owner.CreatedAt), SeenAt: stamp(found.Seen[owner.ID]),
	}}
	for _, p := range found.Staff {
		all = append(all, personJSON{
			ID: p.ID, Email: p.Email, Role: string(p.Role), Status: "active", TwoFactor: found.Codes[p.ID],
			Since: stamp(p.CreatedAt), SeenAt: stamp(found.Seen[p.ID]),
		})
	}
	for _, i := range found.Invited {
		status := "invited"
		if !time.Now().Before(i.ExpiresAt) {
			status = "expired"
		}
		all = append(all, personJSON{
			ID: i.ID, Email: i.Email, Role: string(db.Staff), Status: status, Since: stamp(i.CreatedAt), ExpiresAt: stamp(i.ExpiresAt),
		})
	}
	return list(c, func(p personJSON) personJSON { return p }, all, err)
}

func invitePerson(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
	made, err := app.Accounts.InviteFor(c.Context(), owner, args[0])
	if err != nil {
		return err
	}
	result := map[string]string{"id": made.ID, "email": made.Email, "expires_at": stamp(made.ExpiresAt), "link": made.Link}
	text := fmt.Sprintf("invited %s to the staff of %s; ", made.Email, owner.Email)
	text += fmt.Sprintf("the link works once, until %s:\n%s", stamp(made.ExpiresAt), made.Link)
	if set := c.Flags().Changed; !set("addr") && !set("tls-domain") && !set("base-url") && !set("console-url") {
		text += "\nif the server has another address, run this again with --console-url: it makes a new link"
	}
	return show(c, result, "%s", text)
}

func removePerson(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
	found, err := app.Accounts.People(c.Context(), owner.ID)
	if err != nil {
		return err
	}
	email := db.FoldEmail(args[0])
	for _, p := range found.Staff {
		if db.FoldEmail(p.Email) == email {
			if err := app.Accounts.RemoveStaff(c.Context(), owner.ID, p.ID); err != nil {
				return err
			}
			return show(c, map[string]string{"id": p.ID, "email": p.Email}, "removed %s; they are signed out everywhere", p.Email)
		}
	}
	for _, i := range found.Invited {
		if db.FoldEmail(i.Email) == email {
			if err := app.Accounts.WithdrawInvitation(c.Context(), owner.ID, i.ID); err != nil {
				return err
			}
			return show(c, map[string]string{"id": i.ID, "email": i.Email}, "withdrew the invitation of %s", i.Email)
		}
	}
	return &fault.Error{Code: fault.NotFound, Message: fmt.Sprintf("%s is neither staff of %s nor invited", args[0], owner.Email)}
}
