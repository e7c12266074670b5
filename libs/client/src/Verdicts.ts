import { deferral, isBackPressure } from './BackPressure.ts'
import {
  errorText,
  releaseOf,
  type ReleaseOptions,
  type RetryOptions,
  type Settlement,
  type Told,
} from './Settlement.ts'

const open = 0
/** Acknowledged, or already sent with another verdict. */
const told = 1
const retried = 2
const released = 3
const deadLettered = 4

/** What to do with some messages of a batch, by their index in it. */
export interface Outcome {
  readonly settlement: Settlement
  readonly indexes: readonly number[]
}

/**
 * The verdicts of a handler on one batch. The first verdict on a message counts; one on a message wins over a
 * later one on the batch; a verdict on the batch closes it for those without one. A second `retry` of a
 * message or batch that is to be retried changes its delay and error, as Cloudflare's runtime does; a second
 * release of what is to be given back likewise.
 */
export class Verdicts {
  readonly #states: number[]
  #details: Map<number, Told<ReleaseOptions>> | undefined
  #batch: 'open' | 'acked' | 'retried' | 'released' | 'closed' = 'open'
  #batchRetry: Told<RetryOptions> = {}
  #batchRelease: Told<ReleaseOptions> = {}
  /** Messages whose verdicts are told in a moment; undefined: none, as in most batches. */
  #ended: number[] | undefined
  readonly #onAck: (indexes: readonly number[]) => void
  readonly #onEnd: (outcomes: Outcome[]) => void

  /**
   * @param onAck called at once with what is acknowledged for good, whatever becomes of the rest
   * @param onEnd called with the other verdicts on messages that ended before the batch
   */
  constructor(
    messages: number,
    onAck: (indexes: readonly number[]) => void,
    onEnd: (outcomes: Outcome[]) => void = () => {},
  ) {
    this.#states = new Array<number>(messages).fill(open)
    this.#onAck = onAck
    this.#onEnd = onEnd
  }

  /** Whether a message is to be delivered again, by a verdict of its own. */
  comesAgain(index: number): boolean {
    return this.#states[index] === retried || this.#states[index] === released
  }

