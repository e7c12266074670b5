import { createMemoryLog } from '@kiroku/log'
import type { CommandOf } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { Mailbox } from '../actor/Mailbox.ts'
import { body, by, startTestNode } from '../testing/startTestNode.ts'
import { commandBytes, messageBytes } from '../actor/commandBytes.ts'

const send = (queue: string, messages: number, bytes: number): CommandOf<'Enqueue'> => ({
  type: 'Enqueue',
  queue,
  producer: 'p',
  send: 1,
  messages: Array.from({ length: messages }, () => new Uint8Array(bytes)),
})
const ack = (number: number): CommandOf<'Ack'> => ({
  type: 'Ack',
  items: [{ queue: 1, sub: 0, delivery: 1, numbers: [number, 1] }],
})

describe('what goes into one frame', () => {
  it('has a send, however much goes first, and is no more than a record takes', () => {
    const box = new Mailbox({ frameBytesMax: 10_000 })
    for (let i = 0; i < 2_000; i++) {
      box.put({ command: ack(i), token: 1, bytes: commandBytes(ack(i)) })
      const command = send(`mail-${i % 3}`, 1, 14_000)
      if (i % 100 === 0)
        box.put({ command, token: 1, bytes: commandBytes(command), bodyBytes: messageBytes(command) })
    }
    let sends = 0
    for (let turns = 0; box.isReady; turns++) {
      const gathered = box.gather(1)
      const bytes = [...gathered.first, ...gathered.sends].reduce((sum, mail) => sum + mail.bytes, 0)
      expect(bytes).toBeLessThan(25_000)
      if (sends < 20) expect(gathered.sends).toHaveLength(1)
      sends += gathered.sends.length
      expect(turns).toBeLessThan(100)
    }
    expect(sends).toBe(20)
    expect(box.size).toBe(0)
  })

  it('may be a single command that is larger than any frame', () => {
    const box = new Mailbox({ frameBytesMax: 10_000 })
    const command = send('mail', 1, 1_000_000)
    box.put({ command, token: 1, bytes: commandBytes(command), bodyBytes: messageBytes(command) })
    expect(box.gather(1).sends).toHaveLength(1)
    expect(box.isReady).toBe(false)
  })
})

it('a send of more messages than are allowed is refused, however large it is', async () => {
  const one = await startTestNode(createMemoryLog({ partitions: 1 }))
  await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
  const many = {
    ...send('mail', 0, 0),
    messages: Array.from({ length: 50_000 }, () => body('x'.repeat(100))),
  }
  expect((await one.node.request(0, [many])).answers[0]!.error?.id).toBe('InvalidArgument')
  await one.close()
})

it('a thousand queues are made at once on a log that takes only small records', async () => {
  const one = await startTestNode(createMemoryLog({ partitions: 1 }, { recordBytesMax: 300_000 }))
  const names = Array.from({ length: 1_000 }, (_, i) => `queue-${i}`)
  await Promise.all(names.map((queue) => one.ask({ type: 'CreateQueue', queue, config: {}, by })))
  expect(one.node.actors.get(0)!.epoch).toBe(1)
  await one.close()
})
