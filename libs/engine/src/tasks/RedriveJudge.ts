import type { RedriveMove } from '@kiroku/partition'
import {
  type EnvelopeMeta,
  type Lineage,
  mainSubscription,
  pushNumber,
  type Redrive,
  type RedriveSkip,
} from '@kiroku/protocol'
import type { BodySchemas } from '../bodies/BodySchemas.ts'
import type { RedriveTarget, RedriveTargets } from './RedriveTargets.ts'
import { looksInside, passesByTime, passesInside } from './redriveFilter.ts'

/** A message, with its metadata and body where they must be known. */
export interface RedriveCandidate {
  readonly number: number
  /** Where its body lies: a frame, and the place among the queue's bodies there. */
  readonly seq: number
  readonly index: number
  readonly bytes: number
  readonly enqueuedAt: number
  readonly meta?: EnvelopeMeta
  readonly body?: Uint8Array
}

/** What was decided about some messages. */
export interface RedriveVerdicts {
  /** How many of them were judged. */
  readonly looked: number
  readonly moves: readonly RedriveMove[]
  readonly skipped: Partial<Record<RedriveSkip, number>>
  readonly filtered: number
  /** Why none can ever be moved. */
  readonly failed?: string
}

/** Where one message goes. */
interface Place {
  readonly target: RedriveTarget
  readonly only?: string
}

/** Finds out where the messages of one redrive go, or why they stay. */
export class RedriveJudge {
  readonly #redrive: Redrive
  readonly #partition: number
  readonly #targets: RedriveTargets
  readonly #schemas: BodySchemas
  readonly #now: () => number

  /** @param now partition time in ms */
  constructor(
    redrive: Redrive,
    partition: number,
    targets: RedriveTargets,
    schemas: BodySchemas,
    now: () => number,
  ) {
    this.#redrive = redrive
    this.#partition = partition
    this.#targets = targets
    this.#schemas = schemas
    this.#now = now
  }

  /** Whether it must know the metadata of messages, or bodies that were not edited. Errors: those of asking its target. */
  async looksInside(): Promise<boolean> {
    const { filter, to } = this.#redrive
    if (to === 'origin' || looksInside(filter)) return true
    return (await this.#targets.find(to.name))?.checksAll === true
  }

  /** Judges messages in their order until `movesMax` of them can go. Errors: those of asking their targets. */
  async judge(messages: readonly RedriveCandidate[], movesMax: number): Promise<RedriveVerdicts> {
    const { filter, to } = this.#redrive
    let named: RedriveTarget | undefined
    if (to !== 'origin') {
      named = await this.#targets.find(to.name)
      if (named === undefined)
        return { looked: 0, moves: [], skipped: {}, filtered: 0, failed: `queue "${to.name}" is gone` }
    }
    const moves = new Map<string, RedriveMove>()
    const skipped: Partial<Record<RedriveSkip, number>> = {}
    let filtered = 0
    let moved = 0
    let looked = 0
    for (; looked < messages.length && moved < movesMax; looked++) {
      const message = messages[looked]!
      if (!passesByTime(filter, message.enqueuedAt) || !passesInside(filter, message.meta ?? {})) {
        filtered++
        continue
      }
      const place = named === undefined ? await this.#origin(message) : { target: named }
      const reason = typeof place === 'string' ? place : await this.#refuse(place, message)
      if (reason !== undefined) skipped[reason] = (skipped[reason] ?? 0) + 1
      else {
        add(moves, place as Place, message.number)
        moved++
      }
    }
    return { looked, moves: [...moves.values()], skipped, filtered }
  }

  /** The queue and the subscription that a dead letter came from. */
  async #origin({ meta }: RedriveCandidate): Promise<Place | RedriveSkip> {
    // A client wrote the envelope, and may have written anything.
    const lineage = meta?.lineage as Partial<Lineage> | null | undefined
    if (typeof lineage?.queue !== 'string' || lineage.cause === 'redriven') return 'noOrigin'
    const only = lineage.subscription ?? mainSubscription
    const target = await this.#targets.find(lineage.queue)
    return target?.subscriptions.has(only) === true ? { target, only } : 'originGone'
  }

  async #refuse(
    { target }: Place,
    { enqueuedAt, meta, body }: RedriveCandidate,
  ): Promise<RedriveSkip | undefined> {
    if (target.partition === this.#partition && target.queue === this.#redrive.queue) return 'originIsSource'
    const { originalRetentionMs } = target
    const isTooOld = originalRetentionMs !== undefined && enqueuedAt + originalRetentionMs <= this.#now()
    if (isTooOld) return 'tooOld'
    const { bodySchema, checksAll, name } = target
    if (bodySchema === null || body === undefined || (meta?.edits === undefined && !checksAll))
      return undefined
    return (await this.#schemas.fits(body, bodySchema, name)) ? undefined : 'schema'
  }
}

const add = (moves: Map<string, RedriveMove>, { target, only }: Place, number: number): void => {
  const { name, partition, queue } = target
  const key = `${partition}/${queue}/${only ?? ''}`
  const move = moves.get(key)
  if (move !== undefined) pushNumber(move.numbers, number)
  else
    moves.set(key, {
      target: { name, partition, queue },
      ...(only === undefined ? {} : { only }),
      numbers: [number, 1],
    })
}
