import { newCell, type MessageCell } from '@kiroku/message'
import {
  isFinal,
  State,
  type LogEvent,
  type QueueAddress,
  encodeEnvelope,
  defaultQueueConfig,
  type Answers,
  type Command,
  type CommandOf,
  type QueueConfig,
  type SettleItem,
  type SubscriptionSettings,
} from '@kiroku/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Groups } from './groups/Groups.ts'
import {
  availableNumbers,
  decideEditBody,
  decideErase,
  decideForwarded,
  decideKeysDeleted,
  decideRedrive,
  editable,
  describeQueues,
  laneKey,
  readyRuns,
  snapshot,
  stateHash,
  type Turn,
  type Ownership,
  type PartitionState,
} from './index.ts'
import type { QueueState } from './state/QueueState.ts'
import type { Subscription } from './state/Subscription.ts'
import { freeSlot } from './store/LiveSlab.ts'
import { loadCell } from './store/loadCell.ts'
import { listsOf } from './store/readyRuns.ts'
import { ReferencePartition, timeOf, type LawQueue, type LawSub } from './testing/ReferencePartition.ts'
import { Times } from './ownership/Times.ts'
import { numbersOf, TestPartition } from './testing/TestPartition.ts'
import { TestRepeats } from './testing/TestRepeats.ts'

const by = { name: 'tester', origin: 'test' }
const names = ['a', 'b', 'c'] as const

// --- What is asked, before it is fitted to what is there.

const name = fc.constantFrom(...names)
const config: fc.Arbitrary<Partial<QueueConfig>> = fc.record(
  {
    leaseMs: fc.integer({ min: 1, max: 300 }),
    leaseCapMs: fc.constantFrom(0, 0, 400),
    retriesMax: fc.integer({ min: 0, max: 3 }),
    retry: fc.constantFrom<QueueConfig['retry'][]>(
      { kind: 'fixed', delayMs: 0 },
      { kind: 'fixed', delayMs: 70 },
      { kind: 'list', delaysMs: [0, 30, 60] },
      { kind: 'exponential', baseMs: 20, factor: 2, maxMs: 200, jitter: 0.8 },
    ),
    exhaustion: fc.constantFrom('onExpiry', 'onNextReceive'),
    lateHandles: fc.constantFrom('accept', 'reject'),
    deadLetter: fc.constantFrom(
      null,
      { partition: 5, queue: 1, name: 'dead' },
      { partition: 6, queue: 2, name: 'x' },
    ),
    retentionMs: fc.integer({ min: 1_000, max: 3_000 }),
    retentionFrom: fc.constantFrom('arrival', 'original'),
    deliveryDelayMs: fc.constantFrom(0, 0, 50),
    receiveWaitMs: fc.constantFrom(0, 200),
    batchBytes: fc.constantFrom(50, 1_000),
    dedup: fc.constantFrom('off', 'off', 'id', 'content'),
    dedupWindowMs: fc.constantFrom(1_000, 2_000),
    rateMax: fc.constantFrom(0, 0, 0, 5, 40),
    inflightMax: fc.constantFrom(0, 0, 0, 3),
    concurrencyMax: fc.constantFrom(0, 0, 0, 2),
  },
  // Without these a message could outlive the test.
  { requiredKeys: ['leaseMs', 'retentionMs', 'dedupWindowMs'] },
)
const subs = ['x', 'y'] as const
const targets = [
  { partition: 5, queue: 1, name: 'dead' },
  { partition: 6, queue: 2, name: 'x' },
] as const
/** Which groups a queue has, whether repeats are looked for within them, and what can be erased, is said once, when it is created. */
const created: fc.Arbitrary<Partial<QueueConfig>> = fc
  .tuple(
    config,
    fc.constantFrom('none', 'none', 'ordered', 'fair'),
    fc.constantFrom('queue', 'group'),
    fc.constantFrom('none', 'message', 'group'),
  )
  .map(([c, groups, dedupScope, erasable]) => ({
    ...c,
    groups,
    dedupScope,
    erasable: groups === 'none' && erasable === 'group' ? 'message' : erasable,
    ...(groups === 'ordered' ? { retry: { kind: 'fixed', delayMs: 30 } } : {}),
    ...(erasable !== 'none' && c.dedup === 'content' ? { dedup: 'id' } : {}),
  }))
const tag = fc.constantFrom('', 'red', 'green')
const settings: fc.Arbitrary<SubscriptionSettings> = fc.record(
  {
    leaseMs: fc.integer({ min: 1, max: 300 }),
    retriesMax: fc.integer({ min: 0, max: 3 }),
    lateHandles: fc.constantFrom('accept', 'reject'),
    deadLetter: fc.constantFrom(null, { partition: 5, queue: 1, name: 'dead' }),
    tags: fc.constantFrom(null, ['red'], ['red', 'green']),
  },
  { requiredKeys: [] },
)
const delay = fc.constantFrom(0, 0, 1, 40, 40, 300)
const nat = fc.nat(10_000)
/** Which messages of which delivery: by their place, with some that are doubled, overlap or belong to nobody. */
const pick = fc.record({
  delivery: nat,
  places: fc.array(fc.nat(8), { minLength: 1, maxLength: 6 }),
  whole: fc.boolean(),
  bend: fc.constantFrom<('queue' | 'sub' | 'delivery' | 'numbers' | 'not')[]>(
    ...Array<'not'>(10).fill('not'),
    'queue',
    'sub',
    'delivery',
    'numbers',
  ),
})
const numbers = fc.constantFrom<unknown[]>(
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -1,
  -0,
  0,
  0.5,
  1,
  2 ** 31,
  2 ** 32 + 1,
  2 ** 53,
  1e300,
  7n,
  undefined,
)
const garbage = fc.record({
  kind: fc.nat(10),
  numbers: fc.array(numbers, { minLength: 8, maxLength: 8 }),
  queue: fc.constantFrom('a', 'b', 'c', 'nobody', ''),
})

