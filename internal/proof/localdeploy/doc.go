// Package localdeploy deploys the real CDK app, with the real functions, to an
// emulator of AWS on this machine, and lets it be looked at and disturbed: for
// `make deploy-local` and for the end-to-end test.
//
// It owns one invariant: the deployed functions run as they would on AWS. They
// get their own roles' credentials, and the emulator enforces the roles; their
// template is the one for AWS but for the resources of LeftOut; the endpoints
// of the emulator and of the stand-ins of SES and HubSpot come from outside,
// by the environment of the emulator. Every call of a function passes the
// gate, which records who called what and never a body.
//
// It refuses to reach another host than the loopback, to use credentials, to
// keep state, and to end a process that it has not started.
package localdeploy
