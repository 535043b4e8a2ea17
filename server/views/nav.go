package views

import (
	"slices"
	"strings"
)

// NavGroup is a group of the console's sidebar.
type NavGroup struct {
	Title string
	Rows  []NavRow
	// Folded: the group is for developers, and this account has no key.
	Folded bool
}

// NavRow leads to a page of the console. Section is the Frame.Section of its pages, and
// the name of its icon.
type NavRow struct {
	Section, Title, Path string
}

// Text says in a line what the page is for; it is empty for an unknown one.
func (r NavRow) Text() string { return purposes[r.Section] }

// purposes are what the pages are for, by their sections.
var purposes = map[string]string{
	"overview": "The morning, and what to do", "ask": "Questions about the figures", "inventory": "Stock, prices, moves", "scan": "A product by its photo or barcode",
	"data": "Sales from a till or a shop", "messages": "Receipts and orders sent",
	"keys": "Make, rotate and end them", "apps": "Names and logos that merchants see", "requests": "Each call and its answer",
	"webhooks": "Where events are sent", "try": "Send a call from a form",
	"connections": "Merchants you may read", "granted": "Apps that read your data", "charges": "Payment requests",
	"wallet": "Credit and what it was spent on", "people": "Staff and invitations", "settings": "Profile, password, two-factor",
	"activity": "Who did what", "operator": "Accounts, mails, the server",
}

// groups are the sidebar in its order. The group of developers is folded for an account
// without keys, and the operator's row is the operator's alone.
var groups = []NavGroup{
	{Title: "Shop", Rows: []NavRow{
		{"overview", "Overview", "/console"},
		{"ask", "Ask", "/console/ask"},
		{"inventory", "Inventory", "/console/inventory"},
		{"scan", "Scan", "/console/inventory/scan"},
		{"data", "Data", "/console/data"},
		{"messages", "Messages", "/console/messages"},
	}},
	{Title: "Build", Folded: true, Rows: []NavRow{
		{"keys", "Keys", "/console/keys"},
		{"apps", "Apps", "/console/apps"},
		{"requests", "Requests", "/console/requests"},
		{"webhooks", "Webhooks", "/console/webhooks"},
		{"try", "Try it", "/console/try"},
	}},
	{Title: "Access", Rows: []NavRow{
		{"connections", "Connections", "/console/connections"},
		{"granted", "Granted", "/console/granted"},
		{"charges", "Payments", "/console/charges"},
	}},
	{Title: "Account", Rows: []NavRow{
		{"wallet", "Wallet", "/console/wallet"},
		{"people", "People", "/console/people"},
		{"settings", "Settings", "/console/settings"},
		{"activity", "Activity", "/console/activity"},
		{"operator", "Operator", "/console/operator"},
	}},
}

// onPhone are the sections of the bar at the bottom of a phone, in its order: what a shopkeeper
// does on their feet, many times a day, for owner and staff alike. All others are behind its last
// button.
var onPhone = []string{"overview", "inventory", "scan", "ask"}

// forStaff are the sections that staff may open (L11).
var forStaff = []string{"overview", "ask", "inventory", "scan", "data", "messages", "settings"}

// Nav returns the sidebar for the person who is signed in.
func (f Frame) Nav() []NavGroup {
	var out []NavGroup
	for _, g := range groups {
		if f.ForStaff() {
			g.Rows = slices.DeleteFunc(slices.Clone(g.Rows), func(r NavRow) bool { return !slices.Contains(forStaff, r.Section) })
		}
		g.Folded = g.Folded && (f.Account == nil || !f.Account.Builds)
		if f.Account == nil || !f.Account.Operator {
			g.Rows = slices.DeleteFunc(slices.Clone(g.Rows), func(r NavRow) bool { return r.Section == "operator" })
		}
		if len(g.Rows) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// Holds reports whether the group has the section.
func (g NavGroup) Holds(section string) bool {
	return slices.ContainsFunc(g.Rows, func(r NavRow) bool { return r.Section == section })
}

// Place returns the page of the sidebar that an address of the console is below, like that of
// Data for a dataset: the one to go on from if there is nothing at the address. It is the
// overview for other addresses, and where the person may not go.
func (f Frame) Place(address string) NavRow {
	place := groups[0].Rows[0]
	for _, g := range f.Nav() {
		for _, row := range g.Rows {
			if strings.HasPrefix(address, row.Path+"/") && len(row.Path) > len(place.Path) {
				place = row
			}
		}
	}
	return place
}

// Tabs returns the rows of the bar at the bottom of a phone.
func (f Frame) Tabs() []NavRow {
	var out []NavRow
	for _, section := range onPhone {
		for _, g := range groups {
			for _, row := range g.Rows {
				if row.Section == section {
					out = append(out, row)
				}
			}
		}
	}
	return out
}
