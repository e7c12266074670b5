import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@kiroku/testkit'
import { createUser, fromSeed } from '@nats-io/nkeys'
import { expect, onTestFinished, test } from 'vitest'
import { Access } from './Access.ts'

const newAccess = async (): Promise<Access> => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const access = new Access(folder.path)
  access.prepare()
  return access
}

const publicKeyIn = (seed: string): string => fromSeed(new TextEncoder().encode(seed.trim())).getPublicKey()

test('keys are made once, for their user alone, and the server gets their public halves', async () => {
  const access = await newAccess()
  const seeds = [access.node, access.client].map(({ nkey }) => readFileSync(nkey, 'utf8'))
  new Access(access.serverFolder).prepare()
  expect([access.node, access.client].map(({ nkey }) => readFileSync(nkey, 'utf8'))).toEqual(seeds)

  const config = readFileSync(access.configFile, 'utf8')
  for (const seed of seeds) {
    expect(config).toContain(publicKeyIn(seed))
    expect(config).not.toContain(seed.trim())
  }
  expect(statSync(access.folder).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(access.folder))
    expect(statSync(join(access.folder, name)).mode & 0o777, name).toBe(0o600)
})

test('a client is let in with its own key, and out again', async () => {
  const access = await newAccess()
  const key = publicKeyIn(access.add('shop'))
  expect(access.others()).toEqual([{ name: 'shop', publicKey: key }])
  expect(readFileSync(access.configFile, 'utf8')).toContain(key)
  access.remove('shop')
  expect(access.others()).toEqual([])
  expect(readFileSync(access.configFile, 'utf8')).not.toContain(key)
})

test('a name that is taken, or could name more than one client, is refused', async () => {
  const access = await newAccess()
  access.add('shop')
  const refused = expect.objectContaining({ id: 'InvalidArgument' }) as unknown
  for (const name of ['shop', 'client', '', '*', '>', 'a.b', 'a b', '"', 'x'.repeat(33)])
    expect(() => access.add(name), name).toThrow(refused as Error)
  expect(() => access.remove('other')).toThrow(refused as Error)
})

test('a file that cannot be read is named, not replaced', async () => {
  const access = await newAccess()
  const clients = join(access.folder, 'users.json')
  writeFileSync(clients, '[{')
  expect(() => access.prepare()).toThrow(clients)
  expect(() => access.add('shop')).toThrow(clients)
  const publicKey = createUser().getPublicKey()
  const flipped = (publicKey[9] === 'A' ? 'B' : 'A') + publicKey.slice(10)
  for (const users of [
    [{ name: 'shop', publicKey: publicKey.slice(0, 9) + flipped }],
    [{ name: '>', publicKey }],
    [{ name: 'shop' }],
    [null],
    {},
  ]) {
    writeFileSync(clients, JSON.stringify(users))
    expect(() => access.prepare(), JSON.stringify(users)).toThrow(clients)
  }
  rmSync(clients)
  writeFileSync(access.client.nkey, 'garbage')
  expect(() => access.prepare()).toThrow(access.client.nkey)
  expect(readFileSync(access.client.nkey, 'utf8')).toBe('garbage')
})
