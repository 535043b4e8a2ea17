package views

// messageSamples are the pages of an account that sends messages.
func messageSamples() []sample {
	page := Messages{
		Frame: Frame{Title: "Messages", Section: "messages", Account: badge}, Provider: "This server sends by Twilio.", Curl: "curl https://api.example",
		Templates: []Option{{Text: "All", Chosen: true}, {Value: "receipt", Text: "Receipt"}},
		Rows: []MessageRow{
			{At: morning, Phone: "+447700900123", Kind: "Receipt", State: "accepted", Tag: "on", Key: "till", Link: "/console/messages?open=msg_1", Open: true},
		},
		Unknown: []UnknownSend{{At: morning, RequestID: "req_1", Key: "till"}}, Pager: Pager{Older: "/console/messages?before=msg_1"},
	}
	open := page
	open.Detail = &MessageDetail{
		ID: "msg_1", Phone: "+447700900123", Kind: "Receipt", Text: "Thank you!", Provider: "outbox", Key: "till", RequestID: "req_1", Close: "/console/messages",
		States: []MessageState{{morning, "Kept in the outbox of this server; nothing was sent"}},
	}
	return []sample{
		{"messages", page}, {"messages-open", open},
		{"messages-empty", Messages{Frame: page.Frame, Curl: page.Curl}}, {"messages-none", Messages{Frame: page.Frame, Filtered: true}},
	}
}
