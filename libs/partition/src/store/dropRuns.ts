import { failRedrive } from '../redrive/redriveRecord.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'
import { freeSlot } from './LiveSlab.ts'
import { takeOut } from './availableList.ts'
import { ownCount, readyRuns } from './readyRuns.ts'

/** Discards every message below `upTo` and forgets what was sent; as purges cover all of it, the runs go whole. */
export const purgeQueue = (state: PartitionState, queue: QueueState, upTo: number): void => {
  state.dedup.drop(queue)
  if (queue.delayed > 0) {
    for (const sub of queue.subs) {
      let waiting = 0
      for (const d of state.delayedRuns.items) if (d.queue === queue) waiting += ownCount(state, sub, d.run)
      sub.entered += waiting
      sub.discarded += waiting
    }
    state.delayedRuns.drop(queue, ({ run }) => {
      state.watcher?.counted(queue, state.runs.enqueuedAt(run), -state.runs.count(run))
      state.runs.free(run)
    })
    queue.delayed = 0
  }
  queue.purgedTo = upTo
  for (const sub of queue.subs) purgeSubscription(state, sub, upTo)
}

/** Discards what one subscription has below `upTo`. */
const purgeSubscription = (state: PartitionState, sub: Subscription, upTo: number): void => {
  sub.discarded += sub.ready
  freeRuns(state, sub)
  const { live } = state
  const slots: number[] = []
  // Most deleted queues have nothing under way; deleting them must not scan a million messages of other queues.
  let left = sub.available + sub.inflight + sub.waitingRetry
  for (let slot = 0; slot < live.top && left > 0; slot++) {
    if (live.state[slot] === freeSlot || live.owner[slot] !== sub.index) continue
    left--
    if (live.number[slot]! >= upTo) continue
    takeOut(state, sub, slot)
    slots.push(slot)
  }
  live.freeAll(slots)
  sub.discarded += slots.length
  if (sub.isLimited) state.watcher?.look(sub)
}

/** Forgets a generation with everything that is its own. */
export const dropSubscription = (state: PartitionState, sub: Subscription): void => {
  failRedrives(state, sub)
  purgeSubscription(state, sub, Number.POSITIVE_INFINITY)
  state.subscriptions[sub.index] = undefined
  state.attempts.drop(sub)
  state.filling.delete(sub)
  state.holds.delete(sub)
  state.watcher?.closed(sub)
}

const failRedrives = (state: PartitionState, sub: Subscription): void => {
  for (const redrive of state.redrives) {
    if (redrive.queue !== sub.queue.id || redrive.sub !== sub.id) continue
    failRedrive(redrive, state.at)
    state.redrives.delete(redrive)
  }
}

/** Forgets a queue with everything in it. */
export const dropQueue = (state: PartitionState, queue: QueueState): void => {
  purgeQueue(state, queue, Number.POSITIVE_INFINITY)
  state.queues.delete(queue.id)
  state.names.delete(queue.name)
  for (const sub of queue.subs) dropSubscription(state, sub)
  state.watcher?.queueClosed(queue)
}

const freeRuns = (state: PartitionState, sub: Subscription): void => {
  const { runs } = state
  for (const run of readyRuns(state, sub)) {
    state.watcher?.counted(sub.queue, runs.enqueuedAt(run), -runs.count(run))
    runs.free(run)
  }
  sub.readyHead = 0
  sub.readyTail = 0
  sub.restoredTail = 0
  sub.ready = 0
  sub.readyBytes = 0
  sub.groups?.forgetRuns()
}
