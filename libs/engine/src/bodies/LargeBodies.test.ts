import { describe, expect, it } from 'vitest'
import { LargeBodies } from './LargeBodies.ts'

describe('frames with large bodies ahead of them', () => {
  it('are remembered until they are needed no more', () => {
    const bodies = new LargeBodies([10, 8, 20, 15])
    expect([5, 10, 11, 21].map((frame) => bodies.firstNeeded(frame))).toEqual([5, 8, 11, 21])
    bodies.forget(11, 100)
    expect(bodies.list(100)).toEqual([20, 15])
  })

  it('count again when they are restored, but not for a checkpoint that does not know of it', () => {
    const bodies = new LargeBodies([200, 195])
    bodies.restored([10, 8, 30, 29], 150)
    expect(bodies.firstNeeded(10)).toBe(8)
    expect(bodies.list(200)).toEqual([10, 8, 30, 29, 200, 195])
    bodies.forget(190, 140)
    expect(bodies.firstNeeded(10)).toBe(8)
    bodies.forget(30, 150)
    expect(bodies.list(200)).toEqual([30, 29, 200, 195])
  })
})