const op = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      op: fc.constant('send'),
      queue: name,
      tags: fc.option(fc.array(tag, { minLength: 1, maxLength: 5 }), { nil: undefined }),
      groups: fc.array(fc.constantFrom('g', 'h', 'i'), { minLength: 5, maxLength: 5 }),
      producer: fc.nat(2),
      again: fc.constantFrom(0, 0, 0, 0, 1, 3, 70),
      count: fc.integer({ min: 1, max: 5 }),
      delayMs: fc.option(delay, { nil: undefined }),
      delaysMs: fc.option(fc.array(fc.oneof(delay, fc.constant(-1)), { maxLength: 5 }), { nil: undefined }),
      bytes: fc.integer({ min: 4, max: 30 }),
      dedupIds: fc.array(fc.constantFrom('i', 'j', 'k'), { minLength: 5, maxLength: 5 }),
      /** Bodies that others have, too; absent: each has its own. */
      sames: fc.option(fc.array(fc.nat(2), { minLength: 5, maxLength: 5 }), { nil: undefined }),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      op: fc.constant('receive'),
      queue: name,
      subscription: fc.constantFrom(undefined, undefined, ...subs),
      /** Of the queues that have groups. */
      only: fc.constantFrom(undefined, undefined, 'g', 'h'),
      poll: fc.constantFrom('new', 'new', 'new', 'again'),
      isNamed: fc.constantFrom(true, true, false),
      max: fc.integer({ min: 1, max: 6 }),
      waitMs: fc.constantFrom(undefined, 0, 100, 1_000),
      batchWaitMs: fc.constantFrom(undefined, 0, 80, 500),
      leaseMs: fc.constantFrom(undefined, 1, 60, 500, 2_000),
      bytesMax: fc.constantFrom(undefined, 1, 40),
      mode: fc.constantFrom('push', 'simple'),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      op: fc.constant('settle'),
      type: fc.constantFrom('Ack', 'Ack', 'Retry', 'Retry', 'Extend', 'Release', 'Release', 'DeadLetter'),
      picks: fc.array(pick, { minLength: 1, maxLength: 3 }),
      delayMs: fc.option(delay, { nil: undefined }),
      leaseMs: fc.integer({ min: 1, max: 500 }),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      op: fc.constant('defer'),
      picks: fc.array(pick, { minLength: 1, maxLength: 3 }),
      delayMs: fc.constantFrom(0, 1, 40, 300),
      holds: fc.constantFrom(true, true, false),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('cancel'), pick: nat }) },
  { weight: 8, arbitrary: fc.record({ op: fc.constant('repeat'), pick: fc.nat(2) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('revise'),
      how: fc.constantFrom('Recall', 'Reschedule'),
      producer: fc.nat(2),
      pick: nat,
      isAstray: fc.constantFrom(false, false, false, false, true),
      to: fc.oneof(fc.record({ delayMs: delay }), fc.record({ atMs: fc.integer({ min: -100, max: 400 }) })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('forward'),
      queue: name,
      from: fc.nat(1),
      back: fc.nat(3),
      count: fc.integer({ min: 1, max: 4 }),
      ageMs: fc.integer({ min: 0, max: 2_000 }),
      only: fc.constantFrom('', '', 'main', 'x'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('redrive'),
      queue: name,
      subscription: fc.constantFrom(undefined, undefined, undefined, undefined, ...subs),
      how: fc.constantFrom('start', 'start', 'start', 'start', 'again', 'cancel', 'describe'),
      to: fc.constantFrom('origin', targets[0], targets[1], { partition: 3, queue: 1, name: 'a' }),
      messagesMax: fc.constantFrom(undefined, 3),
      selection: fc.constantFrom(undefined, undefined, [1, 3], [2, 1, 5, 4], [4, 50]),
      dryRun: fc.constantFrom(undefined, undefined, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('purge'), queue: name }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('discard'),
      queue: name,
      subscription: fc.constantFrom('main', 'main', ...subs),
      state: fc.constantFrom('Available', 'WaitingRetry'),
      numbers: fc.constantFrom([1, 3], [2, 1, 5, 4], [4, 50], [3, 1, 2, 1]),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('delete'), queue: name }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('create'), queue: name, config: created }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('configure'), queue: name, config }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('pause'),
      queue: name,
      subscription: fc.constantFrom(undefined, 'x'),
      on: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('subscribe'),
      queue: name,
      subscription: fc.constantFrom('main', ...subs),
      how: fc.constantFrom('create', 'create', 'create', 'configure', 'reset', 'reset', 'reset', 'delete'),
      settings,
      start: fc.constantFrom('latest', 'earliest', 'earliest', 'number'),
      pick: nat,
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('list') }) },
  { weight: 3, arbitrary: garbage.map((g) => ({ op: 'garbage' as const, ...g })) },
)
type Value<A> = A extends fc.Arbitrary<infer T> ? T : never
type Op = Value<typeof op>

type Owner = 'stored' | 'resumed' | 'disputed' | 'agreed' | 'moves' | 'edits' | 'erases' | 'fill' | 'nothing'

