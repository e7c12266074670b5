import { decodeRecord } from '@kiroku/log'
import { type LogEvent, type LogEventOf, messageId } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask, body, forge, lastFrame, tester } from '../testing/TestRecord.ts'
import { trace } from '../trace/trace.ts'
import { verify } from './verify.ts'

/** Messages 1 and 2 arrived together, 3 is delayed, 4 has its own tag; a forger opens generation 1. */
interface Scene {
  readonly queue: number
  readonly at: number
  /** Where the messages arrived. */
  readonly seq: number
  readonly arrivedAt: number
}

let engine: MemoryEngine
let scene: Scene

beforeEach(async () => {
  engine = await startMemoryEngine()
  await ask(engine, 0, { type: 'CreateQueue', queue: 'mail', config: {}, by: tester })
  await ask(engine, 0, {
    type: 'Enqueue',
    queue: 'mail',
    producer: 'p',
    send: 1,
    messages: ['a', 'b', 'c', 'd'].map(body),
    tags: ['red', 'red', 'red', 'blue'],
    delaysMs: [0, 0, 200_000, 0],
  })
})
afterEach(() => engine.close())

/** Ends the honest part. */
const end = async (): Promise<void> => {
  await engine.close()
  let found: Omit<Scene, 'at'> | undefined
  for await (const { seq, data } of (await engine.log.partition(0)).read(1)) {
    const record = decodeRecord(data)
    const arrival = record.kind === 'frame' ? record.events.find((e) => e.type === 'Enqueued') : undefined
    if (record.kind === 'frame' && arrival !== undefined)
      found ??= { queue: arrival.queue, seq, arrivedAt: record.at }
  }
  scene = { ...found!, at: (await lastFrame(engine.log, 0)).at }
}

const opened = (): LogEvent => ({
  type: 'SubscriptionCreated',
  queue: scene.queue,
  sub: 1,
  name: 's',
  settings: { tags: ['red'] },
  from: 1,
  readFrom: 1,
  by: tester,
})
const restored = (change: Partial<LogEventOf<'RunsRestored'>> = {}): LogEvent => ({
  type: 'RunsRestored',
  queue: scene.queue,
  sub: 1,
  runs: [1, 2, scene.seq, 0, scene.arrivedAt, 4],
  filtered: [4, 1],
  done: [scene.seq, 1],
  ...change,
})
const filled = (): LogEvent => ({ type: 'SubscriptionFilled', queue: scene.queue, sub: 1 })
const problem = async () =>
  (await verify(engine.log, { decodeCheckpoint, deep: true })).partitions[0]!.problem

describe('what is restored to a subscription', () => {
  it('is found in order when an engine does it, and reported per message', async () => {
    const settings = { tags: ['red'] }
    const named = { queue: 'mail', subscription: 's' }
    await ask(engine, 0, { type: 'CreateSubscription', ...named, settings, start: 'earliest', by: tester })
    await waitUntil(() => engine.node().actors.get(0)!.state.filling.size === 0)
    expect(await problem()).toBeUndefined()
    const { queue, partition } = await ask(engine, 0, { type: 'DescribeQueue', queue: 'mail' })
    const told = async (number: number) => {
      const { steps } = await trace(
        engine.log,
        messageId({ incarnation: 'memory', partition, queue, number }),
      )
      return steps.map(({ event, state, subscription, reason }) => [event, state, subscription, reason])
    }
    expect(await told(1)).toEqual([
      ['Enqueued', 'Available', undefined, undefined],
      ['RunsRestored', 'Available', 's', undefined],
    ])
    expect((await told(4))[1]).toEqual(['RunsRestored', 'Discarded', 's', 'filtered'])
  })

  it('is found in order when it is', async () => {
    await end()
    await forge(engine.log, 0, [opened()])
    await forge(engine.log, 0, [restored(), filled()])
    expect(await problem()).toBeUndefined()
  })

  const wrong: [string, RegExp, () => LogEvent[]][] = [
    ['twice', /are restored twice/, () => [restored(), restored({ done: [scene.seq, 2] })]],
    ['out of turn', /where others are next/, () => [restored({ done: [0, 0] })]],
    ['from after its start', /where others are next/, () => [restored({ done: [scene.seq + 99, 1] })]],
    ['beyond the past', /are not of the past/, () => [restored({ filtered: [5, 1] })]],
    ['while it waits for its time', /message 3 still waits/, () => [restored({ filtered: [3, 2] })]],
    [
      'as of another time',
      /did not arrive so/,
      () => [restored({ runs: [1, 2, scene.seq, 0, scene.arrivedAt - 1, 4] })],
    ],
    [
      'from another place',
      /did not arrive so/,
      () => [restored({ runs: [1, 2, scene.seq, 1, scene.arrivedAt, 4] })],
    ],
    [
      'past its filter',
      /message 4 does not pass the filter/,
      () => [restored({ runs: [4, 1, scene.seq, 3, scene.arrivedAt, 2], filtered: [] })],
    ],
    ['after it is complete', /"s", which is complete/, () => [filled(), restored()]],
  ]
  it.each(wrong)('is found when it is wrong: %s', async (_, reason, events) => {
    await end()
    await forge(engine.log, 0, [opened()])
    await forge(engine.log, 0, events())
    expect(await problem()).toMatchObject({ message: expect.stringMatching(reason) as string })
  })

  it('is found when its retention had ended', async () => {
    await end()
    await forge(engine.log, 0, [opened()])
    await forge(engine.log, 0, [restored()], { at: scene.at + 5 * 86_400_000 })
    expect(await problem()).toMatchObject({ message: expect.stringMatching(/after its retention/) as string })
  })

  it('is not delivered before it is complete', async () => {
    await end()
    await forge(engine.log, 0, [opened()])
    const delivery = { delivery: 1, leaseUntil: scene.at + 1_000, leaseCap: 0, attemptsMax: 4 }
    const about = { queue: scene.queue, sub: 1, numbers: [1, 1], consumer: 'c', mode: 'push' as const }
    await forge(engine.log, 0, [restored(), { type: 'Delivered', ...about, ...delivery }])
    expect(await problem()).toMatchObject({
      message: expect.stringMatching(/although it is paused/) as string,
    })
  })

  it.each([
    ['after the next message', { from: 9 }, /begins at message 9, where 5 is next/],
    ['with a missing record', { readFrom: 99 }, /record 99, from which the past is read/],
  ])('does not begin %s', async (_, change, reason) => {
    await end()
    await forge(engine.log, 0, [{ ...opened(), ...change } as LogEvent])
    expect(await problem()).toMatchObject({ message: expect.stringMatching(reason) as string })
  })
})
