package views

import (
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	forText  = 4.5 // WCAG 2.2, 1.4.3
	forShape = 3.0 // 1.4.11
)

// pairs are the foreground and background colours that the stylesheets combine.
var pairs = []struct {
	foreground, background string
	least                  float64
}{
	{"text", "ground", forText}, {"text", "surface", forText},
	{"muted", "ground", forText}, {"muted", "surface", forText},
	{"accent", "ground", forText}, {"accent", "surface", forText},
	{"accent-strong", "ground", forText}, {"accent-strong", "surface", forText},
	{"on-accent", "accent", forText}, {"on-accent", "accent-strong", forText},
	{"good", "good-ground", forText}, {"bad", "bad-ground", forText}, {"warn", "warn-ground", forText},
	{"bad", "ground", forText}, {"bad", "surface", forText},
	{"test", "test-ground", forText},
	{"edge", "ground", forShape}, {"edge", "surface", forShape}, {"test-ground", "ground", forShape},
	{"good", "surface", forShape},
}

func TestContrast(t *testing.T) {
	light, dark := schemes(t)
	for name, colours := range map[string]map[string]string{"Light": light, "Dark": dark} {
		t.Run(name, func(t *testing.T) {
			for _, p := range pairs {
				got := contrast(t, colours[p.foreground], colours[p.background])
				if got < p.least {
					t.Errorf("%s on %s is %.2f, needs %.1f", p.foreground, p.background, got, p.least)
				}
			}
		})
	}
}

// TestContrast covers only colours that have a name.
func TestColoursHaveNames(t *testing.T) {
	light, dark := schemes(t)
	inPairs := map[string]bool{"line": true} // decoration without a meaning
	for _, p := range pairs {
		inPairs[p.foreground], inPairs[p.background] = true, true
	}
	for name := range light {
		if dark[name] == "" || !inPairs[name] {
			t.Errorf("--%s has no dark colour, or is in no pair", name)
		}
	}
	if len(dark) != len(light) {
		t.Errorf("%d light colours, %d dark", len(light), len(dark))
	}

	_, rules, _ := strings.Cut(style(t, sheets(t)...), "*, ::before")
	for _, found := range regexp.MustCompile(`#[0-9a-f]{3,8}\b|rgba?\(|hsla?\(`).FindAllString(rules, -1) {
		if found != "#fff" && found != "#000" { // logos are made for white, and QR codes are black on white
			t.Errorf("colour %s has no name", found)
		}
	}
	for _, used := range regexp.MustCompile(`var\(--([a-z-]+)\)`).FindAllStringSubmatch(rules, -1) {
		if light[used[1]] == "" {
			t.Errorf("--%s is not defined", used[1])
		}
	}
}

func TestStylesheet(t *testing.T) {
	if n := len(style(t, everywhere...)); n >= 40<<10 {
		t.Errorf("%d bytes that every console page loads, want less than 40 KiB", n)
	}
	text := style(t, sheets(t)...)
	for _, bad := range []string{"url(", "@import", "http", "!important"} {
		if strings.Contains(text, bad) {
			t.Errorf("contains %s", bad)
		}
	}
	if strings.Count(text, "{") != strings.Count(text, "}") {
		t.Error("braces do not match")
	}
	_, after, _ := strings.Cut(text, "prefers-reduced-motion: no-preference")
	if strings.Count(text, "transition") != strings.Count(after, "transition") || strings.Contains(text, "animation") {
		t.Error("transitions or animations are not limited to people without prefers-reduced-motion")
	}
}

// sheets are the names of all stylesheets, that with the colours first.
func sheets(t *testing.T) []string {
	t.Helper()
	all, err := fs.Glob(staticFiles, "*.css")
	if err != nil {
		t.Fatal(err)
	}
	return append(everywhere, slices.DeleteFunc(all, func(name string) bool { return slices.Contains(everywhere, name) })...)
}

// everywhere are the stylesheets that every page of the console loads.
var everywhere = []string{"svc.css", "console.css"}

// style returns the text of the stylesheets with names, one after another.
func style(t *testing.T, names ...string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range names {
		text, err := fs.ReadFile(staticFiles, name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// schemes returns the custom properties of the first :root (light) and the second (dark).
func schemes(t *testing.T) (light, dark map[string]string) {
	t.Helper()
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(style(t, everywhere...), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of colours, want 2", len(blocks))
	}
	read := func(block string) map[string]string {
		out := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(block, -1) {
			out[m[1]] = m[2]
		}
		if len(out) != strings.Count(block, "--") {
			t.Fatalf("a colour is not written as #rrggbb: %s", block)
		}
		return out
	}
	return read(blocks[0][1]), read(blocks[1][1])
}

// contrast returns WCAG's contrast ratio of two colours.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	light, dark := luminance(t, a), luminance(t, b)
	if light < dark {
		light, dark = dark, light
	}
	return (light + 0.05) / (dark + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	rgb, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 24)
	if err != nil {
		t.Fatal(err)
	}
	channel := func(shift uint) float64 {
		c := float64(rgb>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}
