import { createMemoryLog } from '@kiroku/log'
import type { Answers, QueueConfig } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'
import { describe, expect, it } from 'vitest'
import { Node } from '../Node.ts'
import { limits } from '../limits.ts'
import { CrashingLog } from '../testing/CrashingLog.ts'
import { body, by, receive, startTestNode, text } from '../testing/startTestNode.ts'

const send = (n: number) =>
  ({ type: 'Enqueue', queue: 'mail', producer: 'p', send: n, messages: [body(`m${n}`)] }) as const

/** An owner whose lock is confirmed until it freezes, with a queue. */
const given = async (config: Partial<QueueConfig> = {}) => {
  const log = createMemoryLog({ partitions: 1 })
  const crashing = new CrashingLog(log)
  const states: string[] = []
  const node = new Node({ log: crashing, name: 'one', onState: (_, state) => states.push(state) })
  const scope = Effect.runSync(Scope.make())
  let isLocked = true
  const lease = { ttlMs: 4_000, confirmedAtMs: () => (isLocked ? performance.now() : -Infinity) }
  Effect.runFork(node.run(0, lease).pipe(Scope.provide(scope)))
  await waitUntil(() => node.actors.get(0)?.life === 'Active')
  await node.request(0, [{ type: 'CreateQueue', queue: 'mail', config, by }, send(1)])
  return {
    log,
    node,
    states,
    freeze: () => {
      isLocked = false
      crashing.freeze()
    },
    thaw: () => crashing.thaw(),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}

describe('an owner that was frozen while another one had the partition', () => {
  it.each([
    ['', 'next'],
    [', nor where both have one name', 'one'],
  ])('confirms what was stored before, refuses what waited, and takes nothing back%s', async (_, name) => {
    const { log, node, states, freeze, thaw, close } = await given()
    const handle = await log.partition(0)
    const { lastSeq } = await handle.state()
    freeze()
    // One frame each, until no more may be in flight; the last waits in the mailbox.
    const stored = []
    for (let n = 2; n < 2 + limits.appendsInFlight; n++) {
      stored.push(node.request(0, [send(n)]))
      await waitUntil(async () => (await handle.state()).lastSeq === lastSeq + n - 1)
    }
    const waiting = node.request(0, [send(9), receive('mail')])
    const next = await startTestNode(log, name)
    const got = (await next.ask(receive('mail'))).delivery!
    expect(got.messages.map(text)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5'])
    await next.ask({ type: 'Ack', items: [got] })
    await next.close()
    const ended = (await handle.state()).lastSeq
    thaw()
    for (const { answers } of await Promise.all(stored)) expect(answers[0]!.ok).toBeDefined()
    const { answers } = await waiting
    expect(answers.map(({ error }) => error?.id)).toEqual(['NotOwner', 'NotOwner'])
    await waitUntil(() => states.includes('Fenced') || states.includes('Quarantined'))
    expect(states).not.toContain('Quarantined')
    expect((await handle.state()).lastSeq).toBe(ended)
    await close()
  })

  it('hands out nothing that was erased meanwhile, though its key is still in memory', async () => {
    const { log, node, freeze, thaw, close } = await given({ erasable: 'message' })
    const handle = await log.partition(0)
    const { lastSeq } = await handle.state()
    freeze()
    const late = node.request(0, [receive('mail')])
    await waitUntil(async () => (await handle.state()).lastSeq > lastSeq)
    const next = await startTestNode(log, 'next')
    const { queue } = await next.ask({ type: 'DescribeQueue', queue: 'mail' })
    expect(
      await next.ask({
        type: 'Erase',
        queue: 'mail',
        by: { ...by, reason: 'x' },
        message: { queue, number: 1 },
      }),
    ).toMatchObject({ discarded: 1 })
    await next.close()
    thaw()
    const { ok } = (await late).answers[0]!
    expect((ok as Answers['Receive'] | undefined)?.delivery).toBeUndefined()
    await close()
  })
})
