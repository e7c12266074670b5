import { planRepair, repair, trace, verify } from '@kiroku/audit'
import { decodeCheckpoint, Node } from '@kiroku/engine'
import type { Log } from '@kiroku/log'
import { openLog } from '../log/logAdapter.ts'
import { connect, requireJetStream } from '@kiroku/nats'
import { encodeEnvelope, messageId, type Answers, type Command, type CommandType } from '@kiroku/protocol'
import { waitUntil, withNats } from '@kiroku/testkit'
import * as Effect from 'effect/Effect'
import * as Fiber from 'effect/Fiber'
import { afterAll, beforeAll, expect, test } from 'vitest'

const nats = withNats()
const by = { name: 'test', origin: 'test' }
let nc: Awaited<ReturnType<typeof connect>>
let log: Log
let node: Node
let fibers: Fiber.Fiber<never>[] = []

const start = () => {
  node = new Node({ log, name: `node-${Math.random()}` })
  // As placement does: an ownership that ends is taken again.
  const owned = (n: number) => Effect.scoped(node.run(n)).pipe(Effect.retry({ while: () => true }))
  fibers = [0, 1].map((n) => Effect.runFork(owned(n) as Effect.Effect<never>))
}
const stop = () => Promise.all(fibers.map((fiber) => Effect.runPromise(Fiber.interrupt(fiber))))
const life = (state: string, partition = 0) => waitUntil(() => node.actors.get(partition)?.life === state)
const ask = async <T extends CommandType>(
  partition: number,
  command: Extract<Command, { type: T }>,
): Promise<Answers[T]> => {
  const { ok, error } = (await node.request(partition, [command])).answers[0]!
  if (error !== undefined) throw new Error(`${error.id}: ${error.message}`)
  return ok as Answers[T]
}

beforeAll(async () => {
  nc = await connect({ servers: nats().url })
  log = await openLog(nc, { name: 'audited', create: { partitions: 2 } })
  start()
  await life('Active')
  await life('Active', 1)
})
afterAll(async () => {
  await stop()
  await log.close()
  await nc.close()
})

test('a record in JetStream is traced, verified alongside its engine, and repaired while the engine waits', async () => {
  const dead = await ask(1, { type: 'CreateQueue', queue: 'dead', config: {}, by })
  const deadLetter = { name: 'dead', partition: 1, queue: dead.queue }
  const config = { retriesMax: 0, deadLetter }
  const { queue } = await ask(0, { type: 'CreateQueue', queue: 'mail', config, by })
  const send = (n: number) => {
    const messages = Array.from({ length: 100 }, () => encodeEnvelope(new Uint8Array(128)))
    return ask(0, { type: 'Enqueue', queue: 'mail', producer: 'p', send: n, messages })
  }
  const receive = { type: 'Receive', waitMs: 5_000, mode: 'simple', consumer: 'c' } as const
  await send(1)
  const { delivery } = await ask(0, { ...receive, queue: 'mail', poll: 'a', max: 50 })
  const item = { queue, sub: 0, delivery: delivery!.delivery }
  await ask(0, { type: 'Retry', items: [{ ...item, numbers: [1, 1] }], error: 'broken' })
  await ask(0, { type: 'Ack', items: [{ ...item, numbers: [2, 49] }] })
  await ask(1, { ...receive, queue: 'dead', poll: 'b', max: 1 })

  const { incarnation } = log.meta
  const found = await trace(log, messageId({ incarnation, partition: 0, queue, number: 1 }))
  expect(found.steps.map(({ event }) => event)).toEqual([
    'Enqueued',
    'Delivered',
    'DeadLettered',
    'ForwardReceived',
    'Delivered',
  ])
  const report = await verify(log, { decodeCheckpoint })
  expect(report.partitions.map(({ problem }) => problem)).toEqual([undefined, undefined])
  expect(report.totals).toMatchObject({ sent: 101, committed: 49, deadLettered: 1, live: 51 })

  const handle = await log.partition(0)
  const { lastSeq } = await handle.state()
  await send(2)
  await send(3)
  await stop()
  const jsm = await requireJetStream(nc)
  await jsm.streams.deleteMessage('KIROKU_audited_0', lastSeq + 1)
  start()
  await life('Quarantined')
  expect(await planRepair(log, 0, { decodeCheckpoint })).toMatchObject({
    kind: 'void',
    from: lastSeq + 1,
    lost: { unreadable: 1, sent: 100 },
  })
  await repair(log, 0, { decodeCheckpoint, by, note: 'a lost block' })
  await life('Active')
  const { counts } = await ask(0, { type: 'DescribeQueue', queue: 'mail' })
  expect(counts).toMatchObject({ sent: 100, available: 50, committed: 49, deadLettered: 1 })
  await send(4)
  expect(await verify(log, { decodeCheckpoint })).toMatchObject({
    ok: true,
    partitions: [{ repaired: [{ from: lastSeq + 1 }] }, {}],
  })
}, 60_000)
