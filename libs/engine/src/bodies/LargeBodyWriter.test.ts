import { encodeEnvelope } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { LargeBodies } from './LargeBodies.ts'
import { LargeBodyWrite } from './LargeBodyWriter.ts'

/** A send of two large bodies whose records are 7 and 8, and whose frame is still to come. */
const underWay = (): LargeBodyWrite => {
  const bodies = [1, 2].map((n) => encodeEnvelope(new Uint8Array(1_000).fill(n)))
  const spill = new LargeBodyWrite(bodies, 100)
  let seq = 6
  while (!spill.isDone) spill.step(() => ++seq)
  return spill
}

describe('large bodies whose frame is still to come', () => {
  it('stay from the first of their records on', () => {
    const large = new LargeBodies()
    const spill = underWay()
    large.open(spill)
    expect(large.firstNeeded(100)).toBe(7)
    large.close(spill)
    expect(large.firstNeeded(100)).toBe(100)
  })

  it('are in a checkpoint that is made meanwhile, so that a trim behind it leaves them', () => {
    const large = new LargeBodies()
    large.open(underWay())
    const restored = new LargeBodies(large.list(9))
    expect(restored.firstNeeded(9)).toBe(7)
  })
})
