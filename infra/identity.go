package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscognito"
)

// Paths of the console that its sign-in comes back to.
const (
	consoleCallback = "/console/-/callback"
	consoleHome     = "/console/"
)

// addPool makes the user pool of the people who review. Nobody signs himself
// up: an operator invites. A second factor is asked of everybody.
func (c *Core) addPool() {
	protection := "ACTIVE"
	if c.Cfg.DeleteData {
		protection = "INACTIVE"
	}
	c.Pool = awscognito.NewCfnUserPool(c.Stack, text("UserPool"), &awscognito.CfnUserPoolProps{
		UserPoolName:           text(c.Cfg.whole()),
		DeletionProtection:     text(protection),
		UserPoolTier:           text("ESSENTIALS"),
		UsernameAttributes:     texts("email"),
		UsernameConfiguration:  &awscognito.CfnUserPool_UsernameConfigurationProperty{CaseSensitive: boolean(false)},
		AutoVerifiedAttributes: texts("email"),
		AdminCreateUserConfig:  &awscognito.CfnUserPool_AdminCreateUserConfigProperty{AllowAdminCreateUserOnly: yes()},
		MfaConfiguration:       text("ON"),
		EnabledMfas:            texts("SOFTWARE_TOKEN_MFA"),
		Policies: &awscognito.CfnUserPool_PoliciesProperty{PasswordPolicy: &awscognito.CfnUserPool_PasswordPolicyProperty{
			MinimumLength: whole(14), RequireLowercase: yes(), RequireUppercase: yes(), RequireNumbers: yes(), RequireSymbols: yes(),
			TemporaryPasswordValidityDays: whole(3), PasswordHistorySize: whole(5),
		}},
		AccountRecoverySetting: &awscognito.CfnUserPool_AccountRecoverySettingProperty{RecoveryMechanisms: list(
			&awscognito.CfnUserPool_RecoveryOptionProperty{Name: text("verified_email"), Priority: whole(1)},
		)},
	})
	c.keep(c.Pool)
	const plan = "Threat protection is of Cognito's dearest plan, paid for each user. A second factor is asked of everybody, and nobody can sign up; who wants it sets it on the pool."
	suppress(c.Pool, "AwsSolutions-COG3", plan)
	suppress(c.Pool, "AwsSolutions-COG8", plan)
}

// addClient makes the console's client: code flow with PKCE, which needs no
// secret, and no other flow.
func (c *Core) addClient() {
	client := awscognito.NewCfnUserPoolClient(c.Stack, text("ConsoleClient"), &awscognito.CfnUserPoolClientProps{
		UserPoolId: c.Pool.Ref(), ClientName: text("console"),
		AllowedOAuthFlowsUserPoolClient: true,
		AllowedOAuthFlows:               texts("code"),
		AllowedOAuthScopes:              texts("openid", "email"),
		CallbackUrLs:                    texts(c.PublicURL + consoleCallback),
		LogoutUrLs:                      texts(c.PublicURL + consoleHome),
		SupportedIdentityProviders:      texts("COGNITO"),
		ExplicitAuthFlows:               texts("ALLOW_REFRESH_TOKEN_AUTH"),
		GenerateSecret:                  boolean(false),
		EnableTokenRevocation:           true,
		PreventUserExistenceErrors:      text("ENABLED"),
		IdTokenValidity:                 whole(1), AccessTokenValidity: whole(1), RefreshTokenValidity: whole(12),
		TokenValidityUnits: &awscognito.CfnUserPoolClient_TokenValidityUnitsProperty{
			IdToken: text("hours"), AccessToken: text("hours"), RefreshToken: text("hours"),
		},
	})
	c.clientID = *client.Ref()
	// The sign-in page. Its name is global, hence the account.
	awscognito.NewCfnUserPoolDomain(c.Stack, text("UserPoolDomain"), &awscognito.CfnUserPoolDomainProps{
		UserPoolId: c.Pool.Ref(), Domain: text(c.Cfg.whole() + "-" + *c.Stack.Account()),
	})
	c.output("UserPoolId", *c.Pool.Ref(), "Invite reviewers here")
	c.output("ConsoleClientId", c.clientID, "The console's client at the issuer")
	c.output("ConsoleIssuer", c.issuer(), "The issuer of the console's users")
}

// issuer is the pool's OIDC issuer.
func (c *Core) issuer() string {
	return fmt.Sprintf("https://cognito-idp.%s.%s/%s", c.region(), *c.Stack.UrlSuffix(), *c.Pool.Ref())
}
