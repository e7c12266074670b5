import { expect, it } from 'vitest'
import { passedQueues, readPassed } from './passedQueues.ts'

const lineage = { messageId: 'a', queue: 'mail', attempts: 1, cause: 'retry', error: '', enqueuedAt: 1 }
const source = { partition: 1, queue: 7 }

it('names each queue that a message passed once, in order', () => {
  expect(passedQueues(undefined, source)).toEqual(['1/7'])
  expect(passedQueues({ ...lineage, passed: ['0/2', '1/7', '0/3'] }, source)).toEqual(['0/2', '1/7', '0/3'])
  expect(readPassed({ ...lineage, passed: ['0/2', '1/7'] })).toEqual([{ partition: 0, queue: 2 }, source])
})

it('does not pretend to know the queues of a message that an older version forwarded, or that passed very many', () => {
  expect(passedQueues(lineage, source)).toBeUndefined()
  const passed = Array.from({ length: 256 }, (_, queue) => `0/${queue}`)
  expect(passedQueues({ ...lineage, passed }, source)).toBeUndefined()
})
