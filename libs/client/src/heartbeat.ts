import type { Clock } from './Clock.ts'
import type { LeasedBatch } from './LeasedBatch.ts'
import { limits } from './limits.ts'
import type { Verdicts } from './Verdicts.ts'

/** Extends the lease of what is not settled, every third of its length. Returns how to stop. */
export const startHeartbeat = (leased: LeasedBatch, verdicts: Verdicts, clock: Clock): (() => void) => {
  const { leaseMs } = leased
  const everyMs = Math.max(leaseMs / 3, limits.heartbeatMsMin)
  const beat = (): void => {
    const held: number[] = []
    for (let i = 0; i < leased.size; i++) if (verdicts.isHeld(i)) held.push(i)
    if (held.length === 0) return
    void leased.settle({ type: 'Extend', leaseMs }, held, (index) => verdicts.isHeld(index))
    timer = clock.setTimeout(beat, everyMs)
  }
  let timer = clock.setTimeout(beat, everyMs)
  return () => clock.clearTimeout(timer)
}
