import { type Command, type Delivery, encodeEnvelope, isCommand } from '@kiroku/protocol'
import type { MemoryEngine } from '@kiroku/testkit/engine'
import type { TextCodec } from './Codec.ts'

const by = { name: 'ann', origin: 'cli' }
const mail = { queue: 'mail', by }
const items = [{ queue: 1, sub: 0, delivery: 1, numbers: [1, 1] }]
const part = { queue: 'mail', home: { partition: 1, queue: 1 }, revision: 1 }

/** Commands of every kind, in JSON: `messages` and `body` are texts there. */
const samples: readonly object[] = [
  { type: 'CreateQueue', ...mail, config: { retriesMax: 3, leaseMs: 30_000, deadLetter: null } },
  { type: 'CreateQueue', ...mail, queue: 'groups', config: { groups: 'ordered', dedup: 'content' } },
  { type: 'ConfigureQueue', ...mail, config: { retry: { kind: 'list', delaysMs: [1, 2] } } },
  {
    type: 'Enqueue',
    queue: 'mail',
    producer: 'p',
    send: 1,
    messages: ['x', 'y'],
    tags: ['a', ''],
    delaysMs: [0, 5],
  },
  {
    type: 'Enqueue',
    queue: 'groups',
    producer: 'p',
    send: 1,
    messages: ['x'],
    groups: ['g'],
    dedupIds: ['d'],
  },
  {
    type: 'Enqueue',
    queue: 'mail',
    producer: 'p',
    send: 1,
    messages: ['x'],
    after: { producer: 'p', send: 9 },
  },
  {
    type: 'Receive',
    queue: 'mail',
    poll: 'a',
    max: 10,
    mode: 'push',
    consumer: 'c',
    waitMs: 0,
    attempt: 'b',
  },
  {
    type: 'Receive',
    queue: 'groups',
    poll: 'b',
    max: 1,
    mode: 'simple',
    consumer: 'c',
    waitMs: 0,
    group: 'g',
  },
  { type: 'CancelReceive', poll: 'a' },
  { type: 'Recall', queue: 1, number: 1, producer: 'p', send: 1, by },
  { type: 'Reschedule', queue: 1, number: 1, producer: 'p', send: 1, delayMs: 60_000, by },
  ...['Ack', 'Retry', 'DeadLetter'].map((type) => ({ type, items })),
  { type: 'Extend', items, leaseMs: 60_000 },
  { type: 'Release', items, delayMs: 5, holdSubscription: true },
  { type: 'PauseDelivery', ...mail },
  { type: 'ResumeDelivery', ...mail, subscription: 'main' },
  { type: 'PurgeQueue', ...mail },
  { type: 'DeleteQueue', ...mail, queue: 'groups', force: true },
  { type: 'Discard', ...mail, subscription: 'main', state: 'Available', numbers: [1, 3] },
  { type: 'CreateSubscription', ...mail, subscription: 's', settings: { tags: ['a'] }, start: 'earliest' },
  { type: 'ConfigureSubscription', ...mail, subscription: 's', settings: { retriesMax: 1 } },
  { type: 'ResetSubscription', ...mail, subscription: 's', start: { number: 1 } },
  { type: 'DeleteSubscription', ...mail, subscription: 's' },
  { type: 'SpreadQueue', ...mail, partitions: [0] },
  {
    type: 'PlacePart',
    ...part,
    since: 1,
    isOpen: true,
    index: 1,
    of: 2,
    purges: 0,
    config: {},
    deliveryPaused: false,
    subs: [],
  },
  { type: 'DropPart', ...part },
  { type: 'StartRedrive', ...mail, request: 'r', to: 'origin', filter: {}, selection: [1, 2], rateMax: 10 },
  { type: 'CancelRedrive', ...mail, task: 1 },
  { type: 'DescribeRedrives', queue: 'mail' },
  { type: 'Erase', ...mail, message: { queue: 1, number: 1 } },
  { type: 'EditBody', ...mail, number: 1, messageId: 'memory-0-1-1', body: 'z' },
  {
    type: 'Forward',
    from: { partition: 1, queue: 1 },
    target: 1,
    forward: 1,
    messages: ['x'],
    enqueuedAt: [1],
  },
  { type: 'ForgetLanes', from: 1, lanes: [1, 1], first: 1 },
  { type: 'DescribeQueue', queue: 'mail' },
  { type: 'ListQueues' },
  { type: 'DescribeGroups', queue: 'groups', max: 10 },
  { type: 'DescribePartition' },
  { type: 'FollowPartition', follower: 'f', since: 0 },
]

/** Commands that are shaped right, whatever they mean: an owner answers each of them, and lives on. */
export const commandCodec = (engine: MemoryEngine): TextCodec => {
  let sends = 0
  let [delivery, number] = [1, 1]
  /** Most sends are no repeats of the one before, and most settling is of the last delivery. */
  const current: Readonly<Record<string, () => number>> = {
    send: () => ++sends,
    delivery: () => delivery,
    number: () => number,
  }
  const commandIn = (text: string): Command | undefined => {
    const value: unknown = JSON.parse(text, (key, each: unknown) => {
      if (each === 1 && Object.hasOwn(current, key)) return current[key]!()
      if (key === 'numbers' && Array.isArray(each) && each[0] === 1)
        return [number, ...(each.slice(1) as number[])]
      if (key === 'body' && typeof each === 'string') return Buffer.from(each)
      return key === 'messages' && Array.isArray(each) ? each.map(envelopeOf) : each
    })
    return isCommand(value) ? value : undefined
  }
  return {
    kind: 'text',
    name: 'command decided',
    samples: samples.map((each) => JSON.stringify(each)),
    staysJson: true,
    read: async (text) => {
      const command = commandIn(text)
      if (command === undefined) return
      const { answers } = await engine.node().request(0, [command])
      for (const { ok, error } of answers) {
        if (error?.id === 'Internal') throw new Error(error.message)
        const got = ok !== undefined && 'delivery' in ok ? (ok.delivery as Delivery) : undefined
        if (got !== undefined) [delivery, number] = [got.delivery, got.numbers[0]!]
      }
      const { life } = engine.node().actors.get(0)!
      if (life !== 'Active') throw new Error(`the owner is ${life}`)
    },
  }
}

const envelopeOf = (value: unknown): unknown =>
  typeof value === 'string' ? encodeEnvelope(Buffer.from(value)) : value
