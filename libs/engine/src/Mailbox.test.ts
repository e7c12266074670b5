import type { CommandOf } from '@kiroku/partition'
import { expect, it } from 'vitest'
import { limits } from './limits.ts'
import { commandBytes, Mailbox } from './Mailbox.ts'

const ack = (first: number, count: number): CommandOf<'Ack'> => ({
  type: 'Ack',
  items: [{ queue: 1, sub: 0, delivery: 1, numbers: [first, count] }],
})

it('spreads many settlements over several turns, in their order, so that no turn is long', () => {
  const box = new Mailbox(512 * 1024)
  const half = limits.turnSettledMax / 2
  const [first, second, third] = [ack(1, half), ack(1 + half, half), ack(1 + 2 * half, 1)]
  for (const command of [first, second, third]) box.put({ command, token: 1, bytes: commandBytes(command) })
  expect(box.gather().first.map((mail) => mail.command)).toEqual([first, second])
  expect(box.isReady).toBe(true)
  expect(box.gather().first.map((mail) => mail.command)).toEqual([third])
  expect(box.size).toBe(0)
})
