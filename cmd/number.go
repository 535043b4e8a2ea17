package cmd

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// endsInNumber annotates a command whose last argument may be a number below zero.
const endsInNumber = "ends in a number"

var belowZero = regexp.MustCompile(`^-[0-9.,]+$`)

// numberLast returns the arguments of such a command with the number behind "--", or the
// flag parser would take -3 for a flag. The arguments of other commands are returned as
// they are.
func numberLast(root *cobra.Command, args []string) []string {
	c, _, err := root.Find(args)
	if err != nil || c.Annotations[endsInNumber] == "" || slices.Contains(args, "--") {
		return args
	}
	for i, arg := range args {
		if belowZero.MatchString(arg) && !takesValue(c, args[i-1]) {
			return append(slices.Delete(slices.Clone(args), i, i+1), "--", arg)
		}
	}
	return args
}

// wholeNumber parses an argument.
func wholeNumber(name, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, usageError{fmt.Errorf("%s must be a whole number, not %q", name, text)}
	}
	return n, nil
}

// takesValue reports whether an argument is a flag whose value is the next argument.
func takesValue(c *cobra.Command, arg string) bool {
	name, isFlag := strings.CutPrefix(arg, "--")
	if !isFlag {
		return false
	}
	f := c.Flag(name) // none if it has its value with =
	return f != nil && f.NoOptDefVal == ""
}
