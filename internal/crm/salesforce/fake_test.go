package salesforce_test

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// org is Salesforce's side, as its REST API guide tells it (see the package
// comment): external IDs that are unique, last names that are needed, conditional
// writes counted in seconds, a duplicate rule if there is one, tokens of the JWT
// bearer flow. What the adapter has no business asking is refused.
type org struct {
	key      *rsa.PublicKey
	clientID string

	mu      sync.Mutex
	now     time.Time // each write is a second later
	serial  int
	tokens  map[string]bool
	logins  int
	refuses bool // every login
	rule    bool // a duplicate rule that blocks a second contact of an address
	locked  bool // the next write finds the row locked
	fields  map[string]map[string]any
	rows    map[string][]map[string]any // by object
}

// failure is an answer of the API that is an error.
type failure struct {
	status int
	code   string
}

func newOrg(key *rsa.PublicKey) *org {
	return &org{
		key: key, clientID: "client", now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), tokens: map[string]bool{},
		fields: map[string]map[string]any{}, rows: map[string][]map[string]any{},
	}
}

func (o *org) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	status, answer := http.StatusOK, any(nil)
	func() {
		defer func() {
			if f, is := recover().(failure); is {
				status, answer = f.status, []map[string]string{{"errorCode": f.code, "message": "x"}}
			}
		}()
		if r.URL.Path == "/services/oauth2/token" {
			answer = o.login(r)
			return
		}
		if !o.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] {
			panic(failure{http.StatusUnauthorized, "INVALID_SESSION_ID"})
		}
		path, ok := strings.CutPrefix(r.URL.Path, "/services/data/v66.0/")
		if !ok {
			panic(failure{http.StatusNotFound, "NOT_FOUND"})
		}
		var in map[string]any
		if r.Method != http.MethodGet && json.NewDecoder(r.Body).Decode(&in) != nil {
			panic(failure{http.StatusBadRequest, "JSON_PARSER_ERROR"})
		}
		status, answer = o.act(w, r, strings.Split(path, "/"), in)
	}()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if answer != nil {
		_ = json.NewEncoder(w).Encode(answer)
	}
}

// login takes an assertion as RFC 7523 and Salesforce's help tell it.
func (o *org) login(r *http.Request) any {
	bad := failure{http.StatusBadRequest, "invalid_grant"}
	parts := strings.Split(r.FormValue("assertion"), ".")
	if r.FormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" || len(parts) != 3 || o.refuses {
		panic(bad)
	}
	signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	var claims struct {
		Iss, Sub, Aud string
		Exp           int64
	}
	text, _ := base64.RawURLEncoding.DecodeString(parts[1])
	if rsa.VerifyPKCS1v15(o.key, crypto.SHA256, sum[:], signature) != nil || json.Unmarshal(text, &claims) != nil ||
		claims.Iss != o.clientID || claims.Sub != "onefold@example.com" || claims.Aud != "https://login.example.com" || time.Until(time.Unix(claims.Exp, 0)) > 5*time.Minute {
		panic(bad)
	}
	o.logins++
	token := fmt.Sprint("token-", o.logins)
	o.tokens[token] = true
	return map[string]string{"access_token": token, "token_type": "Bearer", "instance_url": "https://org.example.com"}
}

func (o *org) act(w http.ResponseWriter, r *http.Request, path []string, in map[string]any) (int, any) {
	switch {
	case r.Method == http.MethodGet && path[0] == "query":
		return http.StatusOK, map[string]any{"done": true, "records": o.query(r.FormValue("q"))}
	case r.Method == http.MethodPost && strings.Join(path, "/") == "tooling/sobjects/CustomField":
		o.fields[in["FullName"].(string)] = in["Metadata"].(map[string]any)
		return http.StatusCreated, map[string]any{"success": true}
	case path[0] != "sobjects" || path[1] != "Contact" && path[1] != "Task":
		panic(failure{http.StatusNotFound, "NOT_FOUND"})
	case len(path) == 2 && r.Method == http.MethodGet:
		return http.StatusOK, map[string]any{"objectDescribe": map[string]any{}}
	case len(path) == 3 && path[2] == "describe":
		return http.StatusOK, map[string]any{"fields": o.describe(path[1])}
	case len(path) == 4:
		return o.byExternal(w, r, path[1], path[2], path[3], in)
	}
	row := o.row(path[1], path[2])
	if row == nil {
		panic(failure{http.StatusNotFound, "NOT_FOUND"})
	}
	return o.one(w, r, path[1], row, in)
}

func (o *org) describe(object string) []map[string]any {
	var out []map[string]any
	for full, meta := range o.fields {
		of, name, _ := strings.Cut(full, ".")
		if of == object || of == "Activity" && object == "Task" {
			out = append(out, map[string]any{"name": name, "externalId": meta["externalId"], "unique": meta["unique"]})
		}
	}
	return out
}

// known tells whether a field is there: one of the object, or made.
func (o *org) known(object, name string) bool {
	standard := map[string]string{"Contact": "Id FirstName LastName Email Phone", "Task": "Id Subject Description Status ActivityDate WhoId"}[object]
	if strings.Contains(" "+standard+" ", " "+name+" ") {
		return true
	}
	for _, f := range o.describe(object) {
		if f["name"] == name {
			return true
		}
	}
	return false
}

func (o *org) row(object, id string) map[string]any {
	for _, row := range o.rows[object] {
		if row["Id"] == id && row["deleted"] == nil {
			return row
		}
	}
	return nil
}

