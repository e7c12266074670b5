import { sentKey, type Flow } from '../../data/FeedModel.ts'

/** A moment of a replay: what happened since the one before; absent after a jump. */
interface Replayed {
  /** Partition time in ms. */
  readonly at: number
  readonly changes?: readonly {
    readonly queue: string
    readonly transitions: readonly { readonly from: string; readonly to: string; readonly count: number }[]
    readonly change: { readonly sent?: number }
  }[]
}

/** Rates are averaged over this many moments. */
const momentsMax = 10

/** The flow during playback, in messages per second of the past's time. */
export class ReplayFlow {
  readonly #queue: string | undefined
  #moments: Replayed[] = []
  #flow: Flow = new Map()

  /** Of one queue, or of all. */
  constructor(queue: string | undefined) {
    this.#queue = queue
  }

  /** Takes the next moment, once, and returns its flow; nothing after a jump. */
  take(moment: Replayed): Flow {
    if (moment === this.#moments.at(-1)) return this.#flow
    this.#moments =
      moment.changes === undefined ? [moment] : [...this.#moments, moment].slice(-momentsMax - 1)
    const [first, ...rest] = this.#moments
    const seconds = (moment.at - first!.at) / 1_000
    const flow = new Map<string, number>()
    for (const { changes } of seconds <= 0 ? [] : rest)
      for (const { queue, transitions, change } of changes!) {
        if (this.#queue !== undefined && queue !== this.#queue) continue
        const add = (key: string, count: number): void =>
          void flow.set(key, (flow.get(key) ?? 0) + count / seconds)
        for (const { from, to, count } of transitions) add(`${from}→${to}`, count)
        if (change.sent !== undefined) add(sentKey, change.sent)
      }
    this.#flow = flow
    return flow
  }
}
