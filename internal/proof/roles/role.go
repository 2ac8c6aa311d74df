package roles

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	"onefold/internal/blob"
	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/schema"
	"onefold/internal/secret"
)

// Role is a function's role in the tests of its use case. It stands before the
// ports that the tests give to the use case, notes each call as the adapter for
// AWS makes it, and refuses what the role does not allow as AWS would. Tests
// fill and read the store behind it. No use case has a queue: Lambda reads those.
type Role struct {
	function schema.Function
	grants   []Grant

	mu   sync.Mutex
	made map[Call]bool // and whether it was allowed
}

// Of is the role that the function's duty gives it.
func Of(f schema.Function) *Role {
	r := &Role{function: f, made: map[Call]bool{}}
	may := func(action, resource string) {
		r.grants = append(r.grants, Grant{Function: f, Action: action, Resource: resource})
	}
	d := schema.DutyOf(f)
	for _, a := range d.Tables {
		for _, action := range append(slices.Clone(a.Reads), a.Writes...) {
			may(action, table(a.Table))
		}
		for _, ix := range a.Indexes {
			may(schema.QueryItems, table(a.Table)+"/index/"+ix)
		}
	}
	switch d.Raw {
	case schema.RawPut:
		may(putObject, raw)
	case schema.RawGet:
		may(getObject, raw)
		may(listBucket, raw)
	case schema.RawNone:
	}
	if d.Mail {
		may(getObject, mail)
		may(listBucket, mail)
	}
	for _, name := range d.Secrets {
		if name[len(name)-1] == '/' {
			name += "*"
		}
		may(getSecret, name)
	}
	if d.Sends {
		may(sendEmail, identity)
	}
	return r
}

const (
	putObject  = "s3:PutObject"
	getObject  = "s3:GetObject"
	listBucket = "s3:ListBucket" // S3 asks for it before it says that an object is missing
	getSecret  = "secretsmanager:GetSecretValue"
	sendEmail  = "ses:SendEmail"

	raw, mail, identity = "raw", "mail", "identity"
)

func table(t schema.Table) string { return "table/" + string(t) }

var errDenied = errors.New("AccessDenied")

// Ask notes a call. Its error is AWS's refusal.
func (r *Role) Ask(action, resource string) error {
	c := Call{string(r.function), action, resource}
	r.mu.Lock()
	defer r.mu.Unlock()
	allowed, known := r.made[c]
	if !known {
		allowed = slices.ContainsFunc(r.grants, func(g Grant) bool { return g.Covers(c) })
		r.made[c] = allowed
	}
	if !allowed {
		return fmt.Errorf("%w: %s on %s by %s", errDenied, action, resource, r.function)
	}
	return nil
}

// Main runs the tests of a package and then says what the role lacks and, if
// every test ran, what it has without a use or a reason.
func (r *Role) Main(m interface{ Run() int }, reasons ...Unused) int {
	code := m.Run()
	faults := r.Faults(code == 0 && whole(), reasons...)
	for _, f := range faults {
		_, _ = fmt.Fprintln(os.Stderr, "role:", f)
	}
	if len(faults) > 0 {
		return 1
	}
	return code
}

// whole reports whether the flags of go test leave no test out.
func whole() bool {
	for name, all := range map[string]string{"run": "", "skip": "", "list": "", "fuzz": "", "short": "false"} {
		if f := flag.Lookup("test." + name); f == nil || f.Value.String() != all {
			return false
		}
	}
	return true
}

// Faults are the refused calls and, after all calls were made, the unused
// grants without a reason and the reasons without a grant.
func (r *Role) Faults(all bool, reasons ...Unused) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var faults []string
	for c, allowed := range r.made {
		if !allowed {
			faults = append(faults, fmt.Sprintf("%s: %s on %s was called, and its role has no such grant", c.Function, c.Action, c.Resource))
		}
	}
	slices.Sort(faults)
	if all {
		unused, _ := Excuse(Idle(r.grants, slices.Collect(maps.Keys(r.made))), reasons)
		faults = append(faults, unused...)
	}
	return faults
}

// Store is the ledger as the function may use it: each write of a commit is an
// action of its own (DynamoDB Developer Guide, "IAM permissions for
// transactions"). What another role is before is used by this one instead.
func (r *Role) Store(s ledger.Store) ledger.Store {
	if other, ok := s.(store); ok {
		s = other.Store
	}
	return store{s, r}
}

type store struct {
	ledger.Store
	role *Role
}

