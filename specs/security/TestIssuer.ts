import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>

/** How a token is made other than by default. */
interface TokenOptions {
  /** Signed by this key, which the issuer may not serve. */
  readonly key?: KeyPair['privateKey']
  /** The name of the key in its header. */
  readonly kid?: string
  /** From now, in s. */
  readonly expiresS?: number
}

const alg = 'ES256'

/** An issuer of OpenID Connect on loopback, with keys that can be rotated. */
export class TestIssuer implements AsyncDisposable {
  readonly #server: Server
  #keys: { readonly kid: string; readonly pair: KeyPair }
  #isAway = false

  private constructor(server: Server, keys: { readonly kid: string; readonly pair: KeyPair }) {
    this.#server = server
    this.#keys = keys
  }

  static async open(): Promise<TestIssuer> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const issuer = new TestIssuer(server, { kid: 'first', pair: await generateKeyPair(alg) })
    server.on('request', ({ url }, response) => {
      if (issuer.#isAway) return void response.destroy()
      void issuer.#answer(url ?? '').then((answer) => response.end(JSON.stringify(answer)))
    })
    return issuer
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Whether it answers nobody. */
  set isAway(isAway: boolean) {
    this.#isAway = isAway
  }

  get privateKey(): KeyPair['privateKey'] {
    return this.#keys.pair.privateKey
  }

  /** Signs with another key from now on, and serves no other. */
  async rotate(kid: string): Promise<void> {
    this.#keys = { kid, pair: await generateKeyPair(alg) }
  }

  /** A token with these claims, for Kiroku. */
  token(claims: JWTPayload, options: TokenOptions = {}): Promise<string> {
    const { key = this.privateKey, kid = this.#keys.kid, expiresS = 300 } = options
    const nowS = Math.floor(Date.now() / 1_000)
    return new SignJWT({ iss: this.url, aud: 'kiroku', sub: 'ann', exp: nowS + expiresS, ...claims })
      .setProtectedHeader({ alg, kid })
      .sign(key)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  async #answer(url: string): Promise<object> {
    if (url.endsWith('/.well-known/openid-configuration'))
      return { issuer: this.url, jwks_uri: `${this.url}/keys` }
    const { kid, pair } = this.#keys
    return { keys: [{ ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' }] }
  }
}
