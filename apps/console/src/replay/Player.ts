import { Replayer, type ReplayedQueue, type ReplayMove } from '@kiroku/audit/replay'
import type { QueueChange } from '@kiroku/partition'

/** A moment: a time in ms since 1970, or a record of a partition. */
export type PlayTarget = { readonly at: number } | { readonly partition: number; readonly seq: number }

/** A queue in one partition where the replay stands. */
interface StandingQueue extends ReplayedQueue {
  readonly partition: number
}

/** How everything stands at a moment of the replay. */
export interface Standing {
  /** Partition time in ms. */
  readonly at: number
  /** The last record that it contains, by partition. */
  readonly seqs: Readonly<Record<number, number>>
  readonly queues: readonly StandingQueue[]
  /** What happened since the standing before; absent where the replay jumped. */
  readonly changes?: readonly QueueChange[]
  /** The log had nothing more. */
  readonly isEnd: boolean
}

/** Fetches a recording of a partition: with a state around a moment (`P/SEQ` or a time), or frames behind a record. */
export type FetchRecording = (
  partition: number,
  asked: { readonly from: string; readonly withState: boolean },
) => Promise<Uint8Array>

/**
 * Replays partitions side by side by their partition times, with the engine's own code. What it has fetched it does
 * not fetch again: a step nearby costs no request.
 */
export class Player {
  readonly #fetch: FetchRecording
  readonly #partitions: readonly number[]
  readonly #replayers = new Map<number, Replayer>()
  #at = 0

  constructor(partitions: readonly number[], fetch: FetchRecording) {
    this.#partitions = partitions
    this.#fetch = fetch
  }

  /** Where it stands, in ms of partition time. */
  get at(): number {
    return this.#at
  }

  /** Goes to a moment, however far away. */
  async seek(target: PlayTarget): Promise<Standing> {
    if ('at' in target) this.#at = target.at
    else {
      const { partition, seq } = target
      const there = await this.#reach(partition, `${partition}/${seq}`, { seq })
      this.#at = there.seek({ seq }).at
    }
    await Promise.all(
      this.#partitions
        .filter((partition) => 'at' in target || partition !== target.partition)
        .map(async (partition) => {
          const at = new Date(this.#at).toISOString()
          const replayer = await this.#reach(partition, at, { at: this.#at })
          replayer.seek({ at: this.#at })
        }),
    )
    return this.#standing(undefined)
  }

  /** Goes on to a time, and tells what happened on the way. */
  async advance(at: number): Promise<Standing> {
    const moves = await Promise.all(
      this.#partitions.map(async (partition) => {
        const replayer = this.#replayers.get(partition)!
        await this.#extend(replayer, { at })
        return replayer.seek({ at })
      }),
    )
    this.#at = at
    return this.#standing(moves)
  }

  /** Goes one record of a partition back or on. Undefined: there is none. */
  async step(partition: number, by: 1 | -1): Promise<Standing | undefined> {
    let replayer = this.#replayers.get(partition)!
    const { seq } = replayer.position
    if (by > 0) await this.#extend(replayer, { seq: seq + 1 })
    else if (!replayer.covers({ seq: seq - 1 })) {
      if (seq <= 1) return undefined
      replayer = await this.#reach(partition, `${partition}/${seq - 1}`, { seq: seq - 1 })
    }
    const move = by < 0 && replayer.position.seq < seq ? replayer.position : replayer.step(by)
    if (move === undefined) return undefined
    this.#at = move.at
    const others = await Promise.all(
      this.#partitions
        .filter((other) => other !== partition)
        .map(async (other) => {
          const at = new Date(this.#at).toISOString()
          return (await this.#reach(other, at, { at: this.#at })).seek({ at: this.#at })
        }),
    )
    return this.#standing(by > 0 ? [move, ...others] : undefined)
  }

  /** A replayer that covers a place; it stands anywhere. */
  async #reach(
    partition: number,
    from: string,
    place: { readonly seq: number } | { readonly at: number },
  ): Promise<Replayer> {
    const known = this.#replayers.get(partition)
    if (known?.covers(place) === true) return known
    const replayer = Replayer.open(await this.#fetch(partition, { from, withState: true }))
    this.#replayers.set(partition, replayer)
    return replayer
  }

  async #extend(
    replayer: Replayer,
    place: { readonly seq: number } | { readonly at: number },
  ): Promise<void> {
    const { partition } = replayer
    while (!replayer.covers(place)) {
      const from = `${partition}/${replayer.next}`
      replayer.extend(await this.#fetch(partition, { from, withState: false }))
    }
  }

  #standing(moves: readonly ReplayMove[] | undefined): Standing {
    const replayers = [...this.#replayers.values()]
    const queues = replayers.flatMap((replayer) =>
      replayer.queues().map((name) => ({ ...replayer.queue(name)!, partition: replayer.partition })),
    )
    const isTold = moves?.every(({ changes }) => changes !== undefined) === true
    return {
      at: this.#at,
      seqs: Object.fromEntries(replayers.map(({ partition, position }) => [partition, position.seq])),
      queues,
      ...(isTold ? { changes: moves.flatMap(({ changes }) => changes ?? []) } : {}),
      isEnd: replayers.every(({ reachesEnd, position, range }) => reachesEnd && position.seq >= range.to.seq),
    }
  }
}
