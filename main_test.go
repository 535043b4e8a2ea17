package main

import (
	"errors"
	"go/build"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// floors are the packages from the top of the house to the bottom. An import
// goes down, never up; the first prefix that fits a package is its floor.
var floors = []string{"svc/server/servertest", "svc/cmd", "svc/server/", "svc/server", "svc/db/dbtest", "svc/db/engine", "svc/db", "svc/embed", "svc"}

// rank orders the floors: an import must lead to a higher one.
var rank = map[string]int{
	"svc": 0, "svc/cmd": 1, "svc/server/servertest": 1, "svc/server": 2, "svc/server/": 3,
	"svc/db/dbtest": 4, "svc/db": 5, "svc/db/engine": 6, "svc/embed": 6,
}

// shared are the packages under server that are no capability: those that
// capabilities are built of, and that know none of them.
var shared = []string{
	"svc/server/web", "svc/server/fault", "svc/server/emailaddr", "svc/server/views", "svc/server/gate", "svc/server/sheet", "svc/server/job", "svc/server/seal",
	"svc/server/stripe", "svc/server/llm", "svc/server/mail", "svc/server/carrier", "svc/server/neterr",
	"svc/server/throttle", "svc/server/money", "svc/server/redact", "svc/server/session", "svc/server/checkout",
	"svc/server/schema", "svc/server/fairqueue", "svc/server/gtin", "svc/server/header", "svc/server/barcode", "svc/server/photo", "svc/server/match",
	"svc/server/editdistance", "svc/server/zone",
}

// forbidden are imports that would put the wrong thing on a floor.
var forbidden = map[string][]string{
	"svc/cmd":       {"database/sql", "modernc.org/sqlite", "svc/server/web"},
	"svc/db":        {"net/http", "html/template", "modernc.org/sqlite"},
	"svc/db/engine": {"net/http", "html/template"},
	"svc/embed":     {"database/sql", "net/http"},
}

func floor(pkg string) string {
	for _, f := range floors {
		if pkg == f || strings.HasSuffix(f, "/") && strings.HasPrefix(pkg, f) {
			return f
		}
	}
	return ""
}

func TestImportsPointOneWay(t *testing.T) {
	packages := listPackages(t)
	if len(packages) < 10 {
		t.Fatalf("only %d packages were found", len(packages))
	}
	for _, p := range packages {
		from := floor(p.ImportPath)
		if from == "" {
			t.Errorf("%s stands on no floor", p.ImportPath)
		}
		for _, to := range p.Imports {
			if slices.Contains(forbidden[from], to) {
				t.Errorf("%s must not import %s", p.ImportPath, to)
			}
			if to == "svc" || strings.HasPrefix(to, "svc/") {
				checkImport(t, p.ImportPath, to)
			}
		}
	}
}

func checkImport(t *testing.T, from, to string) {
	t.Helper()
	higher, lower := rank[floor(from)], rank[floor(to)]
	beside := floor(from) == "svc/server/" && floor(to) == "svc/server/" &&
		(slices.Contains(shared, to) || capability(from) == capability(to))
	if lower <= higher && !beside {
		t.Errorf("%s must not import %s", from, to)
	}
	if to == "svc/db/engine" && from != "svc/db" {
		t.Errorf("%s must not import %s: package db is its only user", from, to)
	}
	if strings.HasSuffix(to, "test") && !strings.HasSuffix(from, "test") {
		t.Errorf("%s must not import the test kit %s", from, to)
	}
}

// frontEnds are the packages that only the front ends of a capability may import.
var frontEnds = []string{"net/http", "svc/server/web", "svc/server/views", "svc/server/session", "svc/server/gate"}

// frontEndFile matches the files of a capability's front ends.
var frontEndFile = regexp.MustCompile(`^(api|pages|webhook).*\.go$`)

func TestServicesKnowNoFrontEnd(t *testing.T) {
	for _, p := range listPackages(t) {
		service := p.ImportPath == "svc/server/checkout" || p.ImportPath == "svc/server/mail" ||
			strings.HasPrefix(p.ImportPath, "svc/server/") && !slices.Contains(shared, p.ImportPath)
		if !service || strings.HasSuffix(p.ImportPath, "test") {
			continue
		}
		for _, to := range frontEnds {
			for _, at := range p.ImportPos[to] {
				if !frontEndFile.MatchString(filepath.Base(at.Filename)) {
					t.Errorf("%s must not import %s: it is in no api, pages or webhook file", at, to)
				}
			}
		}
	}
}

// capability is the folder below server that a package stands in: a large one is made
// of several packages.
func capability(pkg string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(pkg, "svc/server/"), "/")
	return name
}

// listPackages reads the folders itself: of what another program reads, the
// cache of test results would know nothing.
func listPackages(t *testing.T) (all []*build.Package) {
	t.Helper()
	err := filepath.WalkDir(".", func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if name := entry.Name(); name == "testdata" || name != "." && strings.HasPrefix(name, ".") {
			return fs.SkipDir
		}
		p, err := build.ImportDir(dir, 0)
		if _, empty := errors.AsType[*build.NoGoError](err); empty {
			return nil
		}
		if err != nil {
			return err
		}
		p.ImportPath = path.Join("svc", filepath.ToSlash(dir))
		all = append(all, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
