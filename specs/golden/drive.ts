/**
 * Drives one fixed workload through the engine of the commit that it is copied into, and writes the log that this
 * leaves to standard output. Uses only what every commit has; other features are requested by name (see
 * `record.ts`).
 */
import { decodeRecord } from '@kiroku/log'
import { snapshot, stateHash } from '@kiroku/partition'
import { encodeEnvelope, messageId } from '@kiroku/protocol'
import { startMemoryEngine } from '@kiroku/testkit/engine'

type Loose = Record<string, unknown>

const features = new Set(process.argv.slice(2))
const by = { name: 'golden', origin: 'record' }
const engine = await startMemoryEngine({ partitions: 2, checkpoints: { bytesMin: 24_000, ageMs: 1e9 } } as never)

const ask = async (partition: number, command: Loose): Promise<Loose> => {
  const { answers } = await engine.node().request(partition, [command as never])
  const { ok, error } = answers[0]! as unknown as { ok?: Loose; error?: { id: string; message: string } }
  if (error !== undefined) throw new Error(`${String(command['type'])}: ${error.id}: ${error.message}`)
  return ok ?? {}
}
const body = (text: string): Uint8Array => encodeEnvelope(new TextEncoder().encode(text))
let sends = 0
const send = (queue: string, texts: readonly string[], more: Loose = {}, partition = 0) =>
  ask(partition, { type: 'Enqueue', queue, producer: 'golden', send: ++sends, messages: texts.map(body), ...more })
let polls = 0
interface Item {
  queue: number
  sub: number
  delivery: number
  numbers: number[]
}
const receive = async (queue: string, max: number, more: Loose = {}, partition = 0): Promise<Item[]> => {
  const asked = { type: 'Receive', queue, poll: `poll-${++polls}`, max, waitMs: 0, mode: 'push', consumer: 'worker' }
  const { delivery } = (await ask(partition, { ...asked, ...more })) as { delivery?: Item }
  if (delivery === undefined) return []
  const items: Item[] = []
  for (let i = 0; i < delivery.numbers.length; i += 2)
    for (let n = 0; n < delivery.numbers[i + 1]!; n++)
      items.push({
        queue: delivery.queue,
        sub: (delivery as { sub?: number }).sub ?? 0,
        delivery: delivery.delivery,
        numbers: [delivery.numbers[i]! + n, 1],
      })
  return items
}
const create = (queue: string, config: Loose, partition = 0) =>
  ask(partition, { type: 'CreateQueue', queue, config, by })

