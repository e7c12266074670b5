import { createMemoryLog } from '@kiroku/log'
import type { Command, Delivery } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { body, by, receive, startTestNode, text } from '../testing/startTestNode.ts'

const send = (n: number, ...bodies: string[]): Extract<Command, { type: 'Enqueue' }> => ({
  type: 'Enqueue',
  queue: 'mail',
  producer: 'p',
  send: n,
  messages: bodies.map(body),
})
const ackOf = ({ queue, sub, delivery, numbers }: Delivery): Extract<Command, { type: 'Ack' }> => ({
  type: 'Ack',
  items: [{ queue, sub, delivery, numbers }],
})
const large = (name: string): string => name.padEnd(300_000)

describe('large bodies in records of their own', () => {
  it('stay as long as the frame behind them is needed', async () => {
    const log = createMemoryLog({ partitions: 1, recordBytes: 100_000 })
    const one = await startTestNode(log, 'one', { checkpoints: { bytesMin: 50_000, ageMs: 1e9 } })
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    const part = await log.partition(0)
    let n = 0
    await one.ask(send(++n, large(`${n}`), large(`${n}`)))
    await waitUntil(async () => {
      // There is always one message, and its bodies lie ahead of the oldest frame that is needed.
      await one.ask(send(++n, large(`${n}`), large(`${n}`)))
      const { delivery } = await one.ask(receive('mail', 2))
      expect(delivery!.messages.map(text)).toEqual([large(`${n - 1}`), large(`${n - 1}`)])
      await one.ask(ackOf(delivery!))
      return (await part.state()).firstSeq > 50
    })
    await one.close()
    const two = await startTestNode(log, 'two')
    expect((await two.ask(receive('mail', 2))).delivery!.messages.map(text)).toEqual([
      large(`${n}`),
      large(`${n}`),
    ])
    await two.close()
  })

  it('are carried forward out of an old part of the log into records of their own again', async () => {
    const log = createMemoryLog({ partitions: 1, recordBytes: 400_000 }, { recordBytesMax: 600_000 })
    const one = await startTestNode(log, 'one', { checkpoints: { bytesMin: 3_000_000, ageMs: 1e9 } })
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    await one.ask({ type: 'CreateQueue', queue: 'noise', config: {}, by })
    // Too much for one record when they come together.
    await one.ask(send(1, 'a'.repeat(300_000)))
    await one.ask(send(2, 'b'.repeat(300_000)))
    const part = await log.partition(0)
    let n = 2
    await waitUntil(async () => {
      await one.ask({ ...send(++n, large('noise')), queue: 'noise' })
      await one.ask(ackOf((await one.ask(receive('noise'))).delivery!))
      return (await part.state()).firstSeq > 20
    })
    expect(one.node.actors.get(0)!.epoch).toBe(1)
    await one.close()
    const two = await startTestNode(log, 'two')
    const { delivery } = await two.ask({ ...receive('mail', 2), bytesMax: 1e9 })
    expect(delivery!.messages.map((m) => text(m)[0])).toEqual(['a', 'b'])
    await two.close()
  })

  it('are stored in spite of a flood of small ones, in the order in which they were sent', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await startTestNode(log)
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    await one.ask({ type: 'CreateQueue', queue: 'noise', config: {}, by })
    let isStored = false
    let n = 0
    const flood = async (producer: string): Promise<void> => {
      for (let i = 1; !isStored; i++) await one.ask({ ...send(i, 'x'), producer, queue: 'noise' })
    }
    const noise = Array.from({ length: 20 }, (_, i) => flood(`noise-${i}`))
    const bodies = [large('1'), '2', large('3'), large('4'), '5']
    const sent = await Promise.all(bodies.map((b) => one.ask(send(++n, b))))
    isStored = true
    await Promise.all(noise)
    expect(sent.map((s) => s.first)).toEqual([1, 2, 3, 4, 5])
    await one.close()
  })

  it('never come together in a frame that is larger than a record', async () => {
    const log = createMemoryLog({ partitions: 1 }, { recordBytesMax: 1_000_000 })
    const one = await startTestNode(log)
    // Commands with one large body each, and much that stays in the frame.
    const bodies = [large('1'), ...Array.from({ length: 8 }, () => 'x'.repeat(50_000))]
    const queues = Array.from({ length: 6 }, (_, i) => `mail-${i}`)
    for (const queue of queues) await one.ask({ type: 'CreateQueue', queue, config: {}, by })
    await Promise.all(queues.map((queue, i) => one.ask({ ...send(i + 1, ...bodies), queue })))
    expect(one.node.actors.get(0)!.epoch).toBe(1)
    await one.close()
  })

  it('count towards what may wait', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await startTestNode(log)
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: { bodyBytesMax: 4_000_000 }, by })
    const huge = [body('x'.repeat(4_000_000))]
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, i) => one.node.request(0, [{ ...send(i + 1), messages: huge }])),
    )
    const busy = replies.filter((r) => r.answers[0]!.error?.id === 'Busy')
    expect(busy.length).toBe(30 - 16)
    await one.close()
  })
})
