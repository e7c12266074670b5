import type { FeedSource } from '@kiroku/api'
import { FeedHub } from '@kiroku/audit'
import type { LogMeta } from '@kiroku/log'
import { KirokuError } from '@kiroku/message'
import type { RunningAuditor } from './startAuditor.ts'

/** How long the auditor goes on following after the last reader left, so that one who comes back goes on, in ms. */
const lingerMs = 60_000

/** The feed of an engine: its auditor follows the log while somebody reads. */
export const feedSource = (meta: LogMeta, auditor: RunningAuditor | undefined): FeedSource => {
  let hub: FeedHub | undefined
  let readers = 0
  let leaving: NodeJS.Timeout | undefined
  const follow = (running: RunningAuditor): FeedHub => {
    const begun = new FeedHub(meta.incarnation, meta.partitions)
    running.follow((news) => begun.accept(news))
    return begun
  }
  const left = (running: RunningAuditor): void => {
    if (--readers > 0) return
    leaving = setTimeout(() => {
      running.unfollow()
      hub = undefined
    }, lingerMs)
    leaving.unref()
  }
  return {
    open: (options) => {
      if (auditor === undefined) throw new KirokuError('NoAuditor', 'this engine runs without an auditor')
      clearTimeout(leaving)
      readers++
      const followed = (hub ??= follow(auditor))
      const reader = followed.read(options)
      let isOpen = true
      return {
        take: () => reader.take(),
        onNews: (wake) => reader.onNews(wake),
        place: () => followed.place,
        close: () => {
          if (isOpen) left(auditor)
          isOpen = false
        },
      }
    },
  }
}
