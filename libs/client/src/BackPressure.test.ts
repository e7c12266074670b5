import { describe, expect, it } from 'vitest'
import { BackPressure, isBackPressure } from './BackPressure.ts'

describe('a back-pressure', () => {
  it('waits as long as the upstream asks, and says so', () => {
    const thrown = new BackPressure({ retryAfter: '90' })
    expect(thrown).toMatchObject({
      name: 'BackPressure',
      message: 'the upstream asks to wait for 90 s',
      delayMs: 90_000,
      holdSubscription: false,
    })
  })
  it('waits for 30 s when the header cannot be read', () => {
    for (const retryAfter of [null, undefined, '', 'soon'])
      expect(new BackPressure({ retryAfter, holdSubscription: true })).toMatchObject({
        delayMs: 30_000,
        holdSubscription: true,
      })
    expect(new BackPressure().delayMs).toBe(30_000)
  })
  it('takes a delay and a reason of the handler’s own', () => {
    const thrown = new BackPressure({ retryAfter: '90', delayMs: 250, reason: 'HTTP 429' })
    expect(thrown).toMatchObject({ delayMs: 250, message: 'HTTP 429' })
  })
  it.each([0, -1, NaN])('refuses a delay of %s', (delayMs) => {
    expect(() => new BackPressure({ delayMs })).toThrow(expect.objectContaining({ id: 'InvalidArgument' }))
  })
  it('is recognized by its form, even when a bundle has its own copy of the class', () => {
    const of = (fields: object) => Object.assign(new Error('429'), { name: 'BackPressure', ...fields })
    expect(isBackPressure(new BackPressure())).toBe(true)
    expect(isBackPressure(of({ delayMs: 5 }))).toBe(true)
    for (const other of [
      of({}),
      of({ delayMs: 0 }),
      new Error('429'),
      { name: 'BackPressure', delayMs: 5 },
      null,
    ])
      expect(isBackPressure(other)).toBe(false)
  })
})
