import { isFinal } from '../world/Life.ts'
import type { Move } from '../world/Move.ts'
import type { Message } from '../world/QueueLedger.ts'
import type { Stored } from '../world/Stored.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/**
 * Nothing is discarded for its age, let out or tried again before its time: by partition time, and by the true time as well,
 * unless two clocks that were both wrong, or an operator's wrong decision, moved partition time ahead of it,
 * or had held it back when the time began.
 */
export class AgesChecker implements Checker {
  readonly name = 'ages'
  readonly #world: World
  /** By how much partition time was ahead of virtual time in the first frame, and at the most since, by partition. */
  readonly #ahead = new Map<number, { readonly first: number; most: number }>()
  /** Since when it was held back against the first frame, and until when, in ms of virtual time, by partition. */
  readonly #heldBack = new Map<number, { readonly fromMs: number; toMs: number }[]>()
  /**
   * When an operator last said which clock is right, in ms of virtual time: the wrong one may hold time back
   * for a while.
   */
  #wordMs = -1

  constructor(world: World) {
    this.#world = world
  }

  storing({ partition, record, sentMs }: Stored): void {
    // A fence carries the time of the frame before it.
    if (record.events.some((e) => e.type === 'OwnerChanged')) return
    let { at } = record
    for (const e of record.events) {
      if (e.type !== 'ClockResumed') continue
      at = Math.max(at, e.now)
      if (e.clock !== undefined) this.#wordMs = sentMs
    }
    const ahead = this.#ahead.get(partition)
    if (ahead === undefined) {
      this.#ahead.set(partition, { first: at - sentMs, most: at - sentMs })
      this.#heldBack.set(partition, [])
      return
    }
    ahead.most = Math.max(ahead.most, at - sentMs)
    const held = this.#heldBack.get(partition)!
    const last = held.at(-1)
    if (at - sentMs >= ahead.first - allowedMs) {
      if (last !== undefined) last.toMs = Math.min(last.toMs, sentMs)
    } else if (last === undefined || last.toMs < Infinity) held.push({ fromMs: sentMs, toMs: Infinity })
  }

  #wasHeldBack(partition: number, ms: number): boolean {
    return this.#heldBack.get(partition)!.some(({ fromMs, toMs }) => fromMs <= ms && ms <= toMs)
  }

  moving(move: Move): void {
    const { event, message, life } = move
    switch (event.type) {
      case 'Discarded':
        if (event.cause === 'retention') this.#discarded(move)
        return
      case 'DelayElapsed':
        return this.#atLeast(move, 'delay', message.sentMs, message.delayMs)
      case 'RetryDue':
        return this.#atLeast(move, 'pause', life.pausedMs, life.pauseMs)
    }
  }

  #discarded(move: Move): void {
    const { queue, message, life, frame } = move
    const { retentionMs } = queue.configOf(0)
    // What came back of a dispute's past did so by its recorded time.
    const isOfDispute = message.recordedAt !== message.enqueuedAt
    const from = isOfDispute ? Math.min(message.recordedAt, message.retainedFrom) : message.retainedFrom
    const age = frame.record.at - from
    if (!isFinal(life.state) && age < retentionMs)
      throw this.#object(move, `it is ${age} ms old, and is kept for ${retentionMs}`)
    if (isOfDispute) return
    const sentMs = message.isFromOriginal ? this.#firstSentMs(message) : message.sentMs
    if (sentMs !== undefined) this.#atLeast(move, 'retention', sentMs, retentionMs)
  }

  /** When a message was sent first, in ms of virtual time; undefined where a part of its way was lost. */
  #firstSentMs({ sentMs, origin }: Message): number | undefined {
    if (origin === undefined) return sentMs
    const lane = this.#world.truth.ledgers[origin.source.partition]!.lanes.left.get(origin.lane)
    const before = lane?.letters.find(({ forward }) => forward === origin.forward)?.message
    return before && this.#firstSentMs(before)
  }

  #atLeast(move: Move, what: string, sinceMs: number, ms: number): void {
    const { partition, sentMs } = move.frame
    const { first, most } = this.#ahead.get(partition)!
    const trueMs = sentMs - sinceMs
    if (trueMs >= ms - allowedMs || most - first > allowedMs || this.#wordMs >= sinceMs) return
    if (this.#wasHeldBack(partition, sinceMs)) return
    // What was lost or given up may have been what set its time.
    if (this.#world.hurts.has(partition)) return
    throw this.#object(move, `its ${what} of ${ms} ms is over after ${trueMs} ms`)
  }

  #object({ frame, queue, message }: Move, text: string): Objection {
    const where = `${frame.partition}/${queue.id}/${message.number} at ${frame.seq}`
    return new Objection(this.name, `${where}: ${text}`)
  }
}

/** What clocks that are believed may add up to in one world, in ms: days is what this is about. */
const allowedMs = 2 * 3_600_000
