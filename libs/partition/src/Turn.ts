import { type MessageCell, newCell } from '@kiroku/message'
import {
  type Answer,
  eventBytes,
  type KirokuError,
  type LogEvent,
  type Ranges,
  recordable,
} from '@kiroku/protocol'
import { evolve } from './evolve.ts'
import type { Ownership } from './ownership/Ownership.ts'
import type { PartitionState } from './state/PartitionState.ts'

/** A delivery that was decided; the shell adds the bodies. Arrays run parallel. */
export interface PlannedDelivery {
  readonly queue: number
  readonly sub: number
  readonly delivery: number
  readonly now: number
  readonly leaseUntil: number
  readonly attempt?: string
  readonly isRepeat?: boolean
  readonly numbers: Ranges
  readonly attempts: number[]
  readonly enqueuedAt: number[]
  readonly firstAt?: number[]
  /** Where the bodies lie: frame, and place among the queue's bodies there. */
  readonly seqs: number[]
  readonly indexes: number[]
}

/** What goes back to one token once the frame is stored. */
export type TurnAnswer =
  | { readonly token: number; readonly answer: Answer; readonly delivery?: undefined }
  | { readonly token: number; readonly delivery: PlannedDelivery; readonly answer?: undefined }

/** The bodies that one queue adds to the frame. */
export interface TurnSection<B> {
  readonly queue: number
  readonly bodies: B[]
}

/** What is left of a command, or of work of the engine's own, that found no more room in a turn; it goes on in the next. */
export type Rest<B> = (turn: Turn<B>) => Rest<B> | undefined

/** What commands leave of a turn's room for what is due, and what both leave for deliveries. */
const commandShare = 0.75
const timerShare = 0.875
/** Bytes of a body's place in the table of a frame, and of the head of a queue's section there. */
const placeBytes = 8
const sectionBytes = 16

/** SHA-256 of some bytes. */
export type Digest = (bytes: Uint8Array) => Uint8Array

/** One gathering of commands, decided at one moment: facts and answers collect here. `B` is a body or a reference to one. */
export class Turn<B = Uint8Array> {
  readonly own: Ownership
  readonly state: PartitionState
  /** Partition time in ms. */
  readonly now: number
  /** Chance from the shell, 0 to 1. */
  readonly random: () => number
  readonly digest: Digest
  /** Bytes that its facts and bodies may take. */
  readonly bytesMax: number
  /** The most that they take so far. */
  bytes = 0
  readonly events: LogEvent[] = []
  readonly answers: TurnAnswer[] = []
  readonly sections = new Map<number, TurnSection<B>>()
  /** Who is to be told what happened, when the turn is over. */
  readonly follows: { readonly token: number; readonly follower: string; readonly since: number }[] = []
  /** Commands that were refused at a limit. */
  busy = 0
  /** One cell and ranges for all steps of the turn. */
  readonly cell: MessageCell = newCell()

  constructor(
    own: Ownership,
    now: number,
    random: () => number,
    digest: Digest,
    bytesMax = Number.POSITIVE_INFINITY,
  ) {
    this.own = own
    this.state = own.state
    this.now = now
    this.random = random
    this.digest = digest
    this.bytesMax = bytesMax
  }

  /** Bytes that are left for commands, for what is due, and for deliveries; below 0 when others took more than their share. */
  get commandRoom(): number {
    return commandShare * this.bytesMax - this.bytes
  }
  get timerRoom(): number {
    return timerShare * this.bytesMax - this.bytes
  }
  get room(): number {
    return this.bytesMax - this.bytes
  }

  /** Records a fact and applies it. Errors: `NotFinalized`, for one that not every node can read yet. */
  emit(fact: LogEvent): void {
    const event = recordable(fact, this.state.clusterVersion)
    this.events.push(event)
    this.bytes += eventBytes(event)
    this.own.followers?.event(event, this.state)
    evolve(this.state, event)
  }

  ok(token: number, ok: NonNullable<Answer['ok']>): void {
    this.answers.push({ token, answer: { ok } })
  }

  refuse(token: number, error: KirokuError): void {
    if (error.id === 'Busy') this.busy++
    this.answers.push({ token, answer: { error: error.toWire() } })
  }

  addBodies(queue: number, bodies: readonly B[]): void {
    let section = this.sections.get(queue)
    if (section === undefined) {
      this.sections.set(queue, (section = { queue, bodies: [] }))
      this.bytes += sectionBytes
    }
    for (const body of bodies) {
      section.bodies.push(body)
      this.bytes += placeBytes + (body instanceof Uint8Array ? body.length : placeBytes)
    }
  }
}
