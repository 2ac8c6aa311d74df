package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"
)

// judge has cdk-nag's AwsSolutions rules judge every stack of the app. A
// finding is an error, so nothing is deployed with one.
func judge(app awscdk.App) {
	awscdk.Aspects_Of(app).Add(cdknag.NewAwsSolutionsChecks(&cdknag.NagPackProps{
		Verbose: yes(), Reports: boolean(false),
	}), nil)
}

// suppress says of one resource why one rule does not hold there.
func suppress(r constructs.IConstruct, rule, reason string) {
	cdknag.NagSuppressions_AddResourceSuppressions(r, &[]*cdknag.NagPackSuppression{{Id: text(rule), Reason: text(reason)}}, boolean(false))
}

// suppressLike does so for a rule that has several findings on a resource, and
// for those findings alone that fit a regular expression.
func suppressLike(r constructs.IConstruct, rule, like, reason string) {
	cdknag.NagSuppressions_AddResourceSuppressions(r, &[]*cdknag.NagPackSuppression{{
		Id: text(rule), Reason: text(reason), AppliesTo: list(&cdknag.RegexAppliesTo{Regex: text("/" + like + "/")}),
	}}, boolean(false))
}
