package main

import (
	"fmt"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscertificatemanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsroute53"

	"onefold/internal/schema"
)

// route is one route of the HTTP API. Rate and burst are requests a second of
// everybody together; what is above gets 429, which senders of webhooks try
// again. They bound what a flood costs and keep one route from starving the
// others of a fresh account's ten executions.
type route struct {
	id          string
	key         string
	function    schema.Function
	rate, burst int
	open        string // why the gateway lets everybody through
}

func routes() []route {
	const signedIn = "The console signs people in itself, by the code flow of its issuer; the gateway's authorizer takes tokens of programs, not browsers' sessions."
	const before = "Browsers ask before they post a form, and providers ask whether an address is theirs; neither can present a token, and neither makes an event."
	return []route{
		{"Webhook", "POST /v1/{tenant}/{endpoint}", schema.Ingest, 50, 100,
			"Providers sign the body with a secret of their own, which ingest checks over the raw bytes; none of them can present a token."},
		{"WebhookPreflight", "OPTIONS /v1/{tenant}/{endpoint}", schema.Ingest, 50, 100, before},
		{"WebhookChallenge", "GET /v1/{tenant}/{endpoint}", schema.Ingest, 50, 100, before},
		{"Console", "ANY /console/{proxy+}", schema.Console, 20, 40, signedIn},
		{"ConsoleRoot", "GET /console", schema.Console, 20, 40, signedIn},
		{"Optout", "ANY /optout/{proxy+}", schema.Optout, 20, 40,
			"Mail clients post to the link of RFC 8058 without any sign-in; the link's own token names the one stop it can make."},
	}
}

// addAPI makes the HTTP API, its stage and its own domain, if one is given.
func (c *Core) addAPI() {
	c.API = awsapigatewayv2.NewCfnApi(c.Stack, text("Api"), &awsapigatewayv2.CfnApiProps{
		Name: text(c.Cfg.whole()), ProtocolType: text("HTTP"),
		// Signatures may be over the address: there is one only.
		DisableExecuteApiEndpoint: c.Cfg.Domain != "",
	})
	c.PublicURL = fmt.Sprintf("https://%s.execute-api.%s.%s", *c.API.Ref(), c.region(), *c.Stack.UrlSuffix())
	if c.Cfg.Domain != "" {
		c.PublicURL = "https://" + c.Cfg.Domain
	}
	if url := c.Cfg.Endpoints[endpointPublic]; url != "" {
		c.PublicURL = url
	}
	c.output("ApiUrl", c.PublicURL, "Base URL of webhooks, console and opt-outs")
	c.output("ApiId", *c.API.Ref(), "ID of the HTTP API")
}

// addRoutes leads each route to its function, and to no more of it than its
// path. The access log says when, which route and how it went: no address, no
// path, no header, since paths hold opt-out tokens and addresses are people's.
func (c *Core) addRoutes() {
	logs := awslogs.NewCfnLogGroup(c.Stack, text("ApiLogs"), &awslogs.CfnLogGroupProps{
		LogGroupName: text(accessLogs(c.Cfg)), RetentionInDays: whole(c.Cfg.LogRetentionDays),
	})
	stage := awsapigatewayv2.NewCfnStage(c.Stack, text("ApiStage"), &awsapigatewayv2.CfnStageProps{
		ApiId: c.API.Ref(), StageName: text("$default"), AutoDeploy: true,
		AccessLogSettings: &awsapigatewayv2.CfnStage_AccessLogSettingsProperty{
			DestinationArn: logs.AttrArn(), Format: text(accessLine()),
		},
		DefaultRouteSettings: &awsapigatewayv2.CfnStage_RouteSettingsProperty{
			ThrottlingRateLimit: whole(50), ThrottlingBurstLimit: whole(100), DetailedMetricsEnabled: false,
		},
		RouteSettings: routeSettings(),
	})
	integrations := map[schema.Function]awsapigatewayv2.CfnIntegration{}
	permitted := map[string]bool{}
	for _, r := range routes() {
		fn := c.Functions[r.function]
		if integrations[r.function] == nil {
			runs, _ := schema.RunsOf(r.function)
			integrations[r.function] = awsapigatewayv2.NewCfnIntegration(c.Stack, text(title(string(r.function))+"Integration"),
				&awsapigatewayv2.CfnIntegrationProps{
					ApiId: c.API.Ref(), IntegrationType: text("AWS_PROXY"), IntegrationUri: fn.AttrArn(),
					PayloadFormatVersion: text("2.0"),
					// A second more than the function has, so that its own end is seen first.
					TimeoutInMillis: whole(int(runs.Timeout.Milliseconds()) + 1000),
				})
		}
		made := awsapigatewayv2.NewCfnRoute(c.Stack, text(r.id+"Route"), &awsapigatewayv2.CfnRouteProps{
			ApiId: c.API.Ref(), RouteKey: text(r.key), AuthorizationType: text("NONE"),
			Target: text("integrations/" + *integrations[r.function].Ref()),
		})
		suppress(made, "AwsSolutions-APIG4", r.open)
		stage.AddResourceDependency(made, nil) // settings of a route that is not there are refused
		_, path, _ := strings.Cut(r.key, " ")
		if permitted[path] { // whatever the method
			continue
		}
		permitted[path] = true
		awslambda.NewCfnPermission(c.Stack, text(r.id+"Permission"), &awslambda.CfnPermissionProps{
			Action: text("lambda:InvokeFunction"), Principal: text("apigateway.amazonaws.com"), FunctionName: fn.Ref(),
			SourceArn: text(arn(c.Stack, "execute-api", c.region(),
				*c.API.Ref()+"/*/*"+path)),
		})
	}
	if c.Cfg.Domain != "" {
		c.addDomain(stage)
	}
}

