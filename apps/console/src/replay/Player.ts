import { Replayer, type ReplayedQueue, type ReplayMove } from '@kiroku/audit/browser'
import type { QueueChange } from '@kiroku/protocol'
import { ReadPace } from './ReadPace.ts'

/** A moment: a time in ms since 1970, or a record of a partition. */
export type PlayTarget = { readonly at: number } | { readonly partition: number; readonly seq: number }

/** A queue in one partition at the replay's position. */
interface StandingQueue extends ReplayedQueue {
  readonly partition: number
}

/** The state of everything at a moment of the replay. */
export interface Standing {
  /** Partition time in ms. */
  readonly at: number
  /** The last record that it contains, by partition. */
  readonly seqs: Readonly<Record<number, number>>
  readonly queues: readonly StandingQueue[]
  /** What happened since the previous one; absent after a jump. */
  readonly changes?: readonly QueueChange[]
  /** The log had nothing more. */
  readonly isEnd: boolean
  /** It has to wait for the record that is being read. */
  readonly isReading: boolean
}

/**
 * Fetches a recording of a partition: with a state around a moment (`P/SEQ` or a time), or frames after a
 * record.
 */
export type FetchRecording = (
  partition: number,
  asked: { readonly from: string; readonly withState: boolean; readonly work?: number },
) => Promise<Uint8Array>

/** What is read before it is needed, in ms at the speed that it plays. */
const aheadMs = 3_000

/**
 * Replays partitions side by side by their partition times, with the engine's own code. Nothing is fetched
 * twice: a nearby step costs no request.
 */
export class Player {
  readonly #fetch: FetchRecording
  readonly #partitions: readonly number[]
  readonly #replayers = new Map<number, Replayer>()
  readonly #reading = new Map<Replayer, Promise<void>>()
  readonly #pace = new ReadPace()
  #failure: { readonly error: unknown } | undefined
  #at = 0

  constructor(partitions: readonly number[], fetch: FetchRecording) {
    this.#partitions = partitions
    this.#fetch = fetch
  }

  /** Its position, in ms of partition time. */
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

  /**
   * Advances to a time as far as recordings have arrived, and reports what happened on the way; missing ones
   * are fetched meanwhile. Errors: those of `FetchRecording` since the last call.
   */
  advance(at: number, speed: number): Standing {
    if (this.#failure !== undefined) {
      const { error } = this.#failure
      this.#failure = undefined
      throw error
    }
    const replayers = this.#partitions.map((partition) => this.#replayers.get(partition)!)
    for (const replayer of replayers)
      if (!replayer.covers({ at: at + aheadMs * speed }))
        this.#read(replayer, speed).catch((error: unknown) => (this.#failure = { error }))
    // The last record that has arrived may be followed by others of the same time.
    const arrived = replayers.map(({ reachesEnd, range }) => (reachesEnd ? at : range.to.at - 1))
    const to = Math.max(this.#at, Math.min(at, ...arrived))
    const moves = replayers.map((replayer) => replayer.seek({ at: to }))
    this.#at = to
    return this.#standing(moves, to < at)
  }

  /** Goes one record of a partition back or forward. Undefined: there is none. */
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

  /** A replayer that covers a place, at any position. */
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
    while (!replayer.covers(place)) await this.#read(replayer, 1)
  }

  /** Fetches the next recording, once however often it is called. */
  #read(replayer: Replayer, speed: number): Promise<void> {
    const known = this.#reading.get(replayer)
    if (known !== undefined) return known
    const { partition, next } = replayer
    const asked = {
      from: `${partition}/${next}`,
      withState: false,
      work: this.#pace.workFor(speed),
    }
    const begunMs = performance.now()
    const reading = this.#fetch(partition, asked)
      .then((bytes) => {
        this.#pace.took(performance.now() - begunMs, asked.work)
        return replayer.extend(bytes)
      })
      .finally(() => this.#reading.delete(replayer))
    this.#reading.set(replayer, reading)
    return reading
  }

  #standing(moves: readonly ReplayMove[] | undefined, isReading = false): Standing {
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
      isReading,
    }
  }
}
