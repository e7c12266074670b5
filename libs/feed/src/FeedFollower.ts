import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Command, Reply } from '@kiroku/protocol'
import type { FeedHub } from './FeedHub.ts'

/** Pause between two requests to a partition, in ms. */
const restMs = 100
/** The same after a request without an answer, in ms. */
const silentMs = 500

/** What a follower needs. */
export interface FollowerOptions {
  /** Name of the follower; unique for each engine. */
  readonly name: string
  readonly partitions: number
  /** Asks the owner of a partition, here or elsewhere. */
  readonly request: (partition: number, commands: readonly Command[]) => Promise<Reply>
  readonly hub: FeedHub
}

/**
 * Asks the owners of all partitions ten times per second what happened, and passes it to the hub, while the
 * feed has readers.
 */
export class FeedFollower {
  readonly #options: FollowerOptions
  readonly #stop = new AbortController()

  constructor(options: FollowerOptions) {
    this.#options = options
    for (let n = 0; n < options.partitions; n++) void this.#follow(n)
  }

  stop(): void {
    this.#stop.abort()
  }

  async #follow(n: number): Promise<void> {
    const { signal } = this.#stop
    const { name, hub, request } = this.#options
    while (!signal.aborted) {
      const command = { type: 'FollowPartition', follower: name, since: hub.seqOf(n) } as const
      const answer = await request(n, [command]).then(
        ({ answers }) => answers[0] as Answer<'FollowPartition'>,
        () => undefined,
      )
      const news = answer?.ok
      if (news === undefined) hub.silence(n)
      else hub.accept(news)
      await sleep(news === undefined ? silentMs : restMs, undefined, { signal }).catch(() => {})
    }
  }
}
