import { encodeEnvelope } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { LargeBodies } from './LargeBodies.ts'
import { LargeBodyWrite } from './LargeBodyWrite.ts'

/** A send of two large bodies whose records are 7 and 8, and whose frame is still to come. */
const underWay = (): LargeBodyWrite => {
  const bodies = [1, 2].map((n) => encodeEnvelope(new Uint8Array(1_000).fill(n)))
  const write = new LargeBodyWrite(bodies, 100)
  let seq = 6
  while (!write.isDone) write.step(() => ++seq)
  return write
}

describe('large bodies whose frame is still to come', () => {
  it('stay from the first of their records on', () => {
    const large = new LargeBodies()
    const write = underWay()
    large.open(write)
    expect(large.firstNeeded(100)).toBe(7)
    large.close(write)
    expect(large.firstNeeded(100)).toBe(100)
  })

  it('are in a checkpoint that is made meanwhile, so that a trim behind it leaves them', () => {
    const large = new LargeBodies()
    large.open(underWay())
    const restored = new LargeBodies(large.list(9))
    expect(restored.firstNeeded(9)).toBe(7)
  })
})