func (o *org) byExternal(w http.ResponseWriter, r *http.Request, object, field, value string, in map[string]any) (int, any) {
	if !o.known(object, field) {
		panic(failure{http.StatusBadRequest, "INVALID_FIELD"})
	}
	var hits []map[string]any
	for _, row := range o.rows[object] {
		if row[field] == value && row["deleted"] == nil {
			hits = append(hits, row)
		}
	}
	switch {
	case len(hits) > 1:
		return http.StatusMultipleChoices, []string{"/a", "/b"}
	case len(hits) == 1 && r.Method == http.MethodPatch:
		o.write(object, hits[0], in)
		return http.StatusOK, map[string]any{"id": hits[0]["Id"], "success": true, "created": false, "errors": []any{}}
	case len(hits) == 1:
		return o.one(w, r, object, hits[0], nil)
	case r.Method != http.MethodPatch:
		panic(failure{http.StatusNotFound, "NOT_FOUND"})
	}
	if _, is := in[field]; is {
		panic(failure{http.StatusBadRequest, "INVALID_FIELD"})
	}
	o.serial++
	row := map[string]any{"Id": fmt.Sprintf("003%015d", o.serial), field: value}
	o.write(object, row, in)
	o.rows[object] = append(o.rows[object], row)
	return http.StatusCreated, map[string]any{"id": row["Id"], "success": true, "created": true, "errors": []any{}}
}

func (o *org) one(w http.ResponseWriter, r *http.Request, object string, row, in map[string]any) (int, any) {
	changed := row["changed"].(time.Time)
	if r.Method == http.MethodPatch {
		if since := r.Header.Get("If-Unmodified-Since"); since != "" {
			at, err := http.ParseTime(since)
			switch {
			case err != nil:
				panic(failure{http.StatusBadRequest, "INVALID_HEADER"})
			case changed.After(at):
				panic(failure{http.StatusPreconditionFailed, "PRECONDITION_FAILED"})
			}
		}
		o.write(object, row, in)
		return http.StatusNoContent, nil
	}
	w.Header().Set("Last-Modified", changed.Format(http.TimeFormat))
	out := map[string]any{}
	for name := range strings.SplitSeq(r.FormValue("fields"), ",") {
		if !o.known(object, name) {
			panic(failure{http.StatusBadRequest, "INVALID_FIELD"})
		}
		out[name] = row[name]
	}
	return http.StatusOK, out
}

func (o *org) write(object string, row, in map[string]any) {
	if o.locked {
		o.locked = false
		panic(failure{http.StatusBadRequest, "UNABLE_TO_LOCK_ROW"})
	}
	merged := map[string]any{}
	for name, value := range row {
		merged[name] = value
	}
	limits := map[string]int{"FirstName": 40, "LastName": 80, "Email": 80, "Phone": 40, "Subject": 255, "Description": 32_000}
	for name, value := range in {
		if !o.known(object, name) || name == "Id" {
			panic(failure{http.StatusBadRequest, "INVALID_FIELD"})
		}
		if s, is := value.(string); is && limits[name] > 0 && len([]rune(s)) > limits[name] {
			panic(failure{http.StatusBadRequest, "STRING_TOO_LONG"})
		}
		merged[name] = value
	}
	if object == "Contact" && (merged["LastName"] == nil || merged["LastName"] == "") {
		panic(failure{http.StatusBadRequest, "REQUIRED_FIELD_MISSING"})
	}
	if who, is := merged["WhoId"].(string); is && o.row("Contact", who) == nil {
		panic(failure{http.StatusBadRequest, "INVALID_CROSS_REFERENCE_KEY"})
	}
	for _, other := range o.rows[object] {
		if other["Id"] == row["Id"] || other["deleted"] != nil {
			continue
		}
		for _, f := range o.describe(object) {
			if name := f["name"].(string); f["unique"] == true && merged[name] != nil && merged[name] == other[name] {
				panic(failure{http.StatusBadRequest, "DUPLICATE_VALUE"})
			}
		}
		a, _ := merged["Email"].(string)
		b, _ := other["Email"].(string)
		if o.rule && a != "" && strings.EqualFold(a, b) {
			panic(failure{http.StatusBadRequest, "DUPLICATES_DETECTED"})
		}
	}
	for name, value := range merged {
		row[name] = value
	}
	o.now = o.now.Add(time.Second)
	row["changed"] = o.now
}

var where = regexp.MustCompile(`^SELECT ([\w,]+) FROM Contact WHERE Email = '((?:[^'\\]|\\.)*)' LIMIT (\d+)$`)

// query knows the one query that the adapter makes; a quote that is not escaped
// is a query that Salesforce cannot read.
func (o *org) query(soql string) []map[string]any {
	m := where.FindStringSubmatch(soql)
	if m == nil {
		panic(failure{http.StatusBadRequest, "MALFORMED_QUERY"})
	}
	address := regexp.MustCompile(`\\(.)`).ReplaceAllString(m[2], "$1")
	out := []map[string]any{}
	for _, row := range o.rows["Contact"] {
		has, _ := row["Email"].(string)
		if row["deleted"] != nil || !strings.EqualFold(has, address) {
			continue
		}
		one := map[string]any{}
		for name := range strings.SplitSeq(m[1], ",") {
			one[name] = row[name]
		}
		out = append(out, one)
	}
	return out
}
