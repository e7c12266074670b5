import { useContext, useMemo } from 'react'
import { PlayedContext } from './played.ts'
import { useLogMoment } from './useLogMoment.ts'

/**
 * The position of each partition at the chosen moment, also during playback; undefined while loading, and
 * now.
 */
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
