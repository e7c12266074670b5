import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { Certificate, checkPair } from './Certificate.ts'
import { expiredPair } from './testing/expiredPair.ts'

const { cert, key } = expiredPair
const names = { cert: 'a.crt', key: 'a.key' }

const pem = { type: 'pkcs8', format: 'pem' } as const
const { privateKey: other } = generateKeyPairSync('ed25519')

it('a pair that fits says when it ends', () => {
  expect(new Date(checkPair({ cert, key }, names).untilMs).toISOString()).toBe('2021-01-01T00:00:00.000Z')
})

it.each([
  ['no certificate', { cert: 'text', key }, 'a.crt: this is no certificate in PEM'],
  ['half a certificate', { cert: cert.slice(0, 200), key }, 'a.crt: this is no certificate in PEM'],
  ['no key', { cert, key: 'text' }, 'a.key: this is no private key in PEM'],
  [
    'another key',
    { cert, key: other.export(pem).toString() },
    'a.key: the key is not that of the certificate',
  ],
  [
    'a key with a passphrase',
    { cert, key: other.export({ ...pem, cipher: 'aes-256-cbc', passphrase: 'x' }).toString() },
    'a.key: the key has a passphrase; store it without one',
  ],
])('%s is refused, and the file is named', (_, pair, message) => {
  expect(() => checkPair(pair, names)).toThrow(message)
})

it('a renewed certificate is passed on until nobody listens', () => {
  const certificate = new Certificate({ cert, key })
  const taken: string[] = []
  const forget = certificate.onRenewed((pair) => taken.push(pair.cert))
  certificate.renew({ cert: 'the next', key: 'its key' })
  forget()
  certificate.renew({ cert: 'the one after', key: 'its key' })
  expect(taken).toEqual(['the next'])
  expect(certificate.pair.cert).toBe('the one after')
})
