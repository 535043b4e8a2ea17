package barcode

import (
	"math"
	"testing"
)

// edgesOf returns the ideal edges of an EAN-13, and the same edges after move.
func edgesOf(t *testing.T, text string, move func(i int, x float64) float64) (ideal, edges []float32) {
	t.Helper()
	l := newLinearReader(nil, nil)
	ideal = l.idealEdges(&l.layouts[0], text)
	if len(ideal) != 60 {
		t.Fatalf("got %d edges, want 60", len(ideal))
	}
	for i, x := range ideal {
		edges = append(edges, float32(move(i, float64(x-ideal[0]))))
	}
	return ideal, edges
}

func TestFit(t *testing.T) {
	const text = "4006381333931"
	for name, move := range map[string]func(i int, x float64) float64{
		"Same":      func(_ int, x float64) float64 { return x },
		"Elsewhere": func(_ int, x float64) float64 { return 500 + 2.7*x },
		"Slanting":  func(_ int, x float64) float64 { return 3*x + x*x/200 },
		"OnACan":    func(_ int, x float64) float64 { return 100 * math.Sin((x-47.5)/60) },
		"Spread":    func(i int, x float64) float64 { return 3*x + 0.9*float64(2*(i&1)-1) },
	} {
		t.Run(name, func(t *testing.T) {
			if got := fit(edgesOf(t, text, move)); got > 0.05 {
				t.Errorf("misfit %v", got)
			}
		})
	}
	t.Run("Jitter", func(t *testing.T) {
		ideal, edges := edgesOf(t, text, func(i int, x float64) float64 { return 3*x + 0.6*math.Sin(float64(i*i)) })
		// A sine of 0.6 px has a root mean square of 0.42 px: 0.14 modules.
		if got := fit(ideal, edges); math.Abs(float64(got)-0.14) > 0.03 {
			t.Errorf("misfit %v", got)
		}
	})
	t.Run("AnotherNumber", func(t *testing.T) {
		_, edges := edgesOf(t, text, func(_ int, x float64) float64 { return 3 * x })
		// One digit and the check digit differ.
		ideal, _ := edgesOf(t, "4006381533935", func(_ int, x float64) float64 { return x })
		if got := fit(ideal, edges); got < tightMisfit {
			t.Errorf("misfit %v", got)
		}
	})
	t.Run("NotACode", func(t *testing.T) {
		l := newLinearReader(nil, nil)
		if got := fit(l.idealEdges(&l.layouts[0], "4006381333930"), make([]float32, 60)); got < maxMisfit {
			t.Errorf("misfit %v", got)
		}
	})
}
