package views

import "strings"

// mark is a part of a User-Agent, and what a browser or a system with it is called.
type mark struct{ part, name string }

// Many browsers name those that they are made of, too: the first mark that is found counts.
var (
	browserMarks = []mark{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}
	systemMarks = []mark{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
		{"Macintosh", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)

// browserName returns what people call the browser and the system of a User-Agent, like
// "Chrome on Linux", or the User-Agent itself if it is not known.
func browserName(agent string) string {
	browser, system := named(agent, browserMarks), named(agent, systemMarks)
	switch {
	case browser == "":
		return agent
	case system == "":
		return browser
	}
	return browser + " on " + system
}

func named(agent string, marks []mark) string {
	for _, m := range marks {
		if strings.Contains(agent, m.part) {
			return m.name
		}
	}
	return ""
}