func routeSettings() map[string]any {
	settings := map[string]any{}
	for _, r := range routes() {
		settings[r.key] = map[string]any{"ThrottlingRateLimit": r.rate, "ThrottlingBurstLimit": r.burst}
	}
	return settings
}

// accessLine is one line of the access log (HTTP API Developer Guide,
// "Customizing HTTP API access logs", read 2026-11). A list, so that the
// template is the same each time.
func accessLine() string {
	fields := []string{"requestId", "requestTime", "routeKey", "status", "responseLength", "responseLatency", "integrationLatency", "integrationStatus", "integrationErrorMessage"}
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = fmt.Sprintf("%q:%q", f, "$context."+f)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// addDomain gives the API its own name. Without a certificate one is made and
// proved in the hosted zone; without a zone the operator sets DNS himself.
func (c *Core) addDomain(stage awsapigatewayv2.CfnStage) {
	certificate := c.Cfg.CertificateArn
	if certificate == "" {
		certificate = *awscertificatemanager.NewCfnCertificate(c.Stack, text("Certificate"), &awscertificatemanager.CfnCertificateProps{
			DomainName: text(c.Cfg.Domain), ValidationMethod: text("DNS"),
			DomainValidationOptions: list(&awscertificatemanager.CfnCertificate_DomainValidationOptionProperty{
				DomainName: text(c.Cfg.Domain), HostedZoneId: text(c.Cfg.HostedZoneID),
			}),
		}).Ref()
	}
	domain := awsapigatewayv2.NewCfnDomainName(c.Stack, text("ApiDomain"), &awsapigatewayv2.CfnDomainNameProps{
		DomainName: text(c.Cfg.Domain),
		DomainNameConfigurations: list(&awsapigatewayv2.CfnDomainName_DomainNameConfigurationProperty{
			CertificateArn: text(certificate), EndpointType: text("REGIONAL"), SecurityPolicy: text("TLS_1_2"),
		}),
	})
	awsapigatewayv2.NewCfnApiMapping(c.Stack, text("ApiMapping"), &awsapigatewayv2.CfnApiMappingProps{
		ApiId: c.API.Ref(), DomainName: domain.Ref(), Stage: stage.Ref(),
	})
	c.output("ApiDomainTarget", *domain.AttrRegionalDomainName(), "What DNS has to say of the domain: a CNAME or alias to this name")
	if c.Cfg.HostedZoneID == "" {
		return
	}
	for _, kind := range []string{"A", "AAAA"} {
		awsroute53.NewCfnRecordSet(c.Stack, text("ApiRecord"+kind), &awsroute53.CfnRecordSetProps{
			HostedZoneId: text(c.Cfg.HostedZoneID), Name: text(c.Cfg.Domain + "."), Type: text(kind),
			AliasTarget: &awsroute53.CfnRecordSet_AliasTargetProperty{
				DnsName: domain.AttrRegionalDomainName(), HostedZoneId: domain.AttrRegionalHostedZoneId(),
			},
		})
	}
}