const turns = fc.array(
  fc.record({
    ops: fc.array(op, { maxLength: 4 }),
    passMs: fc.constantFrom(0, 0, 1, 20, 60, 150, 700),
    /** What only the owner itself records: the outbox was stored, the partition changed hands. */
    owner: fc.constantFrom<Owner[]>(
      'edits',
      'edits',
      'stored',
      'stored',
      ...Array<'nothing'>(9).fill('nothing'),
      ...Array<'moves'>(8).fill('moves'),
      'fill',
      'fill',
      'fill',
      'fill',
      'erases',
      'erases',
      'erases',
      'stored',
      'stored',
      'stored',
      'resumed',
      'disputed',
      'agreed',
    ),
    arrivals: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 5, maxLength: 40 },
)

// --- Fitting it.

/** What clients remember. */
class Clients {
  readonly deliveries: SettleItem[] = []
  /** What came of a subscription since its rate was first seen. */
  readonly paces = new Map<LawSub, { readonly rateMax: number; readonly since: number; count: number }>()
  readonly #sends = new Map<number, CommandOf<'Enqueue' | 'Recall' | 'Reschedule'>[]>()
  readonly #forwards = new Map<string, number>()
  #messages = 0
  #polls = 0
  #redrives = 0
  /** Attempt ids that got something, and the receives by their ids. */
  readonly got: string[] = []
  readonly #receives = new Map<string, CommandOf<'Receive'>>()
  /** Groups that receives asked for, by their tokens. */
  readonly groups = new Map<number, string>()

  #body(bytes: number): Uint8Array {
    const body = new Uint8Array(Math.max(4, bytes))
    new DataView(body.buffer).setUint32(0, ++this.#messages)
    return body
  }

  command(o: Op, p: TestPartition): Command {
    switch (o.op) {
      case 'send':
        return this.#send(o, p.state.names.get(o.queue)?.config ?? defaultQueueConfig)
      case 'receive': {
        const { op: _, poll, isNamed, only, batchWaitMs, ...rest } = o
        const hasGroups = (p.state.names.get(o.queue)?.config.groups ?? 'none') !== 'none'
        const group = hasGroups ? only : undefined
        const waits = group === undefined ? batchWaitMs : undefined
        if (poll === 'new') this.#polls++
        const attempt = isNamed ? `attempt ${this.#receives.size}` : undefined
        const asked = { consumer: 'c', poll: `poll ${this.#polls}`, attempt, group, batchWaitMs: waits }
        const command = { type: 'Receive', ...asked, ...rest }
        const receive = stripped(command) as CommandOf<'Receive'>
        if (attempt !== undefined) this.#receives.set(attempt, receive)
        return receive
      }
      case 'repeat': {
        const before = this.#receives.get(this.got.at(-1 - o.pick) ?? '')
        return before === undefined ? { type: 'ListQueues' } : { ...before, poll: `poll ${++this.#polls}` }
      }
      case 'settle':
        return stripped({
          type: o.type,
          items: o.picks.flatMap((x) => this.#item(x)),
          delayMs: o.type === 'Retry' ? o.delayMs : undefined,
          leaseMs: o.type === 'Extend' ? o.leaseMs : undefined,
        })
      case 'defer':
        return stripped({
          type: 'Release',
          items: o.picks.flatMap((x) => this.#item(x)),
          delayMs: o.delayMs,
          holdSubscription: o.holds && o.delayMs > 0 ? true : undefined,
        })
      case 'cancel':
        return { type: 'CancelReceive', poll: `poll ${o.pick % (this.#polls + 1)}` }
      case 'revise':
        return this.#revise(o, p)
      case 'forward':
        return this.#forward(o, p)
      case 'redrive':
        return this.#redrive(o)
      case 'purge':
        return { type: 'PurgeQueue', queue: o.queue, by }
      case 'discard': {
        const { queue, subscription, state, numbers } = o
        return { type: 'Discard', queue, subscription, state, numbers: [...numbers], by }
      }
      case 'delete':
        return { type: 'DeleteQueue', queue: o.queue, by }
      case 'create':
        return { type: 'CreateQueue', queue: o.queue, config: o.config, by }
      case 'configure':
        return { type: 'ConfigureQueue', queue: o.queue, config: o.config, by }
      case 'pause':
        return stripped({
          type: o.on ? 'PauseDelivery' : 'ResumeDelivery',
          queue: o.queue,
          subscription: o.subscription,
          by,
        })
      case 'subscribe':
        return subscribed(o, p)
      case 'list':
        return { type: 'ListQueues' }
      case 'garbage':
        return garbled(o)
    }
  }

  #sendsOf(producer: number): CommandOf<'Enqueue' | 'Recall' | 'Reschedule'>[] {
    const sends = this.#sends.get(producer) ?? []
    this.#sends.set(producer, sends)
    return sends
  }

  #revise(o: Extract<Op, { op: 'revise' }>, p: TestPartition): Command {
    const { items } = p.state.delayedRuns
    const d = o.isAstray ? undefined : items[o.pick % Math.max(1, items.length)]
    const sends = this.#sendsOf(o.producer)
    const command: CommandOf<'Recall'> = {
      type: 'Recall',
      queue: d?.queue.id ?? 1,
      number: d === undefined ? o.pick % 20 : d.first + (o.pick % p.state.runs.count(d.run)),
      producer: `p${o.producer}`,
      send: sends.length + 1,
      by,
    }
    if (o.how === 'Recall') {
      sends.push(command)
      return command
    }
    const to = 'delayMs' in o.to ? o.to : { dueAt: p.now + o.to.atMs }
    const moved = { ...command, type: 'Reschedule' as const, ...to }
    sends.push(moved)
    return moved
  }

  #send(o: Extract<Op, { op: 'send' }>, { groups, dedup }: QueueConfig): Command {
    const before = this.#sendsOf(o.producer)
    const repeated = before[before.length - o.again]
    if (o.again > 0 && repeated !== undefined) return repeated
    const command = stripped({
      type: 'Enqueue',
      queue: o.queue,
      producer: `p${o.producer}`,
      send: before.length + 1,
      messages: Array.from({ length: o.count }, (_, i) =>
        o.sames === undefined ? this.#body(o.bytes) : new Uint8Array(9).fill(o.sames[i]!, 1),
      ),
      delayMs: o.delayMs,
      delaysMs: o.delaysMs,
      tags: o.tags === undefined ? undefined : Array.from({ length: o.count }, (_, i) => o.tags![i] ?? ''),
      groups: groups === 'none' ? undefined : o.groups.slice(0, o.count),
      dedupIds:
        dedup === 'id' || (dedup === 'content' && o.sames === undefined)
          ? o.dedupIds.slice(0, o.count)
          : undefined,
    }) as CommandOf<'Enqueue'>
    before.push(command)
    return command
  }

  #redrive({ queue, subscription, how, ...asked }: Extract<Op, { op: 'redrive' }>): Command {
    if (how === 'cancel') return stripped({ type: 'CancelRedrive', queue, subscription, by })
    if (how === 'describe') return { type: 'DescribeRedrives', queue }
    if (how === 'start') this.#redrives++
    const request = `redrive ${this.#redrives}`
    return stripped({ type: 'StartRedrive', queue, subscription, request, ...asked, by })
  }

  #item(x: Value<typeof pick>): SettleItem[] {
    const d =
      this.deliveries[
        this.deliveries.length - 1 - (x.delivery % Math.max(1, Math.min(8, this.deliveries.length)))
      ]
    if (d === undefined) return []
    const all = numbersOf(d.numbers)
    const chosen = x.places.flatMap((place) => [all[place % all.length]!, 1])
    const item = { ...d, numbers: x.whole ? d.numbers : chosen }
    if (x.bend === 'queue') return [{ ...item, queue: item.queue + 1 }]
    if (x.bend === 'sub') return [{ ...item, sub: 1 }]
    if (x.bend === 'delivery') return [{ ...item, delivery: item.delivery + (x.places[0]! - 4) }]
    if (x.bend === 'numbers')
      return [{ ...item, numbers: item.numbers.map((n, i) => (i % 2 === 0 ? n + 3 : n)) }]
    return [item]
  }

  #forward(o: Extract<Op, { op: 'forward' }>, p: TestPartition): CommandOf<'Forward'> {
    const target = p.state.names.get(o.queue)?.id ?? 1
    const key = `${o.from}>${target}`
    const next = this.#forwards.get(key) ?? 1
    const forward = Math.max(1, next - o.back)
    this.#forwards.set(key, forward + o.count)
    return {
      type: 'Forward',
      from: { partition: 9, queue: o.from + 1 },
      target,
      forward,
      messages: Array.from({ length: o.count }, () => this.#body(8)),
      enqueuedAt: Array.from({ length: o.count }, (_, i) => p.now - o.ageMs + i),
      ...(o.only === '' ? {} : { subscriptions: Array.from({ length: o.count }, () => o.only) }),
    }
  }
}

