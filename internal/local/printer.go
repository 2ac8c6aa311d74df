package local

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"

	"onefold/internal/metric"
)

// Printer is a slog.Handler for people: a time, what happened, and the few
// facts that go with it, one line each. Numbers for machines are left out, and
// with them a record that holds nothing else.
type Printer struct {
	out   *sync.Mutex
	w     io.Writer
	level slog.Level
	attrs []slog.Attr
}

// NewPrinter prints records of a level and above.
func NewPrinter(w io.Writer, level slog.Level) *Printer {
	return &Printer{out: &sync.Mutex{}, w: w, level: level}
}

// Enabled implements slog.Handler.
func (p *Printer) Enabled(_ context.Context, l slog.Level) bool { return l >= p.level }

// Handle implements slog.Handler.
func (p *Printer) Handle(_ context.Context, r slog.Record) error {
	facts := p.facts(r)
	if len(facts) == 0 && r.NumAttrs() > 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString(r.Time.UTC().Format("15:04:05"))
	if r.Level > slog.LevelInfo {
		b.WriteString("  " + strings.ToLower(r.Level.String()) + ":")
	}
	b.WriteString("  ")
	b.WriteString(oneLine(r.Message))
	for n := len(r.Message); n < 18; n++ {
		b.WriteByte(' ')
	}
	for _, a := range facts {
		v := a.Value.Resolve().String()
		if v == "" || a.Key == "request" || a.Key == "tenant" {
			continue
		}
		b.WriteString("  " + a.Key + "=" + oneLine(short(a.Key, v)))
	}
	b.WriteByte('\n')
	p.out.Lock()
	defer p.out.Unlock()
	_, err := io.WriteString(p.w, b.String())
	return err
}

// facts are the attributes of a record that say something to people.
func (p *Printer) facts(r slog.Record) []slog.Attr {
	var all []slog.Attr
	var add func(a slog.Attr) bool
	add = func(a slog.Attr) bool {
		switch _, measures := metric.Of(a); {
		case measures || a.Equal(slog.Attr{}):
		case a.Key == "" && a.Value.Kind() == slog.KindGroup:
			for _, inner := range a.Value.Group() {
				add(inner)
			}
		default:
			all = append(all, a)
		}
		return true
	}
	for _, a := range p.attrs {
		add(a)
	}
	r.Attrs(add)
	return all
}

// oneLine keeps a record on one line; joined errors have several.
func oneLine(s string) string {
	return strings.NewReplacer("\r\n", "; ", "\n", "; ", "\r", "; ").Replace(strings.TrimRight(s, "\r\n"))
}

// short cuts identifiers, which are long and alike.
func short(key, v string) string {
	switch key {
	case "contact", "intent", "task", "operation":
		if len(v) > 12 {
			return v[:12]
		}
	case "message_id":
		if len(v) > 20 {
			return v[:20] + "…"
		}
	}
	return v
}

// WithAttrs implements slog.Handler.
func (p *Printer) WithAttrs(attrs []slog.Attr) slog.Handler {
	q := *p
	q.attrs = append(append([]slog.Attr(nil), p.attrs...), attrs...)
	return &q
}

// WithGroup implements slog.Handler; groups are not shown.
func (p *Printer) WithGroup(string) slog.Handler { return p }
