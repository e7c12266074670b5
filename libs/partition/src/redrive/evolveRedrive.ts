import {
  rangeTotal,
  KirokuError,
  limits,
  type LogEventOf,
  type Redrive,
  type RedriveFilter,
  type RedriveTo,
} from '@kiroku/protocol'
import { queueOf, subOf } from '../eventTargets.ts'
import { laneOf, type OutboxEntry } from '../forward/Outbox.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import { takeAvailable } from '../store/available.ts'
import { addTarget, begun } from './redriveRecord.ts'

/** A task begins. */
export const redriveStarted = (state: PartitionState, e: LogEventOf<'RedriveStarted'>): void => {
  const queue = queueOf(state, e.queue)
  const sub = subOf(state, e.queue, e.sub)
  const redrive: Redrive = {
    task: e.task,
    request: e.request,
    queue: e.queue,
    sub: e.sub,
    subscription: sub.name,
    to: e.to as RedriveTo,
    filter: e.filter as RedriveFilter,
    ...(e.selection === undefined ? undefined : { selection: e.selection }),
    rateMax: e.rateMax,
    messagesMax: e.messagesMax,
    upTo: e.upTo,
    startedAt: state.at,
    by: e.by,
    ...begun(sub.deliverable, e.selection),
  }
  queue.nextRedrive = e.task + 1
  queue.redrives.push(redrive)
  state.redrives.add(redrive)
  for (let over = queue.redrives.length - limits.redrivesKept; over > 0; over--) {
    const ended = queue.redrives.findIndex((r) => r.state !== 'running')
    if (ended >= 0) queue.redrives.splice(ended, 1)
  }
}

/** Messages leave the queue for the outbox. */
export const redriven = (state: PartitionState, e: LogEventOf<'Redriven'>): void => {
  const redrive = redriveOf(state, e.queue, e.task)
  const sub = subOf(state, e.queue, e.sub)
  const count = rangeTotal(e.numbers)
  addTarget(redrive, e.name, count)
  const lane = laneOf(state.outbox, e.queue, e.target, e.name)
  let forward = e.forward
  for (const m of takeAvailable(state, sub, e.numbers)) {
    const entry: OutboxEntry = {
      forward: forward++,
      decidedSeq: state.frameSeq,
      number: m.number,
      seq: m.seq,
      index: m.index,
      bytes: m.bytes,
      attempts: m.attempts,
      cause: 'redriven',
      error: '',
      enqueuedAt: m.enqueuedAt,
      ...(e.only === undefined ? {} : { only: e.only }),
      task: e.task,
      ...(m.firstAt > 0 ? { firstAt: m.firstAt } : undefined),
    }
    lane.entries.push(entry)
  }
  lane.next = forward
  sub.discarded += count
}

/** A task is over. */
export const redriveEnded = (state: PartitionState, e: LogEventOf<'RedriveEnded'>): void => {
  const redrive = redriveOf(state, e.queue, e.task)
  redrive.state = e.outcome
  redrive.endedAt = state.at
  redrive.note = e.note
  redrive.skipped = { ...e.skipped }
  redrive.filtered = e.filtered
  redrive.left = e.left
  delete redrive.selection
  state.redrives.delete(redrive)
}

const redriveOf = (state: PartitionState, queue: number, task: number): Redrive => {
  const found = queueOf(state, queue).redrives.find((r) => r.task === task)
  if (found === undefined)
    throw new KirokuError(
      'LogDamaged',
      `an event at ${state.frameSeq} names redrive ${task} of queue ${queue}, which is not there`,
    )
  return found
}
