import type { TurnAnswer } from '@kiroku/partition'
import type { KirokuError } from '@kiroku/protocol'
import { ChurnMap, type Answer } from '@kiroku/protocol'
import type { Metrics } from '../Metrics.ts'
import type { Time } from '../Time.ts'
import type { Append } from '../append/AppendPipeline.ts'
import { limits } from '../limits.ts'
import type { Deliverer } from './Deliverer.ts'
import type { Slot } from './Request.ts'

/**
 * Holds answers until what they rest on is stored. The intake opens a slot per command, the turn loop hands in what was
 * decided, the append pipeline's landings let it out.
 */
export class AnswerGate {
  readonly #time: Time
  readonly #lockFresh: () => boolean
  readonly #metrics: Metrics
  readonly #deliverer: Pick<Deliverer, 'deliver'>
  /** Commands without an answer, by token. */
  readonly #slots = new ChurnMap<number, Slot>()
  #token = 0
  /** Answers whose facts are stored and that wait for nothing but the lock. */
  #idle: TurnAnswer[] = []
  #awaitingLock = false
  #epoch = 0
  #storedSeq = 0

  constructor(
    options: { readonly time: Time; readonly lockFresh: () => boolean },
    metrics: Metrics,
    deliverer: Pick<Deliverer, 'deliver'>,
  ) {
    this.#time = options.time
    this.#lockFresh = options.lockFresh
    this.#metrics = metrics
    this.#deliverer = deliverer
  }

  /** Answers come from this epoch on, and say that everything up to `storedSeq` is stored. */
  begin(epoch: number, storedSeq: number): void {
    this.#epoch = epoch
    this.#storedSeq = storedSeq
  }

  /** Expects an answer for a command; returns its token. */
  open(slot: Slot): number {
    const token = ++this.#token
    this.#slots.set(token, slot)
    return token
  }

  /**
   * Answers that come with no fact of their own rest on the last append that was sent off, and on the lock: that an
   * append is stored which left before the question came does not say who owns the partition since.
   */
  hold(answers: readonly TurnAnswer[], last: Append | undefined): void {
    const waiting = last?.held ?? this.#idle
    for (const a of answers) waiting.push(a)
    if (waiting === this.#idle) this.#answerIdle()
  }

  /** An append is stored, and so is everything before it. */
  stored({ seq, answers, held }: Append): void {
    this.#storedSeq = seq
    // What a consumer waits for goes first.
    for (const a of answers) if (a.delivery !== undefined) this.resolve(a)
    for (const a of answers) if (a.delivery === undefined) this.resolve(a)
    for (const a of held) this.#idle.push(a)
    this.#answerIdle()
  }

  /** Appends failed: the log holds the first `found` of them, whose answers leave; the others never happened. */
  failed(appends: readonly Append[], found: number, error: KirokuError): void {
    for (const [i, append] of appends.entries()) {
      // Repeated, it would make the same record.
      const own = append.error?.id === 'RecordTooLarge' ? append.error : error
      for (const a of append.answers)
        if (i < found) this.resolve(a)
        else this.refuse(a.token, own)
      for (const a of append.held)
        if (i < found) this.resolve(a)
        else this.refuse(a.token, error)
    }
  }

  /** Gives up everything that waits. */
  refuseAll(error: KirokuError): void {
    this.#idle = []
    for (const token of [...this.#slots.keys()]) this.refuse(token, error)
  }

  refuse(token: number, error: KirokuError): void {
    if (error.id === 'Busy') this.#metrics.busy++
    this.resolve({ token, answer: { error: error.toWire() } })
  }

  /** Lets an answer out now; a delivery once its bodies are at hand. */
  resolve(a: TurnAnswer): void {
    const slot = this.#slots.get(a.token)
    if (slot === undefined) return
    this.#slots.delete(a.token)
    if (a.delivery === undefined) this.answer(slot, a.answer)
    else this.#deliverer.deliver(a.delivery, slot)
  }

  answer(slot: Slot, answer: Answer): void {
    slot.request.answer(slot.index, answer, this.#epoch, this.#storedSeq)
  }

  #answerIdle(): void {
    if (this.#idle.length === 0 || this.#awaitingLock) return
    if (this.#lockFresh()) {
      const idle = this.#idle
      this.#idle = []
      for (const a of idle) this.resolve(a)
      return
    }
    this.#awaitingLock = true
    this.#time.after(limits.lockPollMs, () => {
      this.#awaitingLock = false
      this.#answerIdle()
    })
  }
}
