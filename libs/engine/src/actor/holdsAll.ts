import type { PartitionState, PlannedDelivery } from '@kiroku/partition'

/** Whether a delivery still holds all of its messages, with their bodies in the places that it was planned with. */
export const holdsAll = (
  state: PartitionState,
  { queue, sub: id, delivery, numbers, seqs }: PlannedDelivery,
): boolean => {
  const { live } = state
  const sub = state.subscriptionOf(queue, id)
  if (sub === undefined) return false
  let i = 0
  for (let r = 0; r < numbers.length; r += 2)
    for (let n = numbers[r]!, end = n + numbers[r + 1]!; n < end; n++, i++) {
      const slot = live.find(sub.index, n)
      if (slot < 0 || live.delivery[slot] !== delivery || live.seq[slot] !== seqs[i]) return false
    }
  return true
}
