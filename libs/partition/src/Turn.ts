import { type KirokuError, type LogEvent, type MessageCell, newCell, type Ranges } from '@kiroku/message'
import type { Answer } from './Command.ts'
import { evolve } from './evolve.ts'
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

/** SHA-256 of some bytes. */
export type Digest = (bytes: Uint8Array) => Uint8Array

/** One gathering of commands, decided at one moment: facts and answers collect here. `B` is a body or a reference to one. */
export class Turn<B = Uint8Array> {
  readonly state: PartitionState
  /** Partition time in ms. */
  readonly now: number
  /** Chance from the shell, 0 to 1. */
  readonly random: () => number
  readonly digest: Digest
  readonly events: LogEvent[] = []
  readonly answers: TurnAnswer[] = []
  readonly sections = new Map<number, TurnSection<B>>()
  /** Who is to be told what happened, when the turn is over. */
  readonly follows: { readonly token: number; readonly follower: string; readonly since: number }[] = []
  /** One cell and ranges for all steps of the turn. */
  readonly cell: MessageCell = newCell()

  constructor(state: PartitionState, now: number, random: () => number, digest: Digest) {
    this.state = state
    this.now = now
    this.random = random
    this.digest = digest
  }

  /** Records a fact and applies it. */
  emit(event: LogEvent): void {
    this.events.push(event)
    this.state.followers?.event(event, this.state)
    evolve(this.state, event)
  }

  ok(token: number, ok: NonNullable<Answer['ok']>): void {
    this.answers.push({ token, answer: { ok } })
  }

  refuse(token: number, error: KirokuError): void {
    this.answers.push({ token, answer: { error: error.toWire() } })
  }

  addBodies(queue: number, bodies: readonly B[]): void {
    const section = this.sections.get(queue)
    if (section === undefined) this.sections.set(queue, { queue, bodies: [...bodies] })
    else for (const body of bodies) section.bodies.push(body)
  }
}

/** Adds one number to ranges that are built in order. */
export const pushNumber = (ranges: Ranges, n: number): void => {
  const last = ranges.length - 2
  if (last >= 0 && ranges[last]! + ranges[last + 1]! === n) ranges[last + 1] = ranges[last + 1]! + 1
  else ranges.push(n, 1)
}
