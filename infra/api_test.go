package main

import (
	"strings"
	"testing"
)

func TestARouteThatNobodyThrottles(t *testing.T) {
	tpl := core(t, nil)
	for id, stage := range tpl.each(t, "AWS::ApiGatewayV2::Stage") {
		must(t, id, stage, 50, "DefaultRouteSettings", "ThrottlingRateLimit")
		for route, r := range tpl.each(t, "AWS::ApiGatewayV2::Route") {
			limit, _ := at(any(stage.Properties), "RouteSettings", written(r.Properties["RouteKey"]), "ThrottlingRateLimit").(float64)
			if limit < 1 || limit > 100 {
				t.Errorf("%s: %v requests a second", route, limit)
			}
		}
	}
}

// Paths of opt-outs hold tokens; addresses of callers are people's.
func TestAnAccessLogWithPersonalData(t *testing.T) {
	for id, r := range core(t, nil).each(t, "AWS::ApiGatewayV2::Stage") {
		format := written(at(any(r.Properties), "AccessLogSettings", "Format"))
		if !strings.Contains(format, "$context.requestId") || !strings.Contains(format, "$context.routeKey") {
			t.Errorf("%s logs %s", id, format)
		}
		for _, word := range []string{"sourceIp", "userAgent", "path", "identity", "authorizer", "error.message"} {
			if strings.Contains(format, "$context."+word) {
				t.Errorf("%s logs %s", id, word)
			}
		}
	}
}

func TestTheAPIHasTheRoutesThatFunctionsAnswer(t *testing.T) {
	want := map[string]string{
		"POST /v1/{tenant}/{endpoint}": "Ingest", "OPTIONS /v1/{tenant}/{endpoint}": "Ingest", "GET /v1/{tenant}/{endpoint}": "Ingest",
		"ANY /console/{proxy+}": "Console", "GET /console": "Console", "ANY /optout/{proxy+}": "Optout",
	}
	tpl := core(t, nil)
	routes := tpl.each(t, "AWS::ApiGatewayV2::Route")
	if len(routes) != len(want) {
		t.Errorf("%d routes, not %d", len(routes), len(want))
	}
	for id, r := range routes {
		f := want[written(r.Properties["RouteKey"])]
		if got := written(r.Properties["Target"]); f == "" || got != "integrations/<"+f+"Integration>" {
			t.Errorf("%s leads to %s", id, got)
		}
	}
	for id, r := range tpl.each(t, "AWS::ApiGatewayV2::Integration") {
		must(t, id, r, "2.0", "PayloadFormatVersion")
		if got := written(r.Properties["IntegrationUri"]); got != "<"+strings.TrimSuffix(id, "Integration")+"Function.Arn>" {
			t.Errorf("%s is of %s", id, got)
		}
		// Thirty seconds is what the HTTP API waits at most.
		if n, _ := r.Properties["TimeoutInMillis"].(float64); n < 1000 || n > 30000 {
			t.Errorf("%s waits %v ms", id, n)
		}
	}
	// Each path may call its function, and no function is called by another.
	paths := map[string]bool{}
	for key := range want {
		_, path, _ := strings.Cut(key, " ")
		paths[path] = true
	}
	if got := len(tpl.each(t, "AWS::Lambda::Permission")); got != len(paths) {
		t.Errorf("%d permissions for %d paths", got, len(paths))
	}
	for id, r := range tpl.each(t, "AWS::Lambda::Permission") {
		must(t, id, r, "apigateway.amazonaws.com", "Principal")
		s := written(r.Properties["SourceArn"])
		_, path, ok := strings.Cut(s, ":<AWS::AccountId>:<Api>/*/*")
		if !ok || !paths[path] {
			t.Errorf("%s is for %s", id, s)
		}
		delete(paths, path)
	}
}

