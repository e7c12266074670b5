import { newCell, step } from '@kiroku/message'
import { State, type LogEventOf } from '@kiroku/protocol'
import { isHeld, leaveOut, type LawMessage, type LawQueue, type LawSub } from './ReferenceQueue.ts'
import { numbersOf } from './TestPartition.ts'
import { lawful } from './lawfulEvents.ts'

/** Messages of the past become available, in their order and ahead of the newer ones. */
export const restorePast = (q: LawQueue, sub: LawSub, e: LogEventOf<'RunsRestored'>, at: number): void => {
  const passes = ({ tag }: LawMessage): boolean => sub.settings.tags?.includes(tag) ?? true
  for (let i = 0; i < e.runs.length; i += 6)
    for (let n = e.runs[i]!, end = n + e.runs[i + 1]!; n < end; n++) {
      const m = q.messages.get(n)!
      const enqueuedAt = e.runs[i + 4]!
      lawful(sub.past!.delete(n), `message ${n} restored, which is not of the past`)
      lawful(m.times.includes(enqueuedAt), `message ${n} restored as of ${enqueuedAt}`)
      lawful(enqueuedAt + q.config.retentionMs > at, `message ${n} restored after its retention`)
      lawful(passes(m), `message ${n} restored past the filter`)
      if (!isHeld(q, n)) m.body = m.sent
      sub.cells.set(n, newCell(State.Available))
      sub.times.set(n, enqueuedAt)
      const before = sub.restored.get(m.group) ?? 0
      sub.restored.set(m.group, before + 1)
      sub.groups.set(m.group, (sub.groups.get(m.group) ?? []).toSpliced(before, 0, n))
    }
  for (const n of numbersOf(e.filtered ?? [])) {
    lawful(sub.past!.delete(n) && !passes(q.messages.get(n)!), `message ${n} filtered out of the past`)
    const cell = newCell(State.Available)
    lawful(step(cell, { type: 'DISCARD', reason: 'filtered' }), 'a filtered message')
    sub.cells.set(n, cell)
  }
}

/** Nothing of the past is left out but what is too old. */
export const endPast = ({ messages, config }: LawQueue, sub: LawSub, at: number): void => {
  for (const n of sub.past!)
    lawful(Math.min(...messages.get(n)!.times) + config.retentionMs <= at, `message ${n} left in the past`)
  leaveOut(sub)
  sub.past = undefined
}
