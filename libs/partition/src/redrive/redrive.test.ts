import { limits, type CommandOf, type QueueConfig } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { decideForwarded } from '../forward/decideForwarded.ts'
import { availableAmong, redriveNumbers, restore, snapshot } from '../index.ts'
import { availableNumbers } from '../store/available.ts'
import { itemOf, numbersOf, TestPartition } from '../testing/TestPartition.ts'
import { decideRedrive, type RedriveStep } from './decideRedrive.ts'

const by = { name: 'ada', origin: 'test' }
const target = { partition: 7, queue: 4, name: 'orders' }
const address = { partition: 7, queue: 4 }

const given = (count = 5, config: Partial<QueueConfig> = {}): TestPartition => {
  const p = new TestPartition()
  p.create('dead', config)
  if (count > 0) p.send('dead', count)
  return p
}
const start = (p: TestPartition, options: Partial<CommandOf<'StartRedrive'>> = {}) =>
  p.ask({ type: 'StartRedrive', queue: 'dead', request: `r${p.now}`, to: 'origin', by, ...options })
const task = (p: TestPartition) => [...p.state.redrives][0]!
const sub = (p: TestPartition) => p.state.names.get('dead')!.subs[0]!
/** Has the redrive that runs move these messages. */
const move = (p: TestPartition, numbers: readonly number[], step: Partial<RedriveStep> = {}): void => {
  const redrive = task(p)
  const moves = [{ target, numbers: numbers.flatMap((n) => [n, 1]) }]
  p.act((turn) => decideRedrive(turn, redrive, { moves, skipped: {}, filtered: 0, left: 0, ...step }))
}
/** Everything on its way arrives. */
const arrive = (p: TestPartition): void =>
  p.act((turn) => {
    for (const each of [...p.state.outbox.values()])
      decideForwarded(turn, each, { outcome: 'stored', upTo: each.next })
  })
const list = (p: TestPartition) => {
  arrive(p)
  return p.ok({ type: 'DescribeRedrives', queue: 'dead' }).redrives
}
const lane = (p: TestPartition) => [...p.state.outbox.values()][0]!

