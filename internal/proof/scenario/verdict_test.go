package scenario_test

import (
	"slices"

	"onefold/internal/ledger"
)

// checked writes on the event of a delivery what the script says that its
// receiver's checks found: mail by webhook brings none, mail by SES does.
func (w *world) checked(c ledger.Commit) ledger.Commit {
	c.Writes = slices.Clone(c.Writes)
	for i, wr := range c.Writes {
		if found := w.dmarc[wr.Item.Text("delivery_id")]; found != "" && wr.Key.Entity == ledger.Event && wr.Op == ledger.OpCreate {
			c.Writes[i].Item = wr.Item.Clone()
			c.Writes[i].Item["dmarc_verdict"] = found
		}
	}
	return c
}
