package crmsync

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"onefold/internal/crm"
	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/record/audit"
	"onefold/internal/record/claim"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

const (
	// ProbeFirst is when the account is read again after a fault that names no
	// time. The wait doubles with each read in vain.
	ProbeFirst = time.Minute
	probeLast  = 15 * time.Minute
	// LookForItself is how long what waits for a connection waits at most: should
	// nobody let it in, it looks for itself.
	LookForItself = 24 * time.Hour
	// LetIn is how many operations are let in at a time, letInEvery apart.
	LetIn      = 100
	letInEvery = time.Minute
	// lastLook is how long after a recovery what waits is still looked for: an
	// index shows a write after a while.
	lastLook = 5 * time.Minute
	// lookTime is the most that one read of the account may take.
	lookTime = 5 * time.Second
)

const reasonDown = "crm_connection_down"

func (s at) connectionKey(tenantID string) ledger.Key {
	return ledger.CRMConnection.Under(tenantID, "crm", s.CRM.Capabilities().Name)
}

// connection is nil where there was never a fault.
func (s at) connection(ctx context.Context, tenantID string) (*outbox.Connection, error) {
	c, err := ledger.Read[outbox.Connection](ctx, s.Store, s.connectionKey(tenantID))
	if err != nil {
		return nil, fmt.Errorf("read the crm connection of tenant %s: %w", tenantID, err)
	}
	return c, nil
}

// accountsFault tells whether a call failed by the account's fault: the adapter
// says so, or a read of the account fails too. A fault of one record counts
// against its operation.
func (s at) accountsFault(ctx context.Context, res crm.Result) bool {
	switch {
	case res.Account:
		return true
	case res.Reason != crm.ReasonAuth && res.Reason != crm.ReasonNoAnswer && res.Reason != crm.ReasonServerError && res.Reason != crm.ReasonLocked:
		return false
	}
	return s.look(ctx).Outcome != crm.Done
}

// look reads the account. Nothing is written, so a crash leaves nothing.
func (s at) look(ctx context.Context) crm.Result {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	return s.CRM.Look(ctx)
}

// disconnect marks the connection as down and makes the operation that probes
// it, in one commit, unless that has been done. A crash after it leaves the
// caller's claim, which lapses.
func (s at) disconnect(ctx context.Context, tenantID string, res crm.Result) error {
	conn, err := s.connection(ctx, tenantID)
	if err != nil || conn != nil && conn.State == outbox.Down {
		return err
	}
	now := s.now()
	wait := max(res.RetryAfter, ProbeFirst)
	if res.Outcome == crm.Unknown {
		wait = max(wait, s.CRM.Capabilities().InFlight)
	}
	at := now.Add(wait)
	var c ledger.Commit
	step := ledger.Step{
		Name: "connection", Key: s.connectionKey(tenantID), Machine: outbox.ConnectionMachine(), Event: outbox.Fail,
		Audit: audit.Record{At: now, By: "crmsync", Reasons: []string{res.Reason}},
	}
	next := int64(1)
	if conn == nil {
		err = c.Insert(step, outbox.Connection{
			Tenant: tenantID, CRM: s.CRM.Capabilities().Name, State: outbox.Down, Transition: 1, Reason: res.Reason, Since: now, ProbeAt: at,
		}, outbox.Down)
	} else {
		next = conn.Transition + 1
		step.From, step.Transition, step.If = conn.State, conn.Transition, ledger.AtVersion(conn.Version)
		step.Set = ledger.Item{machine.ReasonAttr: res.Reason, outbox.SinceAttr: now, outbox.ProbeAtAttr: at, outbox.ProbesAttr: 0}
		_, err = c.Move(step)
	}
	if err != nil {
		return err
	}
	if err := s.insertProbe(&c, tenantID, next, at); err != nil {
		return err
	}
	return s.commit(ctx, c, "mark the crm connection as down")
}

func (s at) insertProbe(c *ledger.Commit, tenantID string, opening int64, at utc.Time) error {
	probe := outbox.Operation{
		Tenant: tenantID, ID: digest.Parts("crm_probe", tenantID, s.CRM.Capabilities().Name, fmt.Sprint(opening), at.String()), Kind: outbox.CRMProbe, NotBefore: at,
	}
	return decide.InsertOperation(c, probe, s.now(), s.audit(probe, reasonDown))
}

