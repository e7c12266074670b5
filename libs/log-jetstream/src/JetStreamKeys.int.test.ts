import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createMemoryLog } from '@kiroku/log'
import { keysContract } from '@kiroku/log/keysContract'
import { connect, requireJetStream } from '@kiroku/nats'
import { startTestNats, withNats } from '@kiroku/testkit'
import type { NatsConnection } from '@nats-io/nats-core'
import { expect, test } from 'vitest'
import { JetStreamKeys } from './JetStreamKeys.ts'

const nats = withNats()
let logs = 0

const metaOf = (name: string) => createMemoryLog({ name, incarnation: 'abc', recordMs: 60_000 }).meta

keysContract('the key store over NATS KV', async () => {
  const name = `contract${++logs}`
  const connections: NatsConnection[] = []
  const dial = async () => {
    const nc = await connect({ servers: nats().url })
    connections.push(nc)
    return { nc, jsm: await requireJetStream(nc) }
  }
  const { jsm } = await dial()
  return {
    open: async () => {
      const { nc, jsm } = await dial()
      return new JetStreamKeys(nc, jsm, metaOf(name))
    },
    holds: async (bytes) => {
      const stream = `KV_KIROKU_${name}_KEYS`
      const { state } = await jsm.streams.info(stream)
      for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
        const stored = await jsm.streams.getMessage(stream, { seq })
        if (stored !== null && Buffer.from(stored.data).includes(Buffer.from(bytes))) return true
      }
      return false
    },
    close: async () => {
      await Promise.all(connections.map((nc) => nc.close()))
    },
  }
})

test('the bucket limits the age of its entries, and reads from its leader', async () => {
  const nc = await connect({ servers: nats().url })
  const jsm = await requireJetStream(nc)
  await new JetStreamKeys(nc, jsm, metaOf('kept')).put('a', new Uint8Array(1), 0)
  const { config } = await jsm.streams.info('KV_KIROKU_kept_KEYS')
  expect(config.max_age).toBe(30 * 86_400_000 * 1e6)
  expect(config.allow_direct).toBe(false)
  await nc.close()
})

test('without NATS the keys are reported as unavailable', async () => {
  const server = await startTestNats()
  const nc = await connect({ servers: server.url })
  const keys = new JetStreamKeys(nc, await requireJetStream(nc), metaOf('gone'))
  await nc.close()
  await server.stop()
  const failure = expect.objectContaining({ id: 'KeysUnavailable' })
  await expect(keys.get('a')).rejects.toEqual(failure)
  await expect(keys.put('a', new Uint8Array(1), 0)).rejects.toEqual(failure)
  await expect(keys.scrub('a')).rejects.toEqual(failure)
})

test('a scrubbed value is no longer in any file of the store', async () => {
  const server = await startTestNats()
  const nc = await connect({ servers: server.url })
  const keys = new JetStreamKeys(nc, await requireJetStream(nc), metaOf('disk'))
  const secret = Buffer.from('a-key-that-must-be-gone-from-the-disk')
  const isOnDisk = () => filesIn(server.dataDir).some((file) => readFileSync(file).includes(secret))
  const first = (await keys.put('m.0.1.0', secret, 0))!
  expect(isOnDisk()).toBe(true)
  await keys.put('m.0.1.0', Buffer.from('what is left'), first)
  expect(isOnDisk()).toBe(true)
  await keys.scrub('m.0.1.0')
  expect(isOnDisk()).toBe(false)
  await nc.close()
  await server.stop()
})

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))

test('a log created again under the same name finds no keys of the one before', async () => {
  const nc = await connect({ servers: nats().url })
  const jsm = await requireJetStream(nc)
  const before = metaOf('again')
  await new JetStreamKeys(nc, jsm, before).put('a', new Uint8Array(1), 0)
  const keys = new JetStreamKeys(nc, jsm, { ...before, incarnation: 'def' })
  expect(await keys.get('a')).toBeUndefined()
  expect(await keys.put('a', new Uint8Array(1), 0)).toBeDefined()
  await nc.close()
})
