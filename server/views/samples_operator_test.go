package views

import (
	"strings"
	"time"
)

func operator(zone *time.Location) []sample {
	frame := Frame{Title: "Operator", Section: "operator", Account: chief}
	holders := []Holder{
		{"acct_1", "Corner Coffee", "owner@corner.example", "business", "$12.28", 2, morning.AddDate(0, -2, 0), false, false, "/console/operator?open=acct_1"},
		{"acct_2", "Tally Tools Ltd", "dev@tally.example", "free", "$0.00", 1, morning, true, true, "/console/operator?open=acct_2"},
	}
	plans := []Option{{"free", "free", true}, {"growth", "growth", false}}
	detail := Dossier{Holder: holders[0], Held: "$0.03", Plans: plans, LastAct: 7, TwoFactor: []string{"owner@corner.example", "help@corner.example"}, Close: "/console/operator"}
	disabled := Dossier{Holder: holders[1], Plans: plans}
	refused := detail
	refused.Amount, refused.Field = "ten", "amount"
	mails := []Mail{
		{"mail_1", "owner@corner.example", "Your code for svc", "Your code is 493021.\n\nIt works for ten minutes.", "kept", "", morning},
		{"mail_2", "someone@other.example", "Set a new password", "", "sent", "", morning.Add(-time.Hour)},
		{"mail_3", "third@other.example", "Shelf Counter asks for access to your data", "Open this link:\nhttps://svc.corner.example/connect/" + strings.Repeat("x", 43), "failed", "mail.other.example: 550 no such mailbox", morning.Add(-2 * time.Hour)},
	}
	faults := []PaymentFault{
		{"evt_1RbK2xDw9", "checkout.session.completed", "cs_live_a1B2c3D4e5F6", "ch_01jq3v4k2m9fe", "The amount is 1250 GBP, but the charge asks for 12500 GBP.", morning},
	}
	parts := []Part{{"Database", "writable", "/var/lib/svc/svc.db", true, false, ""}, {"Mail", "not set up", "Mails are kept in the outbox, and nobody receives them.", false, false, "--smtp smtp://USER:PASSWORD@HOST:587"}, {"Version", "unknown", "svc version --deps lists what it is built of", true, true, ""}}
	jobs := []Job{
		{"mail", "5 s", morning, morning.Add(5 * time.Second), "12 ms", false, false, "", time.Time{}},
		{"webhooks", "1 min", morning, morning.Add(time.Minute), "1.2 s", false, true, "the key file is missing; restore it from a backup", morning},
		{"datasets", "1 min", morning, morning.Add(time.Minute), "3 ms", false, false, "disk full", morning.Add(-time.Hour)},
		{"churn", "1 min", morning, time.Time{}, "", true, false, "", time.Time{}},
	}
	return []sample{
		{"operator", Operator{Frame: frame, Holders: holders, Pager: Pager{Older: "/console/operator?after=acct_2"}, Zone: zone}},
		{"operator-open", Operator{Frame: frame, Search: "corner", Holders: holders[:1], Detail: &detail, Zone: zone}},
		{"operator-disabled", Operator{Frame: frame, Holders: holders, Detail: &disabled, Zone: zone}},
		{"operator-refused", Operator{Frame: wrongly(frame, "The credit must be a whole number of US cents."), Holders: holders, Detail: &refused, Zone: zone}},
		{"operator-none", Operator{Frame: frame, Search: "nobody"}},
		{"operator-mails", OperatorMails{Frame: withoutMail(frame), Mails: mails, Zone: zone}},
		{"operator-mails-empty", OperatorMails{Frame: frame}},
		{"operator-server", OperatorServer{Frame: frame, Parts: parts, Jobs: jobs, Faults: faults, Zone: zone}},
		{"operator-server-alone", OperatorServer{Frame: frame, Parts: parts}},
	}
}
