package match

import "math"

// dimension is what a size measures.
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
	pieces                      // of a pack
	dimensions
)

var dimensionNames = [dimensions]string{
	"weight", "volume", "length", "power", "storage", "charge", "frequency", "voltage", "resolution", "percentage", "pack",
}

// size is a quantity in the base unit of its dimension.
type size struct {
	value float64
	dim   dimension
	ounce bool // oz, which of a liquid means fl oz
}

type unit struct {
	dim   dimension
	scale float64 // base units
	ounce bool
}

const (
	ounceGrams  = 28.349523125
	fluidMillis = 29.5735295625
	tolerance   = 0.02 // within which sizes agree
)

// units are looked up by their folded spellings.
var units = map[string]unit{}

func init() {
	define := func(dim dimension, scale float64, spellings string) {
		for w := range words(spellings) {
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
	define(frequency, 0.001, "khz")
	define(frequency, 1, "mhz")
	define(frequency, 1000, "ghz")
	define(voltage, 1, "v volt volts")
	define(resolution, 1, "mp megapixel megapixels")
	define(percentage, 1, "% percent")
	define(pieces, 1, "pk pks pack packs ct cnt count pc pcs piece pieces stk stuck er")
	define(pieces, 1, "cans bottles rolls tablets capsules sachets dosen flaschen rollen tabletten kapseln")
	define(pieces, 12, "dozen dz doz")
	for w := range words("oz ozs ounce ounces") {
		units[w] = unit{dim: mass, scale: ounceGrams, ounce: true}
	}
}

// accord is what the sizes of two names say about each other.
type accord struct {
	agree     int // dimensions that both give, and alike
	onlyLeft  int // dimensions that the left one gives
	onlyRight int
	conflict  bool
	dim       dimension // one in which they conflict
}

// accordOf says whether the sizes agree. What one name leaves out says nothing, save
// that a pack is not the piece that the other name weighs or pours: neither a case of
// 24 nor 24 x 330 ml is 330 ml, and 4 x 250 ml is no litre.
func accordOf(a, b []size) accord {
	var ac accord
	if len(a) == 0 && len(b) == 0 {
		return ac
	}
	a, b = liquid(a, b), liquid(b, a)
	for d := range dimensions {
		switch inA, inB := has(a, d), has(b, d); {
		case !inA && !inB:
		case inA && inB && (within(a, b, d) || within(b, a, d)):
			ac.agree++
		case inA && inB, d == pieces && inA && isMeasured(b), d == pieces && inB && isMeasured(a):
			ac.conflict, ac.dim = true, d
		case inA:
			ac.onlyLeft++
		default:
			ac.onlyRight++
		}
	}
	return ac
}

// isMeasured says that a name gives a weight or a volume.
func isMeasured(sizes []size) bool { return has(sizes, mass) || has(sizes, volume) }

// near says that two quantities are the same within the tolerance.
func near(a, b float64) bool { return math.Abs(a-b) <= tolerance*max(a, b) }

// liquid reads the ounces of a as fluid ones where b is given by volume.
func liquid(a, b []size) []size {
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
	for _, s := range sizes {
		if s.dim == d {
			return true
		}
	}
	return false
}

// within says that each of a's quantities of the dimension is one of b's.
func within(a, b []size, d dimension) bool {
next:
	for _, s := range a {
		if s.dim != d {
			continue
		}
		for _, other := range b {
			if other.dim == d && near(s.value, other.value) {
				continue next
			}
		}
		return false
	}
	return true
}
