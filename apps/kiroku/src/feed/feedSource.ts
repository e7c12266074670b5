import type { FeedSource } from '@kiroku/api'
import { FeedHub } from '@kiroku/audit'
import type { Node } from '@kiroku/engine'
import { FeedFollower } from './FeedFollower.ts'

/** How long the partitions are followed after the last reader left, so that one who comes back goes on, in ms. */
const lingerMs = 10_000

/** The feed of an engine: it asks the owners of all partitions while somebody reads. */
export const feedSource = (node: Node): FeedSource & { readonly close: () => void } => {
  const { incarnation, partitions } = node.log.meta
  let followed: { readonly hub: FeedHub; readonly follower: FeedFollower } | undefined
  let readers = 0
  let leaving: NodeJS.Timeout | undefined
  const begin = () => {
    const hub = new FeedHub(incarnation, partitions)
    const request: Node['request'] = (partition, commands) => node.request(partition, commands)
    return { hub, follower: new FeedFollower({ name: node.name, partitions, request, hub }) }
  }
  const close = (): void => {
    clearTimeout(leaving)
    followed?.follower.stop()
    followed = undefined
  }
  return {
    open: (options) => {
      clearTimeout(leaving)
      readers++
      const { hub } = (followed ??= begin())
      const reader = hub.read(options)
      let isOpen = true
      return {
        take: () => reader.take(),
        onNews: (wake) => reader.onNews(wake),
        place: () => hub.place,
        close: () => {
          if (isOpen && --readers === 0) leaving = setTimeout(close, lingerMs).unref()
          isOpen = false
        },
      }
    },
    close,
  }
}
