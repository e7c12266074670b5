import { expect, it } from 'vitest'
import { neighbourOf } from './useArrows.ts'

it('goes from state to state with the arrow keys', () => {
  expect(neighbourOf('Available', 'ArrowRight')).toBe('Inflight')
  expect(neighbourOf('Inflight', 'ArrowUp')).toBe('WaitingRetry')
  expect(neighbourOf('Committed', 'ArrowDown')).toBe('DLQ')
  expect(neighbourOf('Available', 'ArrowLeft')).toBeUndefined()
  expect(neighbourOf('Available', 'Enter')).toBeUndefined()
})
