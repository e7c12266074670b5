import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from 'react'
import { useMoment } from './moment.ts'
import { FeedStream } from './FeedStream.ts'

/** Whether pages are live, and how to change that. */
export interface Liveness {
  readonly isLive: boolean
  readonly setLive: (isLive: boolean) => void
}

/** The switch in the head of the page. */
export const LiveContext = createContext<Liveness>({ isLive: true, setLive: () => {} })

/** Whether pages are live. */
export const useLive = (): Liveness => useContext(LiveContext)

/** How often a query may refetch, in ms: as given while the page is live, else never. */
export const useInterval = (ms: number): number | false => (useFollows() ? ms : false)

/** Whether this page is live now. */
export const useFollows = (): boolean => {
  const { isLive } = useLive()
  const { at } = useMoment()
  return isLive && at === undefined
}

/**
 * The feed of one queue, or of all, for one view. The component is drawn again when something changes, at
 * most ten times per second; the feed is closed while the view is paused, hidden, or shows the past.
 */
export const useFeed = (queue?: string): FeedStream => {
  const stream = useMemo(() => new FeedStream(queue), [queue])
  const follows = useFollows()
  useEffect(() => {
    const set = (): void =>
      follows && document.visibilityState === 'visible' ? stream.open() : stream.close()
    set()
    document.addEventListener('visibilitychange', set)
    return () => {
      document.removeEventListener('visibilitychange', set)
      stream.close()
    }
  }, [stream, follows])
  useSyncExternalStore(stream.subscribe, () => stream.version)
  return stream
}
