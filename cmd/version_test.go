package cmd_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"svc/embed"
)

// TestLicensesAreComplete compares the embedded list with the modules that the binary links.
func TestLicensesAreComplete(t *testing.T) {
	var linked []string
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "svc")
		list.Env = append(os.Environ(), "GOOS="+system)
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		linked = append(linked, strings.Fields(string(out))...)
	}
	slices.Sort(linked)
	linked = slices.Compact(linked)

	var listed []string
	for line := range strings.Lines(embed.Licenses) {
		module, license, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if license == "" {
			t.Errorf("%s has no licence", module)
		}
		listed = append(listed, module)
	}
	if !slices.Equal(linked, listed) {
		t.Errorf("embed/licenses.tsv lists\n%s\nbut the binary links\n%s", strings.Join(listed, "\n"), strings.Join(linked, "\n"))
	}
}
