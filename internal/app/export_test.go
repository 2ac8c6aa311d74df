package app

import (
	"context"
	"maps"
	"slices"

	"onefold/internal/lambdaio"
	"onefold/internal/schema"
)

// assemblies are the functions by their names.
var assemblies = map[schema.Function]assembly{
	schema.Ingest: assembleIngest, schema.Extract: assembleExtract, schema.CRMSync: assembleCRMSync, schema.Send: assembleSend,
	schema.Feedback: assembleFeedback, schema.Sweep: assembleSweep, schema.Console: assembleConsole, schema.Optout: assembleOptout,
}

// Assemble makes a function of a host.
func Assemble(ctx context.Context, f schema.Function, h Host) (*lambdaio.Function, error) {
	return start(ctx, f, assemblies[f], h)
}

// VariablesRead are the variables that a function's assembly makes use of.
func VariablesRead(ctx context.Context, f schema.Function, h Host) ([]string, error) {
	v, err := readVariables(f, h.Variable)
	if err != nil {
		return nil, err
	}
	runs, _ := schema.RunsOf(f)
	_, err = assemblies[f](ctx, newBuilder(runs, h, v))
	return slices.Sorted(maps.Keys(v.read)), err
}

// PathStyle tells whether buckets are a part of the path.
func PathStyle(h Host) bool { return (&builder{host: h}).buckets("").Options().UsePathStyle }
