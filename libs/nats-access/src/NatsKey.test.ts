import { createUser, encode, fromSeed } from '@nats-io/nkeys'
import { expect, it } from 'vitest'
import { NatsKey } from './NatsKey.ts'

it('has the public key and makes the signatures that @nats-io/nkeys has and makes', () => {
  for (let i = 0; i < 5; i++) {
    const seed = createUser().getSeed()
    const key = new NatsKey(`${new TextDecoder().decode(seed)}\n`)
    const theirs = fromSeed(seed)
    expect(key.publicKey).toBe(theirs.getPublicKey())
    for (const nonce of ['', 'PXoWU7zWAMt75FY', 'ü'.repeat(100)])
      expect(key.sign(nonce)).toBe(encode(theirs.sign(new TextEncoder().encode(nonce))))
  }
})

it('refuses what is no seed', () => {
  const seed = new TextDecoder().decode(createUser().getSeed())
  const flipped = (seed[20] === 'A' ? 'B' : 'A') + seed.slice(21)
  for (const wrong of [
    '',
    'garbage',
    seed.slice(1),
    seed.slice(0, 20) + flipped,
    new NatsKey(seed).publicKey,
  ])
    expect(() => new NatsKey(wrong), wrong).toThrow()
})
