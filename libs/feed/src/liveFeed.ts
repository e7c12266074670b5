import { FeedFollower, type FollowerOptions } from './FeedFollower.ts'
import { FeedHub } from './FeedHub.ts'
import type { FeedSource } from './OpenFeed.ts'

/** How long the partitions are followed after the last reader left, so that it can resume, in ms. */
const lingerMs = 10_000

/** The feed of a log. It asks the owners of all partitions only while it has readers. Close it when done. */
export const liveFeed = ({
  incarnation,
  ...followed
}: Omit<FollowerOptions, 'hub'> & { readonly incarnation: string }): FeedSource & {
  readonly close: () => void
} => {
  let running: { readonly hub: FeedHub; readonly follower: FeedFollower } | undefined
  let readers = 0
  let leaving: NodeJS.Timeout | undefined
  const begin = () => {
    const hub = new FeedHub(incarnation, followed.partitions)
    return { hub, follower: new FeedFollower({ ...followed, hub }) }
  }
  const close = (): void => {
    clearTimeout(leaving)
    running?.follower.stop()
    running = undefined
  }
  return {
    open: (options) => {
      clearTimeout(leaving)
      readers++
      const { hub } = (running ??= begin())
      const reader = hub.read(options)
      let isOpen = true
      return {
        take: () => reader.take(),
        onUpdate: (wake) => reader.onUpdate(wake),
        progress: () => hub.progress,
        close: () => {
          if (isOpen && --readers === 0) leaving = setTimeout(close, lingerMs).unref()
          isOpen = false
        },
      }
    },
    close,
  }
}
