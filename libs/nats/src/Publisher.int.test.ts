import { startTestNats, waitUntil, withNats } from '@kiroku/testkit'
import { headers, type NatsConnection } from '@nats-io/nats-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { connect } from './Connection.ts'
import { Publisher } from './Publisher.ts'
import { requireJetStream } from './requireJetStream.ts'

const nats = withNats()
let nc: NatsConnection
beforeAll(async () => {
  nc = await connect({ servers: nats().url })
  const jsm = await requireJetStream(nc)
  await jsm.streams.add({ name: 'S', subjects: ['s'], allow_atomic: true })
})
afterAll(() => nc.close())

const data = new Uint8Array(8)
const failure = (id: string) => expect.objectContaining({ id })
const expecting = (lastSeq: number) => {
  const own = headers()
  own.set('Nats-Expected-Last-Sequence', String(lastSeq))
  return own
}
const lastSeq = async () => (await (await requireJetStream(nc)).streams.info('S')).state.last_seq

test('answers find their publishes, even with refused ones among them', async () => {
  const publisher = new Publisher(nc)
  const base = await lastSeq()
  const results = await Promise.allSettled([
    publisher.publish('s', data, expecting(base)),
    publisher.publish('s', data, expecting(base + 7)),
    publisher.publishBatch('s', [data, data], expecting(base + 1)),
    publisher.publish('s', data, expecting(base + 3)),
  ])
  expect(results).toMatchObject([
    { value: { seq: base + 1 } },
    { reason: { id: 'Fenced' } },
    { value: { seq: base + 3 } },
    { value: { seq: base + 4 } },
  ])
  publisher.close()
})

test('a subject without a stream, and data beyond the limit, are certainly not stored', async () => {
  const publisher = new Publisher(nc)
  await expect(publisher.publish('nobody', data, headers())).rejects.toEqual(failure('NatsUnreachable'))
  const large = new Uint8Array(nc.info!.max_payload + 1)
  await expect(publisher.publish('s', large, headers())).rejects.toEqual(failure('Internal'))
  publisher.close()
})

/** A subscriber that takes publishes and never answers. */
const hush = async (connection: NatsConnection) => {
  connection.subscribe('silent')
  await connection.flush()
}

test('publishes without an answer in time are ambiguous, in order', async () => {
  await hush(nc)
  const publisher = new Publisher(nc, { timeoutMs: 50 })
  const failed: number[] = []
  const note = (n: number) => (e: unknown) => {
    expect(e).toEqual(failure('LogAmbiguous'))
    failed.push(n)
  }
  await Promise.all([1, 2, 3].map((n) => publisher.publish('silent', data, headers()).catch(note(n))))
  expect(failed).toEqual([1, 2, 3])
  publisher.close()
})

test('a lost connection makes everything in flight ambiguous at once, refuses more, and comes back', async () => {
  const own = await connect({ servers: nats().url })
  await hush(own)
  const publisher = new Publisher(own, { timeoutMs: 60_000 })
  const inFlight = [1, 2, 3].map(() => publisher.publish('silent', data, headers()).catch((e: unknown) => e))
  await own.flush()
  await nats().kill('SIGKILL')
  for (const result of await Promise.all(inFlight)) expect(result).toEqual(failure('LogAmbiguous'))
  await expect(publisher.publish('s', data, headers())).rejects.toEqual(failure('NatsUnreachable'))
  await nats().restart()
  const { seq } = await waitUntil(() => publisher.publish('s', data, headers()))
  expect(seq).toBe(await waitUntil(lastSeq))
  publisher.close()
  await own.close()
})

test('closing ends what is in flight as ambiguous and refuses new publishes', async () => {
  const publisher = new Publisher(nc)
  const inFlight = publisher.publish('s', data, headers())
  publisher.close()
  await expect(inFlight).rejects.toEqual(failure('LogAmbiguous'))
  await expect(publisher.publish('s', data, headers())).rejects.toEqual(failure('NatsUnreachable'))
})

test('a publish that NATS forbids is told so at once', async () => {
  const user = '{ user: a, password: b, permissions: { publish: { deny: "s" } } }'
  const server = await startTestNats({ extraConfig: `authorization { users: [${user}] }` })
  onTestFinished(() => server.stop())
  const connection = await connect({ servers: server.url, user: 'a', pass: 'b' })
  onTestFinished(() => connection.close())
  const publisher = new Publisher(connection)
  await expect(publisher.publish('s', data, headers())).rejects.toEqual(failure('NatsForbidden'))
  publisher.close()
})
