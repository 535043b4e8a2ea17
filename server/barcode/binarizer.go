package barcode

import "slices"

// A binarizer finds the edges of the bars along a line. Edges are positions in
// pixels, with fractions: first from light to dark, then from dark to light, and so
// on. A line that begins dark has its first edge where it is dark again.
type binarizer int

// The three have different weaknesses, so their agreement is evidence.
const (
	// histogram splits the whole line at one brightness, as ZXing does. It is the
	// most sensitive to fine bars, and fails where a shadow crosses the code.
	histogram binarizer = iota
	// local splits at the mean of the darkest and the lightest pixel nearby.
	local
	// slope splits where the brightness changes fastest. It works under reflections
	// and is the most sensitive to noise.
	slope
	binarizers
)

// edgeFinder finds edges. It reuses its buffers from line to line.
type edgeFinder struct {
	level      []float32 // the signal: the line sharpened or negated, or its slope
	split      []float32 // the threshold for each pixel, or the size of the slope
	low, high  []float32 // the extremes nearby; low is negated
	begin, end []float32 // the buffers of highest
}

// edges appends the edges of the line v to out.
func (g *edgeFinder) edges(by binarizer, v, out []float32) []float32 {
	if len(v) < minLine {
		return out
	}
	g.level, g.split = resize(g.level, len(v)), resize(g.split, len(v))
	g.low, g.high = resize(g.low, len(v)), resize(g.high, len(v))
	switch by {
	case histogram:
		return g.histogram(v, out)
	case local:
		return g.local(v, out)
	}
	return g.slope(v, out)
}

// resize returns a slice of n numbers, in the memory of v if they fit in.
func resize(v []float32, n int) []float32 { return slices.Grow(v[:0], n)[:n] }

func (g *edgeFinder) histogram(v, out []float32) []float32 {
	var buckets [32]int
	for _, x := range v {
		buckets[min(int(x)/8, 31)]++
	}
	bucket, ok := valley(buckets[:])
	if !ok {
		return out
	}
	last := len(v) - 1
	g.level[0], g.level[last] = v[0], v[last]
	for i := 1; i < last; i++ {
		g.level[i] = 2*v[i] - (v[i-1]+v[i+1])/2
	}
	for i := range g.split {
		g.split[i] = float32(bucket * 8)
	}
	return crossings(g.level, g.split, out)
}

// valley returns the bucket that separates the two peaks of a histogram, as in
// ZXing's GlobalHistogramBinarizer, or false if the peaks are too close.
func valley(buckets []int) (bucket int, ok bool) {
	first, most := 0, 0
	for i, n := range buckets {
		if n > most {
			first, most = i, n
		}
	}
	second, score := 0, 0
	for i, n := range buckets {
		if s := n * (i - first) * (i - first); s > score {
			second, score = i, s
		}
	}
	first, second = min(first, second), max(first, second)
	if second-first <= len(buckets)/16 {
		return 0, false
	}
	bucket, score = second-1, -1
	for i := second - 1; i > first; i-- {
		if s := (i - first) * (i - first) * (second - i) * (most - buckets[i]); s > score {
			bucket, score = i, s
		}
	}
	return bucket, true
}

const (
	// localReach is how far, in pixels, local looks to either side: two of the
	// widest bars of a code whose modules are 1 to 4 pixels wide. Codes with wider
	// modules are read in a smaller size of the picture.
	localReach = 16
	// slopeReach is the same for slope.
	slopeReach = 24
	// minContrast is the least difference between light and dark.
	minContrast = 12
	// minSlope is the least difference between two pixels at a distance of two.
	minSlope = 6
)

func (g *edgeFinder) local(v, out []float32) []float32 {
	for i, x := range v {
		g.level[i] = -x
	}
	g.highest(g.level, g.low, localReach)
	g.highest(v, g.high, localReach)
	var most float32
	for i, x := range g.high {
		most = max(most, x+g.low[i])
	}
	floor := max(minContrast, most/4)
	for i, x := range g.high {
		g.split[i] = (x - g.low[i]) / 2
		if x+g.low[i] < floor {
			g.split[i] = 0 // flat, so light
		}
	}
	return crossings(v, g.split, out)
}

// crossings appends the positions where v crosses split, first downward.
func crossings(v, split, out []float32) []float32 {
	i := 0
	for i < len(v) && v[i] < split[i] {
		i++
	}
	dark := false
	for ; i < len(v); i++ {
		if (v[i] < split[i]) == dark {
			continue
		}
		dark = !dark
		before, after := v[i-1]-split[i-1], v[i]-split[i]
		part := float32(0.5)
		if before != after {
			part = min(max(before/(before-after), 0), 1)
		}
		out = append(out, float32(i-1)+part)
	}
	return out
}

func (g *edgeFinder) slope(v, out []float32) []float32 {
	steep, size := g.level, g.split
	last := len(v) - 1
	steep[0], steep[last], size[0], size[last] = 0, 0, 0, 0
	var most float32
	for i := 1; i < last; i++ {
		steep[i] = v[i+1] - v[i-1]
		size[i] = max(steep[i], -steep[i])
		most = max(most, size[i])
	}
	g.highest(size, g.high, slopeReach)
	floor := max(minSlope, most/8)

	var at, height float32 // the steepest point since the slope last changed its sign
	var rising, any bool
	for i := 1; i < last; i++ {
		s := size[i]
		if s < floor || s < g.high[i]/4 || s < size[i-1] || s < size[i+1] {
			continue
		}
		up := steep[i] > 0
		if any && up == rising && s <= height {
			continue
		}
		if any && up != rising && (len(out) > 0 || !rising) {
			out = append(out, at)
		}
		any, rising, at, height = true, up, peak(size, i), s
	}
	if any && (len(out) > 0 || !rising) {
		out = append(out, at)
	}
	return out
}

// peak returns the position of the top of the parabola through v[i] and its neighbours.
func peak(v []float32, i int) float32 {
	if bend := v[i-1] - 2*v[i] + v[i+1]; bend < 0 {
		return float32(i) + (v[i-1]-v[i+1])/(2*bend)
	}
	return float32(i)
}

// highest sets out[i] to the maximum of v within reach of i (van Herk's algorithm). It
// cuts v into blocks as wide as the window, so that a window touches at most two
// blocks: the end of one and the beginning of the next.
func (g *edgeFinder) highest(v, out []float32, reach int) {
	g.begin, g.end = resize(g.begin, len(v)), resize(g.end, len(v))
	width, last := 2*reach+1, len(v)-1
	for from := 0; from <= last; from += width {
		to := min(from+width, len(v)) - 1
		most := v[from]
		for i := from; i <= to; i++ {
			if v[i] > most {
				most = v[i]
			}
			g.begin[i] = most
		}
		most = v[to]
		for i := to; i >= from; i-- {
			if v[i] > most {
				most = v[i]
			}
			g.end[i] = most
		}
	}
	for i := range out {
		from, to := i-reach, min(i+reach, last)
		switch {
		case from <= 0:
			out[i] = g.begin[to]
		case from/width == to/width:
			out[i] = g.end[from]
		default:
			out[i] = max(g.end[from], g.begin[to])
		}
	}
}