const dead = await create('dead', {}, 1)
const deadLetter = { name: 'dead', partition: 1, queue: dead['queue'] }
const mail = await create('mail', { deadLetter, retriesMax: 2, leaseMs: 60_000 })
await create('scratch', {})
await send('mail', ['a', 'b', 'c', 'd', 'e', 'f'])
await send('mail', ['later', 'much later'], { delaysMs: [20, 3_600_000] })
const [one, two, three, four, five] = await receive('mail', 5)
await ask(0, { type: 'Ack', items: [one] })
await ask(0, { type: 'Retry', items: [two], error: 'connection refused' })
await ask(0, { type: 'Retry', items: [three], error: 'try later', delayMs: 3_600_000 })
await ask(0, { type: 'DeadLetter', items: [four], error: 'malformed' })
await ask(0, { type: 'Extend', items: [five], leaseMs: 120_000 })
await send('scratch', ['x'.repeat(300_000), 'small'])
const [large] = await receive('scratch', 1)
await ask(0, { type: 'Release', items: [large] })
await ask(0, { type: 'PurgeQueue', queue: 'scratch', by })
await ask(0, { type: 'PauseDelivery', queue: 'scratch', by })
await ask(0, { type: 'ResumeDelivery', queue: 'scratch', by })
await ask(0, { type: 'ConfigureQueue', queue: 'mail', config: { retriesMax: 1 }, by })
await new Promise((resolve) => setTimeout(resolve, 60))
await engine.restart()
if (features.has('recall')) {
  const sent = (await send('mail', ['cancelled', 'moved'], { delaysMs: [3_600_000, 3_600_000] })) as { first: number }
  const about = { queue: mail['queue'], producer: 'golden', by }
  await ask(0, { type: 'Recall', ...about, number: sent.first, send: ++sends })
  await ask(0, { type: 'Reschedule', ...about, number: sent.first + 1, send: ++sends, delayMs: 7_200_000 })
}
if (features.has('subscriptions')) {
  await create('news', {})
  const about = { queue: 'news', subscription: 'audit', by }
  await ask(0, { type: 'CreateSubscription', ...about, settings: { leaseMs: 5_000 } })
  await send('news', ['n1', 'n2', 'n3'])
  await ask(0, { type: 'Ack', items: await receive('news', 2, { subscription: 'audit' }) })
  await ask(0, { type: 'Ack', items: await receive('news', 1) })
  await ask(0, { type: 'ResetSubscription', ...about })
  await send('news', ['n4'])
}
if (features.has('groups')) {
  await create('orders', { groups: 'ordered' })
  await send('orders', ['o1', 'o2', 'o3', 'o4'], { groups: ['red', 'blue', 'red', 'blue'] })
  await ask(0, { type: 'Ack', items: [(await receive('orders', 3))[0]] })
}
if (features.has('dedup')) {
  await create('once', { dedup: 'content' })
  await send('once', ['same', 'other'])
  await send('once', ['same', 'third'])
}
if (features.has('attempts')) {
  const again = { attempt: 'attempt-1' }
  await receive('mail', 1, again)
  await receive('mail', 1, again)
}
if (features.has('deferral')) {
  await create('slow', {})
  await send('slow', ['s1', 's2', 's3', 's4'])
  const [due, soon, now] = await receive('slow', 3)
  await ask(0, { type: 'Release', items: [due], delayMs: 20, error: 'HTTP 503' })
  await ask(0, { type: 'Release', items: [now], error: 'HTTP 429' })
  await ask(0, { type: 'Release', items: [soon], delayMs: 5_000, error: 'HTTP 429', holdSubscription: true })
  await ask(0, { type: 'ResumeDelivery', queue: 'slow', by })
  const held = (await receive('slow', 1))[0]
  await ask(0, { type: 'Release', items: [held], delayMs: 3_600_000, error: 'HTTP 429', holdSubscription: true })
}
if (features.has('redrive')) {
  await ask(1, { type: 'StartRedrive', queue: 'dead', request: 'redrive-1', to: { queue: 'origin' }, by }).catch(
    () => ask(1, { type: 'StartRedrive', queue: 'dead', request: 'redrive-1', to: 'origin', by }),
  )
  await new Promise((resolve) => setTimeout(resolve, 300))
}
if (features.has('discard')) {
  await create('stale', { retriesMax: 5 })
  await send('stale', ['s1', 's2', 's3', 's4', 's5'])
  await ask(0, { type: 'Retry', items: [(await receive('stale', 1))[0]], error: 'not now', delayMs: 3_600_000 })
  const which = { queue: 'stale', subscription: 'main', by: { ...by, reason: 'they are stale' } }
  await ask(0, { type: 'Discard', ...which, state: 'WaitingRetry', numbers: [1, 1] })
  await ask(0, { type: 'Discard', ...which, state: 'Available', numbers: [2, 1, 4, 2] })
}
if (features.has('unlimited')) {
  for (const partition of [0, 1]) await ask(partition, { type: 'RaiseClusterVersion', version: 2, by })
  await create('endless', { retriesMax: 'unlimited', leaseMinMs: 0, exhaustion: 'onNextReceive' })
  await send('endless', ['e1', 'e2'])
  for (let i = 0; i < 5; i++) await receive('endless', 1, { leaseMs: 0 })
}
if (features.has('notes')) {
  for (const partition of [0, 1]) await ask(partition, { type: 'RaiseClusterVersion', version: 3, by })
  const about = { queue: 'noted', by }
  await ask(0, { type: 'CreateQueue', ...about, config: {}, notes: [['owner', 'shop'], ['stage', 'test']] })
  await ask(0, { type: 'ConfigureQueue', ...about, config: { leaseMs: 5_000 }, notes: [['owner', 'mail'], ['stage', null]] })
  await send('noted', ['n1'])
  await ask(0, { type: 'PurgeQueue', queue: 'noted', by })
}
await create('gone', {})
await send('gone', ['g'])
await ask(0, { type: 'DeleteQueue', queue: 'gone', by })
for (let i = 0; i < 30; i++) await send('scratch', [`${i} ${'filler '.repeat(150)}`])
await new Promise((resolve) => setTimeout(resolve, 300))
await send('mail', ['the last one'])
await new Promise((resolve) => setTimeout(resolve, 100))
const states = [0, 1].map((n) => engine.node().actors.get(n)!.state)
await engine.close()

const partitions = []
for (let n = 0; n < 2; n++) {
  const log = await engine.log.partition(n)
  const records = []
  for await (const { seq, timeMs, data } of log.read(1))
    records.push({ seq, timeMs, data: Buffer.from(data).toString('base64') })
  const checkpoints = []
  for (const seq of await log.checkpoints.list())
    checkpoints.push({ seq, data: Buffer.from((await log.checkpoints.get(seq))!).toString('base64') })
  const types = new Set<string>()
  for (const { data } of records) {
    const record = decodeRecord(Buffer.from(data, 'base64'))
    if (record.kind === 'frame') for (const event of record.events) types.add(event.type)
  }
  partitions.push({ records, checkpoints, types: [...types].sort(), recordedHash: stateHash(snapshot(states[n]!)) })
}
const { incarnation } = engine.log.meta
const traced = messageId({ incarnation, partition: 0, queue: mail['queue'] as number, number: 4 })
process.stdout.write(JSON.stringify({ incarnation, traced, partitions }), () => process.exit(0))
