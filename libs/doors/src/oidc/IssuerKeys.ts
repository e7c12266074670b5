import { KirokuError } from '@kiroku/protocol'
import type { JSONWebKeySet } from 'jose'
import { isLoopback } from '../isLoopback.ts'

/** How long keys are used before they are read again, in the background, in ms. */
const refreshMs = 10 * 60_000

/** Least time between two attempts to read them, whatever keys tokens name, in ms. */
const restMs = 5_000

/** How long the issuer may take to answer, in ms. */
const askMs = 5_000

/** How the engine's log hears that keys could not be read. */
export type OnKeyTrouble = (error: KirokuError) => void

/**
 * The public keys of an issuer, found by its discovery document. They are read when they are needed first, again when they
 * are old, and when a token names one that is not among them. Keys that were read hold while the issuer is away.
 */
export class IssuerKeys<K> {
  readonly #issuer: string
  readonly #use: (keys: JSONWebKeySet) => K
  readonly #nowMs: () => number
  #onTrouble: OnKeyTrouble = () => {}
  #keys: K | undefined
  #readMs = -Infinity
  #tried: { readonly atMs: number; readonly error?: KirokuError } = { atMs: -Infinity }
  #reading: Promise<void> | undefined

  /**
   * @param issuer its URL
   * @param use makes of the keys what tokens are verified with
   * @param nowMs monotonic time
   */
  constructor(issuer: string, use: (keys: JSONWebKeySet) => K, nowMs = () => performance.now()) {
    this.#issuer = issuer
    this.#use = use
    this.#nowMs = nowMs
  }

  /** Tells when keys cannot be read. */
  onTrouble(tell: OnKeyTrouble): void {
    this.#onTrouble = tell
  }

  /** The keys. Errors: `IssuerUnavailable`, if they could never be read. */
  async current(): Promise<K> {
    if (this.#keys === undefined) {
      const { atMs, error } = this.#tried
      if (error !== undefined && this.#reading === undefined && this.#nowMs() - atMs < restMs) throw error
      await this.#read()
    } else if (this.#nowMs() - this.#readMs > refreshMs && this.#mayTry) this.#read().catch(() => {})
    return this.#keys!
  }

  /** The keys as they are at the issuer now; undefined: they were read a moment ago. Errors: `IssuerUnavailable`. */
  async again(): Promise<K | undefined> {
    if (this.#reading === undefined && !this.#mayTry) return undefined
    await this.#read()
    return this.#keys
  }

  get #mayTry(): boolean {
    return this.#nowMs() - this.#tried.atMs >= restMs
  }

  /** One read for all that wait. */
  #read(): Promise<void> {
    this.#reading ??= this.#fetch().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async #fetch(): Promise<void> {
    const atMs = this.#nowMs()
    this.#tried = { atMs }
    try {
      const found = await getJson(`${this.#issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
      const { issuer, jwks_uri: keysUrl } = found
      if (issuer !== this.#issuer) throw new Error(`its discovery document is of issuer ${String(issuer)}`)
      if (typeof keysUrl !== 'string' || !isSecure(keysUrl))
        throw new Error('its discovery document names no https address of keys')
      const keys = await getJson(keysUrl)
      if (!Array.isArray(keys['keys'])) throw new Error('what it serves as keys is no set of keys')
      this.#keys = this.#use(keys as unknown as JSONWebKeySet)
      this.#readMs = this.#nowMs()
    } catch (cause) {
      const error = new KirokuError(
        'IssuerUnavailable',
        `the keys of issuer ${this.#issuer} cannot be read: ${reasonOf(cause)}`,
        { cause, retryAfterMs: restMs },
      )
      this.#tried = { atMs, error }
      this.#onTrouble(error)
      throw error
    }
  }
}

/** Whether what is read from an address cannot be changed on its way here. */
export const isSecure = (address: string): boolean => {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
}

const getJson = async (url: string): Promise<Readonly<Record<string, unknown>>> => {
  const answer = await fetch(url, {
    signal: AbortSignal.timeout(askMs),
    redirect: 'error',
    headers: { accept: 'application/json' },
  })
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`)
  const json: unknown = await answer.json()
  if (typeof json !== 'object' || json === null) throw new Error(`${url} answers with no JSON object`)
  return json as Readonly<Record<string, unknown>>
}

/** Of a failed request the cause says more. */
const reasonOf = (error: unknown): string =>
  error instanceof Error
    ? error.cause instanceof Error
      ? error.cause.message || String((error.cause as NodeJS.ErrnoException).code)
      : error.message
    : String(error)
