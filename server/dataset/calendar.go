package dataset

import "strings"

// months maps the names of the months and their usual short forms to 1 to 12: English,
// German, French, Spanish, Portuguese and Italian, in lower case.
var months = numbered(`jan january januar jänner janvier janv enero ene janeiro gennaio gen
feb february februar février fevrier févr fevr fév febrero fevereiro fev febbraio
mar march märz maerz mrz mär mars marzo março marco
apr april avril avr abril abr aprile
may mai mayo maio maggio mag
jun june juni juin junio junho giugno giu
jul july juli juillet juil julio julho luglio lug
aug august août aout agosto ago
sep sept september septembre septiembre setembro set settembre
oct october oktober okt octobre octubre outubro out ottobre ott
nov november novembre noviembre novembro
dec december dezember dez décembre decembre déc diciembre dic dezembro dicembre`)

// weekdays are the names that may come before a date.
var weekdays = wordSet(`mon monday tue tues tuesday wed wednesday thu thur thurs thursday fri friday sat saturday sun sunday
	mo montag di dienstag mi mittwoch do donnerstag fr freitag sa samstag so sonntag
	lun lundi mardi mer mercredi jeu jeudi ven vendredi sam samedi dim dimanche
	lunes mié mie miércoles miercoles jue jueves vie viernes sáb sab sábado sabado dom domingo`)

// numbered maps the words of each line of a list to the line's number, from 1.
func numbered(list string) map[string]int {
	all := map[string]int{}
	for i, line := range strings.Split(list, "\n") {
		for name := range strings.FieldsSeq(line) {
			all[name] = i + 1
		}
	}
	return all
}

// truths are the words of columns of yes and no.
var truths = map[string]bool{
	"yes": true, "y": true, "true": true, "t": true, "ja": true, "wahr": true, "oui": true, "vrai": true, "sí": true, "si": true,
	"verdadero": true, "sim": true, "verdadeiro": true, "vero": true, "on": true,
	"no": false, "n": false, "false": false, "f": false, "nein": false, "falsch": false, "non": false, "faux": false,
	"falso": false, "não": false, "nao": false, "off": false,
}

// dayWords are in the headings of days, under which a number of eight digits is a day.
var dayWords = wordSet("date day datum tag fecha data jour dia")
