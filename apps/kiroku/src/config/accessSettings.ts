import { setting } from './Setting.ts'

/** Who may call the HTTP API. */
export const accessSettings = [
  setting({
    key: 'tokens',
    flag: 'tokens',
    env: 'KIROKU_TOKENS',
    kind: 'text',
    metavar: 'LIST',
    description:
      'Bearer tokens of the HTTP API as `name:role:token`, separated by commas; roles: viewer, operator, admin, or one on some queues, like `operator@orders-*`. Better set in the environment or a file.',
  }),
  setting({
    key: 'tokensFile',
    flag: 'tokens-file',
    env: 'KIROKU_TOKENS_FILE',
    kind: 'text',
    metavar: 'FILE',
    description:
      'File with one `name:role:token` per line, where the token may be its digest, as `kiroku token new` prints it, and ` until=DATE` may follow; lines that begin with # are comments. Read again when it changes.',
  }),
  setting({
    key: 'oidcIssuer',
    flag: 'oidc-issuer',
    env: 'KIROKU_OIDC_ISSUER',
    kind: 'text',
    metavar: 'URL',
    description:
      'Issuer of OpenID Connect whose JWTs the HTTP API accepts as bearer tokens, beside those of the file. Its keys are found by its discovery document. Needs `oidcRoles`.',
  }),
  setting({
    key: 'oidcAudience',
    flag: 'oidc-audience',
    env: 'KIROKU_OIDC_AUDIENCE',
    kind: 'text',
    default: 'kiroku',
    metavar: 'NAME',
    description: 'Audience that these JWTs must be for (`aud`).',
  }),
  setting({
    key: 'oidcRoles',
    flag: 'oidc-roles',
    env: 'KIROKU_OIDC_ROLES',
    kind: 'text',
    metavar: 'LIST',
    description:
      'Roles by claims as `CLAIM=VALUE:ROLE`, separated by commas, like `groups=ops:operator@orders-*,groups=admins:admin`. A claim inside another has a path with dots; in values `*` stands for any characters; who has several gets all of their roles.',
  }),
  setting({
    key: 'oidcName',
    flag: 'oidc-name',
    env: 'KIROKU_OIDC_NAME',
    kind: 'text',
    default: 'sub',
    metavar: 'CLAIM',
    description: 'Claim that names a caller, as the record shows it behind `oidc:`.',
  }),
] as const
