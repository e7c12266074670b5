import type { ErrorId, KirokuError } from '@kiroku/protocol'
import type { ClientEvent } from './ClientEvent.ts'
import type { Clock } from './Clock.ts'
import { limits } from './limits.ts'

/** Errors that mean that no owner of the partition answered, as opposed to those an owner answered with. */
const silences = new Set<ErrorId>([
  'Unavailable',
  'NatsUnreachable',
  'NoQuorum',
  'Timeout',
  'NotOwner',
  'Fenced',
])

/**
 * Whether the engine answers, over all partitions of a client: says once that it does not, after a silence that is
 * longer than a change of owners, and once that it does again, however many requests fail in between.
 */
export class Reachability {
  readonly #clock: Clock
  readonly #emit: (event: ClientEvent) => void
  /** Partitions that do not answer: since when, and when they last did not, in ms. */
  readonly #silent = new Map<number, { readonly sinceMs: number; lastMs: number }>()
  #lostAtMs: number | undefined

  constructor(clock: Clock, emit: (event: ClientEvent) => void) {
    this.#clock = clock
    this.#emit = emit
  }

  failed(partition: number, error: KirokuError): void {
    if (!silences.has(error.id)) return this.answered(partition)
    const nowMs = this.#clock.now()
    const silence = this.#silent.get(partition) ?? { sinceMs: nowMs, lastMs: nowMs }
    silence.lastMs = nowMs
    this.#silent.set(partition, silence)
    if (this.#lostAtMs !== undefined || nowMs - silence.sinceMs < limits.silenceMsMax) return
    this.#lostAtMs = silence.sinceMs
    this.#emit({ type: 'engineLost', partition, error })
  }

  answered(partition: number): void {
    if (this.#silent.size === 0) return
    this.#silent.delete(partition)
    const nowMs = this.#clock.now()
    // A partition that is no longer asked cannot answer.
    for (const [other, { lastMs }] of this.#silent)
      if (nowMs - lastMs > limits.silenceForgottenMs) this.#silent.delete(other)
    if (this.#silent.size > 0 || this.#lostAtMs === undefined) return
    this.#emit({ type: 'engineBack', awayMs: Math.round(nowMs - this.#lostAtMs) })
    this.#lostAtMs = undefined
  }
}
