import {
  type Answers,
  type CommandOf,
  type Delivery,
  KirokuError,
  limits as partitionLimits,
  type SpreadView,
} from '@kiroku/protocol'
import type { Marks } from './Marks.ts'
import type { PartitionClient, TakeOptions } from './PartitionClient.ts'
import type { SentPiece, StoredRange } from './Sender.ts'
import { forCaller, isRetryable, toKirokuError } from './failure.ts'
import { limits } from './limits.ts'

type Receive = CommandOf<'Receive'>

/** A delivery, and the partition it came from. */
export interface Taken {
  readonly partition: PartitionClient
  readonly delivery: Delivery
}

/** Messages that follow each other, and the partition where they were stored. */
export interface Stored {
  readonly partition: PartitionClient
  readonly range: StoredRange
}

/** One partition that has messages of the queue. */
interface Place {
  readonly client: PartitionClient
  readonly isOpen: boolean
  /**
   * Until when nothing is sent there because it failed, and until when it is not asked alone because it was
   * empty.
   */
  avoidedUntilMs: number
  quietUntilMs: number
}

const moved = Symbol('the queue has other parts')

/**
 * Where a queue is: its home and, where it is spread, its parts. Learns them from the answers of the home.
 */
export class QueueRoute {
  readonly home: PartitionClient
  readonly #queue: string
  readonly #partitions: readonly PartitionClient[]
  #version = 0
  /** The home and its parts; for a queue that is not spread, the home alone. */
  #places: readonly Place[]
  #nextReceive = 0
  /** The first send, whose answer named the parts, went to the home. */
  #nextSend = 1

  constructor(queue: string, home: PartitionClient, partitions: readonly PartitionClient[]) {
    this.#queue = queue
    this.home = home
    this.#partitions = partitions
    this.#places = [newPlace(home)]
  }

