package db

// CrashPoint is called at the steps between which a crash must lose and double nothing, with the
// step's name. It does nothing, except in the binary of the crash tests (cmd/crash_on.go), which
// kills itself there.
var CrashPoint = func(step string) {}
