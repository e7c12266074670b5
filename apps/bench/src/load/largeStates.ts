import type { LogEvent } from '@kiroku/protocol'

const by = { name: 'bench', origin: 'bench' }
const bodyBytes = 128
const perFrame = 1_000
const farMs = 10 * 86_400_000

/** The events of a frame, given its time. */
type Frame = (at: number) => LogEvent[]

const uuid = (i: number): string => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`

const created = (queue: number, name: string, config: Record<string, unknown> = {}): LogEvent => ({
  type: 'QueueCreated',
  queue,
  name,
  config,
  by,
})

const sent = (first: number, more: object = {}): LogEvent => ({
  type: 'Enqueued',
  queue: 1,
  first,
  count: 1,
  dueAt: 0,
  bytes: bodyBytes,
  producer: 'p',
  send: first,
  ...more,
})

const delivered = (number: number, at: number, more: object = {}): LogEvent => ({
  type: 'Delivered',
  queue: 1,
  sub: 0,
  delivery: number,
  leaseUntil: at + farMs,
  leaseCap: 0,
  attemptsMax: 4,
  mode: 'push',
  numbers: [number, 1],
  consumer: 'c',
  ...more,
})

/** Frames of a thousand items each, behind one that makes the queue. */
function* frames(
  items: number,
  config: Record<string, unknown>,
  events: (i: number, at: number) => LogEvent[],
): Generator<Frame> {
  yield () => [{ type: 'OwnerChanged', epoch: 1, node: 'bench', part: 1, of: 1 }, created(1, 'q', config)]
  for (let from = 1; from <= items; from += perFrame)
    yield (at) => {
      const all: LogEvent[] = []
      for (let i = from; i < from + perFrame && i <= items; i++) all.push(...events(i, at))
      return all
    }
}

/** States that are large in one part, as logs that lead to them. */
export const largeStates: Readonly<Record<string, (items: number) => Generator<Frame>>> = {
  producers: (items) => frames(items, {}, (i) => [sent(i, { producer: uuid(i), send: 1 })]),
  'producers with 64 sends each': (items) =>
    frames(items * 64, {}, (i) => [sent(i, { producer: uuid(i % items), send: Math.ceil(i / items) })]),
  'dedup keys': (items) =>
    frames(items, { dedup: 'content', dedupWindowMs: farMs }, (i) => [
      sent(i, { keys: new Uint8Array(new Float64Array([Math.sin(i), i]).buffer) }),
    ]),
  'ordered groups': (items) =>
    frames(items, { groups: 'ordered' }, (i) => [sent(i, { group: `customer ${i}` })]),
  'tenants with messages in flight': (items) =>
    frames(items, { groups: 'fair' }, (i, at) => [sent(i, { group: `tenant ${i}` }), delivered(i, at)]),
  'delayed messages': (items) => frames(items, {}, (i, at) => [sent(i, { dueAt: at + farMs + i })]),
  'receives with attempt ids': (items) =>
    frames(items, {}, (i, at) => [sent(i), delivered(i, at, { attempt: uuid(i) })]),
  'letters in the outbox': (items) =>
    frames(items, {}, (i, at) => [
      sent(i),
      delivered(i, at),
      {
        type: 'DeadLettered',
        queue: 1,
        sub: 0,
        numbers: [i, 1],
        cause: 'retry',
        error: 'the other side did not answer in time',
        target: { partition: 1, queue: 9 },
        forward: i,
      },
    ]),
  queues: (items) => frames(items, {}, (i) => [created(i + 1, `queue-${i}`)]),
}
