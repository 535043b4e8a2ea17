package views

// messageSamples are the pages of an account that sends messages.
func messageSamples() []sample {
	frame := Frame{Title: "Messages", Section: "messages", Account: badge}
	page := Messages{
		Frame: frame, Provider: "They go out by SMS or WhatsApp, with Twilio.", Curl: "curl https://api.example",
		Groups: []Group{{Title: "All", Link: "/console/messages", Chosen: true}, {Title: "Not sent", Link: "/console/messages?state=saved"}},
		Rows: []MessageRow{
			{At: morning, To: "Ana Lopez", Phone: "+447700900123", Kind: "Receipt", Gist: "Total £18.50", State: "Saved, not sent", Tag: "warn", From: "Console", Link: "/console/messages?open=msg_1", Open: true},
			{At: morning, To: "+4915112345678", Kind: "Purchase order", State: "Sent", Tag: "on", From: "till", Link: "/console/messages?open=msg_2"},
		},
		Unknown: []UnknownSend{{At: morning, Phone: "+447700900123", Name: "Anna Green", RequestID: "req_1", From: "till"}}, Pager: Pager{Older: "/console/messages?before=msg_1"},
	}
	open := page
	open.NoSender = true
	open.Detail = &MessageDetail{
		ID: "msg_1", To: "Ana Lopez", Phone: "+447700900123", Kind: "Receipt", Text: "Thank you & bye!", State: "Saved, not sent", Tag: "warn", At: morning, From: "Console",
		By: "You", RequestID: "req_1", Close: "/console/messages", Again: "/console/messages/new", Saved: true, NoSender: true,
	}
	sent := page
	sent.Detail = &MessageDetail{
		ID: "msg_2", To: "+4915112345678", Phone: "+4915112345678", Kind: "Purchase order", State: "Sent", Tag: "on", At: morning, From: "till", Provider: "twilio",
		ProviderID: "SM1", RequestID: "req_2", Close: "/console/messages", Later: "The sender has taken it.",
	}
	compose := Compose{
		Frame: Frame{Title: "New message", Section: "messages", Account: badge}, Template: "receipt", Phone: "+44 7700 900123",
		Lines: []ComposeLine{{Item: "Ground Coffee", Quantity: "2", Price: "4.50", Stock: "24 bags in stock"}, {Quantity: "1"}}, Total: "£9.00",
		Goods: []Good{{"Ground Coffee", "4.50", "2.70", "£4.50, 24 bags in stock"}},
		Kinds: []Group{{Title: "Receipt", Link: "/console/messages/new?template=receipt", Chosen: true}}, Once: "once", Currency: "GBP", Cost: "$0.02", Credit: "$1.20",
		Preview: &MessagePreview{Phone: "+447700900123", Text: "Receipt from Corner Coffee\n\n2 x Ground Coffee", Seen: "ab", Length: 44},
	}
	saved, order := compose, compose
	saved.NoSender, saved.Credit = true, ""
	order.Template, order.Credit, order.Preview, order.Problem = "purchase_order", "", nil, "The phone number is required."
	order.Faults = Faults{{"phone", "The phone number is required."}, {"line-1-quantity", "The quantity is required."}, {"lines", "The list of goods is long."}}
	order.Lines = []ComposeLine{{Item: "Ground Coffee"}}
	return []sample{
		{"compose", compose}, {"compose-saved", saved}, {"compose-order", order},
		{"messages", page}, {"messages-open", open}, {"messages-sent", sent},
		{"messages-empty", Messages{Frame: page.Frame, Curl: page.Curl}}, {"messages-none", Messages{Frame: page.Frame, Filtered: true}},
	}
}
