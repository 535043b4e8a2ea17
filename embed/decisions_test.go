package embed_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc/embed"
)

var (
	ruleHeading = regexp.MustCompile(`(?m)^#{2,3} (?:([A-L]\d+)\. |(\d(?:\.\d+a?)?) )`)
	// A number with a fraction, such as the F0.5 of statistics, is no rule.
	decisionCited = regexp.MustCompile(`\b([A-L]\d{1,2})\b(\.\d)?`)
	seedCited     = regexp.MustCompile(`\bseed\s(\d(?:\.\d+a?)?(?:(?:, |–| and )\d(?:\.\d+a?)?\b)*)`)
	section       = regexp.MustCompile(`\d(?:\.\d+a?)?`)
)

// TestCitedRulesAreInTheDocument reads all comments of Go and SQL files and the OpenAPI
// document: every decision and section that they cite has a heading in decisions.md.
func TestCitedRulesAreInTheDocument(t *testing.T) {
	rules := map[string]bool{}
	for _, m := range ruleHeading.FindAllStringSubmatch(string(embed.Decisions), -1) {
		name := m[1] + m[2]
		if rules[name] {
			t.Errorf("decisions.md has two headings for %s", name)
		}
		rules[name] = true
	}
	cited := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == "testdata" || name != ".." && strings.HasPrefix(name, ".") {
				return fs.SkipDir
			}
			return nil
		}
		for _, rule := range citations(comments(t, path)) {
			cited++
			if !rules[rule] {
				t.Errorf("%s cites %s, which has no heading in decisions.md", path, rule)
			}
		}
		return nil
	})
	if err != nil || cited < 300 {
		t.Errorf("%d citations were found, want at least 300; %v", cited, err)
	}
}

// comments returns the text of a file that may cite rules.
func comments(t *testing.T, path string) string {
	t.Helper()
	switch filepath.Ext(path) {
	case ".go":
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, group := range file.Comments {
			text.WriteString(group.Text() + "\n")
		}
		return text.String()
	case ".sql", ".yaml":
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	return ""
}

// citations returns the rules that a text cites: "F4", or "4.2" for "seed 4.2".
func citations(text string) (rules []string) {
	for _, m := range decisionCited.FindAllStringSubmatch(text, -1) {
		if m[2] == "" {
			rules = append(rules, m[1])
		}
	}
	for _, m := range seedCited.FindAllStringSubmatch(text, -1) {
		rules = append(rules, section.FindAllString(m[1], -1)...)
	}
	return rules
}

func TestCitations(t *testing.T) {
	for text, want := range map[string]string{
		"the order of checks (A3), C12":      "A3 C12",
		"where F0.5 is best, V2, A123, B":    "",
		"asked (seed 2.6, 8.1; A6–A9), seed": "A6 A9 2.6 8.1",
		"the context (seed 2.4a).":           "2.4a",
		"says seed 7. And 3 more":            "7",
	} {
		if got := strings.Join(citations(text), " "); got != want {
			t.Errorf("%q cites %q, want %q", text, got, want)
		}
	}
}
