import { expect, it } from 'vitest'
import { actWords } from '@kiroku/audit/event-words'
import { changeLine, changesOf, momentsAround } from './actText.ts'

it('an act of a later version keeps its name', () => {
  expect(actWords('QueuePurged')).toBe('purged the queue')
  expect(actWords('SomethingNew')).toBe('SomethingNew')
})

it('says what a change of settings changed, with units', () => {
  const act = {
    event: 'QueueConfigured',
    before: { leaseMs: 30_000, retriesMax: 3, deadLetter: null },
    after: { leaseMs: 60_000, retriesMax: 5, deadLetter: { name: 'mail-dlq', partition: 1, queue: 1 } },
  } as const
  expect(changesOf(act).map(({ key }) => key)).toEqual(['leaseMs', 'retriesMax', 'deadLetter'])
  expect(changeLine(act)).toBe('lease 30 s → 1 min, retries 3 → 5, dead letters go to none → mail-dlq')
})

it('shows only what differs afterwards', () => {
  const act = {
    event: 'Recalled',
    before: { number: 7, state: 'Delayed' },
    after: { number: 7, state: 'Discarded' },
  } as const
  expect(changeLine(act)).toBe('state Delayed → Discarded')
})

it('shows what was created, what was deleted, and what a purge discarded', () => {
  expect(changeLine({ event: 'QueueCreated', before: {}, after: { retriesMax: 5 } })).toBe('retries 5')
  expect(changeLine({ event: 'QueueDeleted', before: { messages: 1_204 }, after: {} })).toBe(
    '1,204 messages discarded',
  )
  expect(
    changeLine({ event: 'QueuePurged', before: { messages: 1_204 }, after: { messages: 0, below: 9 } }),
  ).toBe('1,204 messages discarded')
})

it('describes a redrive by its target and rate', () => {
  const after = { task: 3, to: 'origin', filter: {}, rateMax: 50, messagesMax: 0, upTo: 12, selected: 9 }
  expect(changeLine({ event: 'RedriveStarted', before: {}, after })).toBe(
    'redrive 3, to where they came from, rate limit 50 per second, up to number 12, selected messages 9',
  )
})

it('links to just before and just after an act', () => {
  expect(momentsAround({ partition: 3, seq: 266 })).toEqual({ before: '3/265', after: '3/266' })
  expect(momentsAround({ partition: 0, seq: 1 }).before).toBe('0/1')
})
