import type { QueueConfig, SubscriptionSettings } from '@kiroku/protocol'
import fc from 'fast-check'

export const names = ['a', 'b', 'c'] as const

// --- What is asked, before it is fitted to what is there.

const name = fc.constantFrom(...names)

const config: fc.Arbitrary<Partial<QueueConfig>> = fc.record(
  {
    leaseMs: fc.integer({ min: 0, max: 300 }),
    leaseMinMs: fc.constant(0),
    leaseCapMs: fc.constantFrom(0, 0, 400),
    retriesMax: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 0, max: 3 }) },
      { weight: 1, arbitrary: fc.constant('unlimited' as const) },
    ),
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
  { requiredKeys: ['leaseMs', 'leaseMinMs', 'retentionMs', 'dedupWindowMs'] },
)

const subs = ['x', 'y'] as const

export const targets = [
  { partition: 5, queue: 1, name: 'dead' },
  { partition: 6, queue: 2, name: 'x' },
] as const

/** Which groups a queue has, whether repeats are looked for within them, and what can be erased, is said once, when it is created. */
export const created: fc.Arbitrary<Partial<QueueConfig>> = fc
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
    leaseMs: fc.integer({ min: 0, max: 300 }),
    retriesMax: fc.integer({ min: 0, max: 3 }),
    lateHandles: fc.constantFrom('accept', 'reject'),
    deadLetter: fc.constantFrom(null, { partition: 5, queue: 1, name: 'dead' }),
    tags: fc.constantFrom(null, ['red'], ['red', 'green']),
  },
  { requiredKeys: [] },
)

const notes = fc.option(
  fc.array(fc.tuple(fc.constantFrom('owner', 'team'), fc.constantFrom('x', 'y', '', null)), {
    maxLength: 3,
  }),
  { nil: undefined },
)

const delay = fc.constantFrom(0, 0, 1, 40, 40, 300)

const nat = fc.nat(10_000)

/** Which messages of which delivery: by their place, with some that are doubled, overlap or belong to nobody. */
export const pick = fc.record({
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
      leaseMs: fc.constantFrom(undefined, undefined, 0, 60, 500, 500, 2_000),
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
      leaseMs: fc.integer({ min: 0, max: 500 }),
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
  { weight: 2, arbitrary: fc.record({ op: fc.constant('create'), queue: name, config: created, notes }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('configure'), queue: name, config, notes }) },
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

export type Value<A> = A extends fc.Arbitrary<infer T> ? T : never

export type Op = Value<typeof op>

type Owner = 'stored' | 'resumed' | 'disputed' | 'agreed' | 'moves' | 'edits' | 'erases' | 'fill' | 'nothing'

export const turns = fc.array(
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
