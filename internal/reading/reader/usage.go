package reader

import "context"

// Usage is what one answer used up. What a reader does not know it leaves
// zero, and nothing is measured of it.
type Usage struct {
	InputTokens  int64
	OutputTokens int64
	CostUSD      float64
	// AtMostUSD bounds the cost of an answer that did not come: nobody says
	// what it cost, or whether it did. Else 0.
	AtMostUSD float64
}

// Metered is an Reader that says what an answer used up, also of one that
// could not be used.
type Metered interface {
	Reader
	// ExtractMetered is Extract with the usage.
	ExtractMetered(ctx context.Context, s Source) (Record, Usage, error)
}

// Foreseen is an Reader that can say beforehand what an answer may use up.
type Foreseen interface {
	Reader
	// AtMost bounds what one call for a source uses up. It makes no call; of a
	// reader that costs nothing it is zero.
	AtMost(s Source) Usage
}
