import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeRecord, zeroHash } from '@kiroku/log'
import { connect, requireJetStream } from '@kiroku/nats'
import { startTestNats, temporaryFolder, waitUntil } from '@kiroku/testkit'
import type { JetStreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/nats-core'
import { expect, test } from 'vitest'
import { openLog } from './openLog.ts'

const record = encodeRecord({ epoch: 1, at: 1, events: [], sections: [] }, zeroHash).bytes
const small = { partitions: 3, recordMs: 5_000_000, recordBytes: 7_000_000, bytesMax: 9_000_000 }
const catalogueStream = 'KV_KIROKU_CATALOGUE'

/** A server that can be stopped, damaged and restarted on its folder. */
const withStore = async (
  act: (store: {
    readonly stream: (name: string) => string
    readonly running: <A>(use: (nc: NatsConnection, jsm: JetStreamManager) => Promise<A>) => Promise<A>
  }) => Promise<void>,
): Promise<void> => {
  const folder = await temporaryFolder()
  try {
    await act({
      stream: (name) => join(folder.path, 'jetstream', '$G', 'streams', name),
      running: async (use) => {
        const server = await startTestNats({ dataDir: folder.path })
        try {
          const nc = await connect({ servers: server.url })
          try {
            return await use(nc, await requireJetStream(nc))
          } finally {
            await nc.close()
          }
        } finally {
          await server.stop()
        }
      },
    })
  } finally {
    await folder.remove()
  }
}

/** Flips the byte at the last occurrence of `text` in a file. */
const flip = (file: string, text: string): void => {
  const bytes = readFileSync(file)
  const at = bytes.lastIndexOf(text)
  expect(at).toBeGreaterThan(0)
  bytes[at]! ^= 0x20
  writeFileSync(file, bytes)
}

const catalogueOf = async (nc: NatsConnection, log: string): Promise<unknown> => {
  const bucket = await new Kvm(nc).open('KIROKU_CATALOGUE')
  return (await bucket.get(`log.${log}`).catch(() => null))?.json()
}

test.each([
  ['its entry', 'msgs/1.blk', '"complete":true'],
  ['the description of its bucket', 'meta.inf', 'KV_KIROKU_CATALOGUE'],
])(
  'a flipped byte of the catalogue costs no log: it is written again from the streams (%s)',
  (_, file, text) =>
    withStore(async ({ stream, running }) => {
      const meta = await running(async (nc) => {
        const log = await openLog(nc, { name: 'main', create: small })
        await (await log.partition(2)).append(record, 0)
        await openLog(nc, { name: 'other', create: { partitions: 1, recordMs: 3 } })
        // Written last, so that the flipped byte is in it.
        const bucket = await new Kvm(nc).open('KIROKU_CATALOGUE')
        await bucket.put('log.main', (await bucket.get('log.main'))!.string())
        return log.meta
      })
      flip(join(stream(catalogueStream), file), text)
      await running(async (nc) => {
        const healed: string[] = []
        const onHealed = (what: string) => healed.push(what)
        for (let i = 0; i < 2; i++) {
          const log = await openLog(nc, { name: 'main', create: { partitions: 4 }, onHealed })
          expect(log.meta).toEqual(meta)
          expect(await (await log.partition(2)).state()).toMatchObject({
            lastSeq: 1,
            bytesMax: small.bytesMax,
          })
        }
        expect(healed).toEqual(['the catalogue had lost log "main"; it was written again from the streams'])
        expect(await catalogueOf(nc, 'main')).toEqual({ meta, bytesMax: small.bytesMax, complete: true })
        expect(await catalogueOf(nc, 'other')).toMatchObject({ meta: { recordMs: 3 }, complete: true })
      })
      // It is durable: the server finds it at its next start too.
      await running(async (nc) => {
        const onHealed = () => expect.unreachable()
        expect((await openLog(nc, { name: 'main', create: { partitions: 4 }, onHealed })).meta).toEqual(meta)
      })
    }),
)

test('streams of an older version identify their log; what they do not say is taken from the current settings', () =>
  withStore(({ running }) =>
    running(async (nc, jsm) => {
      const { meta } = await openLog(nc, { name: 'main', create: small })
      const saysAll = (n: number) =>
        jsm.streams.info(`KIROKU_main_${n}`).then(({ config }) => config.metadata?.['kiroku-log'])
      const written = await saysAll(0)
      for (let n = 0; n < small.partitions; n++)
        await jsm.streams.update(`KIROKU_main_${n}`, { metadata: { kiroku: meta.incarnation } })
      expect(await saysAll(0)).toBeUndefined()
      await jsm.streams.delete(catalogueStream)
      const log = await openLog(nc, { name: 'main', create: { partitions: 9, recordMs: 1, recordBytes: 2 } })
      expect(log.meta).toEqual({ ...meta, recordMs: 1, recordBytes: 2 })
      await log.partition(1)
      expect(JSON.parse((await saysAll(1))!)).toEqual({ meta: log.meta, bytesMax: small.bytesMax })
      expect(written).toBeDefined()
    }),
  ))

test('an engine writes into the streams of an older version what the catalogue says, and a reader does not', () =>
  withStore(({ running }) =>
    running(async (nc, jsm) => {
      const { meta } = await openLog(nc, { name: 'main', create: small })
      await jsm.streams.update('KIROKU_main_0', { metadata: { kiroku: meta.incarnation } })
      const metadata = async () => (await jsm.streams.info('KIROKU_main_0')).config.metadata
      await (await openLog(nc, { name: 'main' })).partition(0)
      expect(await metadata()).not.toHaveProperty('kiroku-log')
      await (await openLog(nc, { name: 'main', create: small })).partition(0)
      expect(await metadata()).toMatchObject({
        kiroku: meta.incarnation,
        'kiroku-log': JSON.stringify({ meta, bytesMax: small.bytesMax }),
      })
    }),
  ))

test('a reader finds a log that the catalogue lost, and writes nothing', () =>
  withStore(({ running }) =>
    running(async (nc, jsm) => {
      const { meta } = await openLog(nc, { name: 'main', create: small })
      await jsm.streams.delete(catalogueStream)
      expect((await openLog(nc, { name: 'main' })).meta).toEqual(meta)
      await expect(jsm.streams.info(catalogueStream)).rejects.toThrow('stream not found')
    }),
  ))

test.each([
  [
    'an entry of another log, begun alongside the streams',
    (entry: object) => JSON.stringify({ ...entry, complete: false }),
  ],
  ['text that is not JSON', () => '{"meta":'],
  ['JSON with missing fields', () => '{"meta":{"name":"main"}}'],
])('the streams win over %s', (_, text) =>
  withStore(({ running }) =>
    running(async (nc) => {
      const { meta } = await openLog(nc, { name: 'main', create: small })
      const bucket = await new Kvm(nc).open('KIROKU_CATALOGUE')
      await bucket.put('log.main', text({ meta: { ...meta, incarnation: 'other' }, bytesMax: 0 }))
      expect((await openLog(nc, { name: 'main', create: { partitions: 1 } })).meta).toEqual(meta)
    }),
  ),
)

test('a partition is opened by what is known of its log when the catalogue does not answer', () =>
  withStore(({ running }) =>
    running(async (nc, jsm) => {
      const log = await openLog(nc, { name: 'main', create: small })
      await jsm.streams.delete(catalogueStream)
      expect(await (await log.partition(1)).state()).toMatchObject({ lastSeq: 0, bytesMax: small.bytesMax })
    }),
  ))

test('streams of several logs of one name are told apart and left alone', () =>
  withStore(({ running }) =>
    running(async (nc, jsm) => {
      await openLog(nc, { name: 'main', create: small })
      await jsm.streams.delete(catalogueStream)
      await jsm.streams.update('KIROKU_main_1', { metadata: { kiroku: 'other' } })
      await expect(openLog(nc, { name: 'main', create: small })).rejects.toMatchObject({
        id: 'ForeignStream',
      })
      expect((await jsm.streams.info('KIROKU_main_1')).config.metadata).toMatchObject({ kiroku: 'other' })
    }),
  ))

test('checkpoints come back durably with their bucket when NATS could not load it', () =>
  withStore(async ({ stream, running }) => {
    await running(async (nc) => {
      const log = await openLog(nc, { name: 'main', create: small })
      await (await log.partition(0)).checkpoints.put(3, record)
    })
    flip(join(stream('OBJ_KIROKU_main_CHECKPOINTS'), 'meta.inf'), 'CHECKPOINTS')
    await running(async (nc) => {
      await expect(openLog(nc, { name: 'main' })).rejects.toMatchObject({ id: 'LogDamaged' })
      await openLog(nc, { name: 'main', create: small })
    })
    await running(async (nc) => {
      const { checkpoints } = await (await openLog(nc, { name: 'main' })).partition(0)
      expect(await checkpoints.list()).toEqual([3])
      expect(Buffer.compare((await checkpoints.get(3))!, record)).toBe(0)
    })
  }))

test('a stream that NATS cannot load is named, and comes back durably with its records when it is restored', () =>
  withStore(async ({ stream, running }) => {
    await running(async (nc) => {
      const log = await openLog(nc, { name: 'main', create: small })
      for (let seq = 0; seq < 20; seq++) await (await log.partition(1)).append(record, seq)
    })
    flip(join(stream('KIROKU_main_1'), 'meta.inf'), 'KIROKU_main_1')
    await running(async (nc) => {
      const log = await openLog(nc, { name: 'main', create: small })
      await expect(log.partition(1)).rejects.toMatchObject({
        id: 'LogDamaged',
        message: expect.stringMatching(/^NATS has no stream KIROKU_main_1 /) as string,
      })
      await log.restore(1)
      expect(await (await log.partition(1)).state()).toMatchObject({ firstSeq: 1, lastSeq: 20, holes: 0 })
    })
    await running(async (nc) => {
      const partition = await (await openLog(nc, { name: 'main', create: small })).partition(1)
      expect(await partition.append(record, 20)).toBe(21)
    })
  }))

test('buckets that somebody deletes while an engine runs come back, for clients and for other nodes', () =>
  withStore(({ running }) =>
    running(async (nc, jsm) => {
      const healed: string[] = []
      const onHealed = (what: string) => void healed.push(what)
      const log = await openLog(nc, { name: 'main', create: small, keepBucketsMs: 20, onHealed })
      const checkpoints = 'OBJ_KIROKU_main_CHECKPOINTS'
      for (const stream of [catalogueStream, checkpoints]) await jsm.streams.delete(stream)
      await waitUntil(() => healed.length === 2)
      expect(healed.toSorted()).toEqual([
        'NATS had no bucket KIROKU_main_CHECKPOINTS with the checkpoints; it was created again',
        'the catalogue had lost log "main"; it was written again',
      ])
      expect(await catalogueOf(nc, 'main')).toMatchObject({ meta: log.meta, complete: true })
      const partition = await (await openLog(nc, { name: 'main' })).partition(1)
      expect(await partition.checkpoints.list()).toEqual([])
      await log.close()
    }),
  ))
