import { createMemoryLog } from '@kiroku/log'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'
import { describe, expect, it } from 'vitest'
import { Node } from '../Node.ts'
import { limits } from '../limits.ts'
import { body, by, receive, startTestNode } from '../testing/startTestNode.ts'

const send = { type: 'Enqueue', queue: 'mail', producer: 'p', send: 1, messages: [body('1')] } as const
const create = { type: 'CreateQueue', queue: 'mail', config: {}, by } as const

/** A log on a controlled time, whose own clock may be off. */
const timedLog = () => {
  const time = new ManualTime()
  const clock = { offMs: 1_700_000_000_000 }
  time.wallFromMs = clock.offMs
  const log = createMemoryLog(
    { partitions: 1 },
    {
      now: () => clock.offMs + time.now(),
      schedule: (ms, run) => (ms === 0 ? queueMicrotask(run) : void time.after(ms, run)),
    },
  )
  return { time, clock, log }
}

/** A node whose lock may be out of date. */
const startLocked = (log: ReturnType<typeof timedLog>['log'], time: ManualTime) => {
  const lock = { isFresh: true }
  const node = new Node({ log, name: 'one', time })
  const scope = Effect.runSync(Scope.make())
  const lease = { ttlMs: 4_000, confirmedAtMs: () => (lock.isFresh ? performance.now() : -Infinity) }
  Effect.runFork(node.run(0, lease).pipe(Scope.provide(scope)))
  return { node, lock, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

describe('leases', () => {
  it('outlast a store whose clock jumps, also when the first frame after the fence is lost', async () => {
    const { time, clock, log } = timedLog()
    const one = await startTestNode(log, 'one', { time })
    await one.ask(create)
    await one.ask(send)
    await one.ask({ ...receive('mail'), leaseMs: 4_000 })
    clock.offMs += 60_000
    log.faults.onAppend(0, 'displaced', 'displaced')
    const again = one.node.request(0, [{ ...send, send: 2 }])
    for (let i = 0; i < 20; i++) await time.advance(50)
    expect((await again).answers[0]!.error?.id).toBe('Unavailable')
    await one.ask({ ...send, send: 2 })
    const { counts } = await one.ask({ type: 'DescribeQueue', queue: 'mail' })
    expect(counts).toMatchObject({ inflight: 1, available: 1 })
    await time.advance(3_500)
    await one.ask({ ...send, send: 3 })
    expect((await one.ask({ type: 'DescribeQueue', queue: 'mail' })).counts.inflight).toBe(0)
    await one.close()
  })
})

const counts = async (one: Awaited<ReturnType<typeof startTestNode>>) =>
  (await one.ask({ type: 'DescribeQueue', queue: 'mail' })).counts

/** A node that has leased the only message of a queue. */
const startLeasing = async (log: ReturnType<typeof timedLog>['log'], time: ManualTime, leaseMs: number) => {
  const one = await startTestNode(log, 'one', { time })
  await one.ask(create)
  await one.ask(send)
  await one.ask({ ...receive('mail'), leaseMs })
  return one
}

describe('the idle time of a living owner', () => {
  it('is not added to a lease when the partition is handed over', async () => {
    const { time, log } = timedLog()
    const one = await startLeasing(log, time, 4_000)
    await time.advance(3_600)
    await one.close()
    const two = await startTestNode(log, 'two', { time })
    await time.advance(399)
    expect((await counts(two)).inflight).toBe(1)
    await time.advance(10)
    expect((await counts(two)).inflight).toBe(0)
    await two.close()
  })

  it('is not added to a lease by hand-overs that follow one another', async () => {
    const { time, log } = timedLog()
    let owner = await startLeasing(log, time, 12 * 3_600_000)
    for (let i = 0; i < 3; i++) {
      await time.advance(3 * 3_600_000)
      await owner.close()
      await time.advance(1_000)
      owner = await startTestNode(log, `heir ${i}`, { time })
    }
    await time.advance(3 * 3_600_000 - 10)
    expect((await counts(owner)).inflight).toBe(1)
    await time.advance(20)
    expect((await counts(owner)).inflight).toBe(0)
    await owner.close()
  })

  it('is added by a second at most when another node takes the partition from it', async () => {
    const { time, log } = timedLog()
    await startLeasing(log, time, 4_000)
    await time.advance(3_600)
    const two = await startTestNode(log, 'two', { time })
    await time.advance(399)
    expect((await counts(two)).inflight).toBe(1)
    await time.advance(1_010)
    expect((await counts(two)).inflight).toBe(0)
    await two.close()
  })

  it('is added by a hundredth of a long lease at most, for a few hundred frames', async () => {
    const { time, log } = timedLog()
    const handle = await log.partition(0)
    await startLeasing(log, time, 12 * 3_600_000)
    const { lastSeq } = await handle.state()
    await time.advance(11 * 3_600_000)
    expect((await handle.state()).lastSeq - lastSeq).toBeLessThan(300)
    const two = await startTestNode(log, 'two', { time })
    await time.advance(3_599_000)
    expect((await counts(two)).inflight).toBe(1)
    await time.advance(40_000)
    expect((await counts(two)).inflight).toBe(0)
    await two.close()
  })

  it('leaves no trace in the log while nothing is leased', async () => {
    const { time, log } = timedLog()
    const handle = await log.partition(0)
    const one = await startTestNode(log, 'one', { time })
    await one.ask(create)
    await one.ask(send)
    const { lastSeq } = await handle.state()
    await time.advance(3_600_000)
    expect((await handle.state()).lastSeq).toBe(lastSeq)
    await one.close()
    expect((await handle.state()).lastSeq).toBe(lastSeq)
  })
})

describe('an owner whose lock is out of date', () => {
  it('does not fence', async () => {
    const { time, log } = timedLog()
    const handle = await log.partition(0)
    log.faults.slow(10)
    const { node, lock, close } = startLocked(log, time)
    await time.advance(5)
    lock.isFresh = false
    await time.advance(100)
    log.faults.slow(0)
    expect((await handle.state()).lastSeq).toBe(0)
    lock.isFresh = true
    await time.advance(1_000)
    await waitUntil(() => node.actors.get(0)?.life === 'Active')
    await close()
  })

  it('does not take the confirmation of an earlier frame for one', async () => {
    const { time, log } = timedLog()
    const { node, lock, close } = startLocked(log, time)
    await waitUntil(() => node.actors.get(0)?.life === 'Active')
    await node.request(0, [create])
    log.faults.slow(100)
    const stored = node.request(0, [send])
    await time.advance(10)
    lock.isFresh = false
    let isAnswered = false
    const idle = node.request(0, [{ type: 'DescribeQueue', queue: 'mail' }]).then((reply) => {
      isAnswered = true
      return reply
    })
    await time.advance(100)
    expect((await stored).answers[0]!.ok).toBeDefined()
    await time.advance(50)
    expect(isAnswered).toBe(false)
    lock.isFresh = true
    await time.advance(50)
    expect((await idle).answers[0]!.ok).toMatchObject({ counts: { sent: 1 } })
    log.faults.slow(0)
    await close()
  })
})

describe('an owner that is overtaken while it recovers', () => {
  it('does not take a checkpoint of the next one for the end of a log that was cut', async () => {
    const { time, log } = timedLog()
    const before = await startTestNode(log, 'before', { time })
    await before.ask(create)
    await before.close()
    const states: string[] = []
    log.faults.slow(20)
    const late = new Node({ log, name: 'late', time, onState: (_, state) => states.push(state) })
    const scope = Effect.runSync(Scope.make())
    Effect.runFork(late.run(0).pipe(Scope.provide(scope)))
    for (let i = 0; i < 400 && !states.includes('Recovering'); i++) await time.advance(1)
    log.faults.slow(0)
    const next = await startTestNode(log, 'next', { time, checkpoints: { bytesMin: 1, ageMs: 1e9 } })
    await next.ask(send)
    await next.ask({ ...send, send: 2 })
    const handle = await log.partition(0)
    await waitUntil(async () => (await handle.checkpoints.list()).length > 0)
    await time.advance(100)
    await waitUntil(() => states.includes('Fenced') || states.includes('Quarantined'))
    expect(states).not.toContain('Quarantined')
    await next.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it('does not take the partition back where the next one has trimmed what says so', async () => {
    const log = createMemoryLog({ partitions: 1, recordBytes: 20_000 })
    const handle = await log.partition(0)
    const states: string[] = []
    const one = await startTestNode(log, 'one', { onState: (_, state) => states.push(state) })
    await one.ask(create)
    const ended = (await handle.state()).lastSeq
    const next = await startTestNode(log, 'next', { checkpoints: { bytesMin: 1_000, ageMs: 1e9 } })
    let sends = 1
    await waitUntil(async () => {
      await next.ask({ ...send, send: ++sends, messages: [body('x'.repeat(5_000))] })
      const { queue, delivery, numbers } = (await next.ask(receive('mail', 1))).delivery!
      await next.ask({ type: 'Ack', items: [{ queue, sub: 0, delivery, numbers }] })
      return (await handle.state()).firstSeq > ended + limits.appendsInFlight
    })
    await expect(one.ask(send)).rejects.toThrow()
    await waitUntil(() => states.includes('Fenced') || states.includes('Quarantined'))
    expect(states).not.toContain('Quarantined')
    await next.ask({ ...send, send: ++sends })
    expect(next.node.actors.get(0)!.epoch).toBe(2)
    await next.close()
    await one.close()
  })
})
