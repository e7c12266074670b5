import { KirokuError } from '@kiroku/protocol'
import { FeedFollower, type FollowerOptions } from './FeedFollower.ts'
import { FeedHub } from './FeedHub.ts'
import type { FeedSource } from './OpenFeed.ts'

/** How long the partitions are followed after the last reader left, so that it can resume, in ms. */
const lingerMs = 10_000

/** Feeds of one principal, and pause until it may try again, in ms. */
const feedsPerPrincipalMax = 100
const busyMs = 5_000

/** The feed of a log. It asks the owners of all partitions only while it has readers. Close it when done. */
export const liveFeed = ({
  incarnation,
  ...followed
}: Omit<FollowerOptions, 'hub'> & { readonly incarnation: string }): FeedSource & {
  readonly close: () => void
} => {
  let running: { readonly hub: FeedHub; readonly follower: FeedFollower } | undefined
  const readers = new Map<string, number>()
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
    open: ({ principal, ...options }) => {
      const own = readers.get(principal) ?? 0
      if (own >= feedsPerPrincipalMax)
        throw new KirokuError('Busy', `"${principal}" reads ${own} live feeds, its share`, {
          retryAfterMs: busyMs,
        })
      clearTimeout(leaving)
      readers.set(principal, own + 1)
      const { hub } = (running ??= begin())
      const reader = hub.read(options)
      let isOpen = true
      return {
        take: () => reader.take(),
        onUpdate: (wake) => reader.onUpdate(wake),
        progress: () => hub.progress,
        close: () => {
          if (!isOpen) return
          isOpen = false
          const left = readers.get(principal)! - 1
          if (left === 0) readers.delete(principal)
          else readers.set(principal, left)
          if (readers.size === 0) leaving = setTimeout(close, lingerMs).unref()
        },
      }
    },
    close,
  }
}