func (s store) ask(action, resource string) error {
	if err := s.role.Ask(action, resource); err != nil {
		return fmt.Errorf("%w: %w", ledger.ErrUnavailable, err) // as ledger/dynamo judges it
	}
	return nil
}

func (s store) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	if err := s.ask(schema.GetItem, table(k.Entity.Table())); err != nil {
		return nil, err
	}
	return s.Store.Get(ctx, k)
}

func (s store) GetMany(ctx context.Context, keys []ledger.Key) ([]ledger.Item, error) {
	for _, k := range keys {
		if err := s.ask(schema.BatchGetItem, table(k.Entity.Table())); err != nil {
			return nil, err
		}
	}
	return s.Store.GetMany(ctx, keys)
}

func (s store) Commit(ctx context.Context, c ledger.Commit) error {
	words := map[ledger.WriteOp]string{ledger.OpCreate: schema.PutItem, ledger.OpUpdate: schema.UpdateItem, ledger.OpCheck: schema.ConditionCheck}
	for _, w := range c.Writes {
		if err := s.ask(words[w.Op], table(w.Key.Entity.Table())); err != nil {
			return err
		}
	}
	return s.Store.Commit(ctx, c)
}

func (s store) List(ctx context.Context, parent ledger.Key, cursor string, limit int) (ledger.Page, error) {
	if err := s.ask(schema.QueryItems, table(parent.Entity.Table())); err != nil {
		return ledger.Page{}, err
	}
	return s.Store.List(ctx, parent, cursor, limit)
}

func (s store) Query(ctx context.Context, q ledger.Query) (ledger.Page, error) {
	if err := s.ask(schema.QueryItems, table(q.Table)+"/index/"+q.Index); err != nil {
		return ledger.Page{}, err
	}
	return s.Store.Query(ctx, q)
}

func (s store) Scan(ctx context.Context, sc ledger.Scan) (ledger.Page, error) {
	if err := s.ask("dynamodb:Scan", table(sc.Table)); err != nil {
		return ledger.Page{}, err
	}
	return s.Store.Scan(ctx, sc)
}

// Blob is the bucket of raw content as the function may use it.
func (r *Role) Blob(s blob.Store) blob.Store {
	if other, ok := s.(bucket); ok {
		s = other.Store
	}
	return bucket{s, r}
}

type bucket struct {
	blob.Store
	role *Role
}

func (b bucket) Put(ctx context.Context, ref blob.Ref, content []byte) error {
	if err := b.role.Ask(putObject, raw); err != nil {
		return err
	}
	return b.Store.Put(ctx, ref, content)
}

func (b bucket) Get(ctx context.Context, ref blob.Ref) ([]byte, error) {
	return object(b.role, raw, func() ([]byte, error) { return b.Store.Get(ctx, ref) })
}

func object(r *Role, from string, get func() ([]byte, error)) ([]byte, error) {
	if err := r.Ask(getObject, from); err != nil {
		return nil, err
	}
	content, err := get()
	if errors.Is(err, blob.ErrMissing) {
		if denied := r.Ask(listBucket, from); denied != nil {
			return nil, denied
		}
	}
	return content, err
}

// Inbox is the bucket of received mail as the function may use it.
func (r *Role) Inbox(get func(ctx context.Context, key string) ([]byte, error)) func(ctx context.Context, key string) ([]byte, error) {
	return func(ctx context.Context, key string) ([]byte, error) {
		return object(r, mail, func() ([]byte, error) { return get(ctx, key) })
	}
}

// Secrets are the secrets as the function may read them.
func (r *Role) Secrets(s secret.Store) secret.Store { return secrets{s, r} }

type secrets struct {
	secret.Store
	role *Role
}

func (s secrets) Get(ctx context.Context, name string) (secret.Secret, error) {
	if err := s.role.Ask(getSecret, name); err != nil {
		return secret.Secret{}, fmt.Errorf("%w: %w", secret.ErrUnavailable, err)
	}
	return s.Store.Get(ctx, name)
}

// Mailer is SES as the function may use it. A refusal sends nothing.
func (r *Role) Mailer(m mailer.Mailer) mailer.Mailer { return sender{m, r} }

type sender struct {
	mailer.Mailer
	role *Role
}

func (s sender) Submit(ctx context.Context, m mailer.Mail) mailer.Result {
	if s.role.Ask(sendEmail, identity) != nil {
		return mailer.Result{Outcome: mailer.Rejected, Reason: "AccessDenied"}
	}
	return s.Mailer.Submit(ctx, m)
}
