// Package emf writes log records as JSON lines that are metrics too: a record
// with readings (package metric) carries the block from which CloudWatch makes
// metrics of it, so that no metric is sent apart from the line that explains
// it.
//
// Its invariants: whatever a record holds, each line is one JSON object, names
// no member twice and is written with one Write; and no attribute gets out
// under a key that is not on the reviewed list, nor an e-mail address by any
// text. It refuses to show values of a kind that nobody can review, such as
// whole structures, and measures nothing that the catalogue does not name.
package emf

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

// Config says what the lines have in common.
type Config struct {
	Out      io.Writer
	Level    slog.Leveler // what is told; what is measured at Info or above is written whatever the level
	Stage    string       // the only dimension; not empty
	Service  string       // the function's short name, as schema.Send
	Function string       // its deployed name; "" outside of Lambda
	// Invocation says what is being worked on; nil: nothing is known of it.
	Invocation func(context.Context) Invocation
	// Now is the time of a record that has none.
	Now func() time.Time
}

// Invocation is one call of a function.
type Invocation struct {
	RequestID string
	TraceID   string
	ColdStart bool // the first of this process
}

// Handler is a slog.Handler. It is safe for concurrent use, as are those
// derived from it together.
type Handler struct {
	c      Config
	out    *sync.Mutex
	scopes []scope
}

// scope is what With or WithGroup added: a group that is opened, or
// attributes in the groups open so far.
type scope struct {
	group string
	attrs []slog.Attr
}

// New makes a handler.
func New(c Config) *Handler { return &Handler{c: c, out: &sync.Mutex{}} }

// Enabled implements slog.Handler.
func (h *Handler) Enabled(_ context.Context, l slog.Level) bool {
	// Whether a record measures anything is not known yet.
	return l >= min(h.c.Level.Level(), slog.LevelInfo)
}

// WithAttrs implements slog.Handler. A reading among them is shown and not
// measured: it belongs to every record, and so is nothing that happened.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return h
	}
	return h.with(scope{attrs: attrs})
}

// WithGroup implements slog.Handler.
func (h *Handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return h.with(scope{group: name})
}

func (h *Handler) with(s scope) *Handler {
	return &Handler{c: h.c, out: h.out, scopes: append(h.scopes[:len(h.scopes):len(h.scopes)], s)}
}

// Handle implements slog.Handler. Its error is the writer's. A record of more
// than 100 metrics becomes more than one line. One below the level is written
// if it measures something: a quieter log must not blind the alarms.
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	root := &object{}
	var read readings
	at := root
	for _, s := range h.scopes {
		if s.group != "" {
			at = at.open(s.group)
		}
		for _, a := range s.attrs {
			at.add(a, 0, nil)
		}
	}
	r.Attrs(func(a slog.Attr) bool {
		at.add(a, 0, &read)
		return true
	})
	if r.Level < h.c.Level.Level() && read.none() {
		return nil
	}
	when := r.Time
	if when.IsZero() {
		when = h.c.Now()
	}
	head := h.head(ctx, r, when)
	for doc := read.next(); ; doc = read.next() {
		if err := h.write(line(head, h.c.Stage, when, doc, root)); err != nil {
			return err
		}
		if read.none() {
			return nil
		}
		root = &object{} // its further lines hold metrics alone
	}
}

// write is one Write for a line, so that lines of different goroutines do not
// mix.
func (h *Handler) write(line []byte) error {
	h.out.Lock()
	defer h.out.Unlock()
	_, err := h.c.Out.Write(line)
	return err
}

// head has the names that Powertools for AWS Lambda gives these members
// (docs.powertools.aws.dev, "Logger", standard structured keys, read 2026-11).
func (h *Handler) head(ctx context.Context, r slog.Record, when time.Time) []member {
	head := []member{
		{"level", text(level(r.Level))}, {"message", text(clean(r.Message))}, {"timestamp", text(stamp(when))},
		{"service", text(h.c.Service)}, {stageKey, text(h.c.Stage)},
	}
	if h.c.Function != "" {
		head = append(head, member{"function_name", text(h.c.Function)})
	}
	if h.c.Invocation == nil {
		return head
	}
	i := h.c.Invocation(ctx)
	if i.RequestID == "" {
		return head // outside of any call: while starting
	}
	head = append(head, member{"cold_start", boolean(i.ColdStart)}, member{"function_request_id", text(i.RequestID)})
	if i.TraceID != "" {
		head = append(head, member{"xray_trace_id", text(i.TraceID)})
	}
	return head
}

// level is one of the four words that Lambda's log filter knows.
func level(l slog.Level) string {
	switch {
	case l < slog.LevelInfo:
		return "DEBUG"
	case l < slog.LevelWarn:
		return "INFO"
	case l < slog.LevelError:
		return "WARN"
	}
	return "ERROR"
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
