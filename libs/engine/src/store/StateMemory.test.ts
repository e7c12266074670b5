import { createMemoryLog } from '@kiroku/log'
import type { Command } from '@kiroku/protocol'
import { ManualTime } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { body, by, receive, startTestNode } from '../testing/startTestNode.ts'

const perSend = 100

/** A node that may take so much memory, with a queue of groups. */
const started = async (memoryBytes: number) => {
  const time = new ManualTime()
  const told: string[] = []
  const one = await startTestNode(createMemoryLog({ partitions: 1 }), 'one', {
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
  return { one, send, told, sent: () => n * perSend }
}

it('sends are refused before messages take too much memory; what is there can be consumed, and then sends go on', async () => {
  const { one, send, told, sent } = await started(4_000_000)
  let refused
  while (refused === undefined) refused = await send()
  expect(refused).toMatchObject({ id: 'MemoryFull', retryAfterMs: 1_000 })
  expect(refused.message).toMatch(/^messages take some 2\d\d.* of memory, and this node has .* for them$/)
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
