package views

import (
	"strings"
	"time"
)

func twoFactor(zone *time.Location) []sample {
	frame := Frame{Title: "Two-factor sign-in", Section: "settings", Account: badge}
	off := TwoFactor{Frame: frame, Email: "owner@corner.example", Ticket: "tfa_1.proof", Zone: zone}
	on := off
	on.On, on.Since, on.Left = true, morning, 7
	setup := off
	setup.Setup = &TwoFactorSetup{
		Ticket: "tfa_1.proof", Secret: "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ", Address: "otpauth://totp/svc:owner@corner.example?issuer=svc&secret=GEZDGNBV",
		Path: "M0 0h7v1h-7zM0 1h1v1h-1z", Box: "-4 -4 29 29",
	}
	unconfirmed, wrongPassword, wrongOff, wrongCodes := setup, off, on, on
	unconfirmed.Frame, unconfirmed.Form, unconfirmed.Field = wrongly(frame, "The code is not the one that the app shows for this secret."), "confirm", "code"
	wrongPassword.Frame, wrongPassword.Form, wrongPassword.Field = wrongly(frame, "The current password is not your password."), "begin", "current"
	wrongOff.Frame, wrongOff.Form, wrongOff.Field = wrongly(frame, "The code was used already."), "off", "code"
	wrongCodes.Frame, wrongCodes.Form, wrongCodes.Field = wrongly(frame, "The code is wrong."), "codes", "code"
	codes, last, undrawn := on, on, setup
	codes.Codes = []string{"2k7m-x9qd-vv41-h0rt", "8s2e-11nn-mwq0-zzxa"}
	last.Left = 0
	undrawn.Setup = &TwoFactorSetup{Ticket: "tfa_1.proof", Secret: strings.Repeat("GEZD ", 8), Address: "otpauth://totp/x"}
	entry := Frame{Title: "Enter your code", CSRFToken: "proof"}
	return []sample{
		{"two-factor-off", off}, {"two-factor-on", on}, {"two-factor-last", last}, {"two-factor-setup", setup}, {"two-factor-undrawn", undrawn},
		{"two-factor-unconfirmed", unconfirmed}, {"two-factor-wrong-password", wrongPassword}, {"two-factor-wrong-off", wrongOff},
		{"two-factor-wrong-codes", wrongCodes}, {"two-factor-codes", codes},
		{"signin-code", SignInCode{Frame: entry, Email: "owner@corner.example", Next: "/console/wallet"}},
		{"signin-code-wrong", SignInCode{Frame: wrongly(entry, "The code is wrong."), Email: "owner@corner.example", Field: "code"}},
		{"signin-code-recovery", SignInCode{Frame: withoutMail(wrongly(entry, "The code is wrong.")), Email: "owner@corner.example", Recovery: true, Field: "code"}},
		{"signin-code-wait", SignInCode{Frame: wrongly(entry, "Too many wrong codes."), Email: "owner@corner.example"}},
	}
}