/** What the owner finds out about the messages of a redrive: it moves some, passes over others, and comes to an end. */
const moveSome = (turn: Turn, random: () => number): void => {
  const { state } = turn
  // A restart goes on with them in another order.
  const inTurn = [...state.redrives, ...turn.own.dryRuns.running].sort(
    (a, b) => a.queue - b.queue || (a.request < b.request ? -1 : 1),
  )
  for (const redrive of inTurn) {
    const sub = state.subscriptionOf(redrive.queue, redrive.sub)!
    const some = numbersOf(availableNumbers(state, sub, redrive.upTo)).filter(() => random() < 0.6)
    // One of them may be gone by now.
    if (random() < 0.3) some.push(redrive.upTo)
    const inOrder = [...new Set(some)].sort((a, b) => a - b)
    const right = redrive.messagesMax === 0 ? inOrder : inOrder.slice(0, redrive.messagesMax - redrive.moved)
    const target = redrive.to === 'origin' ? targets[random() < 0.5 ? 0 : 1] : redrive.to
    const isOver = random() < 0.3
    decideRedrive(turn, redrive, {
      moves: [{ target, numbers: right.flatMap((n) => [n, 1]), ...(random() < 0.3 ? { only: 'x' } : {}) }],
      skipped: { noOrigin: 1 },
      filtered: 2,
      left: 3,
      ...(isOver ? { ended: { outcome: 'completed', note: '' } } : {}),
    })
  }
}

/** Bodies of some messages are edited, also of those where that is not possible. */
const editSome = (turn: Turn, random: () => number, step: number): void => {
  const { state } = turn
  for (const queue of [...state.queues.values()].sort((a, b) => a.id - b.id)) {
    const number = 1 + Math.floor(random() * queue.nextNumber)
    const was = editable(state, queue, number)
    const body = encodeEnvelope(
      new TextEncoder().encode(`edited ${step} ${number}`.padEnd(Math.floor(random() * 60))),
    )
    decideEditBody(
      turn,
      { type: 'EditBody', queue: queue.name, number, messageId: '', body, by },
      -1_000 * (step + 1) - queue.id,
      {
        queue: queue.id,
        was: typeof was === 'string' ? { seq: 0, index: 0 } : was,
        body,
        bytes: body.length,
      },
    )
  }
}

const subscribed = (o: Extract<Op, { op: 'subscribe' }>, p: TestPartition): Command => {
  const { how, queue, subscription, settings, pick } = o
  const next = p.state.names.get(queue)?.nextNumber ?? 1
  const start = o.start === 'number' ? { number: (pick % next) + 1 } : (o.start as 'latest' | 'earliest')
  switch (how) {
    case 'create':
      return { type: 'CreateSubscription', queue, subscription, settings, start, by }
    case 'configure':
      return { type: 'ConfigureSubscription', queue, subscription, settings, by }
    case 'reset':
      return { type: 'ResetSubscription', queue, subscription, start, by }
    case 'delete':
      return { type: 'DeleteSubscription', queue, subscription, by }
  }
}

