import { readChain, type PartitionLog } from '@kiroku/log'
import {
  bodiesBefore,
  evolve,
  readyRuns,
  restore,
  snapshot,
  type PartitionState,
  type Subscription,
} from '@kiroku/partition'
import type { Ranges } from '@kiroku/protocol'
import type { StoredCheckpoint } from '../replay/Checkpoint.ts'
import { progressOf, type OnProgress } from '../replay/Progress.ts'

/** The unreadable parts of a log. */
interface Gone {
  readonly firstSeq: number
  readonly unreadable: ReadonlySet<number>
  /** Bodies in records of their own that are unreadable or missing: frame, queue, index. */
  readonly bodies: ReadonlySet<string>
}

/** Missing bodies that kept messages still need. */
export interface Missing {
  /** Live messages without their bodies. */
  readonly bodiless: readonly { readonly queue: number; readonly sub: number; readonly numbers: Ranges }[]
  readonly count: number
}

export const nothingMissing: Missing = { bodiless: [], count: 0 }

/**
 * The live messages whose bodies cannot be read: the body's record is damaged, or was trimmed and the note of
 * that is lost. Dead letters on their way travel without a body after a repair.
 */
export const findMissing = async (
  log: PartitionLog,
  checkpoint: StoredCheckpoint,
  upTo: number,
  { firstSeq, unreadable, bodies }: Gone,
  onProgress: OnProgress | undefined,
): Promise<Missing> => {
  const state = restore(checkpoint.snapshot)
  const from = { seq: checkpoint.seq, hash: checkpoint.hash, epoch: checkpoint.snapshot.epoch }
  const report = progressOf(log.partition, upTo, onProgress)
  for await (const entry of readChain(log, { from, toSeq: upTo })) {
    if (entry.kind !== 'ours' || entry.record.kind === 'body') continue
    report(entry.seq, entry.record.events.length)
    state.beginFrame(entry.seq, entry.record.at)
    for (const event of entry.record.events) evolve(state, event)
  }
  const isThere = (seq: number, queue: number, index: number): boolean =>
    seq >= firstSeq && !unreadable.has(seq) && !bodies.has(`${seq}/${queue}/${index}`)
  const bySub = new Map<Subscription, number[]>()
  let count = 0
  for (const { queue, target, first, count: inRun, seq, index } of bodiesBefore(snapshot(state), Infinity)
    .bodies) {
    if (target !== undefined && state.repairedEpoch > 0) continue
    for (let i = 0; i < inRun; i++) {
      if (isThere(seq, queue, index + i)) continue
      count++
      if (target !== undefined) continue
      for (const sub of holders(state, queue, first + i)) {
        const numbers = bySub.get(sub)
        if (numbers === undefined) bySub.set(sub, [first + i, 1])
        else numbers.push(first + i, 1)
      }
    }
  }
  const bodiless = [...bySub].map(([sub, numbers]) => ({ queue: sub.queue.id, sub: sub.id, numbers }))
  return { bodiless, count }
}

/** The subscriptions for which a message is not final. */
const holders = (state: PartitionState, id: number, n: number): Subscription[] => {
  const { live, runs } = state
  const queue = state.queues.get(id)!
  const holds = (run: number): boolean => runs.first(run) <= n && n < runs.first(run) + runs.count(run)
  const isDelayed = state.findDelayed(queue, n) !== undefined
  return queue.subs.filter((sub) => {
    if (isDelayed) return sub.from <= n
    for (const run of readyRuns(state, sub)) if (holds(run)) return true
    return live.find(sub.index, n) >= 0
  })
}
