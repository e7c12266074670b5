import type { TraceStep } from '@kiroku/audit'
import { useMoment } from './moment.ts'
import { useReach } from './useReach.ts'

/** Says which events had happened at the chosen moment; undefined while loading, or if it is now. */
export const useHasHappened = (): ((step: TraceStep) => boolean) | undefined => {
  const { at } = useMoment()
  const { data } = useReach()
  if (at === undefined || data === undefined) return undefined
  return ({ partition, seq, at: happenedAt }) => {
    const then = data.partitions.find((each) => each.partition === partition)
    // For an unreadable partition only the times of its events are known.
    return then === undefined ? happenedAt <= data.at : seq <= then.seq
  }
}
