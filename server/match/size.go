package match

import (
	"math"
	"slices"
	"strings"
)

// dimension is the physical dimension of a size.
type dimension uint8

// The dimensions with their base units.
const (
	mass       dimension = iota // g
	volume                      // ml
	length                      // mm
	power                       // W
	storage                     // MB
	charge                      // mAh
	frequency                   // MHz
	voltage                     // V
	resolution                  // megapixels
	percentage                  // %
	pieces                      // in a pack
	dimensions
)

var dimensionNames = [dimensions]string{
	"weight", "volume", "length", "power", "storage", "charge", "frequency", "voltage", "resolution", "percentage", "pack",
}

// size is a quantity in the base unit of its dimension.
type size struct {
	value float64
	dim   dimension
	ounce bool // given in oz, which means fl oz for liquids
}

type unit struct {
	dim   dimension
	scale float64 // in base units
	ounce bool
}

const (
	ounceGrams  = 28.349523125
	fluidMillis = 29.5735295625
	tolerance   = 0.02 // relative difference of sizes that agree
)

// units maps folded spellings to units.
var units = map[string]unit{}

func init() {
	define := func(dim dimension, scale float64, spellings string) {
		for w := range strings.FieldsSeq(spellings) {
			units[w] = unit{dim: dim, scale: scale}
		}
	}
	define(mass, 0.001, "mg milligram milligrams")
	define(mass, 1, "g gr gm gms gram grams gramm gramme grammes gramo gramos г гр 克")
	define(mass, 1000, "kg kgs kilo kilos kilogram kilograms кг 公斤 千克")
	define(mass, 453.59237, "lb lbs pound pounds")
	define(volume, 1, "ml mls millilitre millilitres milliliter milliliters мл 毫升")
	define(volume, 10, "cl centilitre centilitres centiliter centiliters")
	define(volume, 100, "dl")
	define(volume, 1000, "l lt ltr ltrs litre litres liter liters litro litros л 升")
	define(volume, fluidMillis, "floz")
	define(volume, 473.176473, "pt pint pints")
	define(volume, 946.352946, "qt quart quarts")
	define(volume, 3785.411784, "gal gallon gallons")
	define(length, 1, "mm millimeter millimeters millimetre millimetres")
	define(length, 10, "cm cms centimeter centimeters centimetre centimetres")
	define(length, 1000, "m mtr meter meters metre metres")
	define(length, 25.4, `in inch inches "`)
	define(length, 304.8, "ft foot feet")
	define(length, 914.4, "yd yds yard yards")
	define(power, 1, "w watt watts")
	define(power, 1000, "kw kilowatt kilowatts")
	define(storage, 0.001, "kb")
	define(storage, 1, "mb")
	define(storage, 1000, "gb gig gigabyte gigabytes")
	define(storage, 1e6, "tb terabyte terabytes")
	define(charge, 1, "mah")
	define(charge, 1000, "ah")
	define(frequency, 1e-6, "hz")
	define(frequency, 0.001, "khz")
	define(frequency, 1, "mhz")
	define(frequency, 1000, "ghz")
	define(voltage, 1, "v volt volts")
	define(resolution, 1, "mp megapixel megapixels")
	define(percentage, 1, "% percent")
	define(pieces, 1, "pk pks pack packs ct cnt count pc pcs piece pieces stk stuck er")
	define(pieces, 1, "cou coun pac") // count and pack where a till cut the name off
	define(pieces, 1, "cans bottles rolls tablets capsules sachets dosen flaschen rollen tabletten kapseln")
	define(pieces, 12, "dozen dz doz")
	for w := range strings.FieldsSeq("oz ozs ounce ounces oun ounc") {
		units[w] = unit{dim: mass, scale: ounceGrams, ounce: true}
	}
}

// sizeComparison is the result of comparing the sizes of two names.
type sizeComparison struct {
	agree     int // dimensions in which the sizes agree
	onlyLeft  int // dimensions that only the left name has
	onlyRight int // dimensions that only the right name has
	conflict  bool
	dim       dimension // one in which the sizes conflict
}

// compareSizes compares the sizes of two names. A dimension that only one name has is
// no conflict, except the number of pieces if the other name has a mass or a volume:
// neither a case of 24 nor 24 x 330 ml is 330 ml, and 4 x 250 ml is not a litre.
func compareSizes(a, b []size) (out sizeComparison) {
	if len(a) == 0 && len(b) == 0 {
		return out
	}
	a, b = withFluidOunces(a, b), withFluidOunces(b, a)
	for d := range dimensions {
		switch inA, inB := has(a, d), has(b, d); {
		case !inA && !inB:
		case inA && inB && (within(a, b, d) || within(b, a, d)):
			out.agree++
		case inA && inB, d == pieces && inA && isMeasured(b), d == pieces && inB && isMeasured(a):
			out.conflict, out.dim = true, d
		case inA:
			out.onlyLeft++
		default:
			out.onlyRight++
		}
	}
	return out
}

// isMeasured reports whether sizes include a mass or a volume.
func isMeasured(sizes []size) bool { return has(sizes, mass) || has(sizes, volume) }

// near reports whether two quantities are equal within the tolerance.
func near(a, b float64) bool { return math.Abs(a-b) <= tolerance*max(a, b) }

// withFluidOunces returns a with its ounces as fluid ounces if b is a volume.
func withFluidOunces(a, b []size) []size {
	if has(a, volume) || has(b, mass) || !has(b, volume) || !has(a, mass) {
		return a
	}
	out := make([]size, len(a))
	for i, s := range a {
		if s.ounce {
			s = size{value: s.value / ounceGrams * fluidMillis, dim: volume}
		}
		out[i] = s
	}
	return out
}

func has(sizes []size, d dimension) bool {
	return slices.ContainsFunc(sizes, func(s size) bool { return s.dim == d })
}

// hasNear reports whether one of the sizes is nearly s.
func hasNear(sizes []size, s size) bool {
	return slices.ContainsFunc(sizes, func(other size) bool { return other.dim == s.dim && near(other.value, s.value) })
}

// within reports whether b has each of a's quantities of a dimension.
func within(a, b []size, d dimension) bool {
	return !slices.ContainsFunc(a, func(s size) bool { return s.dim == d && !hasNear(b, s) })
}
