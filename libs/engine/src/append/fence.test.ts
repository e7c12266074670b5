import { createMemoryLog, type PartitionLog } from '@kiroku/log'
import type { Command } from '@kiroku/protocol'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { liveTime } from '../Time.ts'
import { load } from '../checkpoint/load.ts'
import { limits } from '../limits.ts'
import { CrashingLog } from '../testing/CrashingLog.ts'
import { alteredLog } from '../testing/alteredLog.ts'
import { body, by, receive, startTestNode, text } from '../testing/startTestNode.ts'
import { fence, lookAtEnd } from './fence.ts'

const send = (n: number): Extract<Command, { type: 'Enqueue' }> => ({
  type: 'Enqueue',
  queue: 'mail',
  producer: 'p',
  send: n,
  messages: [body(`${n}`)],
})

/** A foreign record takes the place of the first of three appends in flight; `land` stores the two behind it. */
const withOrphans = async () => {
  const time = new ManualTime()
  const log = createMemoryLog(
    { partitions: 1 },
    { schedule: (ms, run) => (ms === 0 ? queueMicrotask(run) : void time.after(ms, run)) },
  )
  const crashing = new CrashingLog(log)
  const one = await startTestNode(crashing, 'one')
  await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
  await one.ask(send(1))
  log.faults.slow(30)
  const { metrics } = one.node.actors.get(0)!
  const replies = []
  for (let n = 2; n <= 4; n++) {
    const { frames } = metrics
    replies.push(one.node.request(0, [send(n)]))
    await waitUntil(() => metrics.frames > frames)
  }
  log.faults.write(0, new TextEncoder().encode('not ours'))
  log.faults.slow(0)
  return { log, crashing, one, replies, land: () => time.advance(30) }
}
const texts = async (one: Awaited<ReturnType<typeof startTestNode>>) =>
  (await one.ask(receive('mail'))).delivery!.messages.map(text)

describe('a foreign record among appends in flight', () => {
  it('makes the owner give up what landed behind it, and go on', async () => {
    const { log, one, replies, land } = await withOrphans()
    await land()
    for (const { answers } of await Promise.all(replies)) expect(answers[0]!.error?.id).toBe('Unavailable')
    await waitUntil(() => one.node.actors.get(0)!.life === 'Active')
    for (let n = 2; n <= 4; n++) expect((await one.ask(send(n))).first).toBe(n)
    expect(await texts(one)).toEqual(['1', '2', '3', '4'])
    await one.close()
    const two = await startTestNode(log, 'two')
    expect((await two.ask({ type: 'DescribeQueue', queue: 'mail' })).counts.sent).toBe(4)
    await two.close()
  })

  it('makes the next owner give it up when the one before died of it', async () => {
    const { log, crashing, land } = await withOrphans()
    const part = await log.partition(0)
    const { lastSeq } = await part.state()
    crashing.kill()
    await land()
    expect((await part.state()).lastSeq).toBe(lastSeq + 2)
    const two = await startTestNode(log, 'two')
    expect((await two.ask(send(2))).first).toBe(2)
    expect(await texts(two)).toEqual(['1', '2'])
    await two.close()
    const three = await startTestNode(log, 'three')
    expect((await three.ask({ type: 'DescribeQueue', queue: 'mail' })).counts.sent).toBe(2)
    await three.close()
  })
})

describe('an owner that is told to stop while it fences', () => {
  it('does not fence again behind the next owner', async () => {
    const time = new ManualTime()
    const log = createMemoryLog({ partitions: 1 })
    const one = await startTestNode(log, 'one', { time })
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    log.faults.onAppend(0, 'displaced')
    log.faults.onFence(0, 'requestLost')
    const sent = one.node.request(0, [send(1)])
    await time.settle()
    expect(one.node.actors.get(0)!.life).toBe('Fencing')
    await one.close()
    expect((await sent).answers[0]!.error?.id).toBe('NotOwner')
    const two = await startTestNode(log, 'two')
    const before = await (await log.partition(0)).state()
    await time.advance(20_000)
    expect(await (await log.partition(0)).state()).toEqual(before)
    expect((await two.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })).created).toBe(false)
    await two.close()
  })
})