describe('a redrive', () => {
  it('is on record from its beginning to its end', () => {
    const p = given()
    expect(start(p, { rateMax: 10, filter: { error: 'x' } }).ok).toMatchObject({
      redrive: { task: 1, state: 'running', left: 5, subscription: 'main', dryRun: false },
    })
    expect(p.events).toMatchObject([
      { type: 'RedriveStarted', task: 1, upTo: 5, to: 'origin', rateMax: 10, messagesMax: 0, by },
    ])
    move(p, [2, 3], { skipped: { noOrigin: 1 }, filtered: 1, left: 1 })
    expect(p.events).toMatchObject([
      { type: 'Redriven', task: 1, numbers: [2, 2], target: address, name: 'orders', forward: 1 },
    ])
    expect(list(p)).toMatchObject([{ moved: 2, skipped: { noOrigin: 1 }, filtered: 1, left: 1 }])
    move(p, [5], { skipped: { noOrigin: 1 }, ended: { outcome: 'completed', note: '' } })
    expect(p.events).toMatchObject([
      { type: 'Redriven', numbers: [5, 1], forward: 3 },
      { type: 'RedriveEnded', outcome: 'completed', skipped: { noOrigin: 2 }, filtered: 1, left: 0 },
    ])
    expect(list(p)).toMatchObject([
      { state: 'completed', moved: 3, targets: [{ queue: 'orders', moved: 3 }], endedAt: p.now },
    ])
    expect(p.state.redrives.size).toBe(0)
  })

  it('puts messages into the outbox as dead letters are, with where their bodies lie', () => {
    const p = given()
    p.settle('Release', p.receive('dead', { max: 1 })!)
    start(p)
    move(p, [1, 3])
    expect(lane(p)).toMatchObject({ source: 1, target: address, next: 3 })
    expect(lane(p).entries).toMatchObject([
      { forward: 1, number: 1, index: 0, attempts: 0, cause: 'redriven' },
      { forward: 2, number: 3, index: 2, attempts: 0, cause: 'redriven' },
    ])
    expect(p.counts('dead')).toMatchObject({ available: 3, discarded: 2, sent: 5 })
    expect(numbersOf(p.receive('dead')!.numbers)).toEqual([2, 4, 5])
  })

  it('moves no message that is in flight, pauses, is final or came later', () => {
    const p = given(6, { retry: { kind: 'fixed', delayMs: 1_000 } })
    const delivery = p.receive('dead', { max: 3 })!
    p.settle('Ack', delivery, { numbers: [1] })
    p.settle('Retry', delivery, { numbers: [2] })
    start(p)
    p.send('dead')
    move(p, [1, 2, 3, 4, 6])
    expect(p.events).toMatchObject([{ type: 'Redriven', numbers: [4, 1, 6, 1] }])
    expect(availableNumbers(p.state, sub(p), task(p).upTo)).toEqual([5, 1])
  })

  it('moves no message whose retention is over, though nobody has looked at that yet', () => {
    const p = given(2, { retentionMs: 1_001 })
    p.now += 900
    p.configure('dead', { retentionMs: 1_000 })
    p.send('dead')
    start(p)
    p.now += 100
    move(p, [1, 3])
    expect(p.events).toMatchObject([{ type: 'Redriven', numbers: [3, 1] }])
  })

  it('keeps messages of several targets in lanes of their own', () => {
    const p = given()
    start(p)
    const other = { partition: 0, queue: 9, name: 'mail' }
    move(p, [], {
      moves: [
        { target, numbers: [1, 1, 4, 1] },
        { target: other, only: 'eu', numbers: [2, 2] },
      ],
    })
    expect([...p.state.outbox.keys()]).toEqual(['1>7/4', '1>0/9'])
    expect(p.state.outbox.get('1>0/9')!.entries).toMatchObject([
      { number: 2, only: 'eu' },
      { number: 3, only: 'eu' },
    ])
    expect(task(p).targets).toEqual([
      { queue: 'orders', moved: 2 },
      { queue: 'mail', moved: 2 },
    ])
  })

  it('has moved what arrived, and says what is on its way', () => {
    const p = given()
    start(p)
    const other = { partition: 0, queue: 9, name: 'mail' }
    move(p, [], {
      moves: [
        { target, numbers: [1, 3] },
        { target: other, numbers: [4, 1] },
      ],
    })
    p.act((turn) => decideForwarded(turn, lane(p), { outcome: 'stored', upTo: 3 }))
    const described = () => p.ok({ type: 'DescribeRedrives', queue: 'dead' }).redrives
    const halfway = [
      {
        moved: 2,
        onTheWay: 2,
        targets: [
          { queue: 'orders', moved: 2 },
          { queue: 'mail', moved: 0 },
        ],
      },
    ]
    expect(described()).toMatchObject(halfway)
    const fork = p.fork()
    expect(fork.ok({ type: 'DescribeRedrives', queue: 'dead' }).redrives).toMatchObject(halfway)
    // What goes elsewhere on its way has still not arrived.
    p.act((turn) => decideForwarded(turn, lane(p), { outcome: 'targetGone', upTo: 4, stored: 3, again: 11 }))
    expect(described()).toMatchObject(halfway)
    arrive(p)
    expect(described()).toMatchObject([{ moved: 4, onTheWay: 0 }])
  })

  it('that is asked for again is the same', () => {
    const p = given()
    start(p, { request: 'a' })
    expect(start(p, { request: 'a' }).ok).toMatchObject({ redrive: { task: 1 } })
    expect(p.events).toEqual([])
    expect(start(p, { request: 'b' }).error?.id).toBe('RedriveRunning')
    p.ok({ type: 'CancelRedrive', queue: 'dead', by })
    expect(start(p, { request: 'a' }).ok).toMatchObject({ redrive: { task: 1, state: 'cancelled' } })
    expect(start(p, { request: 'b' }).ok).toMatchObject({ redrive: { task: 2, state: 'running' } })
  })

  it('of one subscription does not hold up that of another', () => {
    const p = given(0)
    p.ok({ type: 'CreateSubscription', queue: 'dead', subscription: 'eu', settings: {}, by })
    p.send('dead', 3)
    start(p)
    start(p, { subscription: 'eu', request: 'eu' })
    const [, eu] = [...p.state.redrives]
    p.act((turn) =>
      decideRedrive(turn, eu!, { moves: [{ target, numbers: [1, 3] }], skipped: {}, filtered: 0, left: 0 }),
    )
    expect(p.counts('dead')).toMatchObject({ available: 3, discarded: 3 })
    expect(list(p).map((r) => [r.task, r.subscription, r.moved])).toEqual([
      [2, 'eu', 3],
      [1, 'main', 0],
    ])
  })

  it.each([
    ['InvalidArgument', { rateMax: 0 }],
    ['InvalidArgument', { rateMax: 1.5 }],
    ['InvalidArgument', { messagesMax: -1 }],
    ['InvalidArgument', { request: '' }],
    ['InvalidArgument', { filter: { colour: 'red' } as object }],
    ['InvalidArgument', { filter: { tag: 5 } as object }],
    ['InvalidArgument', { filter: { attributes: { a: 1 } } as object }],
    ['InvalidArgument', { filter: { enqueuedAfter: Number.NaN } }],
    ['InvalidArgument', { filter: { error: 'x'.repeat(20_000) } }],
    ['InvalidArgument', { to: { partition: 3, queue: 1, name: 'dead' } }],
    ['UnknownQueue', { queue: 'none' }],
    ['UnknownSubscription', { subscription: 'none' }],
  ] as const)('is refused with %s: %j', (id, options) => {
    const p = given()
    expect(start(p, options as object).error?.id).toBe(id)
    expect(p.events).toEqual([])
  })

  it('is refused for a queue that is spread over partitions, whose messages lie in several', () => {
    const p = given()
    p.turn({ type: 'SpreadQueue', queue: 'dead', partitions: [4], by })
    expect(start(p).error).toMatchObject({ id: 'InvalidArgument', message: expect.stringMatching(/spread/) })
  })

  it('that is over moves nothing more', () => {
    const p = given()
    start(p)
    const redrive = task(p)
    p.ok({ type: 'CancelRedrive', queue: 'dead', by })
    expect(p.events).toMatchObject([{ type: 'RedriveEnded', outcome: 'cancelled', left: 5, by }])
    p.act((turn) =>
      decideRedrive(turn, redrive, {
        moves: [{ target, numbers: [1, 1] }],
        skipped: {},
        filtered: 0,
        left: 0,
      }),
    )
    expect(p.events).toEqual([])
    expect(p.ask({ type: 'CancelRedrive', queue: 'dead', by }).error?.id).toBe('UnknownRedrive')
    expect(p.ok({ type: 'CancelRedrive', queue: 'dead', task: 1, by }).redrive.state).toBe('cancelled')
    expect(p.ask({ type: 'CancelRedrive', queue: 'dead', task: 2, by }).error?.id).toBe('UnknownRedrive')
  })

  it('ends with its subscription or its queue', () => {
    const p = given()
    start(p)
    move(p, [1], { skipped: { noOrigin: 3 } })
    p.ok({ type: 'ResetSubscription', queue: 'dead', subscription: 'main', by })
    expect(list(p)).toMatchObject([{ state: 'failed', moved: 1, skipped: {} }])
    start(p, { request: 'again' })
    p.ok({ type: 'DeleteQueue', queue: 'dead', by })
    expect(p.state.redrives.size).toBe(0)
  })

  it('is remembered for a while after its end, and ten at most', () => {
    const p = given()
    for (let i = 1; i <= 12; i++) {
      start(p, { request: `r${i}` })
      p.ok({ type: 'CancelRedrive', queue: 'dead', by })
    }
    expect(list(p).map((r) => r.task)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
  })

  it('goes on after a restart from what is on record', () => {
    const p = given()
    start(p)
    move(p, [1, 2], { skipped: { noOrigin: 1 } })
    p.state.queues.get(1)!.redrives[0]!.skipped = {}
    const fork = p.fork()
    expect(task(fork)).toMatchObject({ task: 1, state: 'running', moved: 2 })
    move(fork, [3])
    expect(list(fork)).toMatchObject([{ moved: 3 }])
  })
})

describe('a redrive with a selection', () => {
  it('looks at those alone, and counts what it cannot look at by the reason', () => {
    const p = given(8, { retry: { kind: 'fixed', delayMs: 1_000 } })
    const delivery = p.receive('dead', { max: 3 })!
    p.settle('Ack', delivery, { numbers: [1] })
    p.settle('Retry', delivery, { numbers: [2] })
    start(p, { selection: [1, 5, 8, 1] })
    expect(p.events).toMatchObject([{ type: 'RedriveStarted', selection: [1, 5, 8, 1] }])
    expect(task(p)).toMatchObject({ selected: 6, left: 6 })
    expect(redriveNumbers(p.state, sub(p), task(p))).toEqual([4, 2, 8, 1])
    expect(task(p).skipped).toEqual({ gone: 1, waiting: 1, leased: 1 })
  })

  it('moves nothing else, whatever its owner finds', () => {
    const p = given()
    start(p, { selection: [2, 2] })
    move(p, [1, 2, 3, 4])
    expect(p.events).toMatchObject([{ type: 'Redriven', numbers: [2, 2] }])
  })

  it('goes on after a restart with the rest, and forgets the selection when it is over', () => {
    const p = given()
    start(p, { selection: [2, 3] })
    move(p, [2], { left: 2 })
    const restarted = restore(structuredClone(snapshot(p.state)))
    const [again] = [...restarted.redrives]
    expect(again).toMatchObject({ selection: [2, 3], selected: 3, moved: 1, left: 2, skipped: {} })
    const { subs } = restarted.names.get('dead')!
    expect(redriveNumbers(restarted, subs[0]!, again!)).toEqual([3, 2])
    expect(again!.skipped).toEqual({})
    move(p, [3, 4], { ended: { outcome: 'completed', note: '' } })
    expect(p.state.names.get('dead')!.redrives[0]).not.toHaveProperty('selection')
    expect(list(p)).toMatchObject([{ moved: 3, selected: 3 }])
  })

  it.each([[[]], [[0, 1]], [[3, 1, 2, 1]], [[1, 2, 2, 1]], [[1, 0]], [[1]], [[1.5, 1]]])(
    'is refused when that is %j',
    (selection) => {
      expect(start(given(), { selection }).error).toMatchObject({ id: 'InvalidArgument' })
    },
  )

  it('takes only so many stretches', () => {
    const selection = Array.from({ length: limits.redriveRangesMax + 1 }, (_, i) => [2 * i + 1, 1]).flat()
    expect(start(given(), { selection }).error).toMatchObject({ id: 'InvalidArgument' })
  })
})

describe('a dry run', () => {
  it('counts and records nothing', () => {
    const p = given()
    start(p)
    expect(start(p, { request: 'dry', dryRun: true }).ok).toMatchObject({
      redrive: { task: 0, dryRun: true, state: 'running' },
    })
    expect(p.events).toEqual([])
    const [dry] = [...p.own.dryRuns.running]
    p.act((turn) =>
      decideRedrive(turn, dry!, {
        moves: [{ target, numbers: [1, 3] }],
        skipped: { tooOld: 2 },
        filtered: 0,
        left: 0,
        ended: { outcome: 'completed', note: '' },
      }),
    )
    expect(p.events).toEqual([])
    expect(list(p).find((r) => r.dryRun)).toMatchObject({
      state: 'completed',
      moved: 3,
      skipped: { tooOld: 2 },
      targets: [{ queue: 'orders', moved: 3 }],
    })
    expect(p.counts('dead')).toMatchObject({ available: 5 })
  })

  it('says that nothing matches where nothing is selected', () => {
    expect(start(given(), { selection: [], dryRun: true }).ok).toMatchObject({
      redrive: { dryRun: true, selected: 0, left: 0 },
    })
  })

  it('makes room for later ones', () => {
    const p = given()
    for (let i = 1; i <= 12; i++) start(p, { request: `r${i}`, dryRun: true })
    expect([list(p).length, p.own.dryRuns.running.size]).toEqual([10, 10])
  })
})

describe('available messages', () => {
  it('are found in the order of their numbers, touched or not', () => {
    const p = given(3)
    p.send('dead', 2, { delayMs: 100 })
    p.send('dead', 2)
    p.pass(100)
    p.settle('Release', p.receive('dead', { max: 2 })!)
    const held = p.receive('dead', { max: 1 })!
    expect(availableNumbers(p.state, sub(p), 99)).toEqual([2, 6])
    expect(availableNumbers(p.state, sub(p), 6)).toEqual([2, 5])
    p.ok({ type: 'Release', items: [itemOf(held)] })
    const found = availableAmong(p.state, sub(p), [1, 2, 4, 1, 7, 5])
    expect(found.map((m) => [m.number, m.index])).toEqual([
      [1, 0],
      [2, 1],
      [4, 0],
      [7, 1],
    ])
  })

  it('of message groups are found and taken wherever their group has them', () => {
    const p = new TestPartition()
    p.create('dead', { groups: 'ordered' })
    const messages = Array.from({ length: 6 }, () => new Uint8Array([0, 1]))
    const groups = ['a', 'b', 'a', 'b', 'a', 'a']
    p.ok({ type: 'Enqueue', queue: 'dead', producer: 'p', send: 1, messages, groups })
    expect(availableNumbers(p.state, sub(p), 99)).toEqual([1, 6])
    start(p)
    move(p, [1, 2, 4, 5])
    expect(lane(p).entries.map((e) => [e.number, e.index])).toEqual([
      [1, 0],
      [2, 1],
      [4, 3],
      [5, 4],
    ])
    expect(numbersOf(p.receive('dead')!.numbers)).toEqual([3, 6])
  })
})

it('what was redriven to a queue that is gone waits for it, whatever dead-letter queue its own has', () => {
  const p = given(2, { deadLetter: { partition: 9, queue: 9, name: 'elsewhere' } })
  start(p)
  move(p, [1])
  p.act((turn) => decideForwarded(turn, lane(p), { outcome: 'targetGone', upTo: 2, stored: 1 }))
  expect(p.events).toEqual([])
  expect(lane(p)).toMatchObject({ target: address, entries: [{ number: 1 }] })
})
