import type { LogEventOf } from '@kiroku/protocol'
import { queueOf } from '../eventTargets.ts'
import type { PartitionState } from '../state/PartitionState.ts'

/** Keys are to be deleted: what they decrypt must not be read from here on. */
export const erased = (state: PartitionState, e: LogEventOf<'Erased'>): void => {
  const { erasure, queue, numbers, group, key } = e
  queueOf(state, queue)
  state.nextErasure = erasure + 1
  state.erasures.push({
    erasure,
    queue,
    seq: state.frameSeq,
    ...(numbers === undefined ? {} : { numbers }),
    ...(group === undefined ? {} : { group }),
    ...(key === undefined ? {} : { key }),
  })
}

/** The keys of an erasure are gone. */
export const keysDeleted = (state: PartitionState, { erasure }: LogEventOf<'KeysDeleted'>): void => {
  state.erasures = state.erasures.filter((each) => each.erasure !== erasure)
}
