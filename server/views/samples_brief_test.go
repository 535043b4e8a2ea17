package views

import "time"

// briefSamples are a usual brief and the one of a shop without data.
func briefSamples(zone *time.Location) []sample {
	frame := Frame{Title: "Brief", Section: "overview", Account: badge}
	return []sample{
		{"brief", Brief{
			Frame: frame, Day: "Sunday 1 March", Headline: "A strong Sunday; one thing to do.",
			Actions:  []BriefAction{{"Order again", "Oat Milk is out of stock.", "/console/messages/new?item=low", "Order"}, {Text: "Something else is to be done."}},
			Sections: []BriefSection{{"Yesterday", "Sales came to £990 from 55 orders."}, {"Stock", "Two items are low."}},
			MadeAt:   morning, Zone: zone,
		}},
		{"brief-empty", Brief{Frame: frame, Day: "Sunday 1 March"}},
	}
}