  ack(index: number): void {
    if (this.#batch !== 'open' || this.#states[index] !== open) return
    this.#states[index] = told
    this.#onAck([index])
  }

  retry(index: number, options: Told<RetryOptions> = {}): void {
    if (this.#batch === 'open' || this.#batch === 'retried') this.#giveBack(index, retried, options)
  }

  release(index: number, options: Told<ReleaseOptions> = {}): void {
    if (this.#batch === 'open' || this.#batch === 'released') this.#giveBack(index, released, options)
  }

  #giveBack(index: number, verdict: number, options: Told<ReleaseOptions>): void {
    const state = this.#states[index]
    if (state !== open && state !== verdict) return
    this.#states[index] = verdict
    this.#detail(index, merged(this.#details?.get(index), options))
  }

  deadLetter(index: number, error?: string): void {
    if (this.#batch !== 'open' || this.#states[index] !== open) return
    this.#states[index] = deadLettered
    this.#detail(index, { error })
  }

  /** Few batches have any. */
  #detail(index: number, options: Told<ReleaseOptions>): void {
    this.#details ??= new Map()
    this.#details.set(index, options)
  }

  /** Tells the verdict on a message without waiting for the batch, together with those of the same moment. */
  end(index: number): void {
    if (this.#states[index] === open || this.#states[index] === told) return
    if (this.#ended === undefined) {
      this.#ended = []
      queueMicrotask(() => this.#tellEnded())
    }
    this.#ended.push(index)
  }

  #tellEnded(): void {
    const ended = this.#ended!
    this.#ended = undefined
    if (this.#batch === 'closed') return
    // Each has a verdict of its own, so what the rest gets does not matter.
    const outcomes = this.#outcomes(ended, { type: 'Ack' })
    for (const index of ended) this.#states[index] = told
    this.#onEnd(outcomes)
  }

  ackAll(): void {
    if (this.#batch !== 'open') return
    this.#batch = 'acked'
    this.#ackOpen()
  }

  retryAll(options: Told<RetryOptions> = {}): void {
    if (this.#batch !== 'open' && this.#batch !== 'retried') return
    this.#batch = 'retried'
    this.#batchRetry = merged(this.#batchRetry, options)
  }

  releaseAll(options: Told<ReleaseOptions> = {}): void {
    if (this.#batch !== 'open' && this.#batch !== 'released') return
    this.#batch = 'released'
    this.#batchRelease = merged(this.#batchRelease, options)
  }

  /**
   * Closes the verdicts; later ones are ignored.
   * @param failure why the handler failed; absent: it returned, so messages without a verdict are acknowledged
   * @returns what is still to be done, one entry per kind
   */
  finish(failure?: { readonly error: string }): Outcome[] {
    if (failure === undefined && this.#batch === 'open') this.#ackOpen()
    return this.#close({ type: 'Retry', error: failure?.error })
  }

  /** Closes the verdicts because the handler threw: messages without one are retried, or given back if it was told to wait. */
  fail(error: unknown): Outcome[] {
    if (isBackPressure(error)) return this.#close(releaseOf(deferral(error)))
    return this.finish({ error: errorText(error) })
  }

  /** Closes the verdicts because the consumer stops: messages without one are given back. */
  abandon(): Outcome[] {
    return this.#close({ type: 'Release' })
  }

  #ackOpen(): void {
    const indexes: number[] = []
    for (let i = 0; i < this.#states.length; i++) {
      if (this.#states[i] !== open) continue
      this.#states[i] = told
      indexes.push(i)
    }
    if (indexes.length > 0) this.#onAck(indexes)
  }

  /** A verdict on the batch wins over what its end asks for, which only adds a reason to a retry. */
  #rest(end: Settlement & Told<ReleaseOptions>): Settlement {
    if (this.#batch === 'released') return { type: 'Release', ...this.#batchRelease }
    if (this.#batch !== 'retried') return end
    return { type: 'Retry', ...merged({ error: end.error }, this.#batchRetry) }
  }

  /** @param end what the end of the batch asks for without another verdict */
  #close(end: Settlement & Told<ReleaseOptions>): Outcome[] {
    const rest = this.#rest(end)
    this.#batch = 'closed'
    if (this.#states.every((state) => state === told)) return none
    return this.#outcomes(this.#states.keys(), rest)
  }

  /** What is still to be told of messages, one entry per kind. */
  #outcomes(indexes: Iterable<number>, rest: Settlement): Outcome[] {
    const outcomes = new Map<string, { settlement: Settlement; indexes: number[] }>()
    for (const i of indexes) {
      const settlement = this.#settlement(i, rest)
      if (settlement === undefined) continue
      const key = JSON.stringify(settlement)
      const outcome = outcomes.get(key)
      if (outcome === undefined) outcomes.set(key, { settlement, indexes: [i] })
      else outcome.indexes.push(i)
    }
    return [...outcomes.values()]
  }

  #settlement(index: number, rest: Settlement): Settlement | undefined {
    switch (this.#states[index]) {
      case told:
        return undefined
      case retried:
        return { type: 'Retry', ...merged(this.#batchRetry, this.#details!.get(index)!) }
      case released:
        return { type: 'Release', ...merged(this.#batchRelease, this.#details!.get(index)!) }
      case deadLettered:
        return { type: 'DeadLetter', ...this.#details?.get(index) }
      default:
        return rest
    }
  }
}

const none: Outcome[] = []

const merged = (older: Told<ReleaseOptions> = {}, newer: Told<ReleaseOptions>): Told<ReleaseOptions> => ({
  delayMs: newer.delayMs ?? older.delayMs,
  error: newer.error ?? older.error,
  holdSubscription: newer.holdSubscription ?? older.holdSubscription,
})
