import { createMemoryLog } from '@kiroku/log'
import type { Command, SettleItem } from '@kiroku/protocol'
import { ManualTime } from '@kiroku/testkit'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'
import { expect, it } from 'vitest'
import { Node } from '../Node.ts'
import { body, by, own, receive, startTestNode } from '../testing/startTestNode.ts'

const perSend = 100

/** A node that may take so much memory, with a queue of groups. */
const started = async (memoryBytes: number) => {
  const time = new ManualTime()
  const told: string[] = []
  const log = createMemoryLog({ partitions: 1 })
  const one = await startTestNode(log, 'one', {
    time,
    memoryBytes,
    onMemoryFull: (reason) => told.push(reason),
  })
  await one.ask({ type: 'CreateQueue', queue: 'mail', config: { groups: 'ordered' }, by })
  let n = 0
  /** Sends messages of as many groups; why that was refused. */
  const send = async () => {
    await time.advance(100)
    n++
    const command: Command = {
      type: 'Enqueue',
      queue: 'mail',
      producer: 'p',
      send: n,
      messages: Array(perSend).fill(body('x')),
      groups: Array.from({ length: perSend }, (_, i) => `customer-${n}-${i}`),
    }
    const { error } = (await one.node.request(0, [command])).answers[0]!
    if (error !== undefined) n--
    return error
  }
  return { one, log, time, send, told, sent: () => n * perSend }
}

it('sends are refused before messages take too much memory; what is there can be consumed, and then sends go on', async () => {
  const { one, send, told, sent } = await started(4_000_000)
  let refused
  while (refused === undefined) refused = await send()
  expect(refused).toMatchObject({ id: 'MemoryFull', retryAfterMs: 1_000 })
  expect(refused.message).toMatch(
    /^messages take 2\d\d.* of memory, and this node has .* for them: sends wait until some are consumed$/,
  )
  expect(told).toEqual([refused.message])
  const { memory } = (await one.node.describe()).partitions[0]!
  expect(memory!.bytes).toBeGreaterThan(memory!.bytesMax)
  expect(sent()).toBeGreaterThan(500)
  for (let left = sent(); left > 0;) {
    const { delivery } = await one.ask(receive('mail', 100))
    const { queue, numbers } = delivery!
    await one.ask({ type: 'Ack', items: [{ queue, sub: 0, delivery: delivery!.delivery, numbers }] })
    left -= delivery!.messages.length
  }
  expect(await send()).toBeUndefined()
  expect(one.node.stateMemory.bytes).toBeLessThan(perSend * 500)
})

it('a group that is gone takes nothing, its key neither', async () => {
  const { one, send } = await started(4_000_000)
  const before = one.node.stateMemory.bytes
  await send()
  const { delivery } = await one.ask(receive('mail', 100))
  const { queue, numbers } = delivery!
  await one.ask({ type: 'Ack', items: [{ queue, sub: 0, delivery: delivery!.delivery, numbers }] })
  expect([before, one.node.actors.get(0)!.state.groups.keyCharacters]).toEqual([0, 0])
})

/** Receives until nothing comes, and has each delivery answered. Returns how many messages came, and at which attempts. */
const drain = async (
  { one, time }: Awaited<ReturnType<typeof started>>,
  queue: string,
  answer: (items: readonly SettleItem[]) => Promise<unknown>,
) => {
  let messages = 0
  const attempts = new Set<number>()
  for (;;) {
    await time.advance(100)
    const { delivery: came } = await one.ask(receive(queue, 100))
    if (came === undefined) return { messages, attempts: [...attempts].sort() }
    messages += came.messages.length
    for (const attempt of came.attempts) attempts.add(attempt)
    await answer([{ queue: came.queue, sub: came.sub, delivery: came.delivery, numbers: came.numbers }])
  }
}

