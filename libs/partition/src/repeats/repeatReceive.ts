import { step, type MachineEvent } from '@kiroku/message'
import { KirokuError, type Ranges, pushNumber } from '@kiroku/protocol'
import { type PlannedDelivery, type Turn } from '../Turn.ts'
import type { Subscription } from '../state/QueueState.ts'
import type { LiveSlab } from '../store/LiveSlab.ts'
import { loadCell } from '../store/loadCell.ts'
import { heldSlot, type AttemptNote } from './Attempts.ts'

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
  let slots = heldSlots(live, note)
  if (slots.length === 0) return undefined
  const { delivery } = note
  // All messages of a delivery have one cap.
  const cap = live.leaseCap[slots[0]!]!
  let leaseUntil = cap === 0 ? now + leaseMs : Math.min(now + leaseMs, cap)
  const isRenewed = leaseUntil > now
  if (isRenewed) {
    extend.now = now
    extend.delivery = delivery
    extend.leaseUntil = leaseUntil
    for (const slot of slots)
      if (!step(loadCell(live, slot, cell), extend))
        throw new KirokuError('Internal', `the law refuses a new lease of message ${live.number[slot]}`)
  } else {
    // Leases that outlast their cap, since the partition had no owner for a while, stay as they are.
    slots = slots.filter((slot) => live.deadline[slot]! > now)
    if (slots.length === 0) return undefined
    leaseUntil = slots.reduce(
      (least, slot) => Math.min(least, live.deadline[slot]!),
      Number.POSITIVE_INFINITY,
    )
  }
  const numbers: Ranges = []
  for (const slot of slots) pushNumber(numbers, live.number[slot]!)
  const about = { queue: sub.queue.id, sub: sub.id, numbers, leaseUntil, attempt }
  if (isRenewed) turn.emit({ type: 'LeaseExtended', ...about })
  turn.own.repeats.repeated(delivery, leaseUntil)
  const column = (values: ArrayLike<number>): number[] => slots.map((slot) => values[slot]!)
  return {
    ...about,
    delivery,
    now,
    isRepeat: true,
    attempts: column(live.attempt),
    enqueuedAt: column(live.enqueuedAt),
    firstAt: column(live.firstAt),
    seqs: column(live.seq),
    indexes: column(live.index),
  }
}

/** Slots of what a delivery still holds, in the order of the delivery. */
const heldSlots = (live: LiveSlab, note: AttemptNote): number[] => {
  const slots: number[] = []
  const { numbers } = note
  for (let i = 0; i < numbers.length; i += 2)
    for (let n = numbers[i]!, end = n + numbers[i + 1]!; n < end; n++) {
      const slot = heldSlot(live, note, n)
      if (slot >= 0) slots.push(slot)
    }
  return slots
}
