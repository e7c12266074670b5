import { expect, it } from 'vitest'
import { redriveRequest, type RedriveForm } from './redriveRequest.ts'
import { whyNoCommands } from './whyNoCommands.ts'

const form: RedriveForm = { what: 'all', where: '', to: '', rate: '', most: '' }

it('requests what was filled in, and nothing else', () => {
  expect(redriveRequest(form, 'abc', [])).toEqual({ request: {} })
  expect(
    redriveRequest(
      { ...form, what: 'where', where: ' redrives:0 ', to: 'orders', rate: '50', most: '9' },
      'a',
      [],
    ),
  ).toEqual({ request: { where: 'redrives:0', to: 'orders', rateMax: 50, messagesMax: 9 } })
  expect(redriveRequest({ ...form, what: 'group' }, 'abc', []).request).toEqual({ group: 'abc' })
  expect(redriveRequest({ ...form, what: 'messages' }, 'abc', ['x']).request).toEqual({ messages: ['x'] })
})

it.each([
  [{ what: 'where' }, 'Name the messages to redrive.'],
  [{ what: 'messages' }, 'No message is chosen.'],
  [{ what: 'group' }, 'The group no longer exists.'],
  [{ rate: '0' }, 'Messages per second: a whole number from 1 to 100,000.'],
  [{ rate: 'fast' }, 'Messages per second: a whole number from 1 to 100,000.'],
  [{ most: '-1' }, 'At most: a whole number from 1.'],
] as const)('says what is wrong: %j', (changes, problem) => {
  expect(redriveRequest({ ...form, ...changes }, undefined, []).problem).toBe(problem)
})

it('says why nothing can be redriven', () => {
  const can = {
    isPast: false,
    queue: 'mail-dlq',
    session: { commands: true, role: 'operator' as const },
    isRunning: false,
    letters: 3,
  }
  expect(whyNoCommands(can)).toBeUndefined()
  expect(whyNoCommands({ ...can, isPast: true })).toContain('the past')
  expect(whyNoCommands({ ...can, session: { commands: false, role: 'admin' } })).toContain('only look')
  expect(whyNoCommands({ ...can, isRunning: true })).toContain('runs')
  expect(whyNoCommands({ ...can, letters: 0 })).toContain('nothing')
})
