package tenant

import "onefold/internal/webhook"

// CustomerIDs says what the customer ID that an authenticated sender states
// counts for. It is no part of the identity rule: keys that exist stay as they
// are under each of its words.
type CustomerIDs struct {
	// Use is CustomersIgnore, CustomersReview or CustomersWin. "" is not said: as
	// CustomersIgnore, for no endpoint reads a customer ID then. Only where
	// records are matched that name customer IDs of themselves (`onefold match`)
	// is it different: there each key identifies.
	Use string `json:"use,omitempty"`
}

// What a customer ID counts for.
const (
	CustomersIgnore = "ignore"           // nothing
	CustomersReview = "review_conflicts" // it identifies; where the address says otherwise, a person decides
	CustomersWin    = "wins"             // it identifies, whatever the address says
)

// Customers is what a customer ID in an event counts for.
func (p Policy) Customers() string {
	if p.CustomerIDs.Use == "" {
		return CustomersIgnore
	}
	return p.CustomerIDs.Use
}

// checkCustomers reports customer IDs that would be read where nobody has
// proved who writes, or for nothing.
func checkCustomers(p Policy, e Endpoint, about webhook.About, i int, found *problems) {
	switch {
	case e.Fields.CustomerID == "":
	case about.Public:
		found.add("may not be read here: nobody proves who sends by "+about.Name+", so anybody could write another's customer ID: "+
			"leave it out, or use an endpoint whose sender signs", "endpoints", i, "fields", "customer_id")
	case p.Customers() == CustomersIgnore:
		found.add(`has no effect while customer IDs are ignored: set use in customer_ids to "review_conflicts" or "wins", or leave it out`, "endpoints", i, "fields", "customer_id")
	}
}
