import type { MessageCell } from '@kiroku/message'
import { isFinal, type SettleItem } from '@kiroku/protocol'
import type { LawQueue } from './ReferenceQueue.ts'
import { numbersOf } from './TestPartition.ts'
import { settled, type Settlement } from './lawfulEvents.ts'

/** What the law says to a settling command: the message numbers that are refused, in order. */
export const refusals = (
  law: { readonly queues: ReadonlyMap<number, LawQueue>; readonly nextDelivery: number },
  type: Settlement,
  items: readonly SettleItem[],
  at: number,
  options: { readonly dueAt: number; readonly leaseMs: number },
): number[] => {
  const cells = new Map<string, MessageCell>()
  const refused: number[] = []
  for (const item of items) {
    const sub = law.queues.get(item.queue)?.subs.get(item.sub)
    for (const n of numbersOf(item.numbers)) {
      const inForce = sub?.cells.get(n)
      const known = item.delivery > 0 && item.delivery < law.nextDelivery
      if (sub !== undefined && known && sub.past === undefined && sub.leftOut.has(n) && type === 'Ack')
        continue
      if (sub === undefined || inForce === undefined || !known || sub.past !== undefined) {
        refused.push(n)
        continue
      }
      const key = `${item.queue}/${item.sub}/${n}`
      const cell = cells.get(key) ?? { ...inForce }
      cells.set(key, cell)
      // A final message cannot tell which deliveries it had; nor can one that was never touched.
      const gone = isFinal(cell.state) || cell.delivery === 0
      if (gone ? type === 'Ack' : settled(type, cell, item.delivery, at, sub.policy, options)) continue
      refused.push(n)
    }
  }
  return refused
}