/** Without the fields that are undefined, as a wire leaves them out. */
const stripped = (command: object): Command =>
  Object.fromEntries(Object.entries(command).filter(([, v]) => v !== undefined)) as unknown as Command

/** Commands of the right shape with numbers that no client sends. */
const garbled = (g: { kind: number; numbers: unknown[]; queue: string }): Command => {
  const [a, b, c, d, e, f, h, i] = g.numbers
  const { queue } = g
  const items = [{ queue: a, sub: b, delivery: c, numbers: [d, e, f, h] }]
  const shapes: object[] = [
    {
      type: 'Enqueue',
      queue,
      producer: 'g',
      send: a,
      messages: [new Uint8Array(4)],
      delayMs: b,
      delaysMs: [c],
    },
    {
      type: 'Receive',
      queue,
      poll: 'g',
      max: a,
      bytesMax: b,
      waitMs: c === 2 ** 31 ? 1 : c,
      batchWaitMs: d,
      leaseMs: e === 1 ? 5 : e,
      mode: 'push',
      consumer: '',
    },
    { type: 'Recall', queue: a, number: b, producer: 'g', send: c, by },
    { type: 'Reschedule', queue: 1, number: b, producer: 'g', send: 1, delayMs: c, dueAt: d, by },
    { type: 'Ack', items },
    { type: 'Retry', items: [{ queue: 1, sub: 0, delivery: 1, numbers: [1, 1] }], delayMs: i },
    { type: 'Extend', items: [{ queue: 1, sub: 0, delivery: 1, numbers: [1, 1] }], leaseMs: i },
    { type: 'Release', items: [{ queue: 1, sub: 0, delivery: i, numbers: [1, 1] }] },
    {
      type: 'Release',
      items: [{ queue: 1, sub: 0, delivery: 1, numbers: [1, 1] }],
      delayMs: i,
      holdSubscription: true,
    },
    { type: 'DeadLetter', items },
    {
      type: 'Forward',
      from: { partition: a, queue: b },
      target: c,
      forward: d,
      messages: [new Uint8Array(4)],
      enqueuedAt: [e],
    },
    {
      type: 'ConfigureQueue',
      queue,
      config: { leaseMs: a, retriesMax: b, deliveryDelayMs: c, leaseCapMs: d },
      by,
    },
  ]
  return shapes[g.kind % shapes.length] as Command
}

// --- What must hold.

/** Compares what the partition remembers with what the record says of every message, and its counters with both. */
const compare = (own: Ownership, law: ReferencePartition): void => {
  const { state } = own
  expect([...state.queues.keys()].sort()).toEqual([...law.queues.keys()].sort())
  const descriptions = new Map(
    describeQueues(state, state.queues.values(), state.at).map((d) => [d.queue, d]),
  )
  let live = 0
  for (const q of state.queues.values()) {
    const known = law.queues.get(q.id)!
    expect(delayedOf(state, q)).toEqual(known.delayed)
    expect(keysOf(state, q)).toEqual(keysInForce(known, state.at))
    expect(q.subs.map((sub) => sub.id).sort()).toEqual([...known.subs.keys()].sort())
    const { counts, subscriptions } = descriptions.get(q.id)!
    expect([counts.delayed, counts.sent]).toEqual([known.delayed.size, known.messages.size])
    for (const [i, sub] of q.subs.entries()) {
      const lawSub = known.subs.get(sub.id)!
      const { cells } = lawSub
      const untouched = untouchedOf(state, sub)
      const counted = new Map<State, number>()
      for (const [n, cell] of cells) {
        const is = cell.state
        counted.set(is, (counted.get(is) ?? 0) + 1)
        const slot = state.live.find(sub.index, n)
        if (slot >= 0) {
          live++
          expect(timeless(loadCell(state.live, slot, newCell()))).toEqual(timeless(cell))
          expect(state.live.enqueuedAt[slot]).toBe(timeOf(lawSub, n, known.messages.get(n)!))
        } else expect(untouched.get(n)).toBe(isFinal(is) || is === State.Delayed ? undefined : is)
      }
      const of = (s: State): number => counted.get(s) ?? 0
      const counts = subscriptions[i]!.counts
      expect(counts).toEqual({
        delayed: known.delayed.size,
        available: of(State.Available),
        inflight: of(State.Inflight),
        waitingRetry: of(State.WaitingRetry),
        sent: cells.size - of(State.Delayed),
        committed: of(State.Committed),
        deadLettered: of(State.DLQ),
        discarded: of(State.Discarded),
        redelivered: counts.redelivered,
      })
      expect(sub.hold?.until ?? 0).toBe(lawSub.held.until)
      compareLists(state, sub)
      servesGroups(own, sub)
    }
  }
  expect(state.live.used).toBe(live)
  const waiting = [...state.outbox].flatMap(([key, { entries }]) =>
    entries.length === 0 ? [] : [[key, entries.map(({ number }) => number)] as const],
  )
  expect(new Map(waiting)).toEqual(law.waiting)
}

/** What the law compares: the fields that mean something in the state. */
const timeless = (c: MessageCell): object => ({
  state: c.state,
  attempt: c.attempt,
  delivery: c.delivery,
  attemptsMax: c.attemptsMax,
  leaseUntil: c.state === State.Inflight ? c.leaseUntil : 0,
  leaseCap: c.leaseCap,
  dueAt: c.state === State.WaitingRetry ? c.dueAt : 0,
})

/** Messages that a repeat would be answered with. */
const keysOf = ({ dedup, at }: PartitionState, q: QueueState): number[] => {
  const { numbers, ats } = dedup.of(q)?.copy() ?? { numbers: [], ats: [] }
  return [...numbers].filter((_, i) => ats[i]! + q.config.dedupWindowMs > at).sort((a, b) => a - b)
}

