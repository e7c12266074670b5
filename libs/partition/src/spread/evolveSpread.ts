import { KirokuError, limits, type LogEventOf } from '@kiroku/protocol'
import { queueOf } from '../eventTargets.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'
import { homeKey, Spread, totalsOf } from './Spread.ts'

/** Notes a change that the parts of a queue must follow; of a queue that is not spread, nothing. */
export const revise = (state: PartitionState, { spread }: QueueState): void => {
  if (spread === undefined) return
  spread.revision++
  spread.revisedSeq = state.frameSeq
}

/** Another number of parts shares the limits in another way. */
const share = (state: PartitionState, queue: QueueState): void => {
  queue.reconfigure()
  for (const sub of queue.subs) state.watcher?.configured(sub)
  if (queue.spread === undefined) return
  if (queue.spread.parts.length > 0) state.homes.add(queue)
  else state.homes.delete(queue)
}

export const queueSpread = (state: PartitionState, e: LogEventOf<'QueueSpread'>): void => {
  const queue = queueOf(state, e.queue)
  const spread = (queue.spread ??= new Spread())
  spread.version++
  spread.parts = e.parts
  revise(state, queue)
  share(state, queue)
}

export const partOpened = (state: PartitionState, e: LogEventOf<'PartOpened'>): void => {
  const spread = spreadOf(state, queueOf(state, e.queue), e.partition)
  spread.version++
  spread.parts = spread.parts.map((p) =>
    p.partition === e.partition ? { ...p, queue: e.part, state: 'open' } : p,
  )
}

export const partClosed = (state: PartitionState, e: LogEventOf<'PartClosed'>): void => {
  const queue = queueOf(state, e.queue)
  const spread = spreadOf(state, queue, e.partition)
  spread.version++
  spread.parts = spread.parts.filter((p) => p.partition !== e.partition)
  const { sent, subs } = e.totals
  const sum = { ...spread.closed.subs }
  for (const [name, t] of Object.entries(subs)) {
    const before = totalsOf(spread.closed, name)
    sum[name] =
      before === undefined
        ? t
        : {
            entered: before.entered + t.entered,
            committed: before.committed + t.committed,
            deadLettered: before.deadLettered + t.deadLettered,
            discarded: before.discarded + t.discarded,
            redelivered: before.redelivered + t.redelivered,
          }
  }
  spread.closed = { sent: spread.closed.sent + sent, subs: sum }
  revise(state, queue)
  state.leaving.push({
    name: queue.name,
    queue: queue.id,
    partition: e.partition,
    revision: spread.revision,
    decidedSeq: state.frameSeq,
  })
  share(state, queue)
}

const spreadOf = (state: PartitionState, queue: QueueState, partition: number): Spread => {
  if (queue.spread?.parts.some((p) => p.partition === partition) === true) return queue.spread
  throw new KirokuError(
    'LogDamaged',
    `an event at ${state.frameSeq} names a part of queue ${queue.id} in partition ${partition}, which it does not have`,
  )
}

/** The home of a spread queue goes; its parts are to be dropped. */
export const leaveParts = (state: PartitionState, { id, name, spread }: QueueState): void => {
  if (spread === undefined) return
  for (const { partition } of spread.parts)
    state.leaving.push({
      name,
      queue: id,
      partition,
      revision: spread.revision + 1,
      decidedSeq: state.frameSeq,
    })
}

export const partGone = (state: PartitionState, e: LogEventOf<'PartGone'>): void => {
  state.leaving = state.leaving.filter((l) => l.queue !== e.queue || l.partition !== e.partition)
}

export const partPlaced = (state: PartitionState, e: LogEventOf<'PartPlaced'>): void => {
  const queue = queueOf(state, e.queue)
  const { home, revision, since, isOpen, index, of, purges, subs } = e
  queue.place = { home, revision, since, isOpen, index, of, purges, subs }
  share(state, queue)
}

export const partLeft = (state: PartitionState, e: LogEventOf<'PartLeft'>): void => {
  const { left } = state
  const key = homeKey(e.home)
  left.delete(key)
  left.set(key, e.revision)
  for (const oldest of left.keys()) {
    if (left.size <= limits.homesLeftMax) break
    left.delete(oldest)
  }
}
