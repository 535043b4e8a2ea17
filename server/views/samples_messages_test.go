package views

// messageSamples are the pages of an account that sends messages.
func messageSamples() []sample {
	page := Messages{
		Frame: Frame{Title: "Messages", Section: "messages", Account: badge}, Provider: "This server sends by Twilio.", Curl: "curl https://api.example",
		Templates: []Option{{Text: "All", Chosen: true}, {Value: "receipt", Text: "Receipt"}},
		Rows: []MessageRow{
			{At: morning, Phone: "+447700900123", Kind: "Receipt", State: "accepted", Tag: "on", By: "till", Link: "/console/messages?open=msg_1", Open: true},
		},
		Unknown: []UnknownSend{{At: morning, RequestID: "req_1", By: "till"}}, Pager: Pager{Older: "/console/messages?before=msg_1"},
	}
	open := page
	open.Detail = &MessageDetail{
		ID: "msg_1", Phone: "+447700900123", Kind: "Receipt", Text: "Thank you!", Provider: "outbox", By: "till", RequestID: "req_1", Close: "/console/messages",
		States: []MessageState{{morning, "Kept in the outbox of this server; nothing was sent"}},
	}
	compose := Compose{
		Frame: Frame{Title: "New message", Section: "messages", Account: badge}, Template: "receipt", Phone: "+44 7700 900123", Lines: "2 x Ground Coffee",
		Kinds: []Group{{Title: "Receipt", Link: "/console/messages/new?template=receipt", Chosen: true}}, Once: "once", Currency: "GBP", Cost: "$0.02", Credit: "$1.20",
		Provider: "This server sends by Twilio.", CanSend: true, Preview: &MessagePreview{Phone: "+447700900123", Text: "Receipt from Corner Coffee\n\n2 x Ground Coffee", Seen: "ab", Length: 44},
	}
	order := compose
	order.Template, order.Credit, order.Preview, order.Problem, order.Field = "purchase_order", "", nil, "The list of goods is required.", "lines"
	return []sample{
		{"compose", compose}, {"compose-order", order},
		{"messages", page}, {"messages-open", open},
		{"messages-empty", Messages{Frame: page.Frame, Curl: page.Curl}}, {"messages-none", Messages{Frame: page.Frame, Filtered: true}},
	}
}
