import type { LogEventOf } from '@kiroku/protocol'
import type { PartitionState } from '../state/PartitionState.ts'

/** Another owner, or the same one in a later ownership, writes from here on. */
export const ownerChanged = (state: PartitionState, { epoch, node }: LogEventOf<'OwnerChanged'>): void => {
  state.epoch = epoch
  state.node = node
}

/** A checkpoint is stored, from which a replay may begin. */
export const checkpointed = (
  state: PartitionState,
  { seq, digest, stateHash }: LogEventOf<'Checkpointed'>,
): void => {
  state.checkpoints.push({ seq, digest, stateHash })
}

/** The log begins later now. */
export const trimmed = (state: PartitionState, e: LogEventOf<'Trimmed'>): void => {
  state.trimmedTo = e.upTo
  state.givenUp = state.givenUp.filter(({ upTo }) => upTo > e.upTo)
  state.checkpoints = state.checkpoints.filter(({ seq }) => seq > e.upTo)
}

/** A record that Kiroku did not write was passed over. */
export const foreignRecordSkipped = (state: PartitionState): void => {
  state.foreignRecords++
}

/** Numbers that were given up with a part of the log may be known outside: they are not used again. */
export const repaired = (state: PartitionState, e: LogEventOf<'Repaired'>): void => {
  state.repairedEpoch = state.epoch
  if (e.upTo >= e.from) state.givenUp.push({ from: e.from, upTo: e.upTo })
  state.nextQueue += e.skip
  if (e.hash !== '') state.bridgedSeq = state.frameSeq
  if (e.skip > 0) state.voidDeliveries.push(state.nextDelivery, state.nextDelivery + e.skip)
  state.nextDelivery += e.skip
  state.firstForward += e.skip
  if (state.nextErasure > 1) state.nextErasure += e.skip
  for (const queue of state.queues.values()) {
    queue.nextNumber += e.skip
    queue.skipped += e.skip
    if (queue.nextRedrive > 1) queue.nextRedrive += e.skip
  }
  for (const lane of state.outbox.values()) lane.next += e.skip
  for (const { spread } of state.queues.values()) {
    if (spread === undefined) continue
    spread.version += e.skip
    spread.revision += e.skip
  }
}
