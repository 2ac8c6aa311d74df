package decide

import (
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/inbound"
)

// Tests decide on grounds that they make by hand.
var (
	DecideGround = decideGround
	HoldGround   = holdGround
	StopGround   = stopGround
	SecondOf     = secondOf
)

// Mailed are whom our mails went to that a ground's wish answers or gives back.
func Mailed(g Ground) []Party { return (&builder{g: g}).mailed() }

// SnapshotOf is a ground as a snapshot.
func SnapshotOf(g Ground, ids digest.Key) (Snapshot, error) {
	w := known(g, ids)
	return Snapshot{Kept: w.answers}, w.err
}

// Ground is a kept ground, put together again.
func (k Kept) Ground(ids digest.Key, e inbound.Event, p tenant.Policy, f content.Facts, x *reader.Stored) (Ground, error) {
	w := k.walk(ids, e, p, f, x)
	return w.g, w.err
}

// Look is what Decide decides on.
func Look(in Input, seen Snapshot, ids digest.Key) (Ground, []Missing, error) {
	return on(in, seen, ids, func(g Ground, _ digest.Key) (Ground, error) { return g, nil })
}

// LikelyKey is the key by which a ground's phone and name are found.
func LikelyKey(g Ground, ids digest.Key) string { return (&builder{g: g, ids: ids}).likelyKey() }
