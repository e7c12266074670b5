import type { TraceStep } from '@kiroku/audit'
import { useMoment } from './moment.ts'
import { useReach } from './useReach.ts'

/** Says which events had happened at the moment that is looked at; undefined while that is asked, or where it is now. */
export const useHasHappened = (): ((step: TraceStep) => boolean) | undefined => {
  const { at } = useMoment()
  const { data } = useReach()
  if (at === undefined || data === undefined) return undefined
  return ({ partition, seq, at: happenedAt }) => {
    const then = data.partitions.find((each) => each.partition === partition)
    // Of a partition that cannot be read only the times of its events are known.
    return then === undefined ? happenedAt <= data.at : seq <= then.seq
  }
}
