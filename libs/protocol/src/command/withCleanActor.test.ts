import { expect, it } from 'vitest'
import { isCommand, notCommand } from './isCommand.ts'
import { withCleanActor } from './withCleanActor.ts'

const purge = (by: { name: string; origin: string; reason?: string }) =>
  withCleanActor({ type: 'PurgeQueue', queue: 'mail', by }).by

it('leaves an ordinary actor as it is', () => {
  const by = { name: 'ann', origin: 'http 10.0.0.7', reason: 'クリーンアップ 🧹' }
  expect(purge(by)).toEqual(by)
})

it('cuts what is too long, spells control characters out, and puts it on one line', () => {
  const { name, origin, reason } = purge({
    name: `\u001b[2J${'n'.repeat(1_000)}`,
    origin: 'cli\u202egnp',
    reason: `first\r\nsecond ${'\u0007'.repeat(1_000)}`,
  })
  expect(name).toMatch(/^\\x1b\[2Jn+$/)
  expect([name.length, reason!.length]).toEqual([200, 500])
  expect(origin).toBe('cli\\u202egnp')
  expect(reason).toMatch(/^first second \\x07/)
})

it('is no command with a reason that is no text', () => {
  const by = { name: 'ann', origin: 'cli', reason: { toString: 1 } }
  const command = { type: 'PurgeQueue', queue: 'mail', by }
  expect(isCommand(command)).toBe(false)
  expect(notCommand(command)).toBe('"by.reason" of PurgeQueue is missing or not what it must be')
})
