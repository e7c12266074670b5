import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import { Codec } from '@nats-io/nkeys/lib/codec.js'

/** What the PKCS #8 document of an Ed25519 key has ahead of the key itself. Source: RFC 8410, section 7. */
const ahead = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * An NKey, which signs with Node's own Ed25519. That of `@nats-io/nkeys` is written in JavaScript: a program waits 50 ms for
 * its first signature there, and an engine stands still for 30 at each reconnect.
 */
export class NatsKey {
  /** As nats-server's configuration names it. */
  readonly publicKey: string
  readonly #key: KeyObject

  /**
   * @param seed as it stands in its file
   * @throws when it is none
   */
  constructor(seed: string) {
    const { prefix, buf } = Codec.decodeSeed(Buffer.from(seed.trim()))
    this.#key = createPrivateKey({ key: Buffer.concat([ahead, buf]), format: 'der', type: 'pkcs8' })
    const { x } = createPublicKey(this.#key).export({ format: 'jwk' })
    this.publicKey = Buffer.from(Codec.encode(prefix, Buffer.from(x!, 'base64url'))).toString()
  }

  /** The signature of what a server asks to have signed, in base64. */
  sign(nonce: string): string {
    return sign(null, Buffer.from(nonce), this.#key).toString('base64')
  }
}
