import { parseClaimGrants, TokenIssuer } from '@kiroku/doors'
import { KirokuError } from '@kiroku/protocol'
import type { Settings } from '../config/settings.ts'

/** Whose tokens are accepted. */
export type IssuerSettings = Pick<Settings, 'oidcIssuer' | 'oidcAudience' | 'oidcRoles' | 'oidcName'>

/** The issuer of the settings; undefined: there is none. Errors: `InvalidConfig`. */
export const issuerOf = (settings: IssuerSettings): TokenIssuer | undefined => {
  const { oidcIssuer, oidcAudience, oidcRoles, oidcName } = settings
  if (oidcIssuer === undefined && oidcRoles === undefined) return undefined
  if (oidcIssuer === undefined || oidcRoles === undefined)
    throw new KirokuError(
      'InvalidConfig',
      '--oidc-issuer and --oidc-roles belong together: no bearer of its tokens has a role without',
    )
  return new TokenIssuer({
    issuer: oidcIssuer,
    audience: oidcAudience,
    nameClaim: oidcName,
    grants: parseClaimGrants(oidcRoles),
  })
}