const keysInForce = ({ keys, config }: LawQueue, now: number): number[] =>
  [...keys.values()]
    .filter(({ at }) => at + config.dedupWindowMs > now)
    .map(({ number }) => number)
    .sort((a, b) => a - b)

const delayedOf = (state: PartitionState, q: QueueState): Set<number> => {
  const found = new Set<number>()
  for (const d of state.delayedRuns.items)
    if (d.queue === q) for (const n of numbersIn(state, d.run)) found.add(n)
  return found
}

const numbersIn = ({ runs }: PartitionState, run: number): number[] => {
  expect(runs.count(run)).toBeGreaterThan(0)
  return Array.from({ length: runs.count(run) }, (_, i) => runs.first(run) + i)
}

const untouchedOf = (state: PartitionState, sub: Subscription): Map<number, State> => {
  const found = new Map<number, State>()
  const { runs } = state
  let bytes = 0
  for (const run of readyRuns(state, sub)) {
    for (const n of numbersIn(state, run)) {
      expect(found.has(n)).toBe(false)
      found.set(n, State.Available)
    }
    bytes += runs.bytes(run)
  }
  expect([sub.ready, sub.readyBytes]).toEqual([found.size, bytes])
  for (const { readyHead, readyTail } of listsOf(sub))
    for (let run = readyHead; run !== 0; run = runs.next(run))
      if (runs.next(run) === 0) expect(readyTail).toBe(run)
  if (sub.groups !== undefined) compareGroups(state, sub, sub.groups)
  return found
}

const compareGroups = ({ runs, live }: PartitionState, sub: Subscription, groups: Groups): void => {
  let touched = 0
  const row = [...groups.row()].map(({ key }) => key)
  for (const group of groups.all()) {
    let ready = 0
    for (let run = group.readyHead; run !== 0; run = runs.next(run)) {
      ready += runs.count(run)
    }
    if (group.readyHead !== 0) expect(groups.headedBy(runs.first(group.readyHead))!.key).toBe(group.key)
    const slots: number[] = []
    for (let place = group.first; place !== 0; place = live.groupLinks.next(place)) {
      expect(live.owner[place - 1]).toBe(sub.index)
      expect(groups.ofSlot(live, place - 1).key).toBe(group.key)
      slots.push(place - 1)
    }
    expect(group.last).toBe((slots.at(-1) ?? -1) + 1)
    if (!groups.isOrdered) {
      const again = slots.filter((slot) => live.state[slot] === State.Available)
      expect(slots.slice(slots.length - again.length)).toEqual(again)
      expect([group.again, group.againCount]).toEqual([(again[0] ?? -1) + 1, again.length])
    }
    const inflight = slots.filter((slot) => live.state[slot] === State.Inflight).length
    expect([group.ready, group.live, group.inflight]).toEqual([ready, slots.length, inflight])
    expect(ready + slots.length).toBeGreaterThan(0)
    if (groups.isServable(group, live)) expect(group.isQueued).toBe(true)
    expect(row.filter((key) => key === group.key)).toHaveLength(group.isQueued ? 1 : 0)
    touched += slots.length
  }
  expect(touched).toBe(sub.available + sub.inflight + sub.waitingRetry)
}

const compareLists = (state: PartitionState, sub: Subscription): void => {
  const { live } = state
  let count = 0
  let bytes = 0
  let before = -1
  for (let slot = sub.head; slot >= 0; slot = live.next[slot]!) {
    expect(live.state[slot]).toBe(State.Available)
    expect(live.owner[slot]).toBe(sub.index)
    expect(live.prev[slot]).toBe(before)
    before = slot
    count++
    bytes += live.bytes[slot]!
  }
  expect([sub.tail, sub.available, sub.availableBytes]).toEqual([before, count, bytes])
}

/** Whether nobody waits for a group of which something can be delivered. */
const servesGroups = (own: Ownership, sub: Subscription): void => {
  const { live, at } = own.state
  const { flow, groupPolls } = own.of(sub)
  // Who is not served in this turn is in the next one; limits hold back what there is.
  if (own.dirty.has(sub) || sub.isPausedAt(at) || flow !== undefined) return
  for (const { group, done } of groupPolls.all()) {
    expect(done).toBe(false)
    const found = sub.groups!.find(group!)
    expect(found !== undefined && sub.groups!.isServable(found, live)).toBe(false)
  }
}

/** Looks at the deliveries of the last turn as a consumer would, and remembers them. */
const consume = (p: TestPartition, law: ReferencePartition, clients: Clients): void => {
  for (const { token, delivery: d } of p.said) {
    if (d === undefined) continue
    const only = clients.groups.get(token)
    if (only !== undefined) reached.set('a group', (reached.get('a group') ?? 0) + 1)
    const all = numbersOf(d.numbers)
    expect(new Set(all).size).toBe(all.length)
    expect([d.attempts.length, d.enqueuedAt.length, d.seqs.length, d.indexes.length]).toEqual(
      Array(4).fill(all.length),
    )
    const queue = law.queues.get(d.queue)
    // One that was asked for again was there before other commands of the turn, which may have undone it.
    const isPast = d.isRepeat === true
    if (isPast && queue?.subs.get(d.sub) === undefined) continue
    const { messages, subs } = queue!
    for (const [i, n] of all.entries()) {
      const m = messages.get(n)!
      const sub = subs.get(d.sub)!
      const cell = sub.cells.get(n)!
      expect(p.bodies.get(`${d.seqs[i]}/${d.queue}`)?.[d.indexes[i]!]).toBe(m.body)
      if (only !== undefined) expect(m.group).toBe(only)
      if (isPast) continue
      expect([d.attempts[i], d.enqueuedAt[i]]).toEqual([cell.attempt, timeOf(sub, n, m)])
      expect([cell.state, cell.delivery, cell.leaseUntil]).toEqual([State.Inflight, d.delivery, d.leaseUntil])
    }
    if (d.attempt !== undefined) clients.got.push(d.attempt)
    if (!isPast) keepsToLimits(p.now, subs.get(d.sub)!, all.length, clients)
    clients.deliveries.push({ queue: d.queue, sub: d.sub, delivery: d.delivery, numbers: d.numbers })
  }
}