// waitForConnection puts an operation aside until the connection is up. Nothing
// is claimed and no attempt burnt. It is found again by its contact's place in
// the queue, so that what is of one contact is let in in its order.
func (s at) waitForConnection(ctx context.Context, op outbox.Operation, conn outbox.Connection) error {
	if s.now().Sub(conn.ProbeAt) > time.Hour {
		// Its probe has been parked, or lost its way: another one.
		var c ledger.Commit
		if err := c.Update("connection", s.connectionKey(op.Tenant), ledger.AtVersion(conn.Version), ledger.Item{outbox.ProbeAtAttr: s.now()}); err != nil {
			return err
		}
		if err := s.insertProbe(&c, op.Tenant, conn.Transition, s.now()); err != nil {
			return err
		}
		if err := s.commit(ctx, c, "probe the crm connection again"); err != nil {
			return err
		}
	}
	again := s.now().Add(LookForItself)
	if op.State == outbox.Waiting {
		return s.postpone(ctx, op, again, op.Reason)
	}
	set := ledger.Item{
		"waits_for": s.queue(op), claim.NotBeforeAttr: again, schema.DueAt: again, claim.NudgesAttr: 0, machine.ReasonAttr: reasonDown,
	}
	if err := s.leave(ctx, op, outbox.Wait, set, reasonDown); err != nil {
		return err
	}
	// It may have come up between the read and the wait, and then let in nobody:
	// look once more.
	if now, err := s.connection(ctx, op.Tenant); err == nil && now != nil && now.State == outbox.Up {
		return s.release(ctx, operationKey(op))
	}
	return nil
}

const connectionQueue = "#crm_connection#"

// queue is where an operation waits for its connection.
func (s at) queue(op outbox.Operation) string { return s.queueOf(op.Tenant, schema.Shard(op.Contact)) }

func (s at) queueOf(tenantID, shard string) string {
	return tenantID + connectionQueue + s.CRM.Capabilities().Name + "#" + shard
}

// probe works on the operation of a connection: it reads the account until that
// succeeds, then lets in what waits, some at a time, until nothing does. It
// claims nothing, since each of its steps may be done twice.
func (s at) probe(ctx context.Context, op outbox.Operation) error {
	conn, err := s.connection(ctx, op.Tenant)
	if err != nil {
		return err
	}
	now := s.now()
	if conn == nil {
		return s.supersede(ctx, op, "newer_version_sent") // unreachable: they are made together
	}
	if conn.State == outbox.Down {
		res := s.look(ctx)
		if res.Outcome != crm.Done {
			return s.stillDown(ctx, op, *conn, res)
		}
		var c ledger.Commit
		if _, err := c.Move(ledger.Step{
			Name: "connection", Key: s.connectionKey(op.Tenant), Machine: outbox.ConnectionMachine(), Event: outbox.Recover,
			From: conn.State, Transition: conn.Transition, If: ledger.AtVersion(conn.Version),
			Set:   ledger.Item{machine.ReasonAttr: "", outbox.SinceAttr: now, outbox.ProbeAtAttr: "", outbox.ProbesAttr: 0},
			Audit: audit.Record{At: now, By: "crmsync", Details: map[string]string{"probes": fmt.Sprint(conn.Probes)}},
		}); err != nil {
			return err
		}
		if err := s.commit(ctx, c, "mark the crm connection as up"); err != nil {
			return err
		}
		conn.Since = now
	}
	first, err := s.queued(ctx, op.Tenant)
	switch {
	case err != nil:
		return err
	case len(first) == 0 && now.Sub(conn.Since) > lastLook:
		return s.leave(ctx, op, outbox.Finish, idempotency.Join(idempotency.Complete("up", now), timerless(), ledger.Item{machine.ReasonAttr: ""}), "crm_connection_up")
	}
	// The next time first: a crash among these lets in fewer, and none twice.
	if err := s.postpone(ctx, op, now.Add(letInEvery), "crm_connection_up"); err != nil {
		return err
	}
	for _, k := range first {
		if err := s.release(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

func (s at) stillDown(ctx context.Context, op outbox.Operation, conn outbox.Connection, res crm.Result) error {
	at := s.now().Add(max(res.RetryAfter, min(ProbeFirst<<min(conn.Probes+1, 10), probeLast)))
	s.Log.LogAttrs(ctx, slog.LevelError, "crm connection is down", slog.String("tenant", op.Tenant), slog.String("reason", res.Reason),
		slog.Int64("waits", conn.Probes+1), slog.String("alarm", reasonDown), metric.Count(schema.CRMConnectionsDown, 1))
	var c ledger.Commit
	if err := c.Update("connection", s.connectionKey(op.Tenant), ledger.All(ledger.AtVersion(conn.Version), ledger.Is(machine.StateAttr, outbox.Down)),
		ledger.Item{machine.ReasonAttr: res.Reason, outbox.ProbeAtAttr: at, outbox.ProbesAttr: conn.Probes + 1}); err != nil {
		return err
	}
	if err := s.commit(ctx, c, "note a probe in vain"); err != nil {
		return err
	}
	return s.postpone(ctx, op, at, res.Reason)
}

// queued are the first of each part of the queue, LetIn in all.
func (s at) queued(ctx context.Context, tenantID string) (first []ledger.Key, err error) {
	for shard := range schema.Shards {
		page, err := s.Store.Query(ctx, ledger.Query{
			Table: schema.Outbox, Index: schema.ByWaitsFor, Partition: s.queueOf(tenantID, string(rune('0'+shard))), Limit: LetIn / schema.Shards,
		})
		if err != nil {
			return nil, fmt.Errorf("list what waits for a crm connection: %w", err)
		}
		for _, it := range page.Items {
			first = append(first, ledger.KeyOf(it))
		}
	}
	return first, nil
}
