import { KirokuError } from '@kiroku/protocol'
import type { JWTPayload, JWTVerifyOptions } from 'jose'
import type { Identity } from '../Identity.ts'
import { claimAt, grantsOf, type ClaimGrant } from './ClaimGrant.ts'
import { IssuerKeys, isSecure, type OnKeyTrouble } from './IssuerKeys.ts'

/** Whose tokens are accepted, and what they are worth. */
export interface IssuerOptions {
  /** Its URL, as its tokens name it. */
  readonly issuer: string
  /** Whom its tokens must be for. */
  readonly audience: string
  /** The claim that names a caller. */
  readonly nameClaim: string
  readonly grants: readonly ClaimGrant[]
}

/** Only keys that can verify but not sign: a secret would have to be known here. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/** How much clocks may differ, in s. */
const skewS = 30

/** Loaded for those alone who have an issuer. */
const loadJose = async () => {
  const [{ createLocalJWKSet }, { jwtVerify }] = await Promise.all([
    import('jose/jwks/local'),
    import('jose/jwt/verify'),
  ])
  return { createLocalJWKSet, jwtVerify }
}

type Jose = Awaited<ReturnType<typeof loadJose>>
type Keys = ReturnType<Jose['createLocalJWKSet']>

/** An issuer of OpenID Connect, whose JWTs say who their bearers are. */
export class TokenIssuer {
  readonly #options: IssuerOptions
  #jose: Promise<{ readonly jose: Jose; readonly keys: IssuerKeys<Keys> }> | undefined
  #onTrouble: OnKeyTrouble = () => {}

  /** Errors: `InvalidConfig`. */
  constructor(options: IssuerOptions) {
    if (!isSecure(options.issuer))
      throw new KirokuError(
        'InvalidConfig',
        `issuer "${options.issuer}" is no https address, which only one on loopback need not be`,
      )
    this.#options = options
  }

  /** Reads the keys ahead of the first token, and tells whenever they cannot be read. */
  begin(onTrouble: OnKeyTrouble): void {
    this.#onTrouble = onTrouble
    // What fails is told, and tried again with the first token.
    this.#loaded()
      .then(({ keys }) => keys.current())
      .catch(() => {})
  }

  /**
   * The bearer of a token. `nowMs` is in ms since 1970. Errors: `Unauthorized`, `TokenExpired` (it was good), `IssuerUnavailable`.
   */
  async identify(token: string, nowMs: number): Promise<Identity> {
    const { issuer, nameClaim, grants } = this.#options
    const claims = await this.#verified(token, nowMs)
    const name = claimAt(claims, nameClaim)
    if (typeof name !== 'string' || name === '')
      throw new KirokuError('Unauthorized', `the token has no claim "${nameClaim}", which names its bearer`)
    return {
      // No token of a file has such a name.
      name: `oidc:${name}`,
      issuer,
      grants: grantsOf(claims, grants),
      untilMs: claims.exp! * 1_000,
    }
  }

  async #verified(token: string, nowMs: number): Promise<JWTPayload> {
    const { issuer, audience } = this.#options
    const { jose, keys } = await this.#loaded()
    const options: JWTVerifyOptions = {
      ...{ issuer, audience, algorithms },
      clockTolerance: skewS,
      currentDate: new Date(nowMs),
      requiredClaims: ['exp'],
    }
    const verify = async (by: Keys) => (await jose.jwtVerify(token, by, options)).payload
    const known = await keys.current()
    try {
      return await verify(known)
    } catch (error) {
      const fresh = codeOf(error) === 'ERR_JWKS_NO_MATCHING_KEY' ? await keys.again() : undefined
      if (fresh === undefined) throw refusalOf(error)
      return verify(fresh).catch((again: unknown) => {
        throw refusalOf(again)
      })
    }
  }

  #loaded() {
    return (this.#jose ??= loadJose().then((jose) => {
      const keys = new IssuerKeys(this.#options.issuer, jose.createLocalJWKSet)
      keys.onTrouble((error) => this.#onTrouble(error))
      return { jose, keys }
    }))
  }
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined

const reasons: Readonly<Record<string, string>> = {
  ERR_JWKS_NO_MATCHING_KEY: 'the issuer has no key like that of the token',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'the token does not say which key of the issuer signed it',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the signature of the token is wrong',
  ERR_JOSE_ALG_NOT_ALLOWED: 'the token is signed in a way that is not accepted',
}

/** What is wrong with a token, without anything of it. Only of one that is otherwise good it is said that it expired. */
const refusalOf = (error: unknown): KirokuError => {
  const code = codeOf(error)
  if (code === 'ERR_JWT_EXPIRED') return new KirokuError('TokenExpired', 'the token has expired')
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') {
    const claim = (error as { claim?: unknown }).claim
    return new KirokuError(
      'Unauthorized',
      `the token is not for this engine: its claim "${String(claim)}" does not fit`,
    )
  }
  return new KirokuError('Unauthorized', reasons[code ?? ''] ?? 'the token is not known')
}

/** Whether a text has the form of a JWT. */
export const isJwt = (text: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)