/** Whether a delivery that was just made is within what its subscription may have; limits may be younger than what is out. */
const keepsToLimits = (now: number, sub: LawSub, count: number, clients: Clients): void => {
  const { rateMax, inflightMax, concurrencyMax } = { ...defaultQueueConfig, ...sub.config }
  const inflight = [...sub.cells.values()].filter((cell) => cell.state === State.Inflight)
  if (inflightMax > 0) expect(inflight.length).toBeLessThanOrEqual(inflightMax)
  if (concurrencyMax > 0)
    expect(new Set(inflight.map((cell) => cell.delivery)).size).toBeLessThanOrEqual(concurrencyMax)
  if (rateMax === 0) {
    clients.paces.delete(sub)
    return
  }
  const pace = clients.paces.get(sub)
  if (pace?.rateMax !== rateMax) return void clients.paces.set(sub, { rateMax, since: now, count: 0 })
  pace.count += count
  expect(pace.count).toBeLessThanOrEqual(rateMax + ((now - pace.since) * rateMax) / 1_000)
}

/** What the law expects of the first command of a turn, if that settles. */
const foresee = (
  p: TestPartition,
  law: ReferencePartition,
  command: Command | undefined,
): number[] | undefined => {
  switch (command?.type) {
    case 'Release':
      return law.refusals('Release', command.items, p.now, {
        dueAt: p.now + (command.delayMs ?? 0),
        leaseMs: 0,
      })
    case 'Ack':
    case 'DeadLetter':
      return law.refusals(command.type, command.items, p.now, { dueAt: 0, leaseMs: 0 })
    case 'Retry':
      return law.refusals('Retry', command.items, p.now, {
        dueAt: p.now + (command.delayMs ?? 1),
        leaseMs: 0,
      })
    case 'Extend':
      return law.refusals('Extend', command.items, p.now, { dueAt: 0, leaseMs: command.leaseMs })
    default:
      return undefined
  }
}

const chance = (seed: number): (() => number) => {
  let x = seed + 1
  return () => {
    x = (Math.imul(x, 1_103_515_245) + 12_345) >>> 0
    return x / 2 ** 32
  }
}

/** Has the keys deleted of what is to be erased, then erases a message or a group. */
const eraseSome = (turn: Turn, random: () => number, token: number): void => {
  const { queues, erasures } = turn.state
  for (const { erasure } of erasures) decideKeysDeleted(turn, erasure)
  const erasable = [...queues.values()].filter(({ config }) => config.erasable !== 'none')
  const queue = erasable[Math.floor(random() * erasable.length)]
  if (queue === undefined) return
  const { id, name, nextNumber } = queue
  const what =
    queue.config.erasable === 'message'
      ? { message: { queue: id, number: Math.ceil(random() * nextNumber) } }
      : { group: ['g', 'h', 'i'][Math.floor(random() * 3)]! }
  const reason = 'asked for'
  decideErase(turn, { type: 'Erase', queue: name, ...what, by: { ...by, reason } }, token, 'key')
}

/** What the target of a lane says to its owner. */
const said = (turn: Turn, source: number, target: QueueAddress, answer: Answers['Forward']): void => {
  const lane = turn.state.outbox.get(laneKey(source, target))
  if (lane !== undefined) decideForwarded(turn, lane, answer)
}

/** Whether the law lets the first command of a turn recall its message; undefined if it does not ask for that. */
const foreseeRecall = (law: ReferencePartition, command: Command | undefined): boolean | undefined =>
  command?.type === 'Recall'
    ? (law.queues.get(command.queue)?.delayed.has(command.number) ?? false)
    : undefined

const reached = new Map<string, number>()