// A browser asks before each post of a form, and a provider as often as it
// likes: what may come by POST may come by these.
func TestWhatIsAskedBeforeADeliveryIsThrottledLikeOne(t *testing.T) {
	for id, stage := range core(t, nil).each(t, "AWS::ApiGatewayV2::Stage") {
		const path = " /v1/{tenant}/{endpoint}"
		posts := at(any(stage.Properties), "RouteSettings", "POST"+path)
		for _, method := range []string{"OPTIONS", "GET"} {
			if posts == nil || !same(at(any(stage.Properties), "RouteSettings", method+path), posts) {
				t.Errorf("%s: %s is throttled otherwise", id, method)
			}
		}
	}
}

func TestADomainOfOnesOwn(t *testing.T) {
	tpl := core(t, map[string]any{"domain": "api.example.com", "hostedZoneId": "Z0123456789ABCDEFGHIJ", "hostedZoneName": "example.com"})
	for id, r := range tpl.each(t, "AWS::ApiGatewayV2::DomainName") {
		must(t, id, r, "TLS_1_2", "DomainNameConfigurations", 0, "SecurityPolicy")
		if got := written(at(any(r.Properties), "DomainNameConfigurations", 0, "CertificateArn")); got != "<Certificate>" {
			t.Errorf("%s has the certificate %s", id, got)
		}
	}
	if got := len(tpl.each(t, "AWS::Route53::RecordSet")); got != 2 {
		t.Errorf("%d records, not one for each of IPv4 and IPv6", got)
	}
	// Signatures may cover the address; a second one would let them be replayed.
	for id, r := range tpl.each(t, "AWS::ApiGatewayV2::Api") {
		must(t, id, r, true, "DisableExecuteApiEndpoint")
	}
	for _, f := range []string{"SendFunction", "ConsoleFunction"} {
		must(t, f, tpl.Resources[f], "https://api.example.com", "Environment", "Variables", "ONEFOLD_PUBLIC_URL")
	}
	for id, r := range tpl.each(t, "AWS::Cognito::UserPoolClient") {
		must(t, id, r, []string{"https://api.example.com" + consoleCallback}, "CallbackURLs")
	}
}

func TestACertificateThatIsThereIsTaken(t *testing.T) {
	const certificate = "arn:aws:acm:eu-west-1:123456789012:certificate/01234567-89ab-cdef-0123-456789abcdef"
	tpl := core(t, map[string]any{"domain": "api.example.com", "certificateArn": certificate})
	for id, r := range tpl.each(t, "AWS::ApiGatewayV2::DomainName") {
		must(t, id, r, certificate, "DomainNameConfigurations", 0, "CertificateArn")
	}
	for id, r := range tpl.Resources {
		if r.Type == "AWS::CertificateManager::Certificate" || r.Type == "AWS::Route53::RecordSet" {
			t.Errorf("%s is made, and nobody asked for it", id)
		}
	}
}

// Whoever gets into the console releases mail to people.
func TestAConsoleThatStrangersCanEnter(t *testing.T) {
	tpl := core(t, nil)
	for id, r := range tpl.each(t, "AWS::Cognito::UserPool") {
		must(t, id, r, true, "AdminCreateUserConfig", "AllowAdminCreateUserOnly")
		must(t, id, r, "ON", "MfaConfiguration")
		must(t, id, r, []string{"SOFTWARE_TOKEN_MFA"}, "EnabledMfas")
		must(t, id, r, "ACTIVE", "DeletionProtection")
		if n, _ := at(any(r.Properties), "Policies", "PasswordPolicy", "MinimumLength").(float64); n < 12 {
			t.Errorf("%s: passwords of %v", id, n)
		}
	}
	for id, r := range tpl.each(t, "AWS::Cognito::UserPoolClient") {
		must(t, id, r, []string{"code"}, "AllowedOAuthFlows")
		must(t, id, r, []string{"openid", "email"}, "AllowedOAuthScopes")         // and no profile, which the sign-in does not ask for
		must(t, id, r, []string{"ALLOW_REFRESH_TOKEN_AUTH"}, "ExplicitAuthFlows") // no password through the API
		must(t, id, r, "ENABLED", "PreventUserExistenceErrors")
		must(t, id, r, true, "EnableTokenRevocation")
	}
}
