import { isFinal, State } from '@kiroku/protocol'
import type { LawQueue } from './ReferenceQueue.ts'

/** What came since clocks disagree has its time from then, and so has every delivery since. */
export const moveSince = (
  queues: Iterable<LawQueue>,
  { since, delivery }: { readonly since: number; readonly delivery: number },
  ms: number,
): void => {
  const moved = (at: number): number => (at >= since ? at + ms : at)
  for (const q of queues) {
    for (const [n, m] of q.messages) {
      if (m.enqueuedAt >= since)
        for (const cell of [...q.subs.values()].map(({ cells }) => cells.get(n)))
          if (cell?.state === State.Delayed) cell.dueAt += ms
      const dueAt = q.dueAt.get(n)
      if (m.enqueuedAt >= since && dueAt !== undefined) q.dueAt.set(n, dueAt + ms)
      m.enqueuedAt = moved(m.enqueuedAt)
      // A reader of the past finds it as it was recorded.
      m.times = [...m.times, ...m.times.map(moved)]
    }
    for (const [key, sent] of q.keys) q.keys.set(key, { ...sent, at: moved(sent.at) })
    for (const sub of q.subs.values()) {
      if (sub.held.since >= since) sub.held = { since: sub.held.since + ms, until: sub.held.until + ms }
      for (const [n, at] of sub.times) sub.times.set(n, moved(at))
      for (const [attempt, got] of sub.attempts) sub.attempts.set(attempt, { ...got, at: moved(got.at) })
      for (const cell of sub.cells.values()) {
        if (cell.delivery < delivery || isFinal(cell.state)) continue
        if (cell.state === State.WaitingRetry) cell.dueAt += ms
        if (cell.leaseCap > 0) cell.leaseCap += ms
      }
    }
  }
}
