package eval

import (
	"fmt"
	"math"
)

// Ratio is a share with its Wilson score interval at 95 %, which stays inside
// 0 to 1 and does not collapse where the share is 0 or 1 (E. B. Wilson,
// "Probable Inference, the Law of Succession, and Statistical Inference", 1927).
// Of nothing the share is unknown: Of is 0 and the interval the whole range.
type Ratio struct {
	Hits  int     `json:"hits"`
	Of    int     `json:"of"`
	Share float64 `json:"share"` // rounded to six places, as the limits are
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// z95 is the normal quantile of 0.975.
const z95 = 1.959963984540054

// RatioOf makes a Ratio of hits among of.
func RatioOf(hits, of int) Ratio {
	if of == 0 {
		return Ratio{High: 1}
	}
	n, p := float64(of), float64(hits)/float64(of)
	middle := (p + z95*z95/(2*n)) / (1 + z95*z95/n)
	half := z95 / (1 + z95*z95/n) * math.Sqrt(p*(1-p)/n+z95*z95/(4*n*n))
	return Ratio{Hits: hits, Of: of, Share: round6(p), Low: round6(max(0, middle-half)), High: round6(min(1, middle+half))}
}

func round6(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// String is as a report has it: "95.0 % (38/40, 83.5–98.6)".
func (r Ratio) String() string {
	if r.Of == 0 {
		return "- (0/0)"
	}
	return fmt.Sprintf("%.1f %% (%d/%d, %.1f–%.1f)", 100*r.Share, r.Hits, r.Of, 100*r.Low, 100*r.High)
}
