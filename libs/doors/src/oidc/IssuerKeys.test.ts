import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { KirokuError } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { IssuerKeys } from './IssuerKeys.ts'

/** An issuer whose keys have names alone. */
const issuer = async () => {
  const served = { keys: ['first'], isAway: false, reads: 0, claims: '' }
  const server = createServer(({ url }, response) => {
    if (served.isAway) return void response.destroy()
    if (url === '/keys') served.reads++
    const answer =
      url === '/keys'
        ? { keys: served.keys.map((kid) => ({ kty: 'EC', kid })) }
        : { issuer: served.claims || at, jwks_uri: `${at}/keys` }
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const time = { ms: 0 }
  const keys = new IssuerKeys(
    at,
    (set) => set.keys.map(({ kid }) => kid),
    () => time.ms,
  )
  const troubles: KirokuError[] = []
  keys.onTrouble((error) => troubles.push(error))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { served, time, keys, troubles, [Symbol.asyncDispose]: close }
}

it('keys are read once for all that need them, and again after a while, without anyone waiting', async () => {
  await using world = await issuer()
  const { keys, served, time } = world
  expect(await Promise.all([keys.current(), keys.current()])).toEqual([['first'], ['first']])
  expect(served.reads).toBe(1)
  served.keys = ['second']
  time.ms = 11 * 60_000
  expect(await keys.current()).toEqual(['first'])
  await expect.poll(() => keys.current()).toEqual(['second'])
  expect(served.reads).toBe(2)
})

it('keys are read again for one that is not there, but not for each token that names one', async () => {
  await using world = await issuer()
  const { keys, served, time } = world
  await keys.current()
  served.keys = ['second']
  time.ms = 4_999
  expect(await keys.again()).toBeUndefined()
  time.ms = 5_000
  expect(await Promise.all([keys.again(), keys.again()])).toEqual([['second'], ['second']])
  expect(await keys.again()).toBeUndefined()
  expect(served.reads).toBe(2)
})

it('keys that were read hold while the issuer is away, and without any it is said that it is', async () => {
  await using world = await issuer()
  const { keys, served, time, troubles } = world
  served.isAway = true
  const away = { id: 'IssuerUnavailable', retryable: true, retryAfterMs: 5_000 }
  await expect(keys.current()).rejects.toMatchObject(away)
  await expect(keys.current()).rejects.toMatchObject(away)
  expect(troubles).toHaveLength(1)
  served.isAway = false
  time.ms = 5_000
  expect(await keys.current()).toEqual(['first'])
  served.isAway = true
  time.ms = 11 * 60_000
  expect(await keys.current()).toEqual(['first'])
  await expect.poll(() => troubles).toHaveLength(2)
  expect(await keys.current()).toEqual(['first'])
})

it('keys of a discovery document that is of another issuer are not used', async () => {
  await using world = await issuer()
  world.served.claims = 'https://elsewhere.example'
  await expect(world.keys.current()).rejects.toThrow(
    'its discovery document is of issuer https://elsewhere.example',
  )
})
