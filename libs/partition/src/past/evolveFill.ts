import { type LogEventOf, runNumbers } from '@kiroku/protocol'
import { adoptEdited } from '../edit/editBody.ts'
import { subOf } from '../eventTargets.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { Subscription } from '../state/QueueState.ts'
import { restoreRun } from '../store/readyRuns.ts'

/** Says which messages are a generation's own, and whether some of the past are yet to come. */
export const begin = (
  state: PartitionState,
  sub: Subscription,
  { from, readFrom }: { readonly from: number; readonly readFrom?: number },
): void => {
  sub.from = from
  if (readFrom === undefined) return
  sub.fill = { readFrom, openedSeq: state.frameSeq, until: sub.queue.nextNumber, done: [0, 0] }
  state.filling.add(sub)
}

/** Some of the past became available. */
export const runsRestored = (state: PartitionState, e: LogEventOf<'RunsRestored'>): void => {
  const sub = subOf(state, e.queue, e.sub)
  const { runs, groups, filtered = [] } = e
  for (let i = 0; i < runs.length; i += runNumbers) {
    const count = runs[i + 1]!
    const run = state.runs.alloc(runs[i]!, count, runs[i + 2]!, runs[i + 3]!, runs[i + 4]!, 0, runs[i + 5]!)
    restoreRun(state, sub, run, groups?.[i / runNumbers] ?? '')
    adoptEdited(state, sub, runs[i]!, count)
    sub.entered += count
  }
  for (let i = 1; i < filtered.length; i += 2) {
    sub.entered += filtered[i]!
    sub.discarded += filtered[i]!
  }
  sub.fill = { ...sub.fill!, done: e.done }
  state.restoredSeq = state.frameSeq
}

/** All of the past is there: deliveries begin. */
export const filled = (state: PartitionState, e: LogEventOf<'SubscriptionFilled'>): void => {
  const sub = subOf(state, e.queue, e.sub)
  sub.fill = undefined
  state.filling.delete(sub)
  state.restoredSeq = state.frameSeq
  state.watcher?.look(sub)
  // Their retention was not looked at meanwhile.
  state.watcher?.restartSweep(state.at)
}
