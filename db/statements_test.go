package db_test

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc/db/dbtest"
)

// TestStatementsDeclarePrincipals asks SQLite which statements of the package write
// accounts, api_keys or old_key_secrets, the tables that cached principals are read from.
// Exactly those must be made by newPrincipalQuery.
func TestStatementsDeclarePrincipals(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	dbtest.OpenAt(t, path, dbtest.NewClock())
	raw := rawOpen(t, path)

	cached := map[int64]bool{} // by root page
	rows, err := raw.Query(`SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name IN ('accounts', 'api_keys', 'old_key_secrets')`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var page int64
		if err := rows.Scan(&page); err != nil {
			t.Fatal(err)
		}
		cached[page] = true
	}
	if err := rows.Err(); err != nil || len(cached) != 3 {
		t.Fatalf("tables at %v: %v", cached, err)
	}

	declared, writes := declaredStatements(t), 0
	for _, d := range declared {
		text := d.text
		program, err := raw.Query("EXPLAIN "+text, make([]any, 20)...)
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			continue
		}
		changes := false
		for program.Next() {
			var addr, p1, p2, p3, p5 int64
			var opcode string
			var p4, comment any
			if err := program.Scan(&addr, &opcode, &p1, &p2, &p3, &p4, &p5, &comment); err != nil {
				t.Fatal(err)
			}
			changes = changes || opcode == "OpenWrite" && cached[p2] || opcode == "Clear" && cached[p1]
		}
		if err := program.Err(); err != nil {
			t.Error(err)
		}
		if changes {
			writes++
		}
		if (d.constructor == "newPrincipalQuery") != changes {
			t.Errorf("made by %s, writes what principals are read from: %v\n%s", d.constructor, changes, text)
		}
	}
	if len(declared) < 50 || writes < 5 {
		t.Errorf("only %d statements found, %d of them write what principals are read from", len(declared), writes)
	}
}

// declaredStatement is one call of newQuery or newPrincipalQuery with its argument.
type declaredStatement struct{ constructor, text string }

// declaredStatements finds every statement that the package's source makes.
func declaredStatements(t *testing.T) (all []declaredStatement) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	names, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}

	// The texts are constants, so that unknown types of imported packages do no harm.
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: noImports{}, Error: func(error) {}}
	_, _ = config.Check("db", fset, files, &info)

	for _, file := range files {
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, ok := call.Fun.(*ast.Ident); ok && (name.Name == "newQuery" || name.Name == "newPrincipalQuery") {
				value := info.Types[call.Args[0]].Value
				if value == nil {
					t.Fatalf("%v: not a constant", fset.Position(call.Pos()))
				}
				all = append(all, declaredStatement{name.Name, constant.StringVal(value)})
			}
			return true
		})
	}
	return all
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }

// TestIsolationNamesMethods checks that isolation.md names no method of Tx that does not
// exist.
func TestIsolationNamesMethods(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("isolation.md")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(text)
	}
	methods := regexp.MustCompile("`Tx\\.(\\w+)`").FindAllStringSubmatch(string(list), -1)
	if len(methods) < 30 {
		t.Errorf("only %d methods are named", len(methods))
	}
	for _, m := range methods {
		if !strings.Contains(source.String(), "func (tx *Tx) "+m[1]+"(") {
			t.Errorf("isolation.md names Tx.%s, which does not exist", m[1])
		}
	}
}
