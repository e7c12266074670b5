import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises'
import { LogPass, TransitionCounts, type PartitionNews } from '@kiroku/audit'
import { auditFolder, MomentFiles } from '@kiroku/audit-store'
import { decodeCheckpoint } from '@kiroku/engine'
import type { Log } from '@kiroku/log'
import { Room } from './Room.ts'

/** How much of one processor following takes while the machine is busy; each partition takes its part of that. */
const workShare = 1 / 12
/** How long it rests before it looks for more, in ms; a partition is told of about as often. */
const restMs = 100
/** Records that are read before what was found is told. */
const turnRecords = 500
/** How long a partition is left alone that cannot be followed, in ms. */
const troubleMs = 5_000

/** What a follower needs. */
export interface FollowerOptions {
  readonly log: Log
  readonly dataDir: string
  readonly tell: (news: PartitionNews) => void
  readonly onTrouble: (partition: number, error: unknown) => void
}

/** Follows the ends of all partitions while somebody reads the feed, and tells what changes there. */
export class FeedFollower {
  readonly #options: FollowerOptions
  readonly #stop = new AbortController()

  constructor(options: FollowerOptions) {
    this.#options = options
    for (let n = 0; n < options.log.meta.partitions; n++) void this.#follow(n)
  }

  stop(): void {
    this.#stop.abort()
  }

  async #follow(n: number): Promise<void> {
    const { signal } = this.#stop
    const { onTrouble } = this.#options
    while (!signal.aborted)
      try {
        await this.#pass(n)
      } catch (error) {
        if (signal.aborted) return
        onTrouble(n, error)
        await rest(troubleMs, signal)
      }
  }

  async #pass(n: number): Promise<void> {
    const { signal } = this.#stop
    const { log, dataDir, tell } = this.#options
    const partition = await log.partition(n)
    try {
      const room = new Room(workShare / log.meta.partitions, signal)
      const counts = new TransitionCounts(n)
      const moments = new MomentFiles(auditFolder(dataDir, log.meta.incarnation))
      const near = (await partition.state()).lastSeq
      // Somebody waits for the first news, and the way to it is short; the low priority is enough until there.
      let pause: () => Promise<unknown> = () => nextTick()
      const options = {
        decodeCheckpoint,
        moments,
        near,
        listeners: [counts],
        pause: async () => void (await pause()),
      }
      const pass = await LogPass.open(partition, options)
      await pass.run()
      pause = () => room.make()
      while (!signal.aborted) {
        const { lastSeq } = await partition.state()
        await pass.run(pass.seq + turnRecords)
        const news = counts.take(pass.state, pass.seq, Math.max(lastSeq, pass.seq))
        if (news !== undefined) tell(news)
        await room.rest(restMs)
      }
    } finally {
      await partition.close()
    }
  }
}

const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {})
