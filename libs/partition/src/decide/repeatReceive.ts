import { step, type MachineEvent, type Ranges } from '@kiroku/message'
import { loadCell } from '../cell.ts'
import { heldSlot } from '../state/Attempts.ts'
import type { Subscription } from '../state/Subscription.ts'
import { pushNumber, type PlannedDelivery, type Turn } from '../Turn.ts'

const extend: Extract<MachineEvent, { type: 'EXTEND' }> = {
  type: 'EXTEND',
  now: 0,
  delivery: 0,
  leaseUntil: 0,
}

/** What is still held of the batch that a receive with this attempt id got before, under new leases; nothing when that is over. */
export const repeatReceive = <B>(
  turn: Turn<B>,
  sub: Subscription,
  attempt: string,
  leaseMs: number,
): PlannedDelivery | undefined => {
  const { state, now, cell } = turn
  const { live } = state
  const note = state.attempts.find(sub, attempt, now)
  if (note === undefined) return undefined
  const { delivery } = note
  const numbers: Ranges = []
  const attempts: number[] = []
  const enqueuedAt: number[] = []
  const seqs: number[] = []
  const indexes: number[] = []
  extend.now = now
  extend.delivery = delivery
  extend.leaseUntil = now + leaseMs
  for (let i = 0; i < note.numbers.length; i += 2)
    for (let n = note.numbers[i]!, end = n + note.numbers[i + 1]!; n < end; n++) {
      const slot = heldSlot(live, note, n)
      if (slot < 0) continue
      const cap = live.leaseCap[slot]!
      // All messages of a delivery have one cap.
      if (cap !== 0 && cap < extend.leaseUntil) extend.leaseUntil = cap
      if (extend.leaseUntil <= now || !step(loadCell(live, slot, cell), extend)) continue
      pushNumber(numbers, n)
      attempts.push(live.attempt[slot]!)
      enqueuedAt.push(live.enqueuedAt[slot]!)
      seqs.push(live.seq[slot]!)
      indexes.push(live.index[slot]!)
    }
  if (attempts.length === 0) return undefined
  const { leaseUntil } = extend
  const about = { queue: sub.queue.id, sub: sub.id, numbers, leaseUntil, attempt }
  turn.emit({ type: 'LeaseExtended', ...about })
  return { ...about, delivery, now, isRepeat: true, attempts, enqueuedAt, seqs, indexes }
}
