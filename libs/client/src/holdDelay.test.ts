import { expect, it } from 'vitest'
import { holdDelay } from './holdDelay.ts'

it.each([
  [0, 0],
  [1.4, 1],
  [86_400_000, 86_400_000],
  [undefined, undefined],
])('takes a delay of %s ms as %s ms', (delayMs, taken) => {
  const settlement = { type: 'Retry', delayMs, error: 'no' } as const
  expect(holdDelay(settlement, 86_400_000)).toEqual({ settlement: { ...settlement, delayMs: taken } })
})

it.each([810_000_000, Infinity])('caps a delay of %s ms at the longest and says so', (delayMs) => {
  const { settlement, beyondMs } = holdDelay({ type: 'Retry', delayMs, error: 'no' }, 86_400_000)
  expect(settlement).toMatchObject({ type: 'Retry', delayMs: 86_400_000 })
  expect(settlement).toHaveProperty('error', expect.stringMatching(/^no; a delay of .* the longest, 1 d$/u))
  expect(beyondMs).toBe(delayMs)
})

it('keeps the note about a delay intact when the error is long', () => {
  const { settlement } = holdDelay({ type: 'Retry', delayMs: Infinity, error: 'x'.repeat(1_000) }, 86_400_000)
  const { error } = settlement as { error: string }
  expect(error).toHaveLength(1_000)
  expect(error).toMatch(/x; a delay of Infinity ms was capped at the longest, 1 d$/u)
})

it('caps the delay of a release likewise, and keeps the rest of it', () => {
  const asked = { type: 'Release', delayMs: Infinity, holdSubscription: true } as const
  expect(holdDelay(asked, 86_400_000).settlement).toEqual({
    ...asked,
    delayMs: 86_400_000,
    error: 'a delay of Infinity ms was capped at the longest, 1 d',
  })
})

it('leaves what is not a number to the engine, which refuses it', () => {
  expect(holdDelay({ type: 'Retry', delayMs: NaN }, 86_400_000)).toEqual({
    settlement: { type: 'Retry', delayMs: NaN },
  })
})
