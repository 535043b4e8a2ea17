package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layer is a package, or all packages under a path that ends with a slash.
type layer struct {
	path string
	rank int // 0 is the top; an import must lead to a higher rank
}

// layers are the layers of the program. The first one that fits a package is its layer.
var layers = []layer{
	{"svc", 0},
	{"svc/cmd", 1},
	{"svc/server/servertest", 1},
	{"svc/server", 2},
	{"svc/server/", 3},
	{"svc/db/dbtest", 4},
	{"svc/db", 5},
	{"svc/db/engine", 6},
	{"svc/db/event", 6},
	{"svc/embed", 6},
}

// shared are the packages under server that any capability may import. They import no
// capability.
var shared = []string{
	"svc/server/web", "svc/server/fault", "svc/server/emailaddr", "svc/server/views", "svc/server/gate", "svc/server/sheet", "svc/server/job",
	"svc/server/stripe", "svc/server/llm", "svc/server/mail", "svc/server/carrier", "svc/server/neterr",
	"svc/server/throttle", "svc/server/money", "svc/server/redact", "svc/server/session", "svc/server/checkout",
	"svc/server/schema", "svc/server/english", "svc/server/unit", "svc/server/fairqueue", "svc/server/gtin", "svc/server/header", "svc/server/barcode", "svc/server/photo", "svc/server/match",
	"svc/server/editdistance", "svc/server/zone", "svc/server/openapi", "svc/server/outbound", "svc/server/seal", "svc/server/totp", "svc/server/certificate",
	"svc/server/metrics", "svc/server/ask/plan", "svc/server/ask/compute",
}

// forbidden are the imports that a layer must not have.
var forbidden = map[string][]string{
	"svc/cmd":       {"database/sql", "modernc.org/sqlite", "svc/server/web"},
	"svc/db":        {"net/http", "html/template", "modernc.org/sqlite"},
	"svc/db/engine": {"net/http", "html/template"},
	"svc/embed":     {"database/sql", "net/http"},
}

// layerOf returns the layer of a package.
func layerOf(pkg string) (l layer, ok bool) {
	for _, l := range layers {
		if pkg == l.path || strings.HasSuffix(l.path, "/") && strings.HasPrefix(pkg, l.path) {
			return l, true
		}
	}
	return layer{}, false
}

func TestImportsPointOneWay(t *testing.T) {
	packages := listPackages(t)
	if len(packages) < 10 {
		t.Fatalf("only %d packages were found", len(packages))
	}
	for _, path := range shared {
		if !slices.ContainsFunc(packages, func(p *build.Package) bool { return p.ImportPath == path }) {
			t.Errorf("%s does not exist", path)
		}
	}
	for _, p := range packages {
		from, ok := layerOf(p.ImportPath)
		if !ok {
			t.Errorf("%s is in no layer", p.ImportPath)
		}
		for _, to := range p.Imports {
			if slices.Contains(forbidden[from.path], to) {
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
	importer, _ := layerOf(from)
	imported, _ := layerOf(to)
	beside := importer.path == "svc/server/" && imported == importer &&
		(slices.Contains(shared, to) || capability(from) == capability(to))
	if imported.rank <= importer.rank && !beside {
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

// capability returns the folder below server that has a package. A large capability has
// several packages.
func capability(pkg string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(pkg, "svc/server/"), "/")
	return name
}

// listPackages returns all packages of the project. It reads the folders itself, because
// the cache of test results does not know what another program, such as go list, reads.
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

// TestOtherSystems checks that the program compiles for systems that tests do not run on. It
// only checks types: to make the code of all dependencies for each system takes ten times as
// long, and finds nothing more.
func TestOtherSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("left out of -short: it checks the types of all dependencies, three times")
	}
	for _, target := range []string{"linux/arm64", "darwin/arm64", "windows/amd64"} {
		t.Run(target, func(t *testing.T) {
			system, arch, _ := strings.Cut(target, "/")
			checked := typeChecked{"unsafe": types.Unsafe}
			listed := listDependencies(t, "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
			for {
				var p dependency
				if err := listed.Decode(&p); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if err := checked.add(p, types.SizesFor("gc", arch)); err != nil {
					t.Fatal(err)
				}
			}
			if checked["svc"] == nil {
				t.Error("go list did not name the program")
			}
		})
	}
}

// dependency is a package as go list describes it.
type dependency struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string // paths in the source to packages, where they differ
}

// listDependencies lists the program and all packages that it needs, each after those that
// it imports.
func listDependencies(t *testing.T, env ...string) *json.Decoder {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap", ".")
	list.Env = append(os.Environ(), env...)
	list.Stderr = t.Output()
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return json.NewDecoder(strings.NewReader(string(out)))
}

// typeChecked are the packages that passed the type checker, by path.
type typeChecked map[string]*types.Package

// add checks a package, which imports only packages that were added before. Of packages of
// others it leaves the bodies of functions out.
func (all typeChecked) add(p dependency, sizes types.Sizes) error {
	if p.ImportPath == "unsafe" {
		return nil
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		parsed = append(parsed, f)
	}
	config := types.Config{
		Importer:         importFunc(func(path string) (*types.Package, error) { return all.find(p, path) }),
		IgnoreFuncBodies: p.ImportPath != "svc" && !strings.HasPrefix(p.ImportPath, "svc/"),
		Sizes:            sizes,
	}
	checked, err := config.Check(p.ImportPath, files, parsed, nil)
	all[p.ImportPath] = checked
	return err
}

// find returns what a path in the source of a package imports.
func (all typeChecked) find(p dependency, path string) (*types.Package, error) {
	if mapped, ok := p.ImportMap[path]; ok {
		path = mapped
	}
	if found := all[path]; found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("go list did not name %s before %s", path, p.ImportPath)
}

type importFunc func(path string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }
