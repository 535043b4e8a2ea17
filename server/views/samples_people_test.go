package views

import "time"

func people(zone *time.Location) []sample {
	frame := Frame{Title: "People", Section: "people", Account: badge}
	working := People{
		Frame: frame, Owner: "owner@corner.example", Zone: zone,
		Staff: []Colleague{
			{ID: "usr_1", Email: "sam@corner.example", JoinedAt: morning.AddDate(0, -2, 0), Seen: morning},
			{ID: "usr_2", Email: "eve@corner.example", JoinedAt: morning.AddDate(0, -1, 0)},
		},
		Invited: []Invited{
			{ID: "inv_1", Email: "new@corner.example", Age: "2 days ago", ExpiresAt: morning.AddDate(0, 0, 5)},
			{ID: "inv_2", Email: "late@corner.example", Age: "9 days ago", ExpiresAt: morning.AddDate(0, 0, -2), Expired: true},
		},
	}
	refused := working
	refused.Email, refused.Field, refused.Problem = "sam@corner.example", "email", "The e-mail is one of your people already."
	linked := working
	linked.Frame = withoutMail(frame)
	linked.Account = &Badge{Name: "Corner Coffee", Email: "owner@corner.example", Operator: true}
	waiting := working
	waiting.Frame = withoutMail(frame)
	linked.Link, linked.LinkTo = "https://svc.corner.example/join/"+linkToken, "new@corner.example"
	join := Join{Frame: Frame{Title: "Join Corner Coffee"}, Token: linkToken, Email: "new@corner.example", Business: "Corner Coffee", Owner: "owner@corner.example"}
	short, seated := join, join
	short.Problem = "The password must have 10 to 200 characters."
	seated.Account, seated.Seat = badge, "owner@corner.example"
	helper := &Badge{Name: "Corner Coffee", Email: "sam@corner.example", Staff: true}
	return []sample{
		{"people", working},
		{"people-alone", People{Frame: frame, Owner: "owner@corner.example"}},
		{"people-refused", refused},
		{"people-link", linked},
		{"people-waits", waiting},
		{"join", join},
		{"join-short", short},
		{"join-seated", seated},
		{"staff-settings", Settings{Frame: Frame{Title: "Settings", Section: "settings", Account: helper}, Email: "sam@corner.example", Zone: zone}},
		{"staff-messages", Messages{Frame: Frame{Title: "Messages", Section: "messages", Account: helper}}},
		{"staff-overview", Overview{Frame: Frame{Title: "Overview", Section: "overview", Account: helper}, Day: "Monday 2 March"}},
	}
}
