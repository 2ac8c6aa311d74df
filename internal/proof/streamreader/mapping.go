package streamreader

import (
	"errors"
	"fmt"
	"time"

	"onefold/internal/schema"
)

// Position is where a mapping starts.
type Position string

// The starting positions of a DynamoDB stream.
const (
	TrimHorizon Position = "TRIM_HORIZON"
	Latest      Position = "LATEST"
)

// Forever stands for AWS's -1 in Retries and MaxAge.
const Forever = -1

// Mapping holds the settings of an event source mapping.
type Mapping struct {
	BatchSize             int           // 1 to 10,000
	MaximumBatchingWindow time.Duration // 0 to 300 s
	StartingPosition      Position
	FilterCriteria        []string // patterns; none lets everything through, at most five
	ReportBatchItemFailures,
	BisectBatchOnFunctionError bool
	MaximumRetryAttempts  int           // Forever, or 0 to 10,000
	MaximumRecordAge      time.Duration // Forever, or 60 s to 7 days
	ParallelizationFactor int           // 1 to 10
}

// Assume is what AWS does not document.
type Assume struct {
	// Backoff is the wait before the n-th next try of a batch; nil waits a
	// second.
	Backoff func(n int) time.Duration
	// PartialCounts: an answer that settled some records and named others uses
	// a retry of those others.
	PartialCounts bool
	// FirstNamedSplits: an answer that names the first record is split in two
	// like an error; otherwise the same batch comes again.
	FirstNamedSplits bool
}

// ErrInvalid marks settings or patterns that AWS, or this package, refuses.
var ErrInvalid = errors.New("streamreader: invalid")

// Of is one of our mappings.
func Of(m schema.StreamMapping) Mapping {
	return Mapping{
		BatchSize: m.BatchSize, MaximumBatchingWindow: m.Window, StartingPosition: TrimHorizon,
		FilterCriteria: []string{m.FilterPattern()}, ReportBatchItemFailures: true,
		BisectBatchOnFunctionError: m.Bisect, MaximumRetryAttempts: m.Retries, MaximumRecordAge: m.MaxAge,
		ParallelizationFactor: m.PerShard,
	}
}

// check refuses what CreateEventSourceMapping refuses (API reference and
// "Lambda parameters for Amazon DynamoDB event source mappings", read 2026-11).
func (m Mapping) check() error {
	switch {
	case m.BatchSize < 1 || m.BatchSize > 10_000:
		return fmt.Errorf("%w: batch size %d", ErrInvalid, m.BatchSize)
	case m.MaximumBatchingWindow < 0 || m.MaximumBatchingWindow > 300*time.Second:
		return fmt.Errorf("%w: batching window %v", ErrInvalid, m.MaximumBatchingWindow)
	case m.StartingPosition != TrimHorizon && m.StartingPosition != Latest:
		return fmt.Errorf("%w: starting position %q", ErrInvalid, string(m.StartingPosition))
	case m.MaximumRetryAttempts < Forever || m.MaximumRetryAttempts > 10_000:
		return fmt.Errorf("%w: %d retries", ErrInvalid, m.MaximumRetryAttempts)
	case m.MaximumRecordAge != Forever && (m.MaximumRecordAge < 60*time.Second || m.MaximumRecordAge > 604_800*time.Second):
		return fmt.Errorf("%w: record age %v", ErrInvalid, m.MaximumRecordAge)
	case m.ParallelizationFactor < 1 || m.ParallelizationFactor > 10:
		return fmt.Errorf("%w: parallelization factor %d", ErrInvalid, m.ParallelizationFactor)
	case len(m.FilterCriteria) > 5:
		return fmt.Errorf("%w: %d filters", ErrInvalid, len(m.FilterCriteria))
	}
	return nil
}

func (m Mapping) exhausted(retries int) bool {
	return m.MaximumRetryAttempts != Forever && retries >= m.MaximumRetryAttempts
}

func (m Mapping) tooOld(at, now time.Time) bool {
	return m.MaximumRecordAge != Forever && now.Sub(at) > m.MaximumRecordAge
}

func (a Assume) wait(n int) time.Duration {
	if a.Backoff == nil {
		return time.Second
	}
	return a.Backoff(n)
}
