import { useContext, useMemo } from 'react'
import { PlayedContext } from './played.ts'
import { useLogMoment } from './useLogMoment.ts'

/** How far each partition is at the moment that is looked at, also while it is played; undefined while that is asked, and now. */
export const useReach = () => {
  const played = useContext(PlayedContext)
  const asked = useLogMoment()
  const data = useMemo(
    () =>
      played === undefined
        ? asked.data
        : {
            at: played.at,
            partitions: Object.entries(played.seqs).map(([partition, seq]) => ({
              partition: Number(partition),
              seq,
            })),
          },
    [played, asked.data],
  )
  return { data, error: asked.error, refetch: asked.refetch }
}
