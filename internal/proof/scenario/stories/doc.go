// Package stories holds, as tests, the failure stories to be lived through
// before a launch: a worker that dies between the provider's yes and its own
// record, and two deliveries of one person at the same moment.
//
// Its invariant: the workers are processes of their own, wired as in
// production with the retries that they have there, and they die by SIGKILL.
//
// It refuses to reach into a worker: what goes wrong goes wrong on the wire,
// and what is asserted is what the ledger, the provider and the CRM hold.
package stories