const play = (script: Value<typeof turns>, configs: Partial<QueueConfig>[], forkAt: number): void => {
  const p = new TestPartition()
  const law = new ReferencePartition()
  const clients = new Clients()
  const repeats = new TestRepeats()
  const tokens: number[] = []
  let fork: TestPartition | undefined
  const look = (at = p.now): void => {
    for (const e of p.events) {
      const type = e.type === 'LeaseExtended' && e.attempt !== undefined ? 'a repeated receive' : e.type
      reached.set(type, (reached.get(type) ?? 0) + 1)
    }
    law.read(p.events, at, (queue) => p.bodies.get(`${p.state.frameSeq}/${queue}`) ?? [])
    repeats.read(p.events)
    consume(p, law, clients)
    compare(p.own, law)
    if (fork === undefined) return
    expect(fork.events).toEqual(p.events)
    expect(fork.said).toEqual(p.said)
  }
  const turn = (commands: Command[]): number[] => {
    if (fork !== undefined) fork.now = p.now
    const told = p.turn(...commands)
    for (const [i, c] of commands.entries())
      if (c.type === 'Receive' && c.group !== undefined) clients.groups.set(told[i]!, c.group)
    fork?.turn(...commands)
    look()
    return told
  }
  const act = (decide: (turn: Turn) => void): void => {
    if (fork !== undefined) fork.now = p.now
    p.act(decide)
    fork?.act(decide)
    look()
  }
  const record = (...events: LogEvent[]): void =>
    act((turn) => {
      for (const event of events) turn.emit(event)
    })
  const fill = (arrivals: number): void => {
    for (const sub of [...p.state.filling]) {
      if (fork !== undefined) fork.now = p.now
      p.fill(sub, arrivals)
      fork?.fill(fork.state.subscriptionOf(sub.queue.id, sub.id)!, arrivals)
      look()
    }
  }
  turn(names.map((queue, i) => ({ type: 'CreateQueue', queue, config: configs[i]!, by })))
  for (const [i, { ops, passMs, owner, arrivals }] of script.entries()) {
    if (i === forkAt) {
      fork = p.fork()
      // Who waits for keys to be deleted, what lanes wait for and how long things took is forgotten with a restart.
      p.own.awaitingErased = []
      Object.assign(p.own, { times: new Times() })
      p.own.held.clear()
      law.read(p.events, p.now, () => [])
    }
    p.now += passMs
    p.random = chance(i)
    if (fork !== undefined) fork.random = chance(i)
    const commands = ops.map((o) => clients.command(o, p))
    const first = commands[0]
    const foreseen = ops[0]?.op === 'settle' || ops[0]?.op === 'defer' ? foresee(p, law, first) : undefined
    const isRecalled = ops[0]?.op === 'revise' ? foreseeRecall(law, first) : undefined
    const told = turn(commands)
    tokens.push(...told)
    for (const [k, command] of commands.entries())
      if (command.type === 'Enqueue') {
        const stored = p.answers.get(told[k]!)!.answer?.ok as Answers['Enqueue'] | undefined
        const q = law.queues.get(stored?.queue ?? 0)
        if (stored !== undefined && q !== undefined) repeats.hold(command, stored, q.config.dedupScope)
      }
    const answer = p.answers.get(told[0]!)?.answer
    if (isRecalled !== undefined) expect(answer?.error === undefined).toBe(isRecalled)
    if (foreseen !== undefined && answer?.error === undefined)
      expect((answer?.ok as { refused: { number: number }[] }).refused.map((r) => r.number)).toEqual(foreseen)
    if (owner === 'resumed') {
      p.now += 40
      record(
        { type: 'OwnerChanged', epoch: i, node: 'n', part: 1, of: 1 },
        { type: 'ClockResumed', now: p.now, gapMs: 40 },
      )
    }
    if (owner === 'disputed') {
      p.now++
      record(
        { type: 'OwnerChanged', epoch: i, node: 'n', part: 1, of: 1 },
        { type: 'ClockResumed', now: p.now, gapMs: 0, dispute: { storeMs: p.now + 700, nodeMs: p.now } },
      )
    }
    if (owner === 'agreed') {
      if (fork !== undefined) fork.now = p.now
      const at = p.now
      p.step(700)
      fork?.step(700)
      look(at)
    }
    if (owner === 'moves') act((turn) => moveSome(turn, chance(i)))
    if (owner === 'edits') act((turn) => editSome(turn, chance(i), i))
    if (owner === 'erases') act((turn) => eraseSome(turn, chance(i), 1_000_000 + i))
    if (owner === 'fill') fill(arrivals)
    if (owner === 'stored')
      for (const { source, target, next } of [...p.state.outbox.values()])
        act((turn) => said(turn, source, target, { outcome: 'stored', upTo: next - (i % 2) }))
    if (i % 3 === 1)
      for (const { source, target, entries } of [...p.state.outbox.values()]) {
        const upTo = entries[0]?.forward ?? 1
        const stored = upTo + (i % 4 === 0 ? 1 : 0)
        const again = i % 2 === 0 ? {} : { again: target.queue + 100 }
        act((turn) => said(turn, source, target, { outcome: 'targetGone', upTo, stored, ...again }))
      }
  }
  // In the end every message is final, every receive was answered, and nothing is left behind.
  for (let i = 0; i < 40; i++) {
    p.now += 250
    p.random = chance(i)
    if (fork !== undefined) fork.random = chance(i)
    turn([])
    if (i % 5 === 0) fill(i < 20 ? 10 : Number.POSITIVE_INFINITY)
  }
  if (fork !== undefined) expect(stateHash(snapshot(fork.state))).toBe(stateHash(snapshot(p.state)))
  for (const token of tokens) expect(p.answers.has(token)).toBe(true)
  for (const { counts } of describeQueues(p.state, p.state.queues.values(), p.now))
    expect(counts).toMatchObject({ delayed: 0, available: 0, inflight: 0, waitingRetry: 0 })
  expect([p.state.live.used, p.state.runs.used, p.own.polls.size, p.state.delayedRuns.size]).toEqual([
    0, 0, 0, 0,
  ])
  expect(p.state.dedup.size).toBe(0)
  expect(p.state.live.state.subarray(0, p.state.live.top).every((s) => s === freeSlot)).toBe(true)
}

describe('a partition of several queues, whatever it is asked', () => {
  it('keeps to the law, loses nothing, and is the same after a replay or a restart', () => {
    fc.assert(fc.property(turns, fc.array(created, { minLength: 3, maxLength: 3 }), fc.nat(60), play), {
      seed: 20_261_121,
      numRuns: 625,
    })
    // The sequences were not all about nothing.
    const rare = [
      'DeadLettered',
      'Discarded',
      'RetryDue',
      'LeaseExtended',
      'Released',
      'Deferred',
      'DeliveryHeld',
      'DelayElapsed',
      'Recalled',
      'Rescheduled',
      'Deduplicated',
      'a repeated receive',
      'a group',
      'QueuePurged',
      'SubscriptionCreated',
      'SubscriptionReset',
      'SubscriptionDeleted',
      'BodyEdited',
      'RedriveStarted',
      'Redriven',
      'RedriveEnded',
      'Erased',
      'KeysDeleted',
      'RunsRestored',
      'SubscriptionFilled',
    ]
    for (const type of [
      ...rare,
      'ForwardReceived',
      'Forwarded',
      'Readdressed',
      'QueueDeleted',
      'Acked',
      'LeaseExpired',
    ])
      expect(reached.get(type) ?? 0, type).toBeGreaterThan(20)
  })
})
