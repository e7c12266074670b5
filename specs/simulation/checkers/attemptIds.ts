import { limits } from '@kiroku/protocol'
import type { Move } from '../world/Move.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/**
 * A receive that is repeated with its attempt id gets no other batch as long as something of its first is held, for
 * as long as an attempt is remembered.
 */
export class AttemptIdsChecker implements Checker {
  readonly name = 'attempt ids'
  /** Deliveries by partition, queue, generation and attempt id, and their times in ms of partition time. */
  readonly #deliveries = new Map<string, { readonly delivery: number; readonly at: number }>()

  moving({ frame, event, queue, sub }: Move): void {
    if (event.type !== 'Delivered' || event.attempt === undefined) return
    const key = `${frame.partition} ${queue.id} ${sub} ${event.attempt}`
    const before = this.#deliveries.get(key)
    const { at } = frame.record
    if (before?.delivery === event.delivery) return
    this.#deliveries.set(key, { delivery: event.delivery, at })
    if (before === undefined || at - before.at >= limits.attemptMs) return
    for (const { number, lives } of queue.messages.values()) {
      const life = lives.get(sub)
      if (life?.state === 'Inflight' && life.delivery === before.delivery)
        throw new Objection(
          this.name,
          `attempt "${event.attempt}" gets delivery ${event.delivery} at ${frame.seq}, and still holds ${frame.partition}/${queue.id}/${number} of ${before.delivery}`,
        )
    }
  }

  givenUp(): void {
    this.#deliveries.clear()
  }
}