it.each([
  ['a plain queue', 'none'],
  ['a queue of tenants', 'fair'],
] as const)(
  'of %s, messages that were never delivered wait while those that were take too much memory; what comes back does not',
  async (_, groups) => {
    const world = await started(4_000_000)
    const { one, time, told } = world
    await one.ask({ type: 'CreateQueue', queue: 'work', config: { groups, retriesMax: 99 }, by })
    const all = 5_000
    const messages = Array<Uint8Array>(perSend).fill(body('x'))
    const tenants = { groups: messages.map((_message, n) => `tenant-${n % 7}`) }
    for (let send = 1; send <= all / perSend; send++)
      await one.ask({
        type: 'Enqueue',
        queue: 'work',
        producer: 'w',
        send,
        messages,
        ...(groups === 'fair' && tenants),
      })
    const delayMs = 600_000
    const failed = await drain(world, 'work', (items) => one.ask({ type: 'Retry', items, delayMs }))
    expect(failed.attempts).toEqual([1])
    expect(one.node.stateMemory.bytes).toBeLessThan(2 * one.node.stateMemory.bytesMax)
    expect(one.node.stateMemory.reason).toMatch(/sends wait, and so does what was never delivered/)
    expect(told).toHaveLength(2)

    await time.advance(delayMs)
    const handled = await drain(world, 'work', (items) => one.ask({ type: 'Ack', items }))
    expect(handled).toEqual({ messages: all, attempts: [1, 2] })
  },
)

it('a receive that waits for messages that were never delivered gets some as soon as others are settled', async () => {
  const world = await started(4_000_000)
  const { one, time } = world
  await one.ask({ type: 'CreateQueue', queue: 'work', config: {}, by })
  const messages = Array<Uint8Array>(perSend).fill(body('x'))
  for (let send = 1; send <= 50; send++)
    await one.ask({ type: 'Enqueue', queue: 'work', producer: 'w', send, messages })
  const underWay: SettleItem[] = []
  await drain(world, 'work', async (items) => underWay.push(...items))
  let got: readonly number[] = []
  void one.ask(receive('work', 10, 20_000)).then(({ delivery }) => (got = delivery!.attempts))
  await time.advance(100)
  await one.ask({ type: 'Ack', items: underWay.slice(1) })
  await time.advance(100)
  expect(got).toEqual([])
  await one.ask({ type: 'Ack', items: underWay.slice(0, 1) })
  expect(got).toEqual(Array(10).fill(1))
})

it('where messages that were never delivered take too much by themselves, they can be consumed all the same', async () => {
  const log = createMemoryLog({ partitions: 1 })
  const one = await startTestNode(log, 'one', { memoryBytes: 40_000_000 })
  await one.ask({ type: 'CreateQueue', queue: 'mail', config: { dedup: 'id' }, by })
  const messages = Array<Uint8Array>(perSend).fill(body('x'))
  for (let send = 1; send <= 50; send++) {
    const dedupIds = messages.map((_message, n) => `${send}-${n}`)
    await one.ask({ type: 'Enqueue', queue: 'mail', producer: 'p', send, messages, dedupIds })
  }
  await one.close()
  const two = await startTestNode(log, 'two', { memoryBytes: 400_000 })
  const { bytes, bytesMax } = two.node.stateMemory
  expect(bytes).toBeGreaterThan(5 * bytesMax)
  expect((await two.ask(receive('mail', 10))).delivery?.attempts).toHaveLength(10)
})

it('what a node follows as a standby counts, and once only when it is its own', async () => {
  const { one, log, time, send } = await started(4_000_000)
  await send()
  const two = new Node({ log, name: 'two', time, memoryBytes: 4_000_000 })
  const scope = Effect.runSync(Scope.make())
  await Effect.runPromise(two.loadAhead(0).pipe(Scope.provide(scope)))
  await time.advance(100)
  const { bytes } = one.node.stateMemory
  expect([bytes > 10_000, two.stateMemory.bytes]).toEqual([true, bytes])
  await one.close()
  const { node, close } = await own(two)
  await time.advance(100)
  expect([node.actors.size, node.stateMemory.bytes]).toEqual([1, bytes])
  await close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})
