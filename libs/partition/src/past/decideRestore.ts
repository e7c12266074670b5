import { type Ranges, pushNumber } from '@kiroku/protocol'
import { type Turn } from '../Turn.ts'
import type { PastRun } from './PastRun.ts'

/** What was read of the past of a generation. */
export interface Past {
  readonly queue: number
  readonly sub: number
  readonly runs: readonly PastRun[]
  /** How far it was read: a record, and how many of its events. */
  readonly done: readonly [seq: number, events: number]
  /** Nothing follows. */
  readonly isLast: boolean
}

/**
 * Makes messages of the past available, except those whose retention has ended or that were purged meanwhile; of a generation
 * that is gone, none.
 */
export const decideRestore = <B>(turn: Turn<B>, { queue, sub: id, runs, done, isLast }: Past): void => {
  const sub = turn.state.subscriptionOf(queue, id)
  if (sub?.fill === undefined) return
  const restored: number[] = []
  const groups: string[] = []
  const filtered: Ranges = []
  const largeBodies: number[] = []
  for (const run of runs) {
    const { first, count, seq, index, enqueuedAt, bytes, tag, group, needsFrom } = run
    if (first < Math.max(sub.from, sub.queue.purgedTo) || enqueuedAt + sub.config.retentionMs <= turn.now)
      continue
    if (!sub.passes(tag)) {
      for (let n = first; n < first + count; n++) pushNumber(filtered, n)
      continue
    }
    restored.push(first, count, seq, index, enqueuedAt, bytes)
    groups.push(group)
    if (needsFrom < seq) largeBodies.push(seq, needsFrom)
  }
  if (restored.length > 0 || filtered.length > 0)
    turn.emit({
      type: 'RunsRestored',
      queue,
      sub: id,
      runs: restored,
      ...(sub.groups === undefined ? undefined : { groups }),
      ...(filtered.length === 0 ? undefined : { filtered }),
      done: [...done],
      ...(largeBodies.length === 0 ? undefined : { largeBodies }),
    })
  if (isLast) turn.emit({ type: 'SubscriptionFilled', queue, sub: id })
}