describe('the time of a partition', () => {
  it("goes on from the last frame when the store's clock was set back", async () => {
    const time = new ManualTime()
    let storeMs = 1_700_000_000_000
    const log = createMemoryLog({ partitions: 1 }, { now: () => storeMs })
    const one = await startTestNode(log, 'one', { time })
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: { leaseMs: 1_000, retriesMax: 3 }, by })
    await one.ask(send(1))
    const { delivery } = await one.ask(receive('mail', 1))
    await time.advance(500)
    await one.close()
    storeMs -= 3_600_000
    const two = await startTestNode(log, 'two', { time })
    const empty = two.ask(receive('mail', 1, 200))
    await time.advance(200)
    expect(await empty).toEqual({})
    await time.advance(1_000)
    const again = (await two.ask(receive('mail', 1))).delivery!
    expect(again.attempts).toEqual([2])
    expect(again.now).toBeGreaterThan(delivery!.now)
    await two.close()
  })
})

describe('a lease', () => {
  it('is lengthened by a recovery of the same owner by no more than that took', async () => {
    const time = new ManualTime()
    const log = createMemoryLog({ partitions: 1 }, { now: () => 1_700_000_000_000 + time.now() })
    const one = await startTestNode(log, 'one', { time })
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: { leaseMs: 10_000, batchWaitMs: 0 }, by })
    await one.ask(send(1))
    await one.ask(receive('mail', 1))
    await time.advance(9_000)
    log.faults.onAppend(0, 'displaced')
    expect((await one.node.request(0, [send(2)])).answers[0]!.error?.id).toBe('Unavailable')
    await time.settle()
    await time.advance(1_001)
    const { delivery } = await one.ask(receive('mail', 1))
    expect(delivery).toMatchObject({ numbers: [1, 1], attempts: [2] })
    await one.close()
  })
})

describe('a fence that looks at the log while another owner goes on with it', () => {
  it('looks again, and finds no damage in what that one trimmed', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await startTestNode(log, 'one')
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    const part = await log.partition(0)
    const before = await part.state()
    await one.ask(send(1))
    await one.close()
    await part.trim(before.lastSeq)
    let looks = 0
    const slow: PartitionLog = {
      partition: part.partition,
      checkpoints: part.checkpoints,
      recordBytesMax: part.recordBytesMax,
      state: () => (looks++ === 0 ? Promise.resolve(before) : part.state()),
      fence: (records, expectedLastSeq) => part.fence(records, expectedLastSeq),
      append: (record, expectedLastSeq) => part.append(record, expectedLastSeq),
      read: (fromSeq, toSeq) => part.read(fromSeq, toSeq),
      get: (seq, bytes) => part.get(seq, bytes),
      holes: () => part.holes(),
      trim: (upTo) => part.trim(upTo),
      onStored: (listener) => part.onStored(listener),
      close: () => part.close(),
    }
    const fenced = await fence(
      slow,
      'late',
      liveTime,
      () => true,
      () => undefined,
    )
    expect(fenced.seq).toBeGreaterThan((await part.state()).firstSeq)
    expect(looks).toBeGreaterThan(1)
  })
})

describe('a fence that knows the end of the log', () => {
  it.each([0, 1])('does not look at it, unless it has grown: by %i records', async (grown) => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await startTestNode(log, 'one')
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    const part = await log.partition(0)
    const end = lookAtEnd(part)
    await end
    if (grown > 0) await one.ask(send(1))
    const { lastSeq } = await part.state()
    let looks = 0
    const counted = await alteredLog(log, part, {
      state: () => part.state().finally(() => looks++),
    }).partition(0)
    const fenced = await fence(
      counted,
      'two',
      liveTime,
      () => true,
      () => undefined,
      { end },
    )
    expect(fenced).toMatchObject({ epoch: 2, seq: lastSeq + limits.appendsInFlight })
    expect(looks).toBe(grown)
    await load(part, fenced.seq)
    await one.close()
  })
})

describe('a fence behind damage', () => {
  it.each(['a flipped byte', 'a hole'])(
    'leaves %s to the replay, as long as the last frame can be read',
    async (damage) => {
      const log = createMemoryLog({ partitions: 1 })
      const one = await startTestNode(log, 'one')
      await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
      for (let n = 1; n <= 3; n++) await one.ask(send(n))
      await one.close()
      const part = await log.partition(0)
      const { lastSeq } = await part.state()
      if (damage === 'a hole') log.faults.loseRecord(0, lastSeq - 1)
      else log.faults.damage(0, lastSeq - 1)
      const fenced = await fence(
        part,
        'two',
        liveTime,
        () => true,
        () => undefined,
      )
      expect(fenced).toMatchObject({ epoch: 2, seq: lastSeq + limits.appendsInFlight })
      await expect(load(part, fenced.seq)).rejects.toMatchObject({ id: 'LogDamaged', seq: lastSeq - 1 })
    },
  )
})

it('a request without commands has its answer at once', async () => {
  const one = await startTestNode(createMemoryLog({ partitions: 1 }))
  expect((await one.node.request(0, [])).answers).toEqual([])
  await one.close()
})
