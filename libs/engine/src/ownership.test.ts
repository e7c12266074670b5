import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'
import { describe, expect, it } from 'vitest'
import { createMemoryLog } from '@kiroku/log'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { Node } from './Node.ts'
import { body, by, receive, startTestNode } from './startTestNode.ts'

const send = { type: 'Enqueue', queue: 'mail', producer: 'p', send: 1, messages: [body('1')] } as const
const create = { type: 'CreateQueue', queue: 'mail', config: {}, by } as const

/** A log on a controlled time, whose own clock may be off. */
const timedLog = () => {
  const time = new ManualTime()
  const clock = { offMs: 1_700_000_000_000 }
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
    log.faults.onAppend(0, 'requestLost', 'requestLost')
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
})
