import type { CommandOf } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { Mailbox, type Bringing } from './Mailbox.ts'
import { commandBytes, messageBytes } from './commandBytes.ts'

/** As many queues as are described in one turn. */
const perTurn = limits.turnSettledMax / limits.describedAsSettled

const ack = (first: number, count: number): CommandOf<'Ack'> => ({
  type: 'Ack',
  items: [{ queue: 1, sub: 0, delivery: 1, numbers: [first, count] }],
})

it('spreads many settlements over several turns, in their order, so that no turn is long', () => {
  const box = new Mailbox({ frameBytesMax: 512 * 1024 })
  const half = limits.turnSettledMax / 2
  const [first, second, third] = [ack(1, half), ack(1 + half, half), ack(1 + 2 * half, 1)]
  for (const command of [first, second, third]) box.put({ command, token: 1, bytes: commandBytes(command) })
  expect(box.gather(1).first.map((mail) => mail.command)).toEqual([first, second])
  expect(box.isReady).toBe(true)
  expect(box.gather(1).first.map((mail) => mail.command)).toEqual([third])
  expect(box.size).toBe(0)
})

it('spreads what asks for descriptions over several turns', () => {
  const box = new Mailbox({ frameBytesMax: 512 * 1024 })
  const describing: CommandOf<'DescribeQueue'> = { type: 'DescribeQueue', queue: 'q' }
  const page: CommandOf<'ListQueues'> = { type: 'ListQueues', page: { max: perTurn, described: true } }
  const everything: CommandOf<'ListQueues'> = { type: 'ListQueues' }
  const commands = [...Array.from({ length: perTurn }, () => describing), page, everything, ack(1, 1)]
  for (const command of commands) box.put({ command, token: 1, bytes: 0 })
  const turns: number[] = []
  while (box.isReady) turns.push(box.gather(perTurn).first.length)
  expect(turns).toEqual([perTurn, 1, 1, 1])
})

it('has many lists of few queues in one turn, with what comes behind them', () => {
  const box = new Mailbox({ frameBytesMax: 512 * 1024 })
  const page: CommandOf<'ListQueues'> = { type: 'ListQueues', page: { max: perTurn, described: true } }
  const commands = [...Array.from({ length: 40 }, () => page), { type: 'ListQueues' } as const, ack(1, 1)]
  for (const command of commands) box.put({ command, token: 1, bytes: 0 })
  expect(box.gather(4).first).toHaveLength(commands.length)
})

const send = (queue: string, number: number): Bringing => {
  const command: CommandOf<'Enqueue'> = {
    type: 'Enqueue',
    queue,
    producer: 'p',
    send: number,
    messages: [new Uint8Array(10)],
  }
  return { command, token: number, bytes: commandBytes(command), bodyBytes: messageBytes(command) }
}
const sendsOf = (mails: readonly Bringing[]): string[] =>
  mails.map(({ command, token }) => `${command.type === 'Enqueue' ? command.queue : ''}${token}`)

it('takes no more than fits its share of the memory, and more once some of that has left', () => {
  const mail = send('a', 1)
  const box = new Mailbox({ frameBytesMax: 1 }, 2 * mail.bytes)
  expect([1, 2, 3].map((number) => box.put(send('a', number)))).toEqual([true, true, false])
  box.gather(1)
  expect(box.put(send('a', 3))).toBe(true)
})

it('takes back what found no room, in its order, and lets those queues begin the next turn', () => {
  const box = new Mailbox({ frameBytesMax: 300 })
  for (let number = 1; number <= 3; number++)
    for (const queue of ['a', 'b', 'c']) box.put(send(queue, number))
  const { sends } = box.gather(1)
  expect(sendsOf(sends)).toEqual(['a1', 'b1'])
  box.returnSends(sends.slice(1))
  expect(box.size).toBe(8)
  const order: string[] = []
  while (box.isReady) order.push(...sendsOf(box.gather(1).sends))
  expect(order[0]).toBe('b1')
  for (const queue of ['a', 'b', 'c']) {
    const own = order.filter((name) => name.startsWith(queue))
    expect(own).toEqual(own.toSorted())
  }
  expect([...order, 'a1'].toSorted()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3'])
  expect(box.size).toBe(0)
})

it('keeps commands behind one that was taken back although the next of its queue still waits', () => {
  const box = new Mailbox({ frameBytesMax: 300 })
  const [first, second] = [send('a', 1), send('a', 2)]
  box.put(first)
  const { sends } = box.gather(1)
  // What comes meanwhile still waits for its keys.
  box.put(second)
  expect(sendsOf(box.gather(1).sends)).toEqual(['a2'])
  box.putBack([second])
  box.returnSends(sends)
  expect(sendsOf(box.gather(1).sends)).toEqual(['a1'])
  expect(box.isReady).toBe(false)
  box.ready(second)
  expect(sendsOf(box.gather(1).sends)).toEqual(['a2'])
})

it('takes back acts and settlements ahead of those that came meanwhile', () => {
  const box = new Mailbox({ frameBytesMax: 512 * 1024 })
  const [first, second] = [ack(1, 1), ack(2, 1)]
  box.put({ command: first, token: 1, bytes: commandBytes(first) })
  const { first: taken } = box.gather(1)
  box.put({ command: second, token: 2, bytes: commandBytes(second) })
  box.returnFirst(taken)
  expect(box.size).toBe(2)
  expect(box.gather(1).first.map((mail) => mail.command)).toEqual([first, second])
  expect(box.size).toBe(0)
})
