import { readyRuns, type PartitionState, type Subscription } from '@kiroku/partition'
import { State } from '@kiroku/protocol'
import type { IndexWriter, Stream } from './IndexWriter.ts'
import { passedBefore } from './passedText.ts'

/** Enters every live message of a state. */
export const seedRows = (
  writer: IndexWriter,
  state: PartitionState,
  seq: number,
  streamOf: (sub: Subscription) => Stream,
): void => {
  const { runs, live } = state
  const passed = new Map(
    [...state.queues.keys()].map((queue) => [queue, writer.texts.text(passedBefore(state, queue))]),
  )
  const addRun = (sub: Subscription, run: number, group: string, as: State): void => {
    const first = runs.first(run)
    for (let n = first, end = first + runs.count(run); n < end; n++) {
      const row = writer.add(streamOf(sub), n)
      row.state = as
      row.sentAt = runs.enqueuedAt(run)
      row.at = row.sentAt
      row.sentSeq = runs.seq(run)
      row.seq = Math.min(seq, row.sentSeq)
      row.group = writer.texts.text(group)
      row.passed = passed.get(sub.queue.id)!
      if (writer.isFull) writer.flush()
    }
  }
  for (const sub of state.subscriptions) {
    if (sub === undefined) continue
    if (sub.groups === undefined)
      for (const run of readyRuns(state, sub)) addRun(sub, run, '', State.Available)
    else
      for (const { key, readyHead } of sub.groups.all())
        for (let run = readyHead; run !== 0; run = runs.next(run)) addRun(sub, run, key, State.Available)
  }
  for (const { queue, run, group } of state.delayedRuns.items)
    for (const sub of queue.subs) addRun(sub, run, group, State.Delayed)
  for (let slot = 0; slot < live.top; slot++) {
    const sub = live.state[slot]! > State.WaitingRetry ? undefined : state.subscriptions[live.owner[slot]!]
    if (sub === undefined) continue
    const row = writer.add(streamOf(sub), live.number[slot]!)
    row.state = live.state[slot] as State
    row.attempt = live.attempt[slot]!
    row.sentAt = live.enqueuedAt[slot]!
    row.sentSeq = live.seq[slot]!
    row.at = state.at
    row.seq = seq
    row.passed = passed.get(sub.queue.id)!
    if (writer.isFull) writer.flush()
  }
}