  /** Updates where the queue is. */
  learn({ version, parts }: SpreadView): void {
    if (version === this.#version) return
    this.#version = version
    const before = new Map(this.#places.map((place) => [place.client, place]))
    const places = [before.get(this.home)!]
    for (const { partition, isOpen } of parts) {
      const client = this.#partitions[partition]
      if (client !== undefined) places.push({ ...(before.get(client) ?? newPlace(client)), isOpen })
    }
    this.#places = places
  }

  /** Stores one envelope in one of the parts. Errors: see `Client.send`. */
  async send(envelope: Uint8Array, marks: Marks | undefined): Promise<Stored> {
    for (;;) {
      const place = this.#sendTo()
      try {
        const range = await place.client.sender.send(this.#queue, envelope, marks, this.#version)
        return { partition: place.client, range }
      } catch (thrown) {
        await this.#lookAgain(place, thrown)
      }
    }
  }

  /** Stores envelopes, each 1,000 in one of the places; resolves with what was stored where, in their order. */
  async sendAll(
    envelopes: readonly Uint8Array[],
    marks: readonly (Marks | undefined)[],
  ): Promise<readonly Stored[]> {
    if (this.#places.length === 1) return this.#sendTogether(envelopes, marks)
    const stored: Promise<readonly Stored[]>[] = []
    const max = partitionLimits.messagesPerSendMax
    for (let i = 0; i < envelopes.length; i += max)
      stored.push(this.#sendTogether(envelopes.slice(i, i + max), marks.slice(i, i + max)))
    return (await Promise.all(stored)).flat()
  }

  async #sendTogether(
    envelopes: readonly Uint8Array[],
    marks: readonly (Marks | undefined)[],
  ): Promise<readonly Stored[]> {
    const place = this.#sendTo()
    const pieces = place.client.sender.sendAll(this.#queue, envelopes, marks, this.#version)
    const landed = async ({ from, count, stored }: SentPiece): Promise<readonly Stored[]> => {
      try {
        return [{ partition: place.client, range: await stored }]
      } catch (thrown) {
        await this.#lookAgain(place, thrown)
        return this.#sendTogether(envelopes.slice(from, from + count), marks.slice(from, from + count))
      }
    }
    if (pieces.length === 1) return await landed(pieces[0]!)
    return (await Promise.all(pieces.map(landed))).flat()
  }

  /**
   * The part with the fewest messages to store, round-robin among equals: a part that does not answer keeps
   * what it was given and gets no more.
   */
  #sendTo(): Place {
    const places = this.#places
    const { length } = places
    if (length === 1) return places[0]!
    const nowMs = this.home.link.context.clock.now()
    const first = this.#nextSend++
    let least: Place | undefined
    for (let i = 0; i < length; i++) {
      const place = places[(first + i) % length]!
      if (!place.isOpen || place.avoidedUntilMs > nowMs) continue
      if (least === undefined || place.client.sender.pending < least.client.sender.pending) least = place
    }
    return least ?? places[0]!
  }

  /** Asks the home where the queue is when a part says that it does not exist; rethrows anything else. */
  async #lookAgain(place: Place, thrown: unknown): Promise<void> {
    const { id } = toKirokuError(thrown)
    const isElsewhere = place.client !== this.home && (id === 'QueueMoved' || id === 'UnknownQueue')
    if (isElsewhere || id === 'Quarantined')
      place.avoidedUntilMs = this.home.link.context.clock.now() + limits.deafPlaceMs
    if (!isElsewhere) throw forCaller(thrown)
    const { spread } = await this.home.link.ask<'DescribeQueue'>({
      type: 'DescribeQueue',
      queue: this.#queue,
    })
    if (spread === undefined) return this.learn({ version: 0, parts: [] })
    const parts = spread.parts
      .filter(({ queue }) => queue > 0)
      .map(({ partition, state }) => ({ partition, isOpen: state === 'open' }))
    this.learn({ version: spread.version, parts })
  }

  /**
   * One delivery from any of the places, or none within the wait. Aborting rejects; a delivery in flight is
   * released.
   */
  take(command: Receive, options: TakeOptions = {}): Promise<Taken | undefined> {
    const startMs = this.home.link.context.clock.now()
    if (this.#places.length > 1) return this.#takeOn(command, options, startMs, 1)
    const [place] = this.#places
    // Thousands may be waiting here, so no async function waits with them, and few promises do.
    return this.#ask(place!, command, options).then((answer) => {
      const taken = this.#takenBy(place!, answer)
      return taken === moved ? this.#takeOn(command, options, startMs, 2) : taken
    })
  }

  async #takeOn(
    command: Receive,
    options: TakeOptions,
    startMs: number,
    round: number,
  ): Promise<Taken | undefined> {
    const { waitMs } = command
    for (; ; round++) {
      const passedMs = this.home.link.context.clock.now() - startMs
      const ask: Receive = {
        ...command,
        ...(round === 1 ? undefined : { poll: `${command.poll}/${round}` }),
        ...(waitMs === undefined ? undefined : { waitMs: Math.max(0, Math.round(waitMs - passedMs)) }),
      }
      const taken =
        this.#places.length === 1
          ? await this.#takeFrom(this.#places[0]!, ask, options)
          : ((await this.#takeAgain(ask, options)) ?? (await this.#takeFromAny(ask, options)))
      if (taken !== moved) return taken
    }
  }

  /** What one of the parts gave to an earlier receive with the same attempt id. */
  async #takeAgain(command: Receive, options: TakeOptions): Promise<Taken | undefined | typeof moved> {
    if (command.attempt === undefined) return undefined
    for (const [i, place] of this.#places.entries()) {
      const ask = { ...command, poll: `${command.poll}=${i}`, heldOnly: true, waitMs: 0, batchWaitMs: 0 }
      const taken = await this.#takeFrom(place, ask, options).catch((thrown: unknown) => {
        // A part that is gone holds nothing; one that does not answer may.
        if (this.#isFinal(place, thrown) || isRetryable(toKirokuError(thrown))) throw thrown
        return undefined
      })
      if (taken !== undefined) return taken
    }
    return undefined
  }

  /** A part that had messages is asked alone; only when none has any, all of them are waited for. */
  async #takeFromAny(command: Receive, options: TakeOptions): Promise<Taken | undefined | typeof moved> {
    const { clock } = this.home.link.context
    const first = this.#nextReceive++ % this.#places.length
    const places = [...this.#places.slice(first), ...this.#places.slice(0, first)]
    const { signal } = options
    for (const [i, place] of places.entries()) {
      if (place.quietUntilMs > clock.now()) continue
      const ask = { ...command, poll: `${command.poll}>${i}`, waitMs: 0 }
      const taken = await this.#takeFrom(place, ask, { ...options, patienceMs: -Infinity }).catch(
        (thrown: unknown) => {
          if (signal?.aborted === true || this.#isFinal(place, thrown)) throw thrown
          place.quietUntilMs = clock.now() + limits.deafPlaceMs
          return undefined
        },
      )
      if (taken !== undefined) return taken
      place.quietUntilMs = Math.max(place.quietUntilMs, clock.now() + limits.quietPlaceMs)
    }
    return this.#takeFirst(places, command, options)
  }

  /** Waits for all of them at once; the first delivery ends the wait for the others. */
  #takeFirst(
    places: readonly Place[],
    command: Receive,
    { signal, patienceMs }: TakeOptions,
  ): Promise<Taken | undefined | typeof moved> {
    const others = new AbortController()
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error)
      let waiting = places.length
      let failure: unknown
      const end = (settle: () => void): void => {
        if (others.signal.aborted) return
        signal?.removeEventListener('abort', aborted)
        settle()
        others.abort(elsewhere)
      }
      const aborted = { handleEvent: (): void => end(() => reject(signal!.reason as Error)) }
      signal?.addEventListener('abort', aborted)
      const nothing = (): void => {
        if (--waiting > 0) return
        end(() => (failure === undefined ? resolve(undefined) : reject(failure as Error)))
      }
      for (const [i, place] of places.entries()) {
        const ask = { ...command, poll: `${command.poll}+${i}` }
        const options = {
          signal: others.signal,
          ...(patienceMs === undefined ? undefined : { patienceMs }),
        }
        this.#takeFrom(place, ask, options).then(
          (taken) => {
            if (taken === undefined) return nothing()
            if (taken !== moved && others.signal.aborted) return void taken.partition.release(taken.delivery)
            if (taken !== moved) place.quietUntilMs = 0
            end(() => resolve(taken))
          },
          (thrown: unknown) => {
            if (this.#isFinal(place, thrown)) return end(() => reject(thrown as Error))
            // A part that is gone has nothing; one that does not answer may have.
            if (isRetryable(toKirokuError(thrown))) failure = thrown
            nothing()
          },
        )
      }
    })
  }

  #takeFrom(place: Place, command: Receive, options: TakeOptions): Promise<Taken | undefined | typeof moved> {
    return this.#ask(place, command, options).then((answer) => this.#takenBy(place, answer))
  }

  #ask({ client }: Place, command: Receive, options: TakeOptions): Promise<Answers['Receive']> {
    return client.take(this.#version === 0 ? command : { ...command, spread: this.#version }, options)
  }

  #takenBy({ client }: Place, { delivery, spread }: Answers['Receive']): Taken | undefined | typeof moved {
    if (spread !== undefined) {
      this.learn(spread)
      return moved
    }
    return delivery === undefined ? undefined : { partition: client, delivery }
  }

  /** Whether an error is for the caller: what the home says of the request itself. */
  #isFinal({ client }: Place, thrown: unknown): boolean {
    return client === this.home && !isRetryable(toKirokuError(thrown))
  }
}

const newPlace = (client: PartitionClient): Place => ({
  client,
  isOpen: true,
  avoidedUntilMs: 0,
  quietUntilMs: 0,
})

const elsewhere = new KirokuError('QueueMoved', 'Another part had a delivery')
