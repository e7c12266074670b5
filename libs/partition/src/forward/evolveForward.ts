import { isSameQueue, type LogEventOf, mainSubscription } from '@kiroku/protocol'
import { eachSlot, queueOf, subOf } from '../eventTargets.ts'
import { finished } from '../settle/evolveSettle.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import { addArrival } from '../store/readyRuns.ts'
import { laneOf, seenKey, type OutboxEntry } from './Outbox.ts'

export const forwardReceived = (state: PartitionState, e: LogEventOf<'ForwardReceived'>): void => {
  const queue = queueOf(state, e.queue)
  state.forwardsSeen.set(seenKey(e.from, e.queue), e.forward + e.count)
  if (queue.config.retentionFrom === 'arrival') addArrival(state, queue, e, state.at, 0)
  else
    for (let i = 0; i < e.count; i++) {
      const one = { ...e, first: e.first + i, count: 1, bytes: Math.round(e.bytes / e.count) }
      addArrival(state, queue, one, e.enqueuedAt[i]!, 0)
    }
}

export const deadLettered = (state: PartitionState, e: LogEventOf<'DeadLettered'>): void => {
  const sub = subOf(state, e.queue, e.sub)
  const { deadLetter } = sub.config
  const isOwn = deadLetter !== null && isSameQueue(deadLetter, e.target)
  const lane = laneOf(state.outbox, e.queue, e.target, isOwn ? deadLetter.name : undefined)
  const live = state.live
  let forward = e.forward
  eachSlot(state, sub, e.numbers, (slot) => {
    const firstAt = live.attempt[slot]! > 0 ? live.firstAt[slot]! : 0
    const entry: OutboxEntry = {
      forward: forward++,
      decidedSeq: state.frameSeq,
      number: live.number[slot]!,
      seq: live.seq[slot]!,
      index: live.index[slot]!,
      bytes: live.bytes[slot]!,
      attempts: live.attempt[slot]!,
      cause: e.cause,
      error: e.error,
      enqueuedAt: live.enqueuedAt[slot]!,
      ...(sub.name === mainSubscription ? undefined : { subscription: sub.name }),
      ...(firstAt > 0 ? { firstAt } : undefined),
    }
    lane.entries.push(entry)
  })
  lane.next = forward
  finished(state, e, 'deadLettered')
}

export const forwarded = (state: PartitionState, e: LogEventOf<'Forwarded'>): void => {
  const lane = state.lane(e.source, e.target)
  if (lane === undefined) return
  let done = 0
  while (done < lane.entries.length && lane.entries[done]!.forward < e.upTo) done++
  lane.entries.splice(0, done)
}
