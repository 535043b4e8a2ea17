package views

import "html/template"

// icons are the paths of the sidebar's icons, in a square of 20, drawn with a stroke.
var icons = map[string]string{
	"overview":    "M3 9.5 10 3.5l7 6M5 8.5V16.5h3.5v-5h3v5H15V8.5",
	"ask":         "M3.5 4h13v9.5H9l-4 3.5v-3.5H3.5zM7 7.5h6M7 10h4",
	"inventory":   "M10 2.5 17 6v8l-7 3.5L3 14V6zM3 6l7 3.5L17 6M10 9.5v8",
	"data":        "M3.5 4h13v12.500h-13zM3.5 8h13M3.5 12h13M8.5 4v12.5",
	"messages":    "M2.5 4.500h15v11h-15zM2.5 5l7.5 6 7.5-6",
	"keys":        "M12.5 3a4.5 4.5 0 1 1-2.800 8L4 16.500V17h2.500v-1.500H8V14l2-1.700M13.5 6.500h.01",
	"apps":        "M3.5 3.500h5v5h-5zM11.5 3.500h5v5h-5zM3.5 11.500h5v5h-5zM11.5 11.500h5v5h-5z",
	"requests":    "M3 16.500h14M5 16.500v-5M9 16.500V8M13 16.500v-3.500M16 16.500V4",
	"webhooks":    "M11.5 2.5 4.5 11H10l-1.5 6.500L15.5 9H10z",
	"try":         "M3 4h14v12H3zM6 8l2.5 2L6 12M10.5 12.500h3.5",
	"connections": "M8 12l4-4M9 5.500l1.5-1.500a3.5 3.5 0 0 1 5.5 5.500L14.5 11M11 14.5 9.5 16A3.5 3.5 0 0 1 4 10.500L5.5 9",
	"granted":     "M10 2.500l6.5 2.500v5c0 4-3 6.5-6.5 7.5-3.5-1-6.5-3.5-6.5-7.500V5zM7 10l2.200 2.200L13.5 8",
	"charges":     "M2.5 5h15v10h-15zM2.5 8.500h15M5 12h3",
	"wallet":      "M3 6h13.500v10.500H3zM3 6l10-3v3M13 11.200h.01",
	"people":      "M7.5 9.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 16.500c0-3.5 2.5-5 5.5-5s5.5 1.5 5.5 5M13 4a3 3 0 0 1 0 5.500M15 12c2 .7 3 2.200 3 4.5",
	"settings":    "M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4",
	"operator":    "M4 3.500h12v5H4zM4 11.500h12v5H4zM7 6h.01M7 14h.01",
	"activity":    "M10 3a7 7 0 1 1-6.3 4M3.5 3.5V7H7M10 6v4.5l3 1.5",
	"scan":        "M2.5 6.500h3.500l1.500-2.500h5l1.500 2.500h3.500v9.500h-15zM10 8.200a2.800 2.800 0 1 1 0 5.600 2.800 2.800 0 0 1 0-5.600",
	"insight":     "M3 16 8 10.500l3.500 3L17 6M13 6h4v4",
	"trade":       "M4 7h12M13 4l3 3-3 3M16 13H4M7 10l-3 3 3 3",
	"pricing":     "M3 10 10.500 3H17v6.500L9.500 17zM13.500 6.500h.01",
	"events":      "M5 14.500V9a5 5 0 0 1 10 0v5.500h1.500h-13zM8.500 17h3",
	"server":      "M4 3.500h12v5H4zM4 11.500h12v5H4zM7 6h.01M7 14h.01",
	"search":      "M9 3.500a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM13 13l4 4",
	"more":        "M4 10h.01M10 10h.01M16 10h.01",
}

// icon returns the drawing beside a text, which names what it stands for. It is empty for
// an unknown name.
func icon(name string) template.HTML {
	path, ok := icons[name]
	if !ok {
		return ""
	}
	return template.HTML(`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d="` + path + `"/></svg>`)
}
