import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { KirokuError } from '@kiroku/protocol'

/** A certificate, with those that signed it behind it, and its key, in PEM. */
export interface CertificatePair {
  readonly cert: string
  readonly key: string
}

/** How errors name the two, such as by setting and file. */
type PairNames = CertificatePair

/**
 * Reads a pair. Errors: `InvalidConfig`, if one of them is not what it should be, or they do not belong together.
 *
 * @returns when the certificate ends, in ms since 1970
 */
export const checkPair = ({ cert, key }: CertificatePair, names: PairNames): { readonly untilMs: number } => {
  const certificate = attempt(() => new X509Certificate(cert), `${names.cert}: this is no certificate in PEM`)
  const own = attempt(
    () => createPrivateKey(key),
    /\bENCRYPTED\b/.test(key)
      ? `${names.key}: the key has a passphrase; store it without one, readable by the engine's user alone`
      : `${names.key}: this is no private key in PEM`,
  )
  if (!certificate.checkPrivateKey(own))
    throw new KirokuError('InvalidConfig', `${names.key}: the key is not that of the certificate`)
  attempt(
    () => createSecureContext({ cert, key }),
    `${names.cert}: TLS does not accept this certificate with its key`,
  )
  return { untilMs: Date.parse(certificate.validTo) }
}

const attempt = <A>(run: () => A, message: string): A => {
  try {
    return run()
  } catch (cause) {
    throw new KirokuError('InvalidConfig', message, { cause })
  }
}

/** What a door proves its name with. It is renewed while callers are connected. */
export class Certificate {
  #pair: CertificatePair
  readonly #renewed = new Set<(pair: CertificatePair) => void>()

  constructor(pair: CertificatePair) {
    this.#pair = pair
  }

  get pair(): CertificatePair {
    return this.#pair
  }

  /** Takes another pair for connections from now on. */
  renew(pair: CertificatePair): void {
    this.#pair = pair
    for (const take of this.#renewed) take(pair)
  }

  /** Calls at each renewal. Returns the function that ends it. */
  onRenewed(take: (pair: CertificatePair) => void): () => void {
    this.#renewed.add(take)
    return () => void this.#renewed.delete(take)
  }
}
