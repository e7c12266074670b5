import { createMemoryLog, type PartitionLog } from '@kiroku/log'
import type { Command } from '@kiroku/protocol'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { eventsOf } from '../testing/alteredLog.ts'
import { body, by, startTestNode } from '../testing/startTestNode.ts'

const send = (n: number) =>
  ({
    type: 'Enqueue',
    queue: 'mail',
    producer: 'p',
    send: n,
    messages: [body(`m${n}`)],
    groups: ['g'],
  }) as const

/** An owner with ten messages of a group, whose next question to the log's past or to the keys can be held back. */
const given = async () => {
  const log = createMemoryLog({ partitions: 1 })
  const { keys } = log
  let isShut = false
  let open = (): void => {}
  let isHeld = false
  const pass = async (): Promise<void> => {
    if (!isShut) return
    isShut = false
    isHeld = true
    await new Promise<void>((resolve) => (open = resolve))
  }
  const slow = (part: PartitionLog): PartitionLog =>
    new Proxy(part, {
      get: (target, name) => {
        if (name === 'read')
          return async function* (fromSeq: number, toSeq?: number) {
            await pass()
            yield* target.read(fromSeq, toSeq)
          }
        const found: unknown = Reflect.get(target, name, target)
        return typeof found === 'function' ? (found.bind(target) as unknown) : found
      },
    })
  const one = await startTestNode({
    ...log,
    partition: async (n) => slow(await log.partition(n)),
    keys: {
      keptMs: keys.keptMs,
      get: (name) => pass().then(() => keys.get(name)),
      put: (name, value, revision) => keys.put(name, value, revision),
      scrub: (name) => keys.scrub(name),
    },
  })
  const config = { erasable: 'group', groups: 'fair' } as const
  await one.ask({ type: 'CreateQueue', queue: 'mail', config, by })
  for (let n = 1; n <= 10; n++) {
    await one.ask(send(n))
    // A time between two of them is looked up in the log.
    const sentAt = Date.now()
    await waitUntil(() => Date.now() > sentAt)
  }
  return {
    log,
    one,
    shut: () => (isShut = true),
    isHeld: () => isHeld,
    open: () => open(),
  }
}

it.each([
  ['start of a subscription', 'SubscriptionCreated'],
  ['erasure', 'Erased'],
] as const)('the %s that was prepared in an ownership is not decided in the next', async (_, type) => {
  const { log, one, shut, isHeld, open } = await given()
  const { at } = one.node.actors.get(0)!.state
  const command: Command =
    type === 'Erased'
      ? { type: 'Erase', queue: 'mail', group: 'g', by: { ...by, reason: 'x' } }
      : {
          type: 'CreateSubscription',
          queue: 'mail',
          subscription: 's',
          settings: {},
          start: { time: at },
          by,
        }
  shut()
  const asked = one.node.request(0, [command])
  await waitUntil(isHeld)
  log.faults.onAppend(0, 'displaced')
  await one.node.request(0, [send(11)])
  const actor = one.node.actors.get(0)!
  await waitUntil(() => actor.epoch === 2 && actor.life === 'Active')
  expect((await asked).answers[0]!.error?.id).toBe('Unavailable')
  open()
  for (let n = 11; n <= 20; n++) await one.ask(send(n))
  const types = (await eventsOf(await log.partition(0))).map((event) => event.type)
  expect(types).not.toContain(type)
  await one.close()
})

/** A node on a log whose answers take the time that a test lets pass. */
const timed = async () => {
  const time = new ManualTime()
  const schedule = (ms: number, run: () => void): void =>
    ms === 0 ? queueMicrotask(run) : void time.after(ms, run)
  const log = createMemoryLog({ partitions: 1 }, { now: () => time.wallMs(), schedule })
  const one = await startTestNode(log, 'one', { time })
  const { queue } = await one.ask({ type: 'CreateQueue', queue: 'mail', config: { groups: 'fair' }, by })
  return { ...one, time, log, queue, actor: one.node.actors.get(0)! }
}

it('a command that waits for its turn when the ownership ends is refused, and not decided by the next', async () => {
  const { time, log, actor, ...one } = await timed()
  const { epoch } = actor
  // As many appends are under way as may be, the first of which is lost.
  log.faults.slow(10)
  log.faults.onAppend(0, 'displaced')
  const replies = []
  for (let n = 1; n <= limits.appendsInFlight + 2; n++) {
    replies.push(one.node.request(0, [send(n)]))
    await time.settle()
  }
  log.faults.slow(0)
  await time.advance(1_000)
  await waitUntil(() => actor.life === 'Active' && actor.epoch > epoch)
  for (const { answers } of await Promise.all(replies)) expect(answers[0]!.error?.id).toBe('Unavailable')
  await one.ask(send(100))
  expect((await one.ask({ type: 'DescribeQueue', queue: 'mail' })).counts.sent).toBe(1)
  await one.close()
})

it('a forward is for the next owner from the moment on at which this one hands over', async () => {
  const { time, log, queue, actor, node, close } = await timed()
  const forward: Command = {
    type: 'Forward',
    from: { partition: 1, queue: 1 },
    target: queue,
    forward: 1,
    messages: [body('letter')],
    enqueuedAt: [time.wallMs()],
  }
  log.faults.slow(10)
  const before = node.request(0, [send(1)])
  await time.settle()
  const closed = close()
  await waitUntil(() => actor.life === 'Draining')
  expect((await actor.request([forward])).answers).toMatchObject([{ error: { id: 'NotOwner' } }])
  await time.advance(100)
  expect((await before).answers[0]!.error).toBeUndefined()
  await closed
  expect((await actor.request([forward])).answers).toMatchObject([{ error: { id: 'NotOwner' } }])
})
