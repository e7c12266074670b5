import { type MachineEvent, step, resetCell } from '@kiroku/message'
import { rangeBytes, type Ranges, State, pushNumber } from '@kiroku/protocol'
import { outcomeBytes, Outcomes } from '../Outcomes.ts'
import { type PlannedDelivery, type Turn } from '../Turn.ts'
import { leave } from '../settle/decideSettle.ts'
import type { Subscription } from '../state/QueueState.ts'
import { loadCell } from '../store/loadCell.ts'
import type { Poll } from './Poll.ts'

const deliverEvent: Extract<MachineEvent, { type: 'DELIVER' }> = {
  type: 'DELIVER',
  delivery: 0,
  leaseUntil: 0,
  leaseCap: 0,
  policy: undefined as never,
}

/** The most that a delivery's fact takes with the names in it. */
const deliveredBytes = 6 * 1024

/** Collects the messages of one delivery; the caller decides the order. */
export class Taking<B> {
  readonly #turn: Turn<B>
  readonly #sub: Subscription
  readonly #poll: Poll
  readonly #max: number
  /** Whether messages that were never delivered wait. */
  readonly #holdsUntouched: boolean
  readonly #outcomes = new Outcomes()
  readonly #numbers: Ranges = []
  readonly #attempts: number[] = []
  readonly #enqueuedAt: number[] = []
  /** There once a message is delivered again. */
  #firstAt: number[] | undefined
  readonly #seqs: number[] = []
  readonly #indexes: number[] = []
  #bytes = 0
  #isFull = false
  /** The record has no room for more. */
  isCutShort = false

  /** @param max messages at most */
  constructor(turn: Turn<B>, sub: Subscription, poll: Poll, max: number) {
    this.#turn = turn
    this.#sub = sub
    this.#poll = poll
    this.#max = max
    // A receive of one group does not wait for what others have under way.
    this.#holdsUntouched = poll.group === undefined && turn.own.holdsUntouchedOf(sub)
    const { leaseCapMs } = sub.config
    const leaseUntil = turn.now + poll.leaseMs
    deliverEvent.leaseCap = leaseCapMs === 0 ? 0 : turn.now + leaseCapMs
    deliverEvent.leaseUntil = leaseCapMs === 0 ? leaseUntil : Math.min(leaseUntil, deliverEvent.leaseCap)
    deliverEvent.delivery = turn.state.nextDelivery
    deliverEvent.policy = sub.policy
  }

  /** Nothing more goes in. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Takes an available message that was delivered or changed before: `gone` when it expired instead, `full` when it has to wait. */
  live(slot: number): 'taken' | 'gone' | 'full' {
    const { live } = this.#turn.state
    const n = live.number[slot]!
    if (this.#isRecordFull) return 'full'
    if (live.deadline[slot]! <= this.#turn.now) {
      this.#outcomes.add('Discarded', this.#sub, n, 0, 'retention', '', 'expired')
      return 'gone'
    }
    if (!this.#hasRoom(live.bytes[slot]!)) return 'full'
    const cell = loadCell(live, slot, this.#turn.cell)
    step(cell, deliverEvent)
    if (cell.state !== State.Inflight) {
      leave(this.#outcomes, cell.state, this.#sub, n, 'LeaseExpired', 0, 'nextReceive', '')
      return 'gone'
    }
    // At its first delivery it has no time of an earlier one.
    if (cell.attempt > 1) this.#firstAt ??= new Array<number>(this.#attempts.length).fill(0)
    this.#firstAt?.push(cell.attempt > 1 ? live.firstAt[slot]! : 0)
    this.#add(n, cell.attempt, live.bytes[slot]!, live.enqueuedAt[slot]!, live.seq[slot]!, live.index[slot]!)
    return 'taken'
  }

  /**
   * Takes untouched messages of a run from place `from` to place `to`; returns the place behind the last one. Where
   * their retention is over they are discarded, which is recorded ahead of the delivery: `isFirst` says that nothing
   * of their list was taken before.
   */
  run(run: number, from: number, to: number, isFirst: boolean): number {
    const { state, now, cell } = this.#turn
    const { runs } = state
    const at = runs.enqueuedAt(run)
    const first = runs.first(run)
    if (at + this.#sub.config.retentionMs <= now) {
      if (!isFirst || this.#isRecordFull) return from
      for (let i = from; i < to; i++)
        this.#outcomes.add('Discarded', this.#sub, first + i, 0, 'retention', '', 'expired')
      return to
    }
    if (this.#holdsUntouched) return from
    const bytes = runs.bytes(run) / runs.count(run)
    const seq = runs.seq(run)
    const index = runs.index(run)
    let i = from
    for (; i < to && this.#hasRoom(bytes); i++) {
      step(resetCell(cell), deliverEvent)
      this.#firstAt?.push(0)
      this.#add(first + i, cell.attempt, bytes, at, seq, index + i)
    }
    return i
  }

  #hasRoom(bytes: number): boolean {
    const count = this.#attempts.length
    this.#isFull =
      count >= this.#max || (count > 0 && this.#bytes + bytes > this.#poll.bytesMax) || this.#isRecordFull
    return !this.#isFull
  }

  /** Whether the turn has no room for one more message, whatever becomes of it. */
  get #isRecordFull(): boolean {
    const bytes = deliveredBytes + (this.#numbers.length / 2) * rangeBytes + this.#outcomes.bytes
    if (this.#turn.room >= bytes + outcomeBytes(0)) return false
    this.isCutShort = true
    this.#isFull = true
    return true
  }

  #add(n: number, attempt: number, bytes: number, enqueuedAt: number, seq: number, index: number): void {
    this.#bytes += bytes
    pushNumber(this.#numbers, n)
    this.#attempts.push(attempt)
    this.#enqueuedAt.push(enqueuedAt)
    this.#seqs.push(seq)
    this.#indexes.push(index)
  }

  /** Records what happened; nothing when no message was left to deliver. */
  end(): PlannedDelivery | undefined {
    this.#outcomes.flush(this.#turn)
    if (this.#attempts.length === 0) return undefined
    const { delivery, leaseUntil, leaseCap, policy } = deliverEvent
    const sub = this.#sub
    const { attempt } = this.#poll
    const about = {
      queue: sub.queue.id,
      sub: sub.id,
      delivery,
      leaseUntil,
      numbers: this.#numbers,
      ...(attempt === '' ? undefined : { attempt }),
    }
    this.#turn.emit({
      type: 'Delivered',
      ...about,
      leaseCap,
      attemptsMax: policy.attemptsMax,
      mode: this.#poll.mode,
      consumer: this.#poll.consumer,
    })
    const { now, own } = this.#turn
    own.times.delivered(sub, delivery, now, this.#attempts, this.#enqueuedAt, leaseUntil - now)
    own.times.consumers.delivered(sub, delivery, this.#poll.consumer, this.#attempts.length)
    return {
      ...about,
      now,
      attempts: this.#attempts,
      enqueuedAt: this.#enqueuedAt,
      ...(this.#firstAt === undefined ? undefined : { firstAt: this.#firstAt }),
      seqs: this.#seqs,
      indexes: this.#indexes,
    }
  }
}
